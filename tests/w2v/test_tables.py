"""The memory layout that the kernels rely on, and gensim's start values."""

import mmap
from types import SimpleNamespace

import numpy as np
import pytest
from gensim.models.keyedvectors import prep_vectors

from w2v import tables
from w2v.tables import CACHE_LINE, initial_syn0, new_table, padded


def test_a_table_may_have_no_rows():
    assert padded(new_table(0, 20)).shape == (0, 32)


@pytest.mark.parametrize("columns", [1, 16, 17, 100, 300])
def test_every_row_starts_a_cache_line_of_zeros(columns):
    table = new_table(7, columns)
    assert (table.shape, table.dtype) == ((7, columns), np.float32)
    assert table.ctypes.data % CACHE_LINE == 0
    assert table.strides[0] % CACHE_LINE == 0
    assert not padded(table).any()


def test_a_system_without_private_mappings_has_tables_too(monkeypatch):
    windows = SimpleNamespace(mmap=lambda fileno, length: mmap.mmap(fileno, length))
    monkeypatch.setattr(tables, "mmap", windows)
    assert not padded(new_table(7, 17)).any()


def test_padded_is_the_tables_own_memory():
    table = new_table(3, 20)
    table[2, 19] = 5
    assert padded(table).shape == (3, 32)
    assert padded(table)[2, 19] == 5


def test_what_no_machine_has_room_for_is_named_with_the_cure():
    with pytest.raises(
        MemoryError, match=r"10,000,000,000 vectors of 60000 numbers need 2,400,000\.0 GB, .* min_count"
    ):
        new_table(10**10, 60_000)


def test_an_array_of_another_layout_is_refused():
    with pytest.raises(ValueError, match=r"not padded to whole cache lines: make it with new_table\(\)"):
        padded(np.zeros((3, 20), np.float32))


@pytest.mark.parametrize("shape", [(1, 1), (50, 100), (700_001, 3)], ids=["one", "one block", "blocks of odd size"])
def test_start_vectors_are_gensims(shape):
    table = initial_syn0(*shape, seed=5)
    np.testing.assert_array_equal(table, prep_vectors(shape, seed=5))
    assert not padded(table)[:, shape[1] :].any()
