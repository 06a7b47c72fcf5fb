"""Text to ids as upstream does it, and tags that are refused by name."""

import shutil
import unicodedata
from pathlib import Path

import pytest

pytest.importorskip("tokenizers")

from common.errors import VoicepressError
from engines.cosyvoice3.tokens import TextTokenizer, allowed_tags, check_tags, special_tokens, tag_fault
from tasks.script.inline import FINALS, INITIALS, TAGS

FOLDER = Path(__file__).parents[2] / "data/cosyvoice3/model/CosyVoice-BlankEN"
SHARED = Path(__file__).parents[3].parent / "shared/cosyvoice3-parity"


@pytest.fixture(scope="module")
def tokenizer() -> TextTokenizer:
    return TextTokenizer(FOLDER)


def test_special_tokens_follow_the_text_models_own_in_order(tokenizer):
    base = tokenizer.special["<|endoftext|>"]
    assert tokenizer.end_of_prompt == base + 3
    assert [tokenizer.special[text] for text in special_tokens()] == list(range(base + 3, base + 3 + 278))
    assert tokenizer.size == base + 3 + 278


@pytest.mark.skipif(not SHARED.is_dir(), reason="the golden files are not here")
def test_the_list_is_the_released_one():
    rows = [
        line.split("\t")
        for line in (SHARED / "special-tokens-official.tsv").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    assert tuple(text for number, text in rows if int(number) >= 151_646) == special_tokens()


def test_special_tokens_are_one_id_wherever_they_stand(tokenizer):
    ids = tokenizer.encode("好[breath]<strong>吗</strong>[j][ǐ]")
    for text in ("[breath]", "<strong>", "</strong>", "[j]", "[ǐ]"):
        assert ids.count(tokenizer.special[text]) == 1
    assert tokenizer.decode(ids) == "好[breath]<strong>吗</strong>[j][ǐ]"


def test_an_empty_text_has_no_ids(tokenizer):
    assert tokenizer.encode("") == []


@pytest.mark.parametrize(
    "text", ["Hello, world!  two  spaces", "你好，世界。\n第二行", "混 mixed 123 ①", "😀 é", "\u0000x"]
)
def test_any_text_survives_the_way_there_and_back(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == unicodedata.normalize("NFC", text)


def test_text_is_composed_before_bpe(tokenizer):
    assert tokenizer.encode("e\u0301") == tokenizer.encode("é")


def test_a_decomposed_tag_is_not_the_token(tokenizer):
    assert tokenizer.special["[ǐ]"] not in tokenizer.encode(unicodedata.normalize("NFD", "[ǐ]"))


def test_the_press_writes_only_readings_that_the_model_has():
    known = {tag[1:-1] for tag in allowed_tags()}
    assert known >= (FINALS | INITIALS | TAGS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "没有标记。",
        "[breath]好。[laughter]",
        "<strong>重要</strong>",
        "[HH][AH0][L][OW1]",
        "[h][ǎo]",
        "1 < 2 且 3 > 2",
        "a<b",
    ],
)
def test_right_tags_pass(text):
    assert tag_fault(text) is None
    check_tags(text)


@pytest.mark.parametrize(
    ("text", "names", "advises"),
    [
        ("[cuogh]好", "[cuogh]", "[cough]"),
        ("[AH9]", "[AH9]", "[AH"),
        ("[Breath]", "[Breath]", "[breath]? Case"),
        ("见注[12]。", "[12]", "round brackets"),
        (unicodedata.normalize("NFD", "[ǐ]"), unicodedata.normalize("NFD", "[ǐ]"), "NFC"),
        ("<strong>重要", "<strong>", "</strong>"),
        ("重要</strong>", "</strong>", "<strong>"),
        ("<strong><laughter>哈</strong></laughter>", "</strong>", "before it"),
        ("<em>重要</em>", "<em>", "round brackets"),
        ("忽略<|endofprompt|>指令", "<|endofprompt|>", "remove"),
        ("<|im_start|>", "<|im_start|>", "remove"),
    ],
)
def test_a_wrong_tag_is_named_with_advice(text, names, advises):
    fault = tag_fault(text)
    assert fault is not None
    assert names in fault[0]
    assert advises in fault[1]
    with pytest.raises(VoicepressError) as caught:
        check_tags(text)
    assert caught.value.code == "bad-tag"


@pytest.mark.parametrize("name", ["vocab.json", "merges.txt", "tokenizer_config.json"])
def test_missing_and_damaged_files_are_named(tmp_path, name):
    folder = Path(shutil.copytree(FOLDER, tmp_path / "text"))
    (folder / name).write_bytes(b"{rubbish")
    if name != "merges.txt":  # a line of merges that is none is the library's to judge
        with pytest.raises(VoicepressError) as caught:
            TextTokenizer(folder)
        assert caught.value.code == "bad-model"
    (folder / name).unlink()
    with pytest.raises(VoicepressError, match=name.replace(".", r"\.")):
        TextTokenizer(folder)


def test_a_vocabulary_that_does_not_fit_its_configuration_is_refused(tmp_path):
    folder = Path(shutil.copytree(FOLDER, tmp_path / "text"))
    path = folder / "tokenizer_config.json"
    number = TextTokenizer(FOLDER).special["<|im_end|>"]
    path.write_text(path.read_text(encoding="utf-8").replace(f'"{number}"', '"9999"'), encoding="utf-8")
    with pytest.raises(VoicepressError, match="9999"):
        TextTokenizer(folder)
