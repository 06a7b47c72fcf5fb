"""Devices and the out-of-memory policy, without a GPU and without torch."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
import types
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import VoicepressError
from engines import memory
from engines.base import Speech, SpeechError, Utterance, Voice

VOICE = Voice("one", "tone", "One", "zh", "")


class OutOfMemory(Exception):
    pass


def batch_of(count: int) -> list[Utterance]:
    return [Utterance(str(number), VOICE) for number in range(count)]


def speech(utterance: Utterance) -> Speech:
    return Speech(np.full(1, float(utterance.text), np.float32))


def fake_torch(gpus: int, built: bool = True) -> types.SimpleNamespace:
    return types.SimpleNamespace(
        __version__="9.9",
        backends=types.SimpleNamespace(cuda=types.SimpleNamespace(is_built=lambda: built)),
        cuda=types.SimpleNamespace(is_available=lambda: gpus > 0, device_count=lambda: gpus),
    )


@pytest.mark.parametrize(
    ("asked", "gpus", "given"),
    [
        ("cpu", 0, "cpu"), ("cpu", 2, "cpu"), (" CPU ", 0, "cpu"), ("auto", 1, "cuda:0"), ("cuda", 1, "cuda:0"),
        ("cuda:0", 1, "cuda:0"), ("cuda:1", 2, "cuda:1"), ("CUDA:1", 2, "cuda:1"),
    ],
)  # fmt: skip
def test_a_device_that_is_there_is_given(monkeypatch: pytest.MonkeyPatch, asked: str, gpus: int, given: str) -> None:
    monkeypatch.setattr(memory, "_torch", lambda: fake_torch(gpus))
    assert memory.choose_device(asked) == given


@pytest.mark.parametrize("asked", ["cuda", "cuda:0", "cuda:3"])
@pytest.mark.parametrize(
    ("torch", "says"),
    [(None, "not installed"), (fake_torch(0, built=False), "without CUDA"), (fake_torch(0), "no usable")],
)
def test_a_gpu_that_is_not_there_is_an_error_that_says_why(
    monkeypatch: pytest.MonkeyPatch, asked: str, torch: object, says: str
) -> None:
    monkeypatch.setattr(memory, "_torch", lambda: torch)
    with pytest.raises(VoicepressError, match=says) as caught:
        memory.choose_device(asked)
    assert caught.value.code == "no-cuda"


def test_a_gpu_too_many_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_torch", lambda: fake_torch(1))
    with pytest.raises(VoicepressError) as caught:
        memory.choose_device("cuda:1")
    assert caught.value.code == "no-such-gpu"


@pytest.mark.parametrize("asked", ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "mps", "cpu cuda"])
def test_a_name_that_is_no_device_is_an_error(asked: str) -> None:
    with pytest.raises(VoicepressError) as caught:
        memory.choose_device(asked)
    assert caught.value.code == "unknown-device"


def test_auto_without_a_gpu_says_loudly_that_it_is_slow(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(memory, "_torch", lambda: None)
    assert memory.choose_device("auto") == "cpu"
    assert caplog.records[0].levelno == logging.WARNING
    assert "CPU" in caplog.text


def test_neither_importing_nor_cleaning_up_loads_torch() -> None:
    code = "import sys, engines.memory as m; m.clean_up('cpu'); m.clean_up('cuda:0'); m.rss_bytes(); print('torch' in sys.modules)"
    house = Path(__file__).resolve().parents[2]
    output = subprocess.run([sys.executable, "-c", code], cwd=house, capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "False"


@given(count=st.integers(0, 40), fits=st.integers(1, 45))
def test_whatever_fits_the_results_are_complete_and_in_order(count: int, fits: int) -> None:
    tried: list[int] = []

    def run(part):
        tried.append(len(part))
        if len(part) > fits:
            raise OutOfMemory
        return [speech(one) for one in part]

    results = memory.halving(batch_of(count), run, lambda error: isinstance(error, OutOfMemory))
    assert [float(one.samples[0]) for one in results if isinstance(one, Speech)] == list(range(count))
    too_big = [size for size in tried if size > fits]
    assert too_big == sorted(set(too_big), reverse=True)  # no size that failed is tried twice


@given(heavy=st.sets(st.integers(0, 11)))
def test_a_line_that_does_not_fit_fails_alone(heavy: set[int]) -> None:
    def run(part):
        if any(int(one.text) in heavy for one in part):
            raise OutOfMemory("2 GiB wanted")
        return [speech(one) for one in part]

    results = memory.halving(batch_of(12), run, lambda error: isinstance(error, OutOfMemory))
    assert {place for place, one in enumerate(results) if isinstance(one, SpeechError)} == heavy
    assert all(one.code == "out-of-memory" for one in results if isinstance(one, SpeechError))


def test_other_exceptions_pass_through() -> None:
    def run(part):
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        memory.halving(batch_of(4), run, lambda error: isinstance(error, OutOfMemory))


def test_a_wrong_number_of_results_is_a_bug_that_shows() -> None:
    with pytest.raises(RuntimeError, match="0 results for 4"):
        memory.halving(batch_of(4), lambda part: [], lambda error: False)


def test_the_failed_try_is_forgotten_before_memory_is_cleaned() -> None:
    class Tensor:
        pass

    alive: list[weakref.ref] = []
    seen: list[bool] = []

    def run(part):
        tensor = Tensor()
        alive.append(weakref.ref(tensor))
        if len(part) > 1:
            raise OutOfMemory
        return [speech(one) for one in part]

    gc.disable()
    try:
        memory.halving(batch_of(2), run, lambda error: True, lambda: seen.append(alive[-1]() is None))
    finally:
        gc.enable()
    assert seen == [True]


def test_memory_held_is_measured() -> None:
    before = memory.rss_bytes()
    block = np.ones(8_000_000)
    assert memory.rss_bytes() - before > 32 * 2**20
    assert memory.peak_rss_bytes() >= block.nbytes
