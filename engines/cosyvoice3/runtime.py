"""The loaded model and the way of a batch through it: front end, language model, flow, vocoder, each for all lines.

Contract: results come in the order asked; a line's result does not depend on who shares the batch. What goes wrong with
one line is that line's error; running out of memory halves the lines of the stage it happens in. Nothing on the device
outlives a call but the weights.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import torch

from common.errors import VoicepressError
from engines.base import Speech, SpeechError, Utterance
from engines.cosyvoice3 import prompt, weights
from engines.cosyvoice3.choose import Candidate, choose, fits
from engines.cosyvoice3.config import TEXT_MODEL, ModelConfig
from engines.cosyvoice3.decode import CachePlan, Decoder, decode, positions_for
from engines.cosyvoice3.flow import Flow, change_speed, shorten_prompt
from engines.cosyvoice3.frontend import is_chinese, normalise
from engines.cosyvoice3.hift import Vocoder
from engines.cosyvoice3.noise import FLOW_FRAMES, SineNoise
from engines.cosyvoice3.options import Budget, Settings
from engines.cosyvoice3.pack import Packs, VoicePack
from engines.cosyvoice3.qwen import LanguageModel
from engines.cosyvoice3.stopping import Decoded, Rules, candidate_seed
from engines.cosyvoice3.timing import Clock, shares, timed
from engines.cosyvoice3.tokens import TextTokenizer, tag_fault
from engines.memory import clean_up, in_halves, is_out_of_memory

if TYPE_CHECKING:
    from torch import Tensor

log = logging.getLogger(__name__)

REDRAWS = 4
"""Further takes of a line whose first draw was its end; with four the chance of none is under one in a million."""
LEAST_ROOM = 25
"""Positions a line must have left for speech: a second."""

_Result = TypeVar("_Result")


@dataclass(slots=True)
class Line:
    """One utterance on its way."""

    utterance: Utterance
    pack: VoicePack
    input: prompt.LmInput
    seeds: tuple[int, ...]
    window: tuple[float, float] | None
    notes: list[str] = field(default_factory=list)
    take: Decoded | None = None
    choice: tuple[str, ...] = ()
    mel: Tensor | None = None
    sound: Tensor | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    error: SpeechError | None = None


class Runtime:
    """``model_dir`` loaded onto ``device`` (``cpu`` or ``cuda:N``). Errors: ``VoicepressError`` naming file and key."""

    def __init__(
        self,
        model_dir: Path,
        config: ModelConfig,
        settings: Settings,
        budget: Budget,
        device: str,
        packs: Packs,
    ) -> None:
        self.config, self.settings, self.budget, self.device, self.packs = config, settings, budget, device, packs
        self.clock = Clock(self._wait)
        self.tokenizer = TextTokenizer(model_dir / TEXT_MODEL)
        dtype = getattr(torch, settings.dtype_on(device))
        self.lm = LanguageModel(
            weights.load_lm(model_dir, config, settings.llm), config.lm, device, dtype, settings.quantise
        )
        self.flow = Flow(
            weights.load_flow(model_dir, config), config.flow, device=device, dtype=dtype,
            compile_blocks=settings.compile, steps=settings.flow_steps, budget_frames=budget.flow_frames,
        )  # fmt: skip
        noise = SineNoise(config.flow.vocab_size, config.hift.f0_channels, config.hift.nb_harmonics + 1)
        self.vocoder = Vocoder(
            weights.load_hift(model_dir, config), config.hift, noise, device=device,
            compile_blocks=settings.compile, budget_frames=budget.vocoder_frames,
        )  # fmt: skip
        self.rules = Rules(min_length=settings.min_length)
        self.keep_decoder = device != "cpu"
        self._decoder: Decoder | None = None

    def speak(self, batch: Sequence[Utterance]) -> list[Speech | SpeechError]:
        """All of ``batch``, said."""
        before = dict(self.clock.seconds)
        prepared = self._front(batch)
        lines = [line for line in prepared if isinstance(line, Line)]
        self._charge("lm", lines, self._decode, lambda line: len(line.take.drawn) if line.take else 0)
        self._charge("flow", lines, self._mels, _tokens)
        self._charge("vocoder", lines, self._sounds, _tokens)
        tokens = sum(_tokens(line) for line in lines)
        log.info(
            "%d lines, %d speech tokens (%.1f s): %s", len(lines), tokens, tokens * self.config.token_seconds,
            ", ".join(f"{stage} {now - before.get(stage, 0.0):.2f} s" for stage, now in self.clock.seconds.items()),
        )  # fmt: skip
        return [line if isinstance(line, SpeechError) else self._speech(line) for line in prepared]

    # ---------------------------------------------------------------- front end

    @timed("front")
    def _front(self, batch: Sequence[Utterance]) -> list[Line | SpeechError]:
        prepared: list[Line | SpeechError] = []
        for utterance in batch:
            begun = time.perf_counter()
            try:
                line = self.line(utterance)
            except VoicepressError as error:
                prepared.append(_as_line_error(error))
                continue
            except Exception as error:
                log.exception("the front end fails for %r", utterance.text[:60])
                prepared.append(_fault(error))
                continue
            line.seconds["front"] = time.perf_counter() - begun
            prepared.append(line)
        return prepared

    def line(self, utterance: Utterance) -> Line:
        """What the stages need to know of an utterance. Errors: a wrong tag, a voice or a line that cannot be used."""
        voice = utterance.voice
        if fault := tag_fault(utterance.text):
            raise VoicepressError("bad-tag", fault[0], key="text", hint=fault[1])
        text = spoken_text(utterance.text)
        if not any(char.isalnum() for char in text):
            raise VoicepressError("unspeakable", f"nothing in it can be spoken: {utterance.text[:60]!r}")
        if voice.reference is None:
            raise VoicepressError("no-reference", f"the voice '{voice.id}' has no reference clip", key="voice")
        pack = self.packs.of(voice.reference, voice.transcript, bool(voice.params.get("trim", True)))
        if int(pack.tokens.max()) >= self.config.lm.speech_tokens:
            raise VoicepressError(
                "bad-voice-pack", f"the pack of voice '{voice.id}' was made for another model: it has speech tokens up to "
                f"{int(pack.tokens.max())}", file=voice.reference, hint="make it again from the clip",
            )  # fmt: skip
        wish = prompt.instruction_for(utterance.style)
        notes = [wish.note] if wish.note else []
        mode = prompt.choose_mode(wish.text, pack.transcript, _same_language(voice.language, utterance.language))
        forced = str(voice.params.get("mode", ""))
        if forced in ("zero_shot", "cross_lingual") and wish.text:
            notes.append(f"style {utterance.style!r} is not followed: the voice asks for mode {forced}")
        if forced in ("zero_shot", "cross_lingual"):
            mode = "zero_shot" if forced == "zero_shot" else "cross_lingual"
        made = prompt.lm_input(
            self.tokenizer, mode, text, transcript=pack.transcript, instruction=wish.text,
            prompt_speech=pack.tokens.tolist(),
        )  # fmt: skip
        room = self.budget.positions - made.positions
        if room < LEAST_ROOM:
            raise VoicepressError(
                "line-too-long", f"the line and its prompt take {made.positions} of {self.budget.positions} places",
                hint="split the line, or use a shorter reference clip",
            )  # fmt: skip
        count = utterance.candidates or self.settings.candidates
        seeds = tuple(candidate_seed(first_seed(utterance), number) for number in range(count))
        return Line(utterance, pack, made, seeds, utterance.window_seconds or self.settings.window_seconds, notes)

    # ---------------------------------------------------------------- language model

    @timed("lm")
    def _decode(self, lines: Sequence[Line]) -> None:
        """Give every line its take; a line whose takes all begin with their end is drawn again."""
        waiting = list(lines)
        for attempt in range(1 + REDRAWS):
            if not waiting:
                break
            if attempt:
                for line in waiting:
                    count = len(line.seeds)
                    first = first_seed(line.utterance)
                    line.seeds = tuple(candidate_seed(first, attempt * count + number) for number in range(count))
            self._decode_once(waiting)
            waiting = [line for line in waiting if line.error is None and not (line.take and line.take.tokens)]
        for line in waiting:
            line.error = SpeechError("unspeakable", f"the model ends before the first sound, {1 + REDRAWS} times")

    def _decode_once(self, lines: Sequence[Line]) -> None:
        short_of_memory = False

        def run(part: Sequence[Line]) -> list[tuple[Decoded, ...] | SpeechError]:
            wanted = sum(len(line.seeds) for line in part)
            # Always the same number of slots: it has a say in the last digits. Only where memory is short, fewer.
            slots = min(self.budget.lines, wanted) if short_of_memory else self.budget.lines
            inputs = [line.input for line in part]
            # On a GPU the cache stays as it is between batches, and with it the recorded steps; a CPU gives memory back.
            positions = self.budget.positions
            if not self.keep_decoder:
                positions = min(positions, positions_for(inputs, self.rules))
            plan = CachePlan(slots, positions)
            decoder, self._decoder = self._decoder, None  # what fails in the middle is not used again
            if decoder is None or decoder.plan != plan:
                decoder = Decoder(self.lm, plan, self.rules, cuda_graphs=self.device != "cpu")
            takes: list[tuple[Decoded, ...] | SpeechError] = [*decode(decoder, inputs, [line.seeds for line in part])]
            if self.keep_decoder:
                self._decoder = decoder
            return takes

        def clean() -> None:
            nonlocal short_of_memory
            short_of_memory = True
            clean_up(self.device)

        for line, takes in zip(lines, self._carefully(lines, run, clean), strict=True):
            if isinstance(takes, SpeechError):
                line.error = takes
                continue
            token_seconds = self.config.token_seconds / line.utterance.speed
            candidates = [Candidate(len(take.tokens) * token_seconds, take.stop) for take in takes]
            number = choose(candidates, line.window)
            line.take = takes[number]
            line.choice = _told(candidates, number, line.window)

    # ---------------------------------------------------------------- flow and vocoder

    @timed("flow")
    def _mels(self, lines: Sequence[Line]) -> None:
        ratio, limit = self.config.token_mel_ratio, round(self.settings.prompt_seconds * self.config.token_rate_hz)
        ready = []
        for line in lines:
            frames = ratio * (len(line.pack.tokens) + _tokens(line))
            if frames > FLOW_FRAMES:
                line.error = SpeechError("unspeakable", f"{frames / 50:.0f} s with its prompt; the model makes 300 s")
            else:
                ready.append(line)

        def run(part: Sequence[Line]) -> list[Tensor | SpeechError]:
            prompts, mels = [], []
            for line in part:
                tokens, mel = torch.from_numpy(line.pack.tokens).long(), torch.from_numpy(line.pack.mel)
                tokens, mel = shorten_prompt(tokens, mel, limit) if limit else (tokens, mel)
                prompts.append(tokens)
                mels.append(mel)
            spoken = [torch.tensor(line.take.tokens if line.take else (), dtype=torch.int64) for line in part]
            speakers = [torch.from_numpy(line.pack.speaker) for line in part]
            made = self.flow.run(spoken, prompts, mels, speakers)
            return [change_speed(mel, line.utterance.speed) for mel, line in zip(made, part, strict=True)]

        for line, mel in zip(ready, self._carefully(ready, run), strict=True):
            if isinstance(mel, SpeechError):
                line.error = mel
            else:
                line.mel = mel

    @timed("vocoder")
    def _sounds(self, lines: Sequence[Line]) -> None:
        def run(part: Sequence[Line]) -> list[Tensor | SpeechError]:
            return list(self.vocoder.run([line.mel for line in part if line.mel is not None]))

        for line, sound in zip(lines, self._carefully(lines, run), strict=True):
            line.mel = None
            if isinstance(sound, SpeechError):
                line.error = sound
            else:
                line.sound = sound.cpu()

    # ---------------------------------------------------------------- inside

    def _charge(
        self, stage: str, lines: Sequence[Line], work: Callable[[Sequence[Line]], None], weight: Callable[[Line], float]
    ) -> None:
        """Run a stage over the lines that are still whole and share its seconds among them."""
        whole = [line for line in lines if line.error is None]
        before = self.clock.seconds.get(stage, 0.0)
        work(whole)
        taken = self.clock.seconds.get(stage, 0.0) - before
        for line, seconds in zip(whole, shares(taken, [weight(line) for line in whole]), strict=True):
            line.seconds[stage] = seconds

    def _carefully(
        self,
        lines: Sequence[Line],
        run: Callable[[Sequence[Line]], list[_Result | SpeechError]],
        clean: Callable[[], None] | None = None,
    ) -> list[_Result | SpeechError]:
        """``run`` in halves where memory is short, and one by one where a line spoils it."""

        def guarded(part: Sequence[Line]) -> list[_Result | SpeechError]:
            try:
                return run(part)
            except Exception as error:
                if is_out_of_memory(error):
                    raise
                if len(part) == 1:
                    log.exception("a line fails: %r", part[0].utterance.text[:60])
                    return [_as_line_error(error) if isinstance(error, VoicepressError) else _fault(error)]
            return [result for line in part for result in guarded([line])]

        def alone(line: Line, failure: str) -> _Result | SpeechError:
            log.error("out of memory for a single line of %d characters: %s", len(line.utterance.text), failure)
            return SpeechError("out-of-memory", f"the line does not fit into memory alone: {failure}")

        return in_halves(lines, guarded, is_out_of_memory, alone, clean or (lambda: clean_up(self.device)))

    def _speech(self, line: Line) -> Speech | SpeechError:
        if line.error is not None:
            return line.error
        if line.take is None or line.sound is None:
            raise RuntimeError("a line came through the stages without sound")
        return Speech(
            line.sound.numpy(), stop=line.take.stop, notes=(*line.notes, *line.choice), timings=dict(line.seconds)
        )

    def _wait(self) -> None:
        if self.device != "cpu":
            torch.cuda.synchronize(self.device)


def spoken_text(text: str) -> str:
    """``text`` as the model's own front end gives it, unsplit, with a final mark."""
    text = normalise(text)
    bare = text.rstrip("\"”’'」』")
    if bare and bare[-1] not in "。？！；：、.?!;:…]":
        text += "。" if is_chinese(text) else "."
    return text


