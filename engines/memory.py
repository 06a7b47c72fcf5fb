"""Device choice, clean-up between batches, and what to do when memory runs out.

Contract: asking for ``cuda`` where there is none is an error that says so, never a silent fall to the CPU; ``auto`` may
land on the CPU and then says so loudly. Out of memory halves a batch and tries again, down to one line; a line that
still does not fit fails alone. Torch is imported only inside the functions that need it, so that an installation
without a GPU has none.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from common.errors import VoicepressError
from engines.base import Speech, SpeechError, Utterance

log = logging.getLogger(__name__)

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_DEVICE = re.compile(r"cpu|auto|cuda(?::(\d+))?")


def choose_device(asked: str) -> str:
    """The device to work on: ``cpu``, or ``cuda:N`` with the number written out.

    ``asked`` is ``cpu``, ``cuda`` (the first GPU), ``cuda:N`` or ``auto`` (a GPU where there is one). Errors: a name that
    is none of these; a GPU that is not there.
    """
    found = _DEVICE.fullmatch(asked.strip().lower())
    if found is None:
        raise VoicepressError(
            "unknown-device", f"there is no device '{asked}'", key="device", hint="write cpu, cuda, cuda:1 or auto"
        )
    wanted = found.group(0)
    if wanted == "cpu":
        return "cpu"
    count, reason = _count_gpus()
    if wanted == "auto":
        if count:
            return "cuda:0"
        log.warning("device auto: working on the CPU, which is much slower than a GPU (%s)", reason)
        return "cpu"
    number = int(found.group(1) or 0)
    if number < count:
        return f"cuda:{number}"
    if count:
        raise VoicepressError(
            "no-such-gpu", f"{wanted} was asked for, but this machine has {count} GPU(s), counted from cuda:0", key="device",
            hint=f"write cuda:{count - 1} or lower",
        )  # fmt: skip
    raise VoicepressError(
        "no-cuda", f"{wanted} was asked for, but {reason}", key="device",
        hint="mend the GPU set-up, or write device: cpu (or auto) to work without one",
    )  # fmt: skip


def _count_gpus() -> tuple[int, str]:
    """How many CUDA devices torch can use, and why there are none."""
    torch = _torch()
    if torch is None:
        return 0, "PyTorch is not installed"
    if not torch.backends.cuda.is_built():
        return 0, f"PyTorch {torch.__version__} is built without CUDA"
    if not torch.cuda.is_available():
        return 0, "PyTorch finds no usable NVIDIA GPU or driver"
    return int(torch.cuda.device_count()), ""


def _torch() -> Any | None:
    if "torch" not in sys.modules and find_spec("torch") is None:
        return None
    try:
        import torch  # type: ignore[import-not-found, unused-ignore]
    except (ImportError, OSError) as error:  # a broken installation is as good as none, but must be seen
        log.warning("PyTorch is installed but cannot be imported: %s", error)
        return None
    return torch


def clean_up(device: str) -> None:
    """Collect garbage, give freed host memory back to the system and, on a GPU, cached blocks. Loads nothing that is
    not loaded."""
    gc.collect()
    if trim := _malloc_trim():
        trim(0)
    torch = sys.modules.get("torch")
    if device.startswith("cuda") and torch is not None and torch.cuda.is_available():
        with torch.cuda.device(device):
            torch.cuda.empty_cache()


@lru_cache(maxsize=1)
def _malloc_trim() -> Callable[[int], int] | None:
    """glibc's way to give back what is free inside the heap; ``None`` where the C library is another."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None
    return trim


def halving(
    batch: Sequence[Utterance],
    run: Callable[[Sequence[Utterance]], list[Speech | SpeechError]],
    is_oom: Callable[[Exception], bool],
    clean: Callable[[], None] = lambda: None,
) -> list[Speech | SpeechError]:
    """``run(batch)``, in halves where it runs out of memory; results in the order of ``batch``.

    ``is_oom`` tells running out of memory from other exceptions, which pass through. ``clean`` is called before
    each new try, when the failed one no longer holds anything. A size that did not fit is not tried again within
    this call.
    """

    def alone(utterance: Utterance, failure: str) -> Speech | SpeechError:
        log.error("out of memory for a single line of %d characters: %s", len(utterance.text), failure)
        return SpeechError("out-of-memory", f"the line does not fit into memory alone: {failure}")

    return in_halves(batch, run, is_oom, alone, clean)


