"""What a CosyVoice3 model directory says of its sizes: ``cosyvoice3.yaml`` and ``CosyVoice-BlankEN/config.json``.

Contract: ``load_config`` gives frozen dataclasses. The YAML is read as plain data: a tag such as ``!new:a.b.C`` is
dropped and leaves the mapping it stands on, ``!ref <key>`` and its arithmetic are resolved by a small reader of our
own, and nothing named in the file is ever imported or called. Keys that only training needs are not looked at. A
missing or wrong value is an error that names file and key.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from common.errors import VoicepressError
from common.files import require_file
from engines.cosyvoice3.hyperyaml import Section, read_tagged_yaml

YAML_NAME = "cosyvoice3.yaml"
TEXT_MODEL = "CosyVoice-BlankEN"
EXTRA_IDS = 200
"""Rows of the speech embedding and of the output layer beyond the codes; drawing any of them ends a line."""
MEL_BINS = 80


@dataclass(frozen=True, slots=True)
class QwenConfig:
    """The Qwen2 decoder under the language model. ``hidden`` = H, ``mlp`` the inner width of the SwiGLU."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    mlp: int
    rope_theta: float
    rms_eps: float
    vocab: int
    head_dim: int


@dataclass(frozen=True, slots=True)
class SamplingConfig:
    """Repetition-aware sampling: nucleus ``top_p`` and ``top_k``, then a look at the last ``win_size`` tokens."""

    top_p: float
    top_k: int
    win_size: int
    tau_r: float


@dataclass(frozen=True, slots=True)
class LmConfig:
    """Text to speech tokens. Ids ``0 .. speech_tokens-1`` are codes, the ``EXTRA_IDS`` after them are controls."""

    qwen: QwenConfig
    speech_tokens: int
    sampling: SamplingConfig

    @property
    def sos(self) -> int:
        return self.speech_tokens

    @property
    def task(self) -> int:
        return self.speech_tokens + 2

    @property
    def rows(self) -> int:
        """Rows of ``speech_embedding`` and ``llm_decoder``: V."""
        return self.speech_tokens + EXTRA_IDS


@dataclass(frozen=True, slots=True)
class DiTConfig:
    """The flow's estimator. ``chunk_frames`` is the width of the streaming mask (not used offline)."""

    dim: int
    depth: int
    heads: int
    dim_head: int
    ff_mult: int
    mel_dim: int
    chunk_frames: int


@dataclass(frozen=True, slots=True)
class FlowConfig:
    """Speech tokens to mel. ``pre_lookahead_len`` tokens of right context, ``lookahead_channels`` inside its convolutions."""

    vocab_size: int
    spk_embed_dim: int
    token_mel_ratio: int
    pre_lookahead_len: int
    lookahead_channels: int
    inference_cfg_rate: float
    t_scheduler: str
    dit: DiTConfig


@dataclass(frozen=True, slots=True)
class HiftConfig:
    """Mel to sound. ``hop`` is the product of all upsampling: samples per mel frame."""

    base_channels: int
    nb_harmonics: int
    sampling_rate: int
    nsf_alpha: float
    nsf_sigma: float
    nsf_voiced_threshold: float
    upsample_rates: tuple[int, ...]
    upsample_kernel_sizes: tuple[int, ...]
    n_fft: int
    hop_len: int
    resblock_kernel_sizes: tuple[int, ...]
    resblock_dilation_sizes: tuple[tuple[int, ...], ...]
    source_resblock_kernel_sizes: tuple[int, ...]
    source_resblock_dilation_sizes: tuple[tuple[int, ...], ...]
    lrelu_slope: float
    audio_limit: float
    conv_pre_look_right: int
    f0_channels: int

    @property
    def hop(self) -> int:
        product = self.hop_len
        for rate in self.upsample_rates:
            product *= rate
        return product


