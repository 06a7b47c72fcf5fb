"""Makes the nasty files beside it. All text was written for this purpose."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
CHINESE = (
    "灯一盏一盏地亮了，河上还有几条晚归的船，慢慢地摇过来。", "他在渡口站了很久，没有人知道他在等谁。", "“走吧，天要黑了。”老船夫说。",
    "她没有回答，只是看着远处的山，山上的雪还没有化。", "风从北边来，带着一点盐的味道。", "“你还会回来吗？”她问。", "茶已经凉了，谁也没有再喝一口。",
    "门外的狗叫了两声，又安静下去。", "他把信折好，放进贴身的口袋里，像放进一块石头。", "那一夜的月亮很圆，圆得让人不敢多看。",
    "“三更了，还不睡？”母亲在隔壁问。", "桥下的水声很大，盖过了所有的话。", "他想起小时候的事，想着想着就笑了。",
)  # fmt: skip
TRADITIONAL = (
    "燈一盞一盞地亮了，河上還有幾條晚歸的船，慢慢地搖過來，", "他在渡口站了很久，沒有人知道他在等誰，", "老船夫說天要黑了，她沒有回答，只是看著遠處的山，",
    "山上的雪還沒有化，風從北邊來，帶著一點鹽的味道，", "茶已經涼了，誰也沒有再喝一口，門外的狗叫了兩聲，又安靜下去，", "那一夜的月亮很圓，圓得讓人不敢多看，",
)  # fmt: skip
ENGLISH = (
    "The lamps in the hills were lit one by one while the last boats came slowly home.",
    "Nobody knew for whom the ferryman was waiting, and nobody asked him.",
    "“Let us go,” she said, “before the tide turns.”",
    "A wind came down from the north and brought a taste of salt with it.",
    "The tea had gone cold, and the dog at the gate had long since fallen asleep.",
    "He folded the letter and put it away as one puts away a stone.",
)


def body(bank: tuple[str, ...], seed: int, count: int = 9) -> list[str]:
    return [bank[(seed * 5 + place * 7) % len(bank)] for place in range(count)]


def web_novel() -> bytes:
    names = ["第１章风雪夜归人", "第２章渡口", "第３章在水一方", "第４章是非之地", "第５章你是谁？", "第６章归来"]
    contents = ["目录", *names]
    lines = [
        "《渡口的灯》",
        "作者：柳下客",
        "",
        *contents,
        "",
        *contents,
        "",
        "【灯火小说网 ｗｗｗ．ｄｅｎｇｈｕｏ．ｃｏｍ】",
    ]
    for seed, name in enumerate(names):
        text = ["　　" + line for line in body(CHINESE, seed)]
        text[1] += "（手机用户请访问ｍ．ｄｅｎｇｈｕｏ．ｃｏｍ阅读）"
        text[4:4] = [
            "　　天才一秒记住本站地址：ｗｗｗ．ｄｅｎｇｈｕｏ．ｃｏｍ。",
            "　　他翻到第３章，停住了手。",
            "　　比分是３：２，时间是８：３０。",
        ]
        if seed == 1:
            text += ["　　ｐｓ：今天三更，求月票！", "　　感谢“江湖客”打赏的１００起点币。"]
        if seed == 3:
            text += ["作者有话说：", "　　昨天断电了，今天补上。", "　　谢谢各位。"]
        if seed == 4:
            text += ["　　本章未完，请点击下一页继续阅读", "（本章完）"]
        lines += [name, *text]
    return "\r\n".join([*lines, ""]).encode("gb18030")


def traditional() -> bytes:
    lines: list[str] = []
    for volume, names in (("第一卷　山", ["風雪", "渡口", "歸人"]), ("第二卷　海", ["燈火", "遠行", "歸來"])):
        lines += [volume, ""]
        for number, name in enumerate(names):
            lines += [f"第{'一二三'[number]}話　{name}", ""]
            for seed in range(4):
                text = "".join(body(TRADITIONAL, seed + number, 5))[:-1] + "。"
                rows = [text[:24], *(text[place : place + 26] for place in range(24, len(text), 26))]
                lines += ["　　" + rows[0], *rows[1:]]
            lines += [""]
    return "\r".join(lines).encode("big5")


def mixed_headings() -> bytes:
    heads = [
        "楔子",
        "正文 第1章 风雪",
        "正文 第2章 渡口",
        "三章 归人",
        "第四章 灯火",
        "第伍章",
        "番外一 旧事",
        "完本感言",
    ]
    traps = ["　　第二章写得真好，他想。", "　　第三回合", "　　他说第一章写完了。", "　　第七节车厢里没有人。", "　　一千章", "　　第二部分讲的是船。", "　　1、不许说话", "　　尾声渐渐低了下去。"]  # fmt: skip
    lines: list[str] = []
    for seed, (head, trap) in enumerate(zip(heads, traps, strict=True)):
        text = ["　　" + line for line in body(CHINESE, seed, 7)]
        lines += [head, *text[:3], trap, *text[3:], ""]
    return "\r\n".join(lines).encode("utf-16-le")


def library_book() -> bytes:
    lines = [
        "The Project Gutenberg eBook of The Ferry, by A. Nobody", "", "Title: The Ferry", "", "Author: A. Nobody", "",
        "*** START OF THE PROJECT GUTENBERG EBOOK THE FERRY ***", "", "Produced by nobody in particular", "", "THE FERRY", "",
        "CONTENTS", "", "PART I. The River", "PART II. The Sea", "", "",
    ]  # fmt: skip
    for part, name in (("I", "The River"), ("II", "The Sea")):
        lines += [f"PART {part}. {name}", "", ""]
        for number in range(1, 4):
            lines += [f"{'I' * number}" if part == "I" else str(number), ""]
            for seed in range(4):
                text = " ".join(body(ENGLISH, seed + number, 5)) + (
                    " It was wonderful." if seed else " See Chapter 2.[1]"
                )
                lines += [*wrapped(text.replace("before the tide turns", "before the won-\nderful tide turns")), ""]
            lines += ["[1] There is no such chapter.", "", ""]
    lines += ["*** END OF THE PROJECT GUTENBERG EBOOK THE FERRY ***", "", "Here a licence would follow, section after section.", "", "Section 1. Terms", ""]  # fmt: skip
    return "\ufeff".encode() + "\n".join(lines).encode()


def wrapped(text: str, width: int = 66) -> list[str]:
    rows, row = [], ""
    for word in text.replace("\n", "\n ").split(" "):
        if len(row) + len(word) + 1 > width or row.endswith("\n"):
            rows.append(row.strip())
            row = word
        else:
            row = f"{row} {word}" if row else word
    return [*rows, row.strip()]


def damaged() -> bytes:
    long = "".join(CHINESE) * 400
    good = [*CHINESE, "他笑了😀，\u200b又\ufeff哭了👩\u200d👧。", long, "价钱是\ue123元，\x07真贵。"]
    lines = [line.encode() for line in good]
    lines.insert(5, CHINESE[0].encode("gb18030"))
    lines.insert(9, CHINESE[1].encode()[:-4] + CHINESE[1].encode()[-3:])
    return b"\n".join(lines) + "灯".encode()[:2]


def main() -> None:
    for name, make in (("site", web_novel), ("traditional", traditional), ("mixed", mixed_headings), ("library", library_book), ("damaged", damaged)):  # fmt: skip
        (HERE / f"{name}.txt").write_bytes(make())


if __name__ == "__main__":
    main()
