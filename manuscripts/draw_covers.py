"""Draws the covers of the two demo books: flat shapes, drawn at twice the size and scaled down.

Run ``python manuscripts/draw_covers.py`` after a change; the PNG files are committed. Needs Pillow and the fonts LXGW
WenKai and EB Garamond (both SIL OFL 1.1; Debian: fonts-lxgw-wenkai, fonts-ebgaramond), which the project itself does not.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

SIDE = 1400
SCALE = 2
HERE = Path(__file__).resolve().parent
WENKAI = "/usr/share/fonts/truetype/lxgw-wenkai/LXGWWenKai-Bold.ttf"
WENKAI_THIN = "/usr/share/fonts/truetype/lxgw-wenkai/LXGWWenKai-Regular.ttf"
GARAMOND = "/usr/share/fonts/opentype/ebgaramond/EBGaramond12-Regular.otf"
GARAMOND_ITALIC = "/usr/share/fonts/opentype/ebgaramond/EBGaramond12-Italic.otf"

Colour = tuple[int, int, int]
Point = tuple[float, float]


class Canvas:
    """A square picture in units of the finished pixel, origin top left."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (SIDE * SCALE, SIDE * SCALE))

    def _layer(self) -> tuple[Image.Image, ImageDraw.ImageDraw]:
        mask = Image.new("L", self.image.size, 0)
        return mask, ImageDraw.Draw(mask)

    def _fill(self, mask: Image.Image, colour: Colour, opacity: float) -> None:
        if opacity < 1:
            mask = mask.point(lambda value: int(value * opacity))
        self.image.paste(colour, (0, 0), mask)

    def polygon(self, points: list[Point], colour: Colour, opacity: float = 1) -> None:
        mask, draw = self._layer()
        draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=255)
        self._fill(mask, colour, opacity)

    def disc(self, x: float, y: float, radius: float, colour: Colour, opacity: float = 1, squash: float = 1) -> None:
        mask, draw = self._layer()
        box = [(x - radius) * SCALE, (y - radius * squash) * SCALE, (x + radius) * SCALE, (y + radius * squash) * SCALE]
        draw.ellipse(box, fill=255)
        self._fill(mask, colour, opacity)

    def line(self, points: list[Point], width: float, colour: Colour, opacity: float = 1) -> None:
        mask, draw = self._layer()
        draw.line([(x * SCALE, y * SCALE) for x, y in points], fill=255, width=round(width * SCALE), joint="curve")
        self._fill(mask, colour, opacity)

    def text(self, x: float, y: float, words: str, font: str, size: float, colour: Colour, anchor: str = "mm") -> None:
        face = ImageFont.truetype(font, round(size * SCALE))
        ImageDraw.Draw(self.image).text((x * SCALE, y * SCALE), words, fill=colour, font=face, anchor=anchor)

    def spaced(self, x: float, y: float, words: str, font: str, size: float, colour: Colour, gap: float) -> None:
        """Text centred on ``x`` with ``gap`` more between letters."""
        face = ImageFont.truetype(font, round(size * SCALE))
        widths = [face.getlength(letter) / SCALE for letter in words]
        left = x - (sum(widths) + gap * (len(words) - 1)) / 2
        for letter, width in zip(words, widths, strict=True):
            self.text(left, y, letter, font, size, colour, anchor="ls")
            left += width + gap

    def bands(self, top: float, bottom: float, stops: list[Colour], count: int) -> None:
        """A vertical gradient in ``count`` even bands: flat colours keep the file small."""
        for index in range(count):
            low = top + (bottom - top) * index / count
            high = top + (bottom - top) * (index + 1) / count
            colour = mix(stops, index / max(1, count - 1))
            self.polygon([(0, low), (SIDE, low), (SIDE, high + 1), (0, high + 1)], colour)

    def glow(self, x: float, y: float, radius: float, colour: Colour, rings: int, strength: float) -> None:
        for index in range(rings):
            self.disc(x, y, radius * (1 - index / rings) ** 1.3, colour, strength)

    def save(self, path: Path) -> None:
        small = self.image.resize((SIDE, SIDE), Image.Resampling.LANCZOS)
        small.quantize(256, kmeans=8, dither=Image.Dither.NONE).save(path, optimize=True)


def mix(stops: list[Colour], place: float) -> Colour:
    """The colour at ``place`` (0 to 1) of evenly spaced ``stops``."""
    position = place * (len(stops) - 1)
    index = min(int(position), len(stops) - 2)
    part = position - index
    low, high = stops[index], stops[index + 1]
    return tuple(round(a + (b - a) * part) for a, b in zip(low, high, strict=True))  # type: ignore[return-value]


