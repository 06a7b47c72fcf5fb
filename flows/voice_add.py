"""Making a voice of a recording: a profile, the clip beside it and, where the encoders are at hand, its voice pack.

Contract: the clip is judged before anything is written; the profile is written last, so that a voice is whole or not
there. A voice that exists is not replaced unless asked for.
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from common import places
from common.errors import VoicepressError
from common.files import write_bytes, write_text
from engines.cosyvoice3 import audio, clip
from engines.cosyvoice3.engine import NAME, model_folder
from flows.config import load_book
from flows.make import shown
from tasks.domain import SCHEMA
from tasks.speak.voices import read_profile

_HAN = re.compile(r"[\u4e00-\u9fff]")


def add(
    file: Path,
    *,
    voice_id: str,
    text: str,
    name: str = "",
    language: str = "",
    gender: str = "",
    description: str = "",
    book: Path | None = None,
    model_dir: Path | None = None,
    replace: bool = False,
) -> str:
    """Make the voice ``voice_id`` of the recording ``file`` in which ``text`` is said; tell what was made.

    It goes into ``book``'s folder ``voices/``, else among the house's profiles. ``model_dir`` is where the encoders are
    looked for, by default where the book or the environment says. Errors: a clip that cannot be used; an id that is
    taken or no name for a file.
    """
    if not re.fullmatch(r"[\w\-][\w.\-]*", voice_id):
        raise VoicepressError(
            "bad-voice-id",
            f"'{voice_id}' cannot name a voice",
            key="--id",
            hint="use letters, digits, '-', '_' and '.'",
        )
    folder = places.VOICES / "profiles"
    if book is not None:
        job = load_book(book)
        folder = job.folder / "voices"
        model_dir = model_dir or job.options.model_dir
    profile = folder / f"{voice_id}.yaml"
    if profile.exists() and not replace:
        raise VoicepressError(
            "voice-exists", f"there is a voice '{voice_id}' already", file=profile, key="--id",
            hint="choose another id, or add --replace",
        )  # fmt: skip
    text = " ".join(text.split())
    samples, rate = audio.load_mono(file)
    samples = clip.trimmed(samples, rate)
    try:
        clip.refuse(samples, rate)
    except VoicepressError as error:
        raise VoicepressError(error.code, error.what, file=file, hint=error.hint) from error
    rows = [f"  note: {warning}" for warning in clip.warnings(samples, rate, text)]
    if not text:
        rows.append("  note: without --text the voice cannot continue its own words, which clones it best")

    copy = folder / f"{voice_id}{file.suffix.lower()}"
    if copy.resolve() != file.resolve():
        write_bytes(copy, file.read_bytes())
    rows.append(_pack(copy, text, model_dir))
    language = language or ("zh" if not text or _HAN.search(text) else "en")
    about = {
        "schema": SCHEMA, "id": voice_id, "engine": NAME, "name": name or voice_id, "language": language,
        "gender": gender, "description": description, "reference": copy.name, "transcript": text,
        "measured": {"seconds": round(len(samples) / rate, 2), "rate_hz": rate},
    }  # fmt: skip
    kept = {key: value for key, value in about.items() if value != ""}
    write_text(profile, yaml.safe_dump(kept, allow_unicode=True, sort_keys=False, width=1000))
    read_profile(profile)  # what was written is what will be read
    return "\n".join([f"{shown(profile)}  ({len(samples) / rate:.1f} s of voice, {rate} Hz)", *rows])


def _pack(copy: Path, text: str, model_dir: Path | None) -> str:
    """Make the voice pack beside ``copy`` where that is possible; a line that says whether."""
    from engines.cosyvoice3 import pack
    from engines.cosyvoice3.config import load_config
    from engines.cosyvoice3.encoders import Encoders

    path = copy.with_suffix(pack.SUFFIX)
    try:
        model = model_folder(model_dir)
        config = load_config(model)
        encoders = Encoders(model, codes=config.lm.speech_tokens)
        encoders.files()
    except VoicepressError as error:
        path.unlink(missing_ok=True)  # a pack of an earlier clip
        return f"  no voice pack yet ({error.what}); it is made by the first machine that has the model directory"
    made = pack.make(copy, text, encoders, config.mel, ratio=config.token_mel_ratio)
    pack.save(made, path)
    return f"  voice pack: {shown(path)} ({len(made.tokens)} tokens); with it the voice needs no encoders"
