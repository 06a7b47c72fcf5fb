"""What the site and the author put between the lines; what only looks like it is read."""

from __future__ import annotations

import pytest

from tasks.read.asides import author_lines, is_author_line
from tasks.read.clutter import fold, inside_adverts, is_advert


@pytest.mark.parametrize(
    "line",
    [
        "ｗｗｗ．ｂｉｑｕｇｅ．ｃｏｍ 最新章节", "ωωω.example.com 小说下载", "w w w . x x . c o m 免费小说", "【XX小说网首发】",
        "手机用户请访问m.xx.com", "本章未完,请点击下一页继续阅读", "（本章完）", "最新网址：ｗｗｗ．ｘｘ．ｃｏｍ", "天才一秒记住本站地址：www.xx.com",
        "正在手打中，请稍等片刻，内容更新后，请重新刷新页面", "喜欢灯请大家收藏：(www.xx.com)灯更新速度最快。",
    ],
)  # fmt: skip
def test_adverts(line: str) -> None:
    assert is_advert(line)


@pytest.mark.parametrize(
    "line",
    [
        "他打开www.example.com，下载了一本小说。",
        "“最新网址：www.xx.com”",
        "本章完整地讲述了这件事",
        "www",
        "他说本书写得很好",
    ],
)
def test_stories_about_sites_are_no_adverts(line: str) -> None:
    assert not is_advert(line)


@pytest.mark.parametrize(
    ("text", "advert"),
    [
        ("他走了。（手机用户请访问m.xx.com阅读）她没有回头。", "（手机用户请访问m.xx.com阅读）"),
        (
            "他走了。手机用户请浏览m.xx.com阅读，更优质的体验。她没有回头。",
            "手机用户请浏览m.xx.com阅读，更优质的体验。",
        ),
        ("灯亮了【灯火小说网 www.xx.com】，他走了", "【灯火小说网 www.xx.com】"),
        ("灯亮了。本章未完，请点击下一页继续阅读！", "本章未完，请点击下一页继续阅读！"),
        (
            "他走了。天才一秒记住本站地址：ｗｗｗ．ｘｘ．ｃｏｍ。她笑了。",
            "天才一秒记住本站地址：ｗｗｗ．ｘｘ．ｃｏｍ。",
        ),
        ("“走吧。（最新章节请到www.xx.com阅读）”他说。", "（最新章节请到www.xx.com阅读）"),
        ("灯亮了起点中文网www.example.com，他走了", "起点中文网www.example.com"),
        ("灯亮了。（本章完）", "（本章完）"),
        ("他的主页（www.abc.com）很好看", ""),
        ("他说最新章节还没写好。", ""),
        ("他在www.abc.com上写小说，别人都不知道。", ""),
        ("“最新章节请到www.xx.com阅读。”他念道。", ""),
    ],
)
def test_adverts_inside_a_paragraph(text: str, advert: str) -> None:
    assert [text[start:end] for start, end in inside_adverts(text)] == ([advert] if advert else [])


def test_folding_keeps_every_place() -> None:
    text = "ｗωｗ．〇ｘ。ｃοｍ灯"
    assert fold(text) == "www.ox.com灯"
    assert len(fold(text)) == len(text)


@pytest.mark.parametrize(
    "line",
    [
        "ps：求推荐票，求收藏！", "PS: 今天三更，求月票", "（ps：感谢书友的打赏）", "求月票！", "求推荐票，求收藏，求订阅！！！", "跪求月票~~",
        "感谢“江湖客”打赏的100起点币，感谢柳下客的月票！", "今天三更！", "（第一更）", "第二更送上，求订阅", "今日四更完毕。", "三更奉上",
        "明天上架，大家记得来，爆更！",
    ],
)  # fmt: skip
def test_author_lines(line: str) -> None:
    assert is_author_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "三更时分，他醒了。", "第三更的鼓声响了。", "求你了！", "感谢你的帮助。", "他感谢老人打赏的铜钱，转身走了。", "今天的雨下得很大。",
        "P.S. I love you.", "PS：记得带伞。", "“求月票！”他说。", "三更天", "第三更", "他今天打了三更的锣，很累。", "感谢天，感谢地。",
    ],
)  # fmt: skip
def test_stories_are_no_author_lines(line: str) -> None:
    assert not is_author_line(line)


def test_a_block_goes_to_the_end_of_the_chapter_unless_it_is_too_long() -> None:
    story = ["灯亮了。", "他走了。"]
    assert author_lines([*story, "作者有话说：", "谢谢", "明天见"]) == {2, 3, 4}
    assert author_lines([*story, "------题外话------", "今天很累"]) == {2, 3}
    assert author_lines(["作者有话说：谢谢大家", *story, "她没有回头。"]) == {0}
    assert author_lines([*story, "作者有话说", *["她没有回头。"] * 60]) == {2}
    assert author_lines([*story, "题外话：他不爱喝茶。", "她笑了。"]) == set()