def in_halves(
    items: Sequence[_Item],
    run: Callable[[Sequence[_Item]], list[_Result]],
    is_oom: Callable[[Exception], bool],
    alone: Callable[[_Item, str], _Result],
    clean: Callable[[], None] = lambda: None,
) -> list[_Result]:
    """As ``halving``, for any kind of item: ``alone`` gives the result of one that does not fit by itself."""
    results: list[_Result] = []
    size = max(len(items), 1)
    while len(results) < len(items):
        part = items[len(results) : len(results) + size]
        failure = ""
        try:
            given = run(part)
        except Exception as error:
            if not is_oom(error):
                raise
            failure = str(error) or type(error).__name__
        # The exception, and with it the frames that hold tensors, is gone here: only now can memory come back.
        if not failure:
            if len(given) != len(part):
                raise RuntimeError(f"the engine gave {len(given)} results for {len(part)} utterances")
            results.extend(given)
            continue
        clean()
        if len(part) == 1:
            results.append(alone(part[0], failure))
        else:
            size = (len(part) + 1) // 2
            log.warning("out of memory with %d lines at once: going on with %d (%s)", len(part), size, failure)
    return results


def is_out_of_memory(error: Exception) -> bool:
    """Whether ``error`` says that host or device memory ran out; torch has several ways to say it."""
    if isinstance(error, MemoryError):
        return True
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(error, getattr(torch, "OutOfMemoryError", ())):
        return True
    said = str(error).lower()
    return isinstance(error, RuntimeError) and any(
        words in said for words in ("out of memory", "can't allocate memory", "not enough memory")
    )


def ask_for_expandable_segments() -> None:
    """Have torch grow its GPU memory in segments that can be joined, so that lines of many lengths leave no holes.

    Torch reads the environment when it starts, so this has an effect only before it is imported; what the user has
    set stays.
    """
    names = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
    if any(name in os.environ for name in names):
        return
    try:
        major, minor = (int(part) for part in version("torch").split(".")[:2])
    except (PackageNotFoundError, ValueError):
        return
    if "torch" in sys.modules:
        log.debug("torch is already loaded: its memory settings stay as they are")
    os.environ[names[0] if (major, minor) >= (2, 9) else names[1]] = "expandable_segments:True"


def limit_vram(device: str, gigabytes: float | None) -> float | None:
    """Let this process take at most ``gigabytes`` of ``device``; gives what it may use, in GB (``None`` on a CPU).

    Without a number, what is free now. Beyond the limit torch raises as if the card were full.
    """
    torch = _torch() if device.startswith("cuda") else None
    if torch is None:
        return None
    free, total = torch.cuda.mem_get_info(device)
    if gigabytes is None:
        return float(free) / 2**30
    torch.cuda.set_per_process_memory_fraction(min(1.0, gigabytes * 2**30 / total), device)
    return min(gigabytes, float(free) / 2**30)


def log_memory(device: str) -> None:
    """Note what this process holds, of the host and of ``device``; the GPU's peak since the last note."""
    torch = sys.modules.get("torch")
    if device.startswith("cuda") and torch is not None and torch.cuda.is_available():
        held, reserved, peak = (
            ask(device) / 2**20
            for ask in (torch.cuda.memory_allocated, torch.cuda.memory_reserved, torch.cuda.max_memory_allocated)
        )
        log.info(
            "memory: host %d MiB, %s %d MiB in use, %d reserved, peak %d",
            rss_bytes() >> 20, device, held, reserved, peak,
        )  # fmt: skip
        torch.cuda.reset_peak_memory_stats(device)
    else:
        log.debug("memory: host %d MiB, peak %d MiB", rss_bytes() >> 20, peak_rss_bytes() >> 20)


def rss_bytes() -> int:
    """Memory this process holds now (resident set), in bytes; the peak so far where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return peak_rss_bytes()


def peak_rss_bytes() -> int:
    """The most memory this process has held so far (resident set), in bytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024
