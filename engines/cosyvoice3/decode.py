"""Continuous batching: lines join a batch of fixed shape, are decoded side by side, and leave when they end.

Contract: same line, same seed, same tokens, whoever shares the batch, in whatever order, joining early or late. What
that stands on:

* A line's prefix is computed alone. Every later step is one pass over all slots, occupied or not, so each matrix
  product has the same shape whether one line is active or all; attention adds blocks in order (``qwen``); noise is
  a function of the line's seed and step (``sampling``); stop rules read a line's own draws.
* So the tokens are equal to the bit as long as a matrix product of that fixed shape gives a row the same bits
  whatever row it is and whatever the other rows hold. ``slots_agree`` checks exactly this on the machine at hand. (How
  many blocks of the cache are read follows the longest line; that changes the number of products, not their shape.)
* Between different numbers of slots, threads, devices, precisions or BLAS libraries tokens are equal unless a decision is
  closer than rounding (about 2e-5 in log-probability in float32); so the number of slots belongs into a fingerprint.

The host looks at the draws every ``check_every`` steps only; what a line draws after its end is thrown away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch.nn import functional as F

from common.errors import VoicepressError
from engines.cosyvoice3.config import QwenConfig
from engines.cosyvoice3.prompt import LmInput
from engines.cosyvoice3.qwen import BLOCK, LanguageModel, blocks_for, cache_bytes_per_position
from engines.cosyvoice3.sampling import CountedNoise, ReplayedNoise, draw, greedy, mask_early_ends, signed
from engines.cosyvoice3.stopping import Decoded, Rules, Watch

if TYPE_CHECKING:
    from torch import Tensor

CHECK_EVERY = 8
CPU_SLOTS, GPU_SLOTS = 8, 64
Pick = Literal["sampled", "replayed", "greedy"]


@dataclass(frozen=True, slots=True)
class CachePlan:
    """How many lines at once, and how many positions each (prefix and tokens)."""

    slots: int
    positions: int


def plan_cache(
    budget_bytes: int, config: QwenConfig, dtype: torch.dtype, positions: int, most_slots: int = GPU_SLOTS
) -> CachePlan:
    """Slots for lines of ``positions`` that fit into ``budget_bytes``; at most ``most_slots``.

    Errors: not even one line of that length fits.
    """
    rounded = blocks_for(positions) * BLOCK
    each = rounded * cache_bytes_per_position(config, dtype)
    slots = min(most_slots, budget_bytes // each)
    if slots < 1:
        raise VoicepressError(
            "budget-too-small",
            f"a line of {positions} positions needs {each / 2**20:.0f} MiB of cache, {budget_bytes / 2**20:.0f} are left",
            key="vram_gb", hint="raise vram_gb, or split lines shorter",
        )  # fmt: skip
    return CachePlan(int(slots), rounded)


def positions_for(lines: Sequence[LmInput], rules: Rules) -> int:
    """Positions that let the longest of ``lines`` reach its ceiling."""
    return max((line.positions + rules.most(line) for line in lines), default=BLOCK)


@dataclass(slots=True)
class _Line:
    """A submitted line and its finished candidates."""

    input: LmInput
    seeds: tuple[int, ...]
    done: dict[int, Decoded] = field(default_factory=dict)
    embeddings: Tensor | None = None


@dataclass(slots=True)
class _Job:
    """One candidate on its slot; ``position`` is where its next embedding goes."""

    ticket: int
    number: int
    watch: Watch
    position: int


class Decoder:
    """``submit`` lines at any time, call ``advance`` until nothing is ``busy``."""

    def __init__(
        self,
        model: LanguageModel,
        plan: CachePlan,
        rules: Rules | None = None,
        *,
        check_every: int = CHECK_EVERY,
        pick: Pick = "sampled",
        cuda_graphs: bool = False,
    ) -> None:
        """``cuda_graphs``: record a step once for each number of blocks and replay it (on a GPU only). Not tried on a
        GPU yet: none was at hand."""
        if pick == "replayed" and model.device.startswith("cuda"):
            raise ValueError("replayed noise follows a CPU generator and is for the CPU only")
        self.model, self.plan, self.rules = model, plan, rules or Rules()
        self._every, self._pick = check_every, pick
        slots, device = plan.slots, model.device
        self._cache = model.new_cache(slots, plan.positions)

        def numbers(*shape: int, value: int = 0) -> Tensor:
            return torch.full(shape, value, dtype=torch.int64, device=device)

        self._x = torch.zeros(slots, model.config.qwen.hidden, device=device)
        self._positions, self._steps, self._seeds, self._least = (numbers(slots) for _ in range(4))
        self._recent = numbers(slots, model.config.sampling.win_size, value=-1)
        self._token = numbers(slots)
        self._drawn = numbers(check_every, slots)
        self._noise = CountedNoise(self._seeds, self._steps)
        self._replay = ReplayedNoise(slots)
        self._jobs: list[_Job | None] = [None] * slots
        self._waiting: deque[tuple[int, int]] = deque()
        self._lines: dict[int, _Line] = {}
        self._tickets = 0
        self.steps_run = 0
        self._graphs: dict[int, Any] | None = None
        if cuda_graphs and device.startswith("cuda"):
            self._graphs = {}
            self._warm_up()

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def submit(self, line: LmInput, seeds: Sequence[int] = (0,)) -> int:
        """Queue a line with one candidate per seed; the ticket ``advance`` will name.

        Errors: the prefix alone does not fit into a slot.
        """
        if line.positions > self._cache.capacity:
            raise VoicepressError(
                "line-too-long", f"the line and its prompt take {line.positions} places, a slot has {self._cache.capacity}",
                hint="split the line, or use a shorter reference clip",
            )  # fmt: skip
        ticket = self._tickets
        self._tickets += 1
        self._lines[ticket] = _Line(line, tuple(seeds))
        self._waiting.extend((ticket, number) for number in range(len(seeds)))
        return ticket

    def advance(self) -> list[tuple[int, tuple[Decoded, ...]]]:
        """Admit what fits, run ``check_every`` steps, give the lines that are complete: ticket and takes."""
        with torch.inference_mode():
            self._admit()
            active = [job for job in self._jobs if job is not None]
            if active:
                last = max(job.position for job in active) + self._every
                blocks = min(blocks_for(last), self._cache.blocks)
                step = self._step_of(blocks)
                for number in range(self._every):
                    step()
                    self._drawn[number].copy_(self._token)
                self.steps_run += self._every
                self._read(self._drawn.tolist())
        finished = [ticket for ticket, line in self._lines.items() if len(line.done) == len(line.seeds)]
        return [(ticket, self._complete(self._lines.pop(ticket))) for ticket in finished]

    # ---------------------------------------------------------------- on the device

    def _body(self, blocks: int) -> None:
        """One step of all slots; writes every piece of state in place and asks the device nothing."""
        config = self.model.config
        hidden = self.model.step(self._x, self._positions, self._cache, blocks)
        log_probs = mask_early_ends(
            self.model.log_probs(hidden), self._steps < self._least, config, self.rules.min_length
        )
        if self._pick == "greedy":
            token = greedy(log_probs)
        else:
            noise = self._replay if self._pick == "replayed" else self._noise
            token = draw(log_probs, self._recent, noise, config.sampling).token
        self._token.copy_(token)
        self._x.copy_(F.embedding(token, self.model.speech_embedding))
        self._recent.copy_(torch.cat([self._recent[:, 1:], token[:, None]], dim=1))
        self._positions.add_(1).clamp_(max=self._cache.capacity - 1)
        self._steps.add_(1)

    def _step_of(self, blocks: int) -> Callable[[], object]:
        """One step that reads ``blocks`` of the cache: run, or replayed from its recording."""
        if self._graphs is None:
            return lambda: self._body(blocks)
        if blocks not in self._graphs:
            cuda: Any = torch.cuda  # partly untyped
            graph = cuda.CUDAGraph()
            with cuda.graph(graph, pool=self._pool):  # recording runs nothing: the lines' state stays as it is
                self._body(blocks)
            self._graphs[blocks] = graph
        replay: Callable[[], object] = self._graphs[blocks].replay
        return replay

    def _warm_up(self) -> None:
        """Let libraries set themselves up before a recording. All slots are still empty: a slot is set anew when a line
        joins, so these steps leave nothing behind that matters."""
        cuda: Any = torch.cuda
        self._pool = cuda.graph_pool_handle()  # steps run one after another and may share their scratch memory
        side = cuda.Stream(self.model.device)
        side.wait_stream(cuda.current_stream(self.model.device))
        with torch.inference_mode(), cuda.stream(side):
            for _ in range(3):
                self._body(1)
        cuda.current_stream(self.model.device).wait_stream(side)

    # ---------------------------------------------------------------- joining and leaving

    def _admit(self) -> None:
        for slot, job in enumerate(self._jobs):
            while job is None and self._waiting:
                ticket, number = self._waiting.popleft()
                job = self._jobs[slot] = self._join(slot, ticket, number)

    def _join(self, slot: int, ticket: int, number: int) -> _Job | None:
        """Put a candidate on ``slot``; ``None`` if it is over before it began (no text, no room)."""
        line = self._lines[ticket]
        length = line.input.positions
        most = min(self.rules.most(line.input), self._cache.capacity - length + 1)
        if most < 1:
            line.done[number] = Decoded((), "length", line.seeds[number])
            return None
        if line.embeddings is None:
            line.embeddings = self.model.prefix([*line.input.prompt_text, *line.input.text], line.input.prompt_speech)
        twin = next((at for at, job in enumerate(self._jobs) if job is not None and job.ticket == ticket), None)
        if twin is None:
            self.model.prefill(line.embeddings[:-1], self._cache, slot)
        else:
            self._cache.copy_slot(twin, slot, length - 1)
        seed = line.seeds[number]
        self._x[slot] = line.embeddings[-1]
        self._positions[slot] = length - 1
        self._steps[slot] = 0
        self._seeds[slot] = signed(seed)
        self._least[slot] = self.rules.least(line.input)
        self._recent[slot] = -1
        if self._pick == "replayed":
            self._replay.generators[slot] = torch.Generator().manual_seed(seed)
        return _Job(ticket, number, Watch(self.model.config.speech_tokens, most, self.rules), length - 1)

    def _read(self, drawn: list[list[int]]) -> None:
        """Look at the draws of the last steps; free the slots of what has ended."""
        for slot, job in enumerate(self._jobs):
            if job is None:
                continue
            job.position += len(drawn)
            for row in drawn:
                stop = job.watch.read(row[slot])
                if stop is not None:
                    line = self._lines[job.ticket]
                    line.done[job.number] = Decoded(tuple(job.watch.drawn), stop, line.seeds[job.number])
                    self._leave(slot)
                    break

    def _leave(self, slot: int) -> None:
        self._jobs[slot] = None
        self._replay.generators[slot] = None
        self._positions[slot] = 0

    @staticmethod
    def _complete(line: _Line) -> tuple[Decoded, ...]:
        return tuple(line.done[number] for number in range(len(line.seeds)))


def decode(decoder: Decoder, lines: Sequence[LmInput], seeds: Sequence[Sequence[int]]) -> list[tuple[Decoded, ...]]:
    """All takes of all lines, in their order: one per seed. The decoder must be idle and is idle again afterwards."""
    tickets = [decoder.submit(line, own) for line, own in zip(lines, seeds, strict=True)]
    done = dict(until_idle(decoder))
    return [done[ticket] for ticket in tickets]


def until_idle(decoder: Decoder) -> Iterator[tuple[int, tuple[Decoded, ...]]]:
    """Lines as they are completed."""
    while decoder.busy:
        yield from decoder.advance()


def slots_agree(model: LanguageModel, plan: CachePlan) -> bool:
    """Whether a line gets the same bits on every slot, and beside other lines as beside none: the machine's part of
    the promise above, tried with real weights over a few steps."""
    with torch.inference_mode():
        generator = torch.Generator().manual_seed(0)
        width, slots = model.config.qwen.hidden, plan.slots
        steps = torch.randn(4, 1, width, generator=generator).to(model.device)
        noise = torch.randn(4, slots, width, generator=generator).to(model.device)

        def run(rows: Sequence[int]) -> Tensor:
            """Log-probabilities ``(steps, rows, V)`` of the one line on ``rows``, noise on the others."""
            cache = model.new_cache(slots, BLOCK)
            results = []
            for place in range(4):
                x = noise[place].clone()
                x[list(rows)] = steps[place]
                positions = torch.full((slots,), place, dtype=torch.int64, device=model.device)
                results.append(model.log_probs(model.step(x, positions, cache, 1))[list(rows)])
            return torch.stack(results)

        alone = run([0])
        everywhere = run(range(slots))
        last = run([slots - 1])
        return bool(torch.equal(everywhere, alone.expand_as(everywhere)) and torch.equal(last, alone))
