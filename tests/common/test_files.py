import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from common.errors import VoicepressError
from common.files import (
    digest,
    from_system,
    make_folder,
    read_file,
    read_json,
    replacing,
    require_file,
    write_bytes,
    write_json,
    write_text,
)


def test_writes_whole_files_and_makes_folders(tmp_path: Path) -> None:
    write_text(tmp_path / "a" / "b.txt", "天\n")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "天\n".encode()
    assert os.listdir(tmp_path / "a") == ["b.txt"]


def test_a_failed_write_leaves_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_json(path, {"old": 1})

    def fails() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert read_json(path) == {"old": 1}
    assert os.listdir(tmp_path) == ["x.json"]


def test_damaged_json_is_a_miss(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"half": ')
    assert read_json(tmp_path / "x.json") is None
    assert read_json(tmp_path / "none.json") is None


def test_a_file_in_the_way_of_a_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VoicepressError) as caught:
        make_folder(tmp_path / "file" / "below")
    assert caught.value.code == "not-a-folder"


def test_a_disk_that_takes_no_more_is_a_clear_error_and_keeps_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"old")
    script = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from common.files import write_bytes; from common.errors import VoicepressError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        "    write_bytes(Path(sys.argv[1]), bytes(5000))\n"
        "except VoicepressError as error:\n"
        "    print(error.code)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "file-too-big"
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.bin"]


def test_missing_and_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(VoicepressError) as missing:
        require_file(tmp_path / "no", "the cover")
    with pytest.raises(VoicepressError) as folder:
        require_file(tmp_path, "the cover")
    assert (missing.value.code, folder.value.code) == ("file-missing", "not-a-file")


def test_digest_depends_on_the_value_and_nothing_else() -> None:
    assert digest({"a": 1, "b": [1.5, "天"]}) == digest(json.loads('{"b": [1.5, "天"], "a": 1}'))
    assert digest({"a": 1}) != digest({"a": 2})
    assert len(digest("x", 12)) == 12


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(VoicepressError) as read:
        read_file(tmp_path / "pipe", "the cast")
    with pytest.raises(VoicepressError) as written:
        write_bytes(tmp_path / "pipe", b"x")
    assert (read.value.code, written.value.code) == ("not-a-file", "not-a-file")
    assert os.listdir(tmp_path) == ["pipe"]


def test_paths_that_lead_nowhere_are_clear_errors(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path, code in (
        (tmp_path / "loop", "not-a-file"),
        (tmp_path / ("a" * 5000), "name-too-long"),
        (tmp_path / "a\0b", "file-missing"),
    ):
        with pytest.raises(VoicepressError) as caught:
            require_file(path, "the cast")
        assert caught.value.code == code


def test_states_of_the_machine_are_told_from_faults_of_ours() -> None:
    found = from_system(OSError(errno.ENOSPC, "No space left on device"))
    assert found is not None
    assert (found.code, found.file) == ("disk-full", None)
    gone = from_system(FileNotFoundError(errno.ENOENT, "No such file or directory", "/a/b"))
    assert gone is not None
    assert (gone.code, gone.file) == ("folder-gone", "/a/b")
    assert from_system(OSError(errno.EINVAL, "Invalid argument")) is None


def test_json_that_nests_without_end_is_a_miss(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[" * 200_000)
    assert read_json(tmp_path / "x.json") is None
