from __future__ import annotations

import os

import pytest

from w2v import cores


@pytest.fixture
def eight_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)


@pytest.mark.parametrize(("cpu_max", "expected"), [("max 100000", 8), ("150000 100000", 2), ("10000 100000", 1)])
def test_control_group_limits_the_usable_cores(eight_cores, tmp_path, monkeypatch, cpu_max, expected):
    (tmp_path / "cpu.max").write_text(f"{cpu_max}\n")
    monkeypatch.setattr(cores, "CPU_LIMIT", tmp_path / "cpu.max")
    assert cores.usable_cores() == expected


def test_without_a_control_group_affinity_alone_counts(eight_cores, tmp_path, monkeypatch):
    monkeypatch.setattr(cores, "CPU_LIMIT", tmp_path / "cpu.max")
    assert cores.usable_cores() == 8
