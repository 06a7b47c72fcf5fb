"""Chapters stitched from takes whose edges are known, read back from the FLAC they were written to."""

from __future__ import annotations

import errno
import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from common.errors import VoicepressError
from tasks.domain import Part, StitchedChapter, TakeMark
from tasks.stitch.mastering import load_mastering
from tasks.stitch.pauses import Pauses, pause_after
from tasks.stitch.stitch import stitch_chapter, write_flac
from tasks.stitch.timeline import existing, fingerprint_of

RATE = 24_000
FRAME = 120
PAUSES = Pauses(clause=0.2, sentence=0.4, paragraph=0.7, speaker_change=0.5, scene=1.5, heading_before=1.2,
                heading_after=1.0, chapter_head=0.6, chapter_tail=1.3)  # fmt: skip
MASTERING = load_mastering("audiobook")


def stitched(studio: Any, parts: Sequence[Part], folder: Path, **changes: Any) -> StitchedChapter:
    plain = {"number": 1, "title": "第一章", "volume": "", "pauses": PAUSES, "mastering": MASTERING, "folder": folder}
    return stitch_chapter(parts=parts, samples_of=studio.samples_of, **(plain | changes))


def heard(samples: np.ndarray, start: int, end: int) -> tuple[int, int]:
    """First and last sample over -60 dB in ``[start, end)``."""
    loud = np.flatnonzero(np.abs(samples[start:end]) > 1e-3)
    return start + int(loud[0]), start + int(loud[-1])


def chapter_of_all_pauses(studio: Any) -> list[Part]:
    afters = ["heading", "sentence", "clause", "sentence", "paragraph", "scene", "heading", "sentence", "chapter"]
    speakers = ["narrator"] * 3 + ["老王"] + ["narrator"] * 5
    return [
        studio.part(studio.voice(0.5 + 0.13 * i, head=0.05 * i, tail=0.1 * i, level=0.1 + 0.02 * i), line_id=f"line{i}",
                    after=after, speaker=speaker)
        for i, (after, speaker) in enumerate(zip(afters, speakers, strict=True))
    ]  # fmt: skip


