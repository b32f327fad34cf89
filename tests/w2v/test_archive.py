"""The file format of models, checkpoints and encoded corpora."""

from __future__ import annotations

import random

import numpy as np
import pytest

from w2v.archive import Archive, write_archive
from w2v.tables import padded

ARRAYS = {
    "table": np.arange(20_000, dtype=np.float32).reshape(200, 100)[:, :30],  # rows with gaps between
    "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "empty": np.empty((0, 5), np.int32),
    "number": np.array(7),
}


@pytest.fixture
def path(tmp_path):
    write_archive(tmp_path / "file", ARRAYS, {"text": "café"})
    return tmp_path / "file"


@pytest.mark.parametrize("mmap", [None, "r", "c"])
def test_arrays_and_texts_come_back(path, mmap):
    with Archive(path, "file", mmap) as saved:
        assert saved.arrays == list(ARRAYS)
        assert saved.text("text").decode() == "café"
        found = {name: saved.array(name) for name in ARRAYS}
    for name, values in ARRAYS.items():
        assert (found[name].dtype, found[name].shape) == (values.dtype, values.shape)
        np.testing.assert_array_equal(found[name], values)
    assert found["table"].ctypes.data % 64 == 0 or not mmap


@pytest.mark.parametrize("mmap", [None, "r"])
def test_a_table_comes_back_in_lines_of_its_own_and_into_one_there_is(path, mmap, monkeypatch):
    monkeypatch.setattr("w2v.archive.BLOCK_ROWS", 7)
    with Archive(path, "file", mmap) as saved:
        table, filled = saved.table("table"), np.empty((200, 30), np.float32)
        saved.read_into(filled, "table")
        with pytest.raises(ValueError, match=r"table has shape \(200, 30\) where \(3, 30\) belongs"):
            saved.read_into(filled[:3], "table")
    for found in table, filled:
        np.testing.assert_array_equal(found, ARRAYS["table"])
    assert mmap or padded(table).shape == (200, 32)


def test_a_changed_bit_of_a_table_is_found(path):
    damaged = bytearray(path.read_bytes())
    damaged[5000] ^= 1
    path.write_bytes(damaged)
    with Archive(path, "file") as saved:
        with pytest.raises(ValueError, match="file is no file, or damaged: Bad CRC-32"):
            saved.table("table")


def test_what_is_not_there_is_named(path):
    with Archive(path, "checkpoint") as saved:
        with pytest.raises(ValueError, match=r"file is no checkpoint, or damaged: There is no item named 'other.npy'"):
            saved.array("other")
        with pytest.raises(ValueError, match="There is no item named 'other'"):
            saved.text("other")


def test_what_is_compressed_is_refused(path):
    np.savez_compressed(path.with_suffix(".npz"), table=np.zeros(5))
    with Archive(path.with_suffix(".npz"), "file", "r") as saved:
        with pytest.raises(ValueError, match=r"table.npy is compressed"):
            saved.array("table")


def test_a_single_changed_bit_is_found_or_harmless(path):
    whole, dice = path.read_bytes(), random.Random(1)
    for _ in range(300):
        damaged = bytearray(whole)
        # Most of the file is one array: half of the changes go to the rest.
        damaged[dice.choice([dice.randrange(len(whole)), -dice.randrange(1, 1500)])] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        try:
            with Archive(path, "file") as saved:
                for name, values in ARRAYS.items():
                    np.testing.assert_array_equal(saved.array(name), values)
        except ValueError as error:
            assert "file is no file, or damaged: " in str(error)


def test_no_cut_file_is_taken(path):
    whole = path.read_bytes()
    for length in 0, 1, 1000, len(whole) // 2, len(whole) - 1:
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="file is no file, or damaged: "):
            Archive(path, "file")
