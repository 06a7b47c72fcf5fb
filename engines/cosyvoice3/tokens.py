"""Text to token ids: the model's own byte-level BPE with its special tokens, and a check of what is bracketed.

Contract: ``TextTokenizer`` is built from ``CosyVoice-BlankEN/`` (``vocab.json``, ``merges.txt``,
``tokenizer_config.json``) and adds the model's special tokens in their fixed order, from which their ids follow. A
special token is matched on the raw text, before normalization. The tokenizer itself reads an unknown ``[foo]`` aloud
as ordinary text; ``check_tags`` is there so that none gets so far: it names the wrong one and the nearest right one.
"""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from common.errors import VoicepressError
from common.files import require_file

END_OF_PROMPT = "<|endofprompt|>"
SPANS = ("strong", "laughter")
"""Tags that come in pairs: ``<strong>…</strong>``."""
_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_TAG = re.compile(r"\[[^\[\]]*\]|<(?=[A-Za-z/|])[^<>]*>")


@lru_cache(maxsize=1)
def special_tokens() -> tuple[str, ...]:
    """CosyVoice3's own special tokens in the order that gives them their ids, after the text model's three."""
    path = Path(__file__).parent / "data" / "special_tokens.txt"
    return tuple(path.read_text(encoding="utf-8").split("\n")[:-1])


@lru_cache(maxsize=1)
def allowed_tags() -> frozenset[str]:
    """What may stand in a text in brackets: sounds, spans, phones, parts of pinyin; not the control tokens."""
    return frozenset(token for token in special_tokens() if not token.startswith("<|"))


class TextTokenizer:
    """The text side's vocabulary. ``encode`` adds no begin or end token; an empty text gives no ids."""

    def __init__(self, folder: Path) -> None:
        try:
            from tokenizers import (  # type: ignore[import-not-found, unused-ignore]
                AddedToken,
                Regex,
                Tokenizer,
                models,
                normalizers,
                pre_tokenizers,
            )
        except ImportError as error:
            raise VoicepressError(
                "missing-package", "the engine cosyvoice3 needs the package tokenizers",
                hint="pip install 'voicepress[cosyvoice3]'",
            ) from error  # fmt: skip
        vocabulary = require_file(folder / "vocab.json", "the tokenizer's vocabulary")
        merges = require_file(folder / "merges.txt", "the tokenizer's merges")
        first = _added(folder / "tokenizer_config.json")
        try:
            model = models.BPE.from_file(str(vocabulary), str(merges))
        except Exception as error:  # the library's errors have no class of their own
            raise _bad(vocabulary, f"vocab.json and merges.txt cannot be read: {error}") from error
        tokenizer: Any = Tokenizer(model)
        tokenizer.normalizer = normalizers.NFC()
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(_PATTERN), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        wanted = [*first.values(), *special_tokens()]
        tokenizer.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in wanted])
        for number, text in first.items():
            if tokenizer.token_to_id(text) != number:
                raise _bad(
                    folder / "tokenizer_config.json",
                    f"{text} has id {number} there, but {tokenizer.token_to_id(text)} by vocab.json",
                )
        self._tokenizer = tokenizer
        self.special: Mapping[str, int] = {text: int(self._tokenizer.token_to_id(text)) for text in wanted}
        self.size = int(tokenizer.get_vocab_size())
        self.end_of_prompt = self.special[END_OF_PROMPT]

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def decode(self, ids: list[int]) -> str:
        """The text of ``ids`` with special tokens written out; for messages and tests."""
        from tokenizers import decoders  # type: ignore[import-not-found, unused-ignore]

        special = {number: text for text, number in self.special.items()}
        parts: list[str] = []
        run: list[str] = []
        decoder: Any = decoders.ByteLevel()
        for number in [*ids, -1]:
            if number != -1 and number not in special:
                run.append(self._tokenizer.id_to_token(number))
                continue
            if run:
                parts.append(decoder.decode(run))
                run = []
            parts.append(special.get(number, ""))
        return "".join(parts)


def _added(path: Path) -> dict[int, str]:
    """The text model's own special tokens by id, in the order of their ids."""
    require_file(path, "the tokenizer's configuration")
    try:
        table = json.loads(path.read_text(encoding="utf-8"))["added_tokens_decoder"]
        return {int(number): str(table[number]["content"]) for number in sorted(table, key=int)}
    except (ValueError, KeyError, TypeError) as error:
        raise _bad(path, f"tokenizer_config.json has no readable added_tokens_decoder: {error!r}") from error


def _bad(path: Path, what: str) -> VoicepressError:
    return VoicepressError("bad-model", what, file=path, hint="download the model's CosyVoice-BlankEN folder again")


def tag_fault(text: str) -> tuple[str, str] | None:
    """The first thing wrong with the tags of ``text``, and what to do; ``None`` if all is well.

    Wrong are: a bracket that is no token of the model, a control token, a span that is not opened or closed.
    """
    open_spans: list[str] = []
    for found in _TAG.finditer(text):
        tag = found.group()
        if tag.startswith("<|"):
            return f"{tag} may not stand in a text", "remove it; the engine adds what control tokens are needed"
        if tag not in allowed_tags():
            return f"the model knows no {tag}", _advice(tag)
        name = tag.strip("</>")
        if tag.startswith("</"):
            if not open_spans or open_spans.pop() != name:
                return f"{tag} closes what is not open", f"put <{name}> before it, or remove it"
        elif tag.startswith("<"):
            open_spans.append(name)
    if open_spans:
        return f"<{open_spans[-1]}> is not closed", f"put </{open_spans[-1]}> behind the words it is meant for"
    return None


def check_tags(text: str) -> None:
    """Raise ``VoicepressError`` where ``tag_fault`` finds something."""
    if fault := tag_fault(text):
        raise VoicepressError("bad-tag", fault[0], key="text", hint=fault[1])


def _advice(tag: str) -> str:
    composed = unicodedata.normalize("NFC", tag)
    if composed in allowed_tags():
        return f"write {composed} with composed characters (Unicode NFC)"
    for other in (tag.lower(), tag.upper()):
        if other in allowed_tags():
            return f"did you mean {other}? Case counts"
    inner = {known[1:-1]: known for known in sorted(allowed_tags()) if known[0] == tag[0]}
    near = difflib.get_close_matches(tag[1:-1], inner, n=1, cutoff=0.6)
    if near and len(tag) >= 5:  # anything is near to two letters
        return f"did you mean {inner[near[0]]}?"
    return "write a sound such as [breath], ARPAbet phones or an initial and a toned final, or round brackets instead"