@dataclass(frozen=True, slots=True)
class MelConfig:
    """The mel of the prompt audio. ``fmax`` is None for half the sample rate."""

    n_fft: int
    bins: int
    sample_rate: int
    hop: int
    window: int
    fmin: float
    fmax: float | None


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Everything of a model directory that is a size or a setting."""

    sample_rate: int
    token_rate_hz: int
    token_mel_ratio: int
    lm: LmConfig
    flow: FlowConfig
    hift: HiftConfig
    mel: MelConfig

    @property
    def token_seconds(self) -> float:
        """Seconds of speech of one token: 0.04."""
        return 1 / self.token_rate_hz


def load_config(model_dir: Path) -> ModelConfig:
    """Read ``model_dir/cosyvoice3.yaml`` and the sizes of the text model beside it."""
    path = model_dir / YAML_NAME
    root = Section(read_tagged_yaml(path, "the model's configuration"), path)
    qwen = _qwen(model_dir / TEXT_MODEL / "config.json")
    sample_rate = root.integer("sample_rate")
    lm = _lm(root.section("llm"), qwen)
    flow = _flow(root.section("flow"))
    hift = _hift(root.section("hift"))
    mel = _mel(root.section("feat_extractor"))
    token_rate = root.integer("token_frame_rate")
    if lm.speech_tokens != flow.vocab_size:
        raise root.error(
            "flow.vocab_size", f"the flow knows {flow.vocab_size} speech tokens, the language model {lm.speech_tokens}"
        )
    if token_rate * flow.token_mel_ratio * hift.hop != sample_rate or hift.sampling_rate != sample_rate:
        raise root.error(
            "hift",
            f"{token_rate} tokens a second x {flow.token_mel_ratio} frames x {hift.hop} samples do not make the sample "
            f"rate {sample_rate}",
        )
    return ModelConfig(sample_rate, token_rate, root.integer("token_mel_ratio"), lm, flow, hift, mel)


def _qwen(path: Path) -> QwenConfig:
    require_file(path, "the text model's configuration")
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise VoicepressError(
            "bad-model", f"the text model's configuration is no JSON: {error}", file=path,
            hint="download the model directory again",
        ) from error  # fmt: skip
    data = Section(raw, path)
    if data.flag("use_sliding_window", False):
        raise data.error("use_sliding_window", "a sliding attention window is not what CosyVoice3 was trained with")
    hidden, heads = data.integer("hidden_size"), data.integer("num_attention_heads")
    kv_heads = data.integer("num_key_value_heads", heads)
    if heads % kv_heads:
        raise data.error("num_key_value_heads", f"{heads} heads cannot share {kv_heads} key-value heads")
    return QwenConfig(
        hidden=hidden,
        layers=data.integer("num_hidden_layers"),
        heads=heads,
        kv_heads=kv_heads,
        mlp=data.integer("intermediate_size"),
        rope_theta=data.number("rope_theta", 10_000.0),
        rms_eps=data.number("rms_norm_eps", 1e-6),
        vocab=data.integer("vocab_size"),
        head_dim=data.integer("head_dim", hidden // heads),
    )


def _lm(data: Section, qwen: QwenConfig) -> LmConfig:
    for key in ("llm_input_size", "llm_output_size"):
        if data.integer(key, qwen.hidden) != qwen.hidden:
            raise data.error(key, f"it must be the text model's hidden_size, {qwen.hidden}")
    ras = data.section("sampling")
    sampling = SamplingConfig(
        top_p=ras.number("top_p", 0.8),
        top_k=ras.integer("top_k", 25),
        win_size=ras.integer("win_size", 10),
        tau_r=ras.number("tau_r", 0.1),
    )
    return LmConfig(qwen, data.integer("speech_token_size"), sampling)


def _flow(data: Section) -> FlowConfig:
    look = data.section("pre_lookahead_layer")
    decoder = data.section("decoder")
    cfm = decoder.section("cfm_params")
    cfm = cfm.section("content") if cfm.has("content") else cfm
    dit = decoder.section("estimator")
    return FlowConfig(
        vocab_size=data.integer("vocab_size"),
        spk_embed_dim=data.integer("spk_embed_dim"),
        token_mel_ratio=data.integer("token_mel_ratio", 2),
        pre_lookahead_len=data.integer("pre_lookahead_len", 3),
        lookahead_channels=look.integer("channels"),
        inference_cfg_rate=cfm.number("inference_cfg_rate"),
        t_scheduler=cfm.text("t_scheduler", "cosine"),
        dit=DiTConfig(
            dim=dit.integer("dim"),
            depth=dit.integer("depth"),
            heads=dit.integer("heads"),
            dim_head=dit.integer("dim_head", 64),
            ff_mult=dit.integer("ff_mult", 4),
            mel_dim=MEL_BINS,
            chunk_frames=dit.integer("static_chunk_size", 50),
        ),
    )


def _hift(data: Section) -> HiftConfig:
    istft = data.section("istft_params")
    f0 = data.section("f0_predictor")
    made = HiftConfig(
        base_channels=data.integer("base_channels"),
        nb_harmonics=data.integer("nb_harmonics", 8),
        sampling_rate=data.integer("sampling_rate"),
        nsf_alpha=data.number("nsf_alpha", 0.1),
        nsf_sigma=data.number("nsf_sigma", 0.003),
        nsf_voiced_threshold=data.number("nsf_voiced_threshold", 10.0),
        upsample_rates=data.integers("upsample_rates"),
        upsample_kernel_sizes=data.integers("upsample_kernel_sizes"),
        n_fft=istft.integer("n_fft"),
        hop_len=istft.integer("hop_len"),
        resblock_kernel_sizes=data.integers("resblock_kernel_sizes"),
        resblock_dilation_sizes=data.integer_lists("resblock_dilation_sizes"),
        source_resblock_kernel_sizes=data.integers("source_resblock_kernel_sizes"),
        source_resblock_dilation_sizes=data.integer_lists("source_resblock_dilation_sizes"),
        lrelu_slope=data.number("lrelu_slope", 0.1),
        audio_limit=data.number("audio_limit", 0.99),
        conv_pre_look_right=data.integer("conv_pre_look_right", 4),
        f0_channels=f0.integer("cond_channels"),
    )
    stages = len(made.upsample_rates)
    for key, values in (
        ("upsample_kernel_sizes", made.upsample_kernel_sizes),
        ("source_resblock_kernel_sizes", made.source_resblock_kernel_sizes),
        ("source_resblock_dilation_sizes", made.source_resblock_dilation_sizes),
    ):
        if len(values) != stages:
            raise data.error(key, f"it has {len(values)} entries for {stages} upsampling stages")
    if len(made.resblock_dilation_sizes) != len(made.resblock_kernel_sizes):
        raise data.error("resblock_dilation_sizes", "it must have one list for each of resblock_kernel_sizes")
    return made


def _mel(data: Section) -> MelConfig:
    return MelConfig(
        n_fft=data.integer("n_fft"),
        bins=data.integer("num_mels"),
        sample_rate=data.integer("sampling_rate"),
        hop=data.integer("hop_size"),
        window=data.integer("win_size"),
        fmin=data.number("fmin", 0.0),
        fmax=data.optional_number("fmax"),
    )


def released() -> ModelConfig:
    """The sizes of Fun-CosyVoice3-0.5B-2512, for benchmarks with random weights."""
    qwen = QwenConfig(896, 24, 14, 2, 4864, 1e6, 1e-6, 151_936, 64)
    return _like_released(qwen, DiTConfig(1024, 22, 16, 64, 2, MEL_BINS, 50), 1024, 512, 512)


def tiny() -> ModelConfig:
    """The sizes of the model that the tests use."""
    qwen = QwenConfig(64, 3, 4, 2, 160, 1e6, 1e-6, 1024, 16)
    return _like_released(qwen, DiTConfig(64, 3, 4, 16, 2, MEL_BINS, 50), 96, 64, 48)


def _like_released(
    qwen: QwenConfig, dit: DiTConfig, lookahead_channels: int, hift_channels: int, f0_channels: int
) -> ModelConfig:
    dilations = ((1, 3, 5),) * 3
    return ModelConfig(
        sample_rate=24_000,
        token_rate_hz=25,
        token_mel_ratio=2,
        lm=LmConfig(qwen, 6561, SamplingConfig(0.8, 25, 10, 0.1)),
        flow=FlowConfig(6561, 192, 2, 3, lookahead_channels, 0.7, "cosine", dit),
        hift=HiftConfig(
            hift_channels, 8, 24_000, 0.1, 0.003, 10.0, (8, 5, 3), (16, 11, 7), 16, 4, (3, 7, 11), dilations, (7, 7, 11),
            dilations, 0.1, 0.99, 4, f0_channels,
        ),
        mel=MelConfig(1920, MEL_BINS, 24_000, 480, 1920, 0.0, None),
    )  # fmt: skip
