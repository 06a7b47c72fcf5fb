"""A small book on disk, and the command run on it as a user would."""

import subprocess
import sys
from pathlib import Path


def write_book(folder: Path, text: str, *, cast: str = "", settings: str = "engine: tone\n") -> Path:
    """A book folder with a text, a small cast and further lines of book.yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "story.txt").write_text(text, encoding="utf-8")
    cast = cast or (
        "schema: 1\nnarrator: {voice: zf_xiaobei}\ncharacters:\n"
        "  老周: {gender: male, voice: zm_yunjian}\n  阿南: {gender: male, voice: zm_yunxia}\n"
    )
    (folder / "cast.yaml").write_text(cast, encoding="utf-8")
    book = f"schema: 1\ntitle: 试\nmanuscript: story.txt\ncast: cast.yaml\n{settings}"
    (folder / "book.yaml").write_text(book, encoding="utf-8")
    return folder / "book.yaml"


def voicepress(*arguments: object, env: dict[str, str], timeout: float = 900) -> subprocess.CompletedProcess[str]:
    """Run the command and give what it said."""
    command = [sys.executable, "-m", "flows.cli", *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=timeout, check=False)