def _told(candidates: Sequence[Candidate], number: int, window: tuple[float, float] | None) -> tuple[str, ...]:
    """What of a window could not be honoured."""
    seconds = candidates[number].seconds
    if len(candidates) > 1:
        log.debug("take %d of %d chosen: %.2f s", number + 1, len(candidates), seconds)
    if window is None or fits(seconds, window):
        return ()
    return (f"{seconds:.2f} s is outside the window of {window[0]:g}-{window[1]:g} s",)


def _tokens(line: Line) -> int:
    return len(line.take.tokens) if line.take else 0


def _same_language(voice: str, text: str) -> bool:
    return voice.lower()[:2] == text.lower()[:2]


def _as_line_error(error: VoicepressError) -> SpeechError:
    code = "unspeakable" if error.code in ("bad-tag", "unspeakable", "line-too-long", "bad-style") else "engine-fault"
    place = f" ({error.where})" if error.file else ""
    return SpeechError(code, f"{error.what}{place}" + (f"; {error.hint}" if error.hint else ""))


def _fault(error: Exception) -> SpeechError:
    return SpeechError("engine-fault", f"{type(error).__name__}: {error}")


def first_seed(utterance: Utterance) -> int:
    """The seed of a line's first candidate: its text has a say, for equal seeds would give every line of a book the same
    noise."""
    own = hashlib.blake2b(utterance.text.encode("utf-8"), digest_size=7).digest()
    return (utterance.seed + utterance.take + int.from_bytes(own, "big")) & ((1 << 63) - 1)
