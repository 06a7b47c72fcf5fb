"""The embedded speech engine: Kokoro-82M, int8 ONNX, on the CPU.

engine       KokoroEngine: the contract of engines.base
model        the packages joined, cut and mended in the cache
graph        the mending itself
packs        voice packs and their checksums
front        text and readings -> units of the model's symbols (zh, en, spelling)
passes       what is said in one go
sound        trimming, joining, marks
styles       instructions in plain language -> pace, pitch, level
doctor       what is there and what to do about what is not
build_data   makes the shipped data (run by hand)
"""

from engines.kokoro.engine import KokoroEngine

__all__ = ["KokoroEngine"]
