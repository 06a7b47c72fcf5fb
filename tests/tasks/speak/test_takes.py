"""The take store: whole takes or misses, whatever is killed, filled or damaged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from common.errors import VoicepressError
from engines.base import EngineOptions, Mark, Speech, SpeechError, Utterance, Voice
from engines.tone import ToneEngine
from tasks.domain import TakeMark
from tasks.speak.takes import TakeStore

HOUSE = Path(__file__).resolve().parents[3]
RATE = 24_000
VOICE = Voice("one", "tone", "One", "zh", "female", content="c1")
UTTERANCE = Utterance("他很好。", VOICE, readings=((0, "ta1"), (1, "hen2"), (2, "hao3")))
KEY = "ab" + "0" * 30


def noise(seed: int = 0, peak: float = 0.5, count: int = RATE) -> np.ndarray:
    samples = np.random.default_rng(seed).uniform(-1, 1, count).astype(np.float32)
    return samples * np.float32(peak / np.abs(samples).max())


@pytest.fixture
def store(tmp_path: Path) -> TakeStore:
    return TakeStore(tmp_path / "takes")


def stored(store: TakeStore, key: str = KEY, seed: int = 0):
    take = store.put(key, Speech(noise(seed)), RATE)
    assert not isinstance(take, SpeechError)
    return take


# ------------------------------------------------------------------ keys


@pytest.mark.parametrize(
    "changed",
    [
        replace(UTTERANCE, text="她很好。"),
        replace(UTTERANCE, language="en"),
        replace(UTTERANCE, readings=((0, "ta1"), (1, "hen3"), (2, "hao3"))),
        replace(UTTERANCE, style="低声"),
        replace(UTTERANCE, speed=0.9),
        replace(UTTERANCE, seed=1),
        replace(UTTERANCE, take=1),
        replace(UTTERANCE, voice=replace(VOICE, content="c2")),
    ],
)
def test_everything_that_changes_the_sound_changes_the_key(store: TakeStore, changed: Utterance) -> None:
    assert store.key_for(changed, ToneEngine()) != store.key_for(UTTERANCE, ToneEngine())


def test_another_engine_setting_changes_the_key(store: TakeStore) -> None:
    muted = ToneEngine(EngineOptions(extra={"mute_on": "好"}))
    assert store.key_for(UTTERANCE, muted) != store.key_for(UTTERANCE, ToneEngine())


def test_name_and_gain_of_a_voice_do_not_change_the_key(store: TakeStore) -> None:
    louder = replace(UTTERANCE, voice=replace(VOICE, name="Other", gain_db=3.0, description="x"))
    assert store.key_for(louder, ToneEngine()) == store.key_for(UTTERANCE, ToneEngine())


def test_the_key_is_the_same_in_another_process(store: TakeStore) -> None:
    code = (
        "from pathlib import Path\n"
        "from engines.base import Utterance, Voice\nfrom engines.tone import ToneEngine\n"
        "from tasks.speak.takes import TakeStore\n"
        "v = Voice('one', 'tone', 'One', 'zh', 'female', content='c1')\n"
        "u = Utterance('他很好。', v, readings=((0, 'ta1'), (1, 'hen2'), (2, 'hao3')))\n"
        "print(TakeStore(Path('x')).key_for(u, ToneEngine()))"
    )
    output = subprocess.run([sys.executable, "-c", code], cwd=HOUSE, capture_output=True, text=True, check=True)
    assert output.stdout.strip() == store.key_for(UTTERANCE, ToneEngine())


def test_a_voice_without_content_is_told_apart_by_its_params(store: TakeStore) -> None:
    bare = replace(VOICE, content="")
    one = replace(UTTERANCE, voice=replace(bare, params={"pack": "a"}))
    other = replace(UTTERANCE, voice=replace(bare, params={"pack": "b"}))
    assert store.key_for(one, ToneEngine()) != store.key_for(other, ToneEngine())


# ------------------------------------------------------------------ what goes in comes out


def test_samples_come_back_to_half_a_step_of_24_bits(store: TakeStore) -> None:
    take = stored(store)
    assert take.scale == 1.0
    assert take.path == store.root / "ab" / f"{KEY}.flac"
    np.testing.assert_allclose(store.samples(take), noise(), atol=2.0**-24 * 1.01)


@pytest.mark.parametrize("peak", [0.999999, 1.0, 1.17, 40.0])
def test_peaks_above_full_scale_are_scaled_and_never_clipped(store: TakeStore, peak: float) -> None:
    samples = noise(peak=peak)
    take = store.put(KEY, Speech(samples), RATE)
    assert not isinstance(take, SpeechError)
    assert (take.scale > 1.0) == (peak > 1 - 2**-23)
    np.testing.assert_allclose(store.samples(take), samples, atol=2.0**-23 * max(1.0, peak))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers_are_refused(store: TakeStore, bad: float) -> None:
    samples = noise()
    samples[7] = bad
    refused = store.put(KEY, Speech(samples), RATE)
    assert isinstance(refused, SpeechError)
    assert refused.code == "engine-fault"
    assert store.get(KEY) is None


@pytest.mark.parametrize("samples", [np.zeros(0, np.float32), np.zeros((4, 2), np.float32)])
def test_no_samples_and_two_channels_are_refused(store: TakeStore, samples: np.ndarray) -> None:
    assert isinstance(store.put(KEY, Speech(samples), RATE), SpeechError)


def test_marks_notes_and_how_it_was_made_are_kept(store: TakeStore) -> None:
    speech = Speech(noise(), (Mark(0, 1, 10, 90),), "length", ("style approximated",), {"decoder": 0.25})
    store.put(KEY, speech, RATE, {"voice": "one", "line": "l1"})
    take = store.get(KEY)
    assert take is not None
    assert take.marks == (TakeMark(0, 1, 10, 90),)
    assert take.samples == RATE
    assert take.sample_rate == RATE
    assert take.meta["stop"] == "length"
    assert take.meta["notes"] == ["style approximated"]
    assert take.meta["timings"] == {"decoder": 0.25}
    assert (take.meta["voice"], take.meta["line"]) == ("one", "l1")


def test_equal_samples_give_equal_bytes(tmp_path: Path) -> None:
    first, second = TakeStore(tmp_path / "a"), TakeStore(tmp_path / "b")
    assert stored(first).path.read_bytes() == stored(second).path.read_bytes()


def test_put_gives_what_get_gives(store: TakeStore) -> None:
    assert stored(store) == store.get(KEY)


def test_a_one_sample_take_is_a_take(store: TakeStore) -> None:
    take = store.put(KEY, Speech(np.array([0.25], np.float32)), RATE)
    assert not isinstance(take, SpeechError)
    assert store.samples(take).tolist() == [0.25]


# ------------------------------------------------------------------ damage is a miss


def test_an_empty_store_misses_and_touches_no_disk(store: TakeStore) -> None:
    assert store.get(KEY) is None
    assert not store.root.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda sound, sidecar: sidecar.unlink(),
        lambda sound, sidecar: sound.unlink(),
        lambda sound, sidecar: sound.write_bytes(sound.read_bytes()[:-1]),
        lambda sound, sidecar: sound.write_bytes(b""),
        lambda sound, sidecar: sidecar.write_bytes(sidecar.read_bytes()[:-20]),
        lambda sound, sidecar: sidecar.write_bytes(b""),
        lambda sound, sidecar: sidecar.write_bytes(b"\xff\xfe\x00"),
        lambda sound, sidecar: sidecar.write_text("[]"),
        lambda sound, sidecar: sidecar.write_text("null"),
        lambda sound, sidecar: sidecar.write_text("{}"),
        lambda sound, sidecar: sidecar.write_text(sidecar.read_text().replace('"schema":1', '"schema":0')),
        lambda sound, sidecar: sidecar.write_text(sidecar.read_text().replace(KEY, "cd" + KEY[2:])),
        lambda sound, sidecar: sidecar.write_text(sidecar.read_text().replace('"marks":[]', '"marks":[[1]]')),
        lambda sound, sidecar: (sidecar.unlink(), sidecar.mkdir()),
    ],
)
def test_a_damaged_take_is_a_miss(store: TakeStore, damage) -> None:
    stored(store)
    damage(*store.paths(KEY))
    assert store.get(KEY) is None


def test_a_flipped_bit_is_found_by_verify_and_before_use_and_recorded_again(store: TakeStore) -> None:
    take = stored(store)
    data = bytearray(take.path.read_bytes())
    data[len(data) // 2] ^= 1
    take.path.write_bytes(data)
    assert store.get(KEY) is not None
    assert store.get(KEY, verify=True) is None
    with pytest.raises(VoicepressError) as caught:
        store.samples(take)
    assert caught.value.code == "take-damaged"
    assert store.get(KEY) is None
    again = stored(store)
    assert store.get(KEY, verify=True) == again


def test_a_damaged_take_is_mended_by_recording_it_again(store: TakeStore) -> None:
    stored(store)
    sound, _ = store.paths(KEY)
    sound.write_bytes(b"junk")
    take = stored(store)
    np.testing.assert_allclose(store.samples(take), noise(), atol=2.0**-23)


def test_discard_makes_a_miss_and_keeps_the_sound(store: TakeStore) -> None:
    take = stored(store)
    store.discard(KEY)
    store.discard(KEY)
    assert store.get(KEY) is None
    assert take.path.exists()


def test_sweep_removes_old_temporary_files_only(store: TakeStore) -> None:
    stored(store)
    stray = store.root / "ab" / ".tmp-old.flac"
    fresh = store.root / "ab" / ".tmp-new.flac"
    for path in (stray, fresh):
        path.write_bytes(b"x")
    os.utime(stray, (time.time() - 7200, time.time() - 7200))
    assert store.sweep() == 1
    assert fresh.exists()
    assert store.get(KEY) is not None


# ------------------------------------------------------------------ disks and processes

_LIMITED = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from common.errors import VoicepressError
from engines.base import Speech
from tasks.speak.takes import TakeStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
samples = np.random.default_rng(9).uniform(-.5, .5, 24_000).astype(np.float32)
try:
    TakeStore(Path(sys.argv[1])).put(sys.argv[2], Speech(samples), 24_000)
except VoicepressError as error:
    print(error.code)
"""