def ridge(base: float, height: float, waves: list[tuple[float, float]]) -> list[Point]:
    """A line of hills from left to right, closed far below."""
    points = [
        (
            float(x),
            base - height * sum(math.sin(x / SIDE * math.tau * pace + shift) for pace, shift in waves) / len(waves),
        )
        for x in range(0, SIDE + 8, 8)
    ]
    return [*points, (SIDE, SIDE), (0, SIDE)]


def ferry() -> None:
    canvas = Canvas()
    random.seed(18)
    night, lamp, paper = (10, 27, 43), (255, 196, 92), (247, 236, 214)
    canvas.bands(0, 860, [(9, 26, 46), (17, 52, 76), (44, 98, 113), (122, 153, 143)], 26)
    canvas.disc(1010, 300, 128, (250, 232, 190))
    canvas.glow(1010, 300, 330, (250, 232, 190), 6, 0.05)
    for _ in range(46):
        x, y = random.uniform(30, SIDE - 30), random.uniform(30, 430)
        if math.hypot(x - 1010, y - 300) > 190 and not 90 < x < 520:
            canvas.disc(x, y, random.choice([1.6, 2.2, 3.0]), (214, 226, 222), 0.8)
    canvas.polygon(ridge(700, 70, [(1.1, 0.4), (2.3, 1.9), (3.7, 0.2)]), (52, 97, 109))
    canvas.polygon(ridge(775, 46, [(1.6, 2.4), (2.9, 0.3), (5.1, 1.2)]), (35, 76, 92))

    # The new bridge: a deck, two pylons with stays, a row of lamps.
    deck, steel = 742, (17, 46, 64)
    for pylon in (560, 1090):
        canvas.polygon([(pylon - 9, 540), (pylon + 9, 540), (pylon + 15, 862), (pylon - 15, 862)], steel)
        for step in range(1, 9):
            for side in (-1, 1):
                canvas.line([(pylon, 540 + step * 11), (pylon + side * step * 31, deck)], 2.2, steel)
    canvas.polygon([(0, deck), (SIDE, deck), (SIDE, deck + 16), (0, deck + 16)], steel)
    for x in range(24, SIDE, 56):
        canvas.disc(x, deck - 8, 11, lamp, 0.28)
        canvas.disc(x, deck - 8, 4.6, (255, 226, 158))

    # The river, light on it, and mist where it meets the hills.
    canvas.bands(860, SIDE, [(86, 125, 124), (34, 81, 97), (15, 47, 68), (8, 24, 40)], 18)
    for x in range(24, SIDE, 56):
        canvas.disc(x, 872 + (x * 7) % 12, 15, (255, 226, 158), 0.34, squash=0.16)
    for index in range(24):
        y = 884 + index * 17
        width = random.uniform(22, 96) * (1 - index / 60)
        canvas.disc(1010 + random.uniform(-46, 46), y, width, (250, 232, 190), 0.34, squash=0.05)
    for x, y, width, strength in [
        (260, 846, 520, 0.30),
        (930, 858, 620, 0.26),
        (560, 880, 700, 0.18),
        (1200, 832, 420, 0.20),
    ]:
        canvas.disc(x, y, width, (190, 206, 196), strength, squash=0.05)

    # The boat, the lantern and three people.
    water, bow, stern = 1120, 330, 880
    canvas.glow(628, water - 122, 260, lamp, 7, 0.055)
    for index in range(9):
        y = water + 66 + index * 15
        width = (150 - index * 8) * random.uniform(0.45, 1)
        canvas.disc(628 + random.uniform(-26, 26), y, width, lamp, 0.42, squash=0.045)
    hull = [bow - 46 + (stern - bow + 86) * step / 60 for step in range(61)]
    bulge = [1 - (2 * step / 60 - 1) ** 2 for step in range(61)]
    rail = [(x, water - 82 + 64 * b) for x, b in zip(hull, bulge, strict=True)]
    keel = [(x, y + 70 * b**0.6) for (x, y), b in zip(rail, bulge, strict=True)]
    canvas.polygon([*rail, *reversed(keel)], night)
    canvas.line(rail, 5, (112, 88, 60))

    def person(x: float, foot: float, tall: float, wide: float, lean: float) -> None:
        head = tall * 0.15
        shoulder = foot - tall + head * 2.1
        canvas.polygon(
            [(x - wide * 0.62, foot), (x + lean - wide * 0.5, shoulder + head), (x + lean - wide * 0.2, shoulder),
             (x + lean + wide * 0.2, shoulder), (x + lean + wide * 0.5, shoulder + head), (x + wide * 0.62, foot)],
            night,
        )  # fmt: skip
        canvas.disc(x + lean * 1.15, foot - tall + head, head, night)

    person(472, water - 6, 118, 62, -4)
    person(560, water, 88, 48, 4)
    person(800, water - 8, 176, 66, -16)
    hat_x, hat_y = 782, water - 180
    canvas.polygon([(hat_x - 58, hat_y + 18), (hat_x, hat_y - 22), (hat_x + 58, hat_y + 18)], night)
    canvas.line([(752, water - 96), (1030, water + 98)], 8, night)
    canvas.line([(786, water - 118), (742, water - 92)], 15, night)
    canvas.polygon([(1008, water + 74), (1024, water + 66), (1092, water + 128), (1076, water + 142)], night)
    canvas.line([(628, water - 10), (628, water - 186), (650, water - 186)], 6, night)
    canvas.line([(650, water - 186), (650, water - 160)], 3, night)
    canvas.polygon([(634, water - 160), (666, water - 160), (662, water - 108), (638, water - 108)], (255, 222, 140))
    canvas.disc(650, water - 132, 9, (255, 246, 214))
    canvas.line([(632, water - 160), (668, water - 160)], 6, night)
    canvas.line([(636, water - 107), (664, water - 107)], 6, night)

    canvas.text(262, 232, "渡", WENKAI, 270, paper)
    canvas.text(262, 500, "口", WENKAI, 270, paper)
    canvas.line([(426, 122), (426, 600)], 2.4, paper, 0.7)
    for index, sign in enumerate("三章短篇"):
        canvas.text(468, 146 + index * 50, sign, WENKAI_THIN, 38, paper)
    canvas.spaced(700, 1342, "一江水，一盏灯，一枚硬币", WENKAI_THIN, 40, (188, 201, 192), 8)
    canvas.save(HERE / "ferry" / "cover.png")