def test_the_pause_heard_is_the_pause_asked_and_cues_stand_on_the_voices(studio: Any, tmp_path: Path) -> None:
    parts = chapter_of_all_pauses(studio)
    chapter = stitched(studio, parts, tmp_path / "chapters")
    samples, rate = soundfile.read(chapter.audio, dtype="float64")
    cues = chapter.timeline.cues
    assert (rate, len(samples)) == (chapter.timeline.sample_rate, chapter.timeline.samples)
    assert [cue.line_id for cue in cues] == [part.line_id for part in parts]
    assert cues[0].start == round(PAUSES.chapter_head * rate)
    assert chapter.timeline.samples - cues[-1].end == round(PAUSES.chapter_tail * rate)
    for part, cue, following, next_cue in zip(parts, cues, parts[1:], cues[1:], strict=False):
        asked = round(pause_after(part, following, PAUSES) * rate)
        assert next_cue.start - cue.end == asked
        middle = (cue.start + cue.end) // 2
        next_middle = (next_cue.start + next_cue.end) // 2
        _, last = heard(samples, middle, cue.end + asked // 2)
        first, _ = heard(samples, next_cue.start - asked // 2, next_middle)
        assert abs(first - last - asked) <= 2 * FRAME  # energy is measured in frames of 5 ms


def test_planted_clicks_stand_where_the_marks_say(studio: Any, tmp_path: Path) -> None:
    def clicked(at: Sequence[int]) -> Any:
        samples = np.zeros(2 * RATE)
        for place in at:
            samples[place] = 0.5
        marks = tuple(TakeMark(i, i + 1, place, place + 240) for i, place in enumerate(at))
        return studio.take(samples, marks=marks)

    places = [[9600, 20_001, 31_000], [7777, 40_000], [12_345]]
    parts = [studio.part(clicked(at), line_id=f"l{i}") for i, at in enumerate(places)]
    chapter = stitched(studio, parts, tmp_path)
    samples, _ = soundfile.read(chapter.audio, dtype="float64")
    clicks = np.flatnonzero(np.abs(samples) > 0.1)
    marked = [mark.start for cue in chapter.timeline.cues for mark in cue.marks]
    assert clicks.tolist() == marked
    assert [cue.start for cue in chapter.timeline.cues] <= [cue.marks[0].start for cue in chapter.timeline.cues]
    for at, cue in zip(places, chapter.timeline.cues, strict=True):
        assert [mark.start - cue.marks[0].start for mark in cue.marks] == [place - at[0] for place in at]


@pytest.mark.parametrize("pause", [0.0, 0.001, 0.03, 0.1, 0.119, 0.121, 3.0])
def test_any_pause_of_a_lines_own_is_exact(studio: Any, tmp_path: Path, pause: float) -> None:
    parts = [studio.part(studio.voice(), pause_seconds=pause), studio.part(studio.voice(hz=300))]
    first, second = stitched(studio, parts, tmp_path).timeline.cues
    assert second.start - first.end == round(pause * RATE)


@pytest.mark.parametrize(("level", "gain"), [(0.02, 0.0), (0.2, 0.0), (0.9, 3.0), (0.9, 12.0)])
def test_the_chapter_meets_its_loudness_and_ffmpeg_agrees(
    studio: Any, tmp_path: Path, ffmpeg_loudness: Callable[[Path], tuple[float, float]], level: float, gain: float
) -> None:
    parts = [studio.part(studio.voice(2.0, level=level, hz=200 + 90 * i), gain_db=gain) for i in range(8)]
    chapter = stitched(studio, parts, tmp_path)
    assert chapter.loudness_lufs == pytest.approx(MASTERING.loudness_lufs, abs=0.01)
    loudness, peak = ffmpeg_loudness(chapter.audio)
    assert loudness == pytest.approx(chapter.loudness_lufs, abs=0.15)
    assert peak == pytest.approx(chapter.true_peak_dbtp, abs=0.15)


def test_the_ceiling_wins_over_the_loudness_and_nothing_clips(
    studio: Any, tmp_path: Path, ffmpeg_loudness: Callable[[Path], tuple[float, float]]
) -> None:
    rng = np.random.default_rng(5)
    parts = []
    for _ in range(6):  # crackling: high peaks, little loudness
        samples = 0.01 * rng.standard_normal(2 * RATE)
        samples[rng.integers(0, 2 * RATE, 20)] += rng.choice([-1.6, 1.6], 20)
        parts.append(studio.part(studio.take(samples)))
    chapter = stitched(studio, parts, tmp_path)
    assert MASTERING.ceiling_dbtp - 0.05 < chapter.true_peak_dbtp <= MASTERING.ceiling_dbtp
    assert chapter.limited_db == pytest.approx(MASTERING.limit_db, abs=0.01)  # no more than that, so it stays quieter
    assert chapter.loudness_lufs < MASTERING.loudness_lufs - 10
    assert chapter.loudness_lufs < MASTERING.loudness_lufs
    assert ffmpeg_loudness(chapter.audio)[1] <= MASTERING.true_peak_dbtp + 0.1
    samples, _ = soundfile.read(chapter.audio)
    assert np.abs(samples).max() < 1.0


def test_one_linear_gain_keeps_levels_between_lines(studio: Any, tmp_path: Path) -> None:
    take = studio.voice(1.0, level=0.1)
    chapter = stitched(studio, [studio.part(take), studio.part(take, gain_db=-6.0)], tmp_path)
    samples, _ = soundfile.read(chapter.audio)
    loud, soft = (np.abs(samples[cue.start + 2000 : cue.end - 2000]).max() for cue in chapter.timeline.cues)
    assert 20 * np.log10(loud / soft) == pytest.approx(6.0, abs=0.01)
    assert loud == pytest.approx(0.1 * 10 ** (chapter.gain_db / 20), rel=1e-4)


def test_the_sound_itself_is_unchanged_but_for_its_gain(studio: Any, tmp_path: Path) -> None:
    take = studio.voice(1.0, head=0.4)
    chapter = stitched(studio, [studio.part(take)], tmp_path)
    samples, _ = soundfile.read(chapter.audio)
    cue = chapter.timeline.cues[0]
    given = studio.sounds[take.key][9600 : 9600 + RATE] * 10 ** (chapter.gain_db / 20)
    assert np.abs(samples[cue.start : cue.start + RATE] - given).max() < 2.0**-22


def test_every_cut_fades_to_silence(studio: Any, tmp_path: Path) -> None:
    loud = studio.take(np.full(RATE, 0.3) * np.sign(np.sin(np.arange(RATE) / 40.0)))
    chapter = stitched(studio, [studio.part(loud), studio.part(loud)], tmp_path)
    samples, _ = soundfile.read(chapter.audio)
    for cue in chapter.timeline.cues:
        assert abs(samples[cue.start]) < 1e-4
        assert abs(samples[cue.end - 1]) < 1e-4
        assert np.abs(samples[cue.start + 360 : cue.end - 360]).min() > 0.05


@pytest.mark.parametrize("rates", [(24_000, 44_100), (22_050, 24_000), (16_000, 48_000)])
def test_takes_of_different_rates_meet_at_the_highest(studio: Any, tmp_path: Path, rates: tuple[int, int]) -> None:
    parts = [
        studio.part(
            studio.voice(1.0, head=0.5, tail=0.5, hz=440, rate=rate, marks=(TakeMark(0, 1, rate // 2, rate * 3 // 2),))
        )
        for rate in rates
    ]
    chapter = stitched(studio, parts, tmp_path)
    assert chapter.timeline.sample_rate == max(rates)
    samples, rate = soundfile.read(chapter.audio)
    assert rate == max(rates)
    for cue in chapter.timeline.cues:
        assert (cue.end - cue.start) / rate == pytest.approx(1.0, abs=0.02)
        body = samples[cue.marks[0].start : cue.marks[0].end]
        spectrum = np.abs(np.fft.rfft(body * np.hanning(len(body))))
        assert np.argmax(spectrum) * rate / len(body) == pytest.approx(440, abs=2)


def test_a_take_without_sound_takes_no_time(studio: Any, tmp_path: Path) -> None:
    silent = studio.take(np.zeros(RATE))
    parts = [
        studio.part(studio.voice(), after="sentence"),
        studio.part(silent, after="paragraph"),
        studio.part(studio.voice(hz=330)),
    ]
    first, second, third = stitched(studio, parts, tmp_path).timeline.cues
    assert (second.start, second.end, second.marks) == (first.end, first.end, ())
    assert third.start - first.end == round(PAUSES.paragraph * RATE)


def test_a_rehearsal_of_marked_silence_has_a_timeline_and_no_gain(studio: Any, tmp_path: Path) -> None:
    take = studio.take(np.zeros(RATE), marks=(TakeMark(0, 4, 2400, 12_000),))
    chapter = stitched(studio, [studio.part(take)] * 3, tmp_path)
    assert [cue.end - cue.start for cue in chapter.timeline.cues] == [9600] * 3
    assert chapter.gain_db == 0.0
    assert json.loads((tmp_path / "001.timeline.json").read_text())["loudness_lufs"] == -70.0


def test_a_chapter_of_a_heading_alone_works(studio: Any, tmp_path: Path) -> None:
    chapter = stitched(studio, [studio.part(studio.voice(0.2), after="heading")], tmp_path)
    assert len(chapter.timeline.cues) == 1
    assert chapter.loudness_lufs == pytest.approx(MASTERING.loudness_lufs, abs=0.01)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_chapter_without_sound_is_an_error_that_names_it(studio: Any, tmp_path: Path, count: int) -> None:
    parts = [studio.part(studio.take(np.zeros(RATE))) for _ in range(count)]
    with pytest.raises(VoicepressError) as caught:
        stitched(studio, parts, tmp_path)
    assert caught.value.code == "chapter-silent"
    assert "第一章" in caught.value.what
    assert list(tmp_path.iterdir()) == []


def test_the_same_parts_give_the_same_bytes(studio: Any, tmp_path: Path) -> None:
    parts = chapter_of_all_pauses(studio)
    for name in ("a", "b"):
        stitched(studio, parts, tmp_path / name)
    for file in ("001.flac", "001.timeline.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_finished_chapter_is_not_stitched_again(studio: Any, tmp_path: Path) -> None:
    parts = chapter_of_all_pauses(studio)
    first = stitched(studio, parts, tmp_path, volume="卷一")
    before = (tmp_path / "001.flac").stat().st_mtime_ns
    studio.asked.clear()
    assert stitched(studio, parts, tmp_path, volume="卷一") == first
    assert studio.asked == []
    assert (tmp_path / "001.flac").stat().st_mtime_ns == before


@pytest.mark.parametrize("harm", ["cut", "flip", "gone", "no timeline", "half a timeline", "not a timeline"])
def test_what_is_not_whole_is_stitched_again_to_the_same_bytes(studio: Any, tmp_path: Path, harm: str) -> None:
    parts = chapter_of_all_pauses(studio)
    stitched(studio, parts, tmp_path)
    audio, timeline = tmp_path / "001.flac", tmp_path / "001.timeline.json"
    good = audio.read_bytes(), timeline.read_bytes()
    match harm:
        case "cut":
            audio.write_bytes(good[0][: len(good[0]) // 2])
        case "flip":
            audio.write_bytes(good[0][:5000] + bytes([good[0][5000] ^ 1]) + good[0][5001:])
        case "gone":
            audio.unlink()
        case "no timeline":
            timeline.unlink()
        case "half a timeline":
            timeline.write_bytes(good[1][: len(good[1]) // 2])
        case "not a timeline":
            timeline.write_text("[]")
    fingerprint = fingerprint_of(1, "第一章", "", parts, PAUSES, MASTERING)
    assert existing(tmp_path, 1, fingerprint) is None
    stitched(studio, parts, tmp_path)
    assert (audio.read_bytes(), timeline.read_bytes()) == good


def test_the_fingerprint_knows_everything_that_changes_a_chapter(studio: Any) -> None:
    parts = [studio.part(studio.voice()), studio.part(studio.voice(hz=300))]

    def of(parts: Sequence[Part] = parts, number: int = 1, title: str = "题", volume: str = "", pauses: Pauses = PAUSES,
           mastering: Any = MASTERING, fade_ms: int = 15) -> str:  # fmt: skip
        return fingerprint_of(number, title, volume, parts, pauses, mastering, fade_ms)

    other_take = replace(parts[0].take, key="other")
    changed = [
        of(number=2),
        of(title="别"),
        of(volume="卷"),
        of(fade_ms=10),
        of(parts[::-1]),
        of(parts[:1]),
        of(pauses=replace(PAUSES, sentence=0.41)),
        of(mastering=replace(MASTERING, loudness_lufs=-19.0)),
        of(mastering=replace(MASTERING, true_peak_dbtp=-2.0)),
        *(
            of([replace(parts[0], **change), parts[1]])
            for change in (
                {"take": other_take}, {"gain_db": 1.0}, {"pause_seconds": 0.0}, {"after": "scene"}, {"text": "x"},
                {"spoken": "x"}, {"speaker": "x"}, {"line_id": "x"},
            )
        ),
    ]  # fmt: skip
    assert len({of(), *changed}) == 1 + len(changed)
    assert of(mastering=replace(MASTERING, mp3_kbps=192, aac_kbps=96)) == of()


@pytest.mark.parametrize("damage", [np.zeros(10), np.full(2 * RATE, np.nan), np.zeros((100, 2))])
def test_a_damaged_take_is_an_error_with_its_file(studio: Any, tmp_path: Path, damage: np.ndarray) -> None:
    part = studio.part(studio.take(np.zeros(2 * RATE)))
    studio.sounds[part.take.key] = damage.astype(np.float32)
    with pytest.raises(VoicepressError) as caught:
        stitched(studio, [part], tmp_path)
    assert caught.value.code == "take-damaged"
    assert caught.value.file == str(part.take.path)


def test_a_gain_beyond_all_reason_is_an_error_not_a_clip(studio: Any, tmp_path: Path) -> None:
    with pytest.raises(VoicepressError) as caught:
        stitched(studio, [studio.part(studio.voice(level=0.5), gain_db=40.0)], tmp_path)
    assert caught.value.code == "too-loud"


def test_a_full_disk_is_told_as_the_system_tells_it() -> None:
    noise = np.random.default_rng(0).integers(-(2**22), 2**22, RATE * 60).astype(np.int32)
    with pytest.raises(OSError) as caught:  # noqa: PT011
        write_flac(Path("/dev/full"), lambda a, b: noise[a:b], len(noise), RATE)
    assert caught.value.errno == errno.ENOSPC


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=192k", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip("a file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_leaves_the_earlier_chapter_as_it_was(studio: Any, small_disk: Path) -> None:
    short = [studio.part(studio.voice(0.3))]
    first = stitched(studio, short, small_disk)
    before = {path.name: path.read_bytes() for path in small_disk.iterdir()}
    noise = studio.take(0.2 * np.random.default_rng(0).standard_normal(RATE * 20))
    with pytest.raises(VoicepressError) as caught:
        stitched(studio, [studio.part(noise)], small_disk)
    assert caught.value.code == "disk-full"
    assert {path.name: path.read_bytes() for path in small_disk.iterdir()} == before
    assert existing(small_disk, 1, first.fingerprint) == first


def test_a_folder_that_cannot_be_made_is_a_clear_error(studio: Any, tmp_path: Path) -> None:
    (tmp_path / "chapters").write_text("a file")
    with pytest.raises(VoicepressError) as caught:
        stitched(studio, [studio.part(studio.voice())], tmp_path / "chapters")
    assert caught.value.code == "not-a-folder"