def test_a_file_that_may_not_grow_is_a_clear_error_and_the_earlier_take_stays(store: TakeStore) -> None:
    earlier = stored(store)
    output = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(store.root), KEY], cwd=HOUSE, capture_output=True, text=True, check=True
    )
    assert output.stdout.strip() == "file-too-big"
    assert store.get(KEY, verify=True) == earlier
    assert not list(store.root.glob("*/.tmp-*"))


def test_a_full_disk_is_a_clear_error_and_the_earlier_take_stays(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(small)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no right to mount a small disk here; the limit on file sizes is tested instead")
    try:
        store = TakeStore(small / "takes")
        earlier = store.put(KEY, Speech(noise(count=20_000)), RATE)
        for key in (KEY, "ab" + "1" * 30):
            with pytest.raises(VoicepressError) as caught:
                store.put(key, Speech(noise(1, count=90_000)), RATE)
            assert caught.value.code == "disk-full"
        assert store.get(KEY, verify=True) == earlier
        assert not list(store.root.glob("*/.tmp-*"))
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_file_where_a_folder_is_needed_is_a_clear_error(store: TakeStore) -> None:
    store.root.parent.mkdir(parents=True, exist_ok=True)
    store.root.write_text("in the way")
    with pytest.raises(VoicepressError) as caught:
        store.put(KEY, Speech(noise()), RATE)
    assert caught.value.code == "not-a-folder"


_WRITER = """
import sys
from pathlib import Path
import numpy as np
from engines.base import Speech
from tasks.speak.takes import TakeStore
store, who = TakeStore(Path(sys.argv[1])), int(sys.argv[2])
print("ready", flush=True)
round_ = 0
while round_ < int(sys.argv[3]):
    for number in range(8):
        # The two writers' sounds differ but have about the same size: the worst case for a mixed pair.
        samples = np.random.default_rng([who, number, round_ % 3]).uniform(-.5, .5, 2_000).astype(np.float32)
        store.put(f"ab{number:030d}", Speech(samples), 24_000, {"who": who})
    round_ += 1
"""


def writer(store: TakeStore, who: int, rounds: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(store.root), str(who), str(rounds)],
        cwd=HOUSE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    return process


def test_two_writers_of_the_same_keys_never_mix_their_files(store: TakeStore) -> None:
    writers = [writer(store, who, 25) for who in (1, 2)]
    while any(process.poll() is None for process in writers):
        for number in range(8):
            store.get(f"ab{number:030d}")
    assert [process.returncode for process in writers] == [0, 0]
    for number in range(8):
        assert store.get(f"ab{number:030d}", verify=True) is not None


def test_threads_of_one_process_may_write_the_same_keys(store: TakeStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: stored(store, f"ab{number % 3:030d}", number), range(60)))
    for number in range(3):
        assert store.get(f"ab{number:030d}", verify=True) is not None


def test_a_writer_killed_at_any_moment_leaves_whole_takes_or_misses(store: TakeStore) -> None:
    chance = np.random.default_rng(4)
    for attempt in range(10):
        process = writer(store, attempt, 1_000_000)
        time.sleep(float(chance.uniform(0.0, 0.12)))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for number in range(8):
            key = f"ab{number:030d}"
            quick, strict = store.get(key), store.get(key, verify=True)
            assert quick == strict
            if strict is not None:
                assert len(store.samples(strict)) == 2_000
    for number in range(8):  # the lock died with its holder: writing goes on
        assert stored(store, f"ab{number:030d}", number) is not None


def test_the_sidecar_is_plain_json(store: TakeStore) -> None:
    stored(store)
    meta = json.loads(store.paths(KEY)[1].read_text("utf-8"))
    assert meta["key"] == KEY
    assert meta["schema"] == 1