def lighthouse() -> None:
    canvas = Canvas()
    random.seed(142)
    cream, ink, light = (250, 238, 214), (22, 30, 58), (255, 226, 150)
    canvas.bands(0, 1010, [(25, 33, 72), (66, 58, 112), (154, 84, 120), (232, 132, 108), (250, 190, 130)], 30)
    for _ in range(60):
        x, y = random.uniform(20, SIDE - 20), random.uniform(20, 400)
        if x > 880 or y < 60 or x < 90:
            canvas.disc(x, y, random.choice([1.6, 2.2, 3.0]), (232, 224, 236), 0.75)

    lamp_x, lamp_y = 1010, 486
    for spread, strength in [(150, 0.16), (104, 0.18), (62, 0.20)]:
        canvas.polygon(
            [(lamp_x, lamp_y - 6), (-60, lamp_y + 150 - spread), (-60, lamp_y + 150 + spread), (lamp_x, lamp_y + 6)],
            light,
            strength,
        )
        canvas.polygon(
            [
                (lamp_x, lamp_y - 6),
                (1460, lamp_y - 63 - spread * 0.42),
                (1460, lamp_y - 63 + spread * 0.42),
                (lamp_x, lamp_y + 6),
            ],
            light,
            strength,
        )

    # Low sun, sea, and its road of light.
    canvas.disc(360, 1010, 104, (255, 226, 160))
    canvas.bands(1010, SIDE, [(196, 112, 118), (104, 72, 116), (48, 48, 94), (24, 30, 62)], 18)
    for index in range(22):
        y = 1018 + index * 17
        canvas.disc(
            360 + random.uniform(-26, 26),
            y,
            random.uniform(30, 112) * (1 - index / 44),
            (255, 214, 150),
            0.5,
            squash=0.045,
        )
    for _ in range(42):
        x, y = random.uniform(0, SIDE), random.uniform(1040, 1390)
        canvas.disc(x, y, random.uniform(20, 80), (238, 160, 140), 0.13, squash=0.05)

    # Headland and tower.
    cliff = [
        (640, 1400),
        (668, 1330),
        (716, 1290),
        (730, 1226),
        (792, 1188),
        (812, 1118),
        (866, 1086),
        (884, 1040),
        (936, 1020),
        (1110, 1012),
        (1190, 1040),
        (1262, 1046),
        (1330, 1086),
        (1400, 1098),
        (1400, 1400),
    ]
    canvas.polygon(cliff, ink)
    canvas.polygon(
        [
            (730, 1226),
            (792, 1188),
            (812, 1118),
            (866, 1086),
            (884, 1040),
            (936, 1020),
            (900, 1080),
            (872, 1130),
            (830, 1176),
            (800, 1230),
        ],
        (52, 50, 92),
    )

    def tower(low: float, high: float) -> list[Point]:
        """The tower's outline between two heights, 0 at the foot and 1 under the gallery."""

        def half(part: float) -> float:
            return 82 - 34 * part

        foot, head = 1022, 560
        return [(lamp_x - half(low), foot + (head - foot) * low), (lamp_x + half(low), foot + (head - foot) * low),
                (lamp_x + half(high), foot + (head - foot) * high), (lamp_x - half(high), foot + (head - foot) * high)]  # fmt: skip

    canvas.polygon(tower(0, 1), cream)
    for low, high in [(0.0, 0.2), (0.4, 0.6), (0.8, 1.0)]:
        canvas.polygon(tower(low, high), (196, 66, 64))
    shade = [(x if x > lamp_x else lamp_x + 12, y) for x, y in tower(0, 1)]
    canvas.polygon(shade, ink, 0.26)
    for y in (640, 790, 930):
        canvas.polygon(
            [(lamp_x - 12, y), (lamp_x - 12, y - 22), (lamp_x, y - 34), (lamp_x + 12, y - 22), (lamp_x + 12, y)], ink
        )
    canvas.polygon(
        [(lamp_x - 17, 1016), (lamp_x - 17, 984), (lamp_x, 966), (lamp_x + 17, 984), (lamp_x + 17, 1016)], ink
    )
    canvas.polygon([(lamp_x - 78, 562), (lamp_x + 78, 562), (lamp_x + 66, 540), (lamp_x - 66, 540)], ink)
    for x in range(-66, 67, 22):
        canvas.line([(lamp_x + x, 544), (lamp_x + x, 518)], 4, ink)
    canvas.line([(lamp_x - 70, 518), (lamp_x + 70, 518)], 5, ink)
    canvas.polygon([(lamp_x - 40, 542), (lamp_x + 40, 542), (lamp_x + 40, 430), (lamp_x - 40, 430)], (255, 236, 184))
    canvas.disc(lamp_x, lamp_y, 27, (255, 252, 236))
    for x in (-40, -14, 14, 40):
        canvas.line([(lamp_x + x, 542), (lamp_x + x, 430)], 4.5, ink)
    canvas.polygon(
        [(lamp_x - 56, 432), (lamp_x + 56, 432), (lamp_x + 30, 388), (lamp_x, 368), (lamp_x - 30, 388)], (196, 66, 64)
    )
    canvas.line([(lamp_x, 372), (lamp_x, 330)], 5, ink)
    canvas.disc(lamp_x, 366, 8, ink)
    canvas.glow(lamp_x, lamp_y, 230, light, 6, 0.05)

    # Keeper's cottage and three gulls.
    canvas.polygon([(1136, 1036), (1136, 972), (1262, 972), (1262, 1050)], cream)
    canvas.polygon([(1122, 976), (1156, 926), (1244, 926), (1276, 976)], (92, 56, 84))
    canvas.polygon([(1160, 1012), (1160, 990), (1184, 990), (1184, 1012)], (255, 214, 130))
    canvas.polygon([(1212, 1012), (1212, 990), (1236, 990), (1236, 1012)], (255, 214, 130))
    for x, y, size in [(560, 800, 30), (640, 760, 22), (500, 742, 18)]:
        for side in (-1, 1):
            arc = [
                (x + side * size * t, y - size * 0.55 * math.sin(math.pi * t * 0.8))
                for t in [n / 10 for n in range(11)]
            ]
            canvas.line(arc, size * 0.14, cream)

    canvas.text(110, 196, "The Lamp", GARAMOND, 148, cream, anchor="ls")
    canvas.text(110, 330, "at Gull Point", GARAMOND, 148, cream, anchor="ls")
    canvas.line([(116, 376), (330, 376)], 3, cream, 0.8)
    canvas.text(112, 432, "a story in two chapters", GARAMOND_ITALIC, 46, (240, 214, 206), anchor="ls")
    canvas.save(HERE / "lighthouse" / "cover.png")


if __name__ == "__main__":
    ferry()
    lighthouse()
