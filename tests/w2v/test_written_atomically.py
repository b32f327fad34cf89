"""Files that are either whole or not there, and what is said of others."""

import errno
import gzip
import os
import subprocess
import sys

import pytest

from w2v.files import complaint, lacks_room, written_atomically


def test_the_file_appears_with_the_end_of_the_block(tmp_path):
    path = tmp_path / "vectors.txt.gz"
    with written_atomically(path) as temporary:
        temporary.write_text("new")
        assert temporary.name == path.name
        assert not path.exists()
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == [path.name]


def test_an_error_leaves_the_former_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("former")
    with pytest.raises(RuntimeError), written_atomically(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "former"
    assert os.listdir(tmp_path) == ["file"]


def test_a_link_stays_one(tmp_path):
    (tmp_path / "target").write_text("former")
    (tmp_path / "link").symlink_to("target")
    with written_atomically(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_permissions_are_those_of_any_new_file(tmp_path):
    with written_atomically(tmp_path / "file") as temporary:
        temporary.write_text("")
    (tmp_path / "other").write_text("")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "is a folder"),
        ("/dev/null", "is a device or a pipe"),
        ("no/file", "there is no folder"),
        ("/proc/x", "can't be written"),
    ],
)
def test_what_cannot_be_written_is_known_before_the_block_begins(tmp_path, name, complaint):
    with pytest.raises(OSError, match=complaint), written_atomically(tmp_path / name):
        pytest.fail("the block began")


def test_a_disk_without_room_for_the_hidden_folder_is_known_for_a_full_one(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "hidden"))

    monkeypatch.setattr("tempfile.mkdtemp", full)
    with pytest.raises(OSError, match="can't be written") as caught, written_atomically(tmp_path / "file"):
        pytest.fail("the block began")
    assert lacks_room(caught.value)
    assert complaint(caught.value) == f"{tmp_path / 'file'}: can't be written: No space left on device"


KILLED = """
import os, signal, sys
from w2v.files import complaint, written_atomically
with written_atomically(sys.argv[1]) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_goes_when_the_next_one_writes_and_what_a_living_one_writes_stays(tmp_path):
    with written_atomically(tmp_path / "long") as temporary:
        temporary.write_text("whole")
        subprocess.run([sys.executable, "-c", KILLED, tmp_path / "killed"], check=False)
        assert len(os.listdir(tmp_path)) == 2
        with written_atomically(tmp_path / "next") as next_temporary:
            next_temporary.write_text("whole")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"long": "whole", "next": "whole"}


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "a"), "a: Permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), "b: No space left on device"),
        (gzip.BadGzipFile("Not a gzipped file"), "Not a gzipped file"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_name_if_that_is_known(error, told):
    assert complaint(error, "b") == told
