"""The command as typed: help at once, plans, listings, findings, one clear error."""

import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import soundfile

from tests.flows.press import voicepress, write_book

TEXT = "第一章 清晨\n\n天亮了，雾还没有散。\n\n“过河吗？”老周问。\n\n“过河。”阿南说。\n"
HEAVY = (
    "prefect",
    "numpy",
    "onnxruntime",
    "onnx",
    "scipy",
    "jieba",
    "pypinyin",
    "wetext",
    "lxml",
    "torch",
    "pydub",
    "soundfile",
    "pydantic",
    "yaml",
)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return kept | {"VOICEPRESS_OUTPUTS": str(tmp_path / "outputs"), "PREFECT_HOME": str(tmp_path / "prefect")}


def test_help_imports_nothing_heavy(env: dict[str, str]) -> None:
    script = (
        "import sys\nfrom flows.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print('LOADED', [name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert "make" in done.stdout
    assert "..." not in done.stdout.partition("Commands:")[2]  # nothing is cut short
    assert done.stdout.strip().endswith("LOADED []")


@pytest.mark.parametrize("command", ["make", "plan", "inspect", "voices", "doctor", "night", "server"])
def test_every_command_explains_itself(command: str, env: dict[str, str]) -> None:
    done = voicepress(command, "--help", env=env)
    assert done.returncode == 0
    assert "Usage:" in done.stdout


def test_bad_usage_is_exit_code_2(env: dict[str, str]) -> None:
    assert voicepress("make", env=env).returncode == 2
    assert voicepress("mkae", env=env).returncode == 2


def test_a_plan_says_what_would_happen_and_records_nothing(tmp_path: Path, env: dict[str, str]) -> None:
    book = write_book(tmp_path / "book", TEXT)
    done = voicepress("plan", book, "--no-measure", env=env)
    assert done.returncode == 0, done.stderr
    assert "第一章 清晨" in done.stdout
    assert not (tmp_path / "outputs" / "takes").exists()
    assert (tmp_path / "outputs" / "book" / "script" / "001.yaml").is_file()


def test_a_plan_measures_this_machine_and_counts_what_is_there(tmp_path: Path, env: dict[str, str]) -> None:
    book = write_book(tmp_path / "book", TEXT)
    env |= {"VOICEPRESS_CACHE": str(tmp_path / "cache")}
    done = voicepress("plan", book, "--json", env=env)
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert (
        plan["lines"]
        == sum(chapter["lines"] for chapter in plan["chapters"])
        == sum(voice["lines"] for voice in plan["voices"])
    )
    assert plan["recorded"] + plan["to_record"] == plan["lines"]
    assert plan["recorded"] > 0  # the lines it measured with are in the store
    assert plan["times_real_time"] > 1
    assert plan["audio_seconds"] > 0
    assert plan["disk_bytes"] > 0
    assert plan["gaps"] == 0
    assert {voice["voice"] for voice in plan["voices"]} == {"zf_xiaobei", "zm_yunjian", "zm_yunxia"}


def test_a_book_that_says_little_is_known_by_its_manuscript(tmp_path: Path, env: dict[str, str]) -> None:
    folder = tmp_path / "b"
    folder.mkdir()
    (folder / "book.yaml").write_text("manuscript: t.md\nengine: tone\n", encoding="utf-8")
    text = "# The Jar\n\n## Chapter 1\n\n“Which one is mine?” asked Tom.\n\n“The blue one,” said Mrs. Bell.\n"
    (folder / "t.md").write_text(f"---\ntitle: The Button Jar\n---\n\n{text}", encoding="utf-8")
    plan = json.loads(voicepress("plan", folder, "--no-measure", "--json", env=env).stdout)
    assert plan["title"] == "The Button Jar"
    assert {speaker for voice in plan["voices"] for speaker in voice["speakers"]} == {"narrator", "Tom", "Mrs. Bell"}
    assert "cast: en" in plan["notes"][-1]
    (folder / "book.yaml").write_text("manuscript: t.md\nengine: tone\nlanguage: en\n", encoding="utf-8")
    plan = json.loads(voicepress("plan", folder, "--no-measure", "--json", env=env).stdout)
    assert "bf_emma" in {voice["voice"] for voice in plan["voices"]}  # the English house cast
    assert not plan["notes"]


def test_inspect_shows_what_was_understood(tmp_path: Path, env: dict[str, str]) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes(TEXT.encode("gb18030"))
    done = voicepress("inspect", path, env=env)
    assert done.returncode == 0, done.stderr
    assert "gb18030" in done.stdout.lower()
    assert "第一章 清晨" in done.stdout


def test_voices_are_listed(env: dict[str, str]) -> None:
    done = voicepress("voices", env=env)
    assert done.returncode == 0, done.stderr
    assert "zf_xiaobei" in done.stdout
    assert "af_heart" in done.stdout
    assert "zf_xiaoni" not in done.stdout  # not offered


@pytest.mark.slow
def test_a_voice_can_be_heard(tmp_path: Path, env: dict[str, str]) -> None:
    out = tmp_path / "a.wav"
    done = voicepress("voices", "audition", "zm_yunjian", "--text", "今天是5月2日。", "--out", out, env=env)
    assert done.returncode == 0, done.stderr
    samples, rate = soundfile.read(out)
    assert rate == 24_000
    assert 1.0 < len(samples) / rate < 6.0
    assert abs(samples).max() > 0.05
    done = voicepress("voices", "audition", "zm_yunjain", env=env)
    assert done.returncode == 1
    assert "zm_yunjian" in done.stderr


def test_doctor_says_what_to_do(tmp_path: Path, env: dict[str, str]) -> None:
    done = voicepress("doctor", "--book", write_book(tmp_path / "book", TEXT), env=env)
    for part in ("python", "engine", "ffmpeg", "gpu", "prefect", "disk", "voices"):
        assert f" {part} " in done.stdout, done.stdout
    done = voicepress(
        "doctor", env=env | {"VOICEPRESS_FFMPEG": "/nowhere/ffmpeg", "PREFECT_API_URL": "http://127.0.0.1:9/api"}
    )
    assert done.returncode == 1
    assert done.stdout.count("FAIL") == 2
    assert done.stdout.count("to do:") >= 2


def test_an_unknown_engine_names_the_known_ones(tmp_path: Path, env: dict[str, str]) -> None:
    done = voicepress("make", write_book(tmp_path / "book", TEXT), "--engine", "kokro", env=env)
    assert done.returncode == 1
    assert "did you mean 'kokoro'?" in done.stderr


def test_output_may_be_cut_short(env: dict[str, str]) -> None:
    done = subprocess.run(
        f"{sys.executable} -m flows.cli voices | head -1",
        shell=True,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("id")
    assert done.stderr == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_in_place_of_a_script_file_does_not_hold_the_run(tmp_path: Path, house: dict[str, str]) -> None:
    book = write_book(tmp_path / "book", TEXT)
    assert voicepress("plan", "--no-measure", book, env=house).returncode == 0
    script = tmp_path / "outputs" / "book" / "script" / "001.yaml"
    script.unlink()
    os.mkfifo(script)
    done = voicepress("plan", "--no-measure", book, env=house)
    assert done.returncode == 1
    assert "not-a-file" in done.stderr


def test_a_server_that_is_not_prefects_is_one_clear_error(tmp_path: Path, house: dict[str, str]) -> None:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>hello")

    with http.server.HTTPServer(("127.0.0.1", 0), Page) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{other.server_port}/api"
        done = voicepress("make", write_book(tmp_path / "book", TEXT), env=house | {"PREFECT_API_URL": url})
        other.shutdown()
    assert done.returncode == 1
    assert "server-unreachable" in done.stderr
    assert "Traceback" not in done.stderr
