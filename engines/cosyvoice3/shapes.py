"""Every key of the three state dicts and its shape, computed from the configuration.

Contract: ``lm_shapes``, ``flow_shapes`` and ``hift_shapes`` name exactly the tensors that inference needs, in the
released files' own keys, weight norm already folded (``X.weight``, not its two parts). The loader checks a file
against them, and benchmarks make random weights from them.
"""

from __future__ import annotations

from engines.cosyvoice3.config import MEL_BINS, FlowConfig, HiftConfig, LmConfig

Shapes = dict[str, tuple[int, ...]]
_POSITION_KERNEL, _POSITION_GROUPS = 31, 16
_TIME_CHANNELS = 256
_POST_KERNEL = 7


def lm_shapes(config: LmConfig) -> Shapes:
    """``llm.pt`` without ``llm.model.lm_head.weight``, which is tied to the embedding and never used."""
    qwen = config.qwen
    inner, shared = qwen.heads * qwen.head_dim, qwen.kv_heads * qwen.head_dim
    shapes: Shapes = {
        "llm.model.model.embed_tokens.weight": (qwen.vocab, qwen.hidden),
        "llm.model.model.norm.weight": (qwen.hidden,),
        "llm_decoder.weight": (config.rows, qwen.hidden),
        "speech_embedding.weight": (config.rows, qwen.hidden),
    }
    for number in range(qwen.layers):
        at = f"llm.model.model.layers.{number}."
        for name, width in (("q", inner), ("k", shared), ("v", shared)):
            shapes[f"{at}self_attn.{name}_proj.weight"] = (width, qwen.hidden)
            shapes[f"{at}self_attn.{name}_proj.bias"] = (width,)
        shapes[f"{at}self_attn.o_proj.weight"] = (qwen.hidden, inner)
        shapes[f"{at}mlp.gate_proj.weight"] = (qwen.mlp, qwen.hidden)
        shapes[f"{at}mlp.up_proj.weight"] = (qwen.mlp, qwen.hidden)
        shapes[f"{at}mlp.down_proj.weight"] = (qwen.hidden, qwen.mlp)
        shapes[f"{at}input_layernorm.weight"] = (qwen.hidden,)
        shapes[f"{at}post_attention_layernorm.weight"] = (qwen.hidden,)
    return shapes


def flow_shapes(config: FlowConfig) -> Shapes:
    """``flow.pt`` without the buffer ``decoder.estimator.rotary_embed.inv_freq``, which is recomputed."""
    dit, channels = config.dit, config.lookahead_channels
    dim, inner = dit.dim, dit.heads * dit.dim_head
    shapes: Shapes = {"input_embedding.weight": (config.vocab_size, MEL_BINS)}

    def linear(name: str, outputs: int, inputs: int, *kernel: int) -> None:
        shapes[f"{name}.weight"] = (outputs, inputs, *kernel)
        shapes[f"{name}.bias"] = (outputs,)

    linear("spk_embed_affine_layer", MEL_BINS, config.spk_embed_dim)
    linear("pre_lookahead_layer.conv1", channels, MEL_BINS, config.pre_lookahead_len + 1)
    linear("pre_lookahead_layer.conv2", MEL_BINS, channels, 3)
    top = "decoder.estimator."
    linear(f"{top}time_embed.time_mlp.0", dim, _TIME_CHANNELS)
    linear(f"{top}time_embed.time_mlp.2", dim, dim)
    linear(f"{top}input_embed.proj", dim, 4 * dit.mel_dim)
    for conv in ("conv1", "conv2"):
        linear(f"{top}input_embed.conv_pos_embed.{conv}.0", dim, dim // _POSITION_GROUPS, _POSITION_KERNEL)
    for number in range(dit.depth):
        at = f"{top}transformer_blocks.{number}."
        linear(f"{at}attn_norm.linear", 6 * dim, dim)
        for name in ("to_q", "to_k", "to_v"):
            linear(f"{at}attn.{name}", inner, dim)
        linear(f"{at}attn.to_out.0", dim, inner)
        linear(f"{at}ff.ff.0.0", dit.ff_mult * dim, dim)
        linear(f"{at}ff.ff.2", dim, dit.ff_mult * dim)
    linear(f"{top}norm_out.linear", 2 * dim, dim)
    linear(f"{top}proj_out", dit.mel_dim, dim)
    return shapes


def hift_shapes(config: HiftConfig) -> Shapes:
    """``hift.pt`` with weight norm folded and without any ``generator.`` in its keys."""
    shapes: Shapes = {}
    spectrum = config.n_fft + 2

    def conv(name: str, outputs: int, inputs: int, *kernel: int) -> None:
        shapes[f"{name}.weight"] = (outputs, inputs, *kernel)
        shapes[f"{name}.bias"] = (outputs,)

    def block(name: str, channels: int, kernel: int, dilations: tuple[int, ...]) -> None:
        for number in range(len(dilations)):
            for half in ("1", "2"):
                conv(f"{name}.convs{half}.{number}", channels, channels, kernel)
                shapes[f"{name}.activations{half}.{number}.alpha"] = (channels,)

    conv("m_source.l_linear", 1, config.nb_harmonics + 1)
    conv("conv_pre", config.base_channels, MEL_BINS, config.conv_pre_look_right + 1)
    channels = config.base_channels
    for stage, kernel in enumerate(config.upsample_kernel_sizes):
        conv(f"ups.{stage}", channels // 2, channels, kernel)
        channels //= 2
        stride = 1
        for rate in config.upsample_rates[stage + 1 :]:
            stride *= rate
        conv(f"source_downs.{stage}", channels, spectrum, 1 if stride == 1 else 2 * stride)
        block(
            f"source_resblocks.{stage}", channels, config.source_resblock_kernel_sizes[stage],
            config.source_resblock_dilation_sizes[stage],
        )  # fmt: skip
        for place, width in enumerate(config.resblock_kernel_sizes):
            number = stage * len(config.resblock_kernel_sizes) + place
            block(f"resblocks.{number}", channels, width, config.resblock_dilation_sizes[place])
    conv("conv_post", spectrum, channels, _POST_KERNEL)
    inputs = MEL_BINS
    for number in range(5):
        conv(f"f0_predictor.condnet.{2 * number}", config.f0_channels, inputs, 3 if number else 4)
        inputs = config.f0_channels
    conv("f0_predictor.classifier", 1, config.f0_channels)
    return shapes
