from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.kokoro import front, graph, model, packs
from engines.kokoro.engine import _session


def test_vnni_needs_the_flag_on_every_core() -> None:
    assert graph.variant_for_cpu("flags\t\t: fpu avx2 avx_vnni\nflags\t\t: fpu avx_vnni\n") == "vnni"
    assert graph.variant_for_cpu("flags\t\t: fpu avx512_vnni\n") == "vnni"
    assert graph.variant_for_cpu("flags\t\t: fpu avx_vnni\nflags\t\t: fpu avx2\n") == "plain"
    assert graph.variant_for_cpu("flags\t\t: fpu avx2 avx512f\n") == "plain"
    assert graph.variant_for_cpu("Features\t: neon asimd\n") == "plain"
    assert graph.variant_for_cpu("") == "plain"


def _feed() -> dict[str, Any]:
    units, _ = front.units_of("渡口的老人没有说话，只是点了点头。", "zh", ())
    known = front.vocabulary()
    ids = [known[s] for place, unit in enumerate(units) for s in front.symbols_of(unit, place == 0)]
    return {
        "tokens": np.array([[0, *ids, 0]], np.int64),
        "style": packs.load("zf_xiaobei")[len(ids) : len(ids) + 1],
        "speed": np.ones(1, np.float32),
    }


def _run(paths: tuple[Path, Path], feed: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    encoder, decoder = (_session(path) for path in paths)
    inner = dict(
        zip(("asr", "f0", "energy", "durations"), encoder.run(["asr", "f0", "energy", "durations"], feed), strict=True)
    )
    given = {name: inner[name] for name in ("asr", "f0", "energy")}
    return inner, decoder.run(["audio"], {**given, "style": feed["style"]})[0].reshape(-1)


@pytest.mark.slow
def test_cut_graph_gives_the_packaged_samples_and_the_mended_one_nearly(cache: Path) -> None:
    feed = _feed()
    packaged = _session(model.packaged_file()).run(None, feed)[0].reshape(-1)
    inner, cut = _run(model.parts("plain"), feed)
    assert np.array_equal(cut, packaged)
    assert int(inner["durations"].sum()) * graph.FRAME_SAMPLES == len(packaged)
    if model.variant() != "vnni":
        pytest.skip("this CPU has no VNNI: signed weights would saturate")
    mended_inner, mended = _run(model.parts("vnni"), feed)
    assert np.array_equal(mended_inner["durations"], inner["durations"])
    assert np.array_equal(mended_inner["f0"], inner["f0"])
    assert mended.shape == packaged.shape
    error = float(np.sum(np.square(mended - packaged)) / np.sum(np.square(packaged)))
    assert error < 0.03, f"signal to difference {-10 * np.log10(error):.1f} dB"


@pytest.mark.slow
def test_mended_graph_has_no_slow_convolution_left(cache: Path) -> None:
    import onnx

    _, decoder = graph.rewrite(model.packaged(), "vnni")
    kinds = [node.op_type for node in onnx.load_from_string(decoder).graph.node]
    assert kinds.count("ConvInteger") <= 2  # F0 and energy, one channel each
    assert "Pow" not in kinds
    assert kinds.count("InstanceNormalization") > 40


def test_vocabulary_is_the_models() -> None:
    known = front.vocabulary()
    assert len(known) == 114
    assert len(set(known.values())) == 114
    assert json.dumps(known)
