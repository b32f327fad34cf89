"""The loops that are timed do what their names say, and times are taken as they should be."""

from __future__ import annotations

import signal
import subprocess

import numpy as np
import pytest

from compare.ceilings import _memory, cpu, timing
from compare.ceilings.timing import FULL, QUICK, Effort
from w2v.tables import new_table


@pytest.fixture
def table() -> np.ndarray:
    filled = new_table(50, 64)
    filled[:] = np.random.default_rng(0).random(filled.shape, np.float32)
    return filled


def test_gather_reads_every_bit_of_the_rows(table):
    rows = np.array([3, 49, 0, 17, 8, 3, 12, 30, 31, 32, 33], np.int32)
    expected = float(np.bitwise_xor.reduce(table[rows].view(np.int32), axis=None))
    assert _memory.gather(table, rows) == np.float32(expected)


def test_update_adds_to_the_rows_as_often_as_they_are_drawn(table):
    before, rows = table.copy(), np.array([3, 49, 3], np.int32)
    _memory.update(table, rows, 0.5)
    before[3] += 1
    before[49] += 0.5
    np.testing.assert_allclose(table, before, rtol=1e-6)


def test_copy_and_triad(table):
    a, b, c = (new_table(1, 96)[0] for _ in range(3))
    b[:], c[:] = np.arange(96), 2
    _memory.triad(a, b, c, 0.5)
    np.testing.assert_array_equal(a, np.arange(96) + 1)
    _memory.copy(c, a)
    np.testing.assert_array_equal(c, a)


def test_tables_lie_where_they_are_said_to(monkeypatch):
    monkeypatch.setattr(cpu.machine, "caches", lambda: {"L2 Unified": "1024K", "L3 Unified": "32768K"})
    assert cpu.level_table_bytes("L2", 2, FULL) == 2**20  # half of each core's
    assert cpu.level_table_bytes("L3", 2, FULL) == 2**24  # half of the shared one
    assert cpu.level_table_bytes("memory", 2, QUICK) == 4 * 2**25


def test_an_l3_no_larger_than_the_l2s_is_not_measured_and_says_so(monkeypatch):
    monkeypatch.setattr(cpu.machine, "caches", lambda: {"L2 Unified": "1024K"})
    (gather, update) = cpu.rows("L3", 2, QUICK)
    assert gather.value is update.value is None
    assert gather.reason.endswith("L3 is not known, or no larger than twice the L2 of 2 threads")


def test_without_bfloat16_instructions_the_reason_is_given(monkeypatch):
    monkeypatch.setattr(cpu.machine, "isa", lambda: ["avx2"])
    (found,) = cpu.bfloat16(1, QUICK)
    assert found.value is None and found.reason == "the processor has no bfloat16 instructions"


def test_without_jax_the_cure_is_given(monkeypatch):
    monkeypatch.setattr(cpu.machine, "isa", lambda: ["amx_bf16"])
    monkeypatch.setattr(cpu, "find_spec", lambda name: None)
    (found,) = cpu.bfloat16(1, QUICK)
    assert "pip install 'w2v-compare[jax]'" in found.reason


def test_jax_that_dies_without_a_word_is_told_by_its_signal(monkeypatch):
    monkeypatch.setattr(cpu.machine, "isa", lambda: ["amx_bf16"])
    monkeypatch.setattr(cpu, "find_spec", lambda name: object())
    died = subprocess.CompletedProcess([], -signal.SIGILL, stdout="", stderr="")
    monkeypatch.setattr(cpu.subprocess, "run", lambda *command, **options: died)
    (found,) = cpu.bfloat16(1, QUICK)
    assert found.value is None and found.reason == "JAX killed by SIGILL"


def test_tables_keep_within_the_control_groups_memory(monkeypatch):
    monkeypatch.setattr(cpu.machine, "memory_available", lambda: 2**27)
    assert cpu.memory_table_bytes(FULL) == 2**24


def test_a_sample_is_the_mean_of_as_many_calls_as_last_long_enough(monkeypatch):
    clock, calls = [0.0], [0]

    def action() -> None:
        clock[0] += 0.25
        calls[0] += 1

    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock[0])
    samples = timing.seconds_per_call(action, Effort(samples=3, seconds=1.0))
    assert samples == pytest.approx((0.25, 0.25, 0.25))
    assert calls[0] == 1 + 1 + 4 + 4 + 4  # untimed, too short, then three samples of a second
