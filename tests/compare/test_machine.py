from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from compare import machine


def test_description_is_json_and_names_what_decides_speed():
    found = machine.describe()
    json.dumps(found, allow_nan=False)
    assert found["cpu"] and found["packages"]["numpy"]
    assert found["blas"] and found["memory_bytes"] > 2**28


def test_memory_kills_are_counted_where_the_kernel_counts_them(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "CGROUP", tmp_path)
    assert machine.oom_kills() is None
    (tmp_path / "memory.events").write_text("low 0\noom 3\noom_kill 2\n")
    assert machine.oom_kills() == 2


@pytest.mark.parametrize(
    ("limit", "available"), [(None, 900), ("max", 900), ("2000", 900), ("500", 500 - 300 + 100), ("100", 0)]
)
def test_memory_is_available_within_the_control_groups_limit(tmp_path, monkeypatch, limit, available):
    monkeypatch.setattr(machine, "CGROUP", tmp_path)
    monkeypatch.setattr(machine.psutil, "virtual_memory", lambda: SimpleNamespace(available=900))
    files = {"memory.current": "300", "memory.stat": "anon 200\ninactive_file 100"} | (
        {"memory.max": limit} if limit else {}
    )
    for name, text in files.items():
        (tmp_path / name).write_text(f"{text}\n")
    assert machine.memory_available() == available


def test_waits_for_the_cpu_quota_are_counted_where_there_is_one(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "CGROUP", tmp_path)
    assert machine.quota_stops() is None
    (tmp_path / "cpu.stat").write_text("usage_usec 7\nnr_throttled 4\n")
    assert machine.quota_stops() == 4


def test_a_fact_that_one_of_two_machines_does_not_tell_is_no_difference():
    old, new = {"cpu": "A", "os": "x"}, {"cpu": "A", "os": "y", "gpu": {"name": "H200"}}
    assert machine.differences(old, new, ("cpu", "gpu", "os")) == ["os"]
    assert machine.differences({**old, "gpu": None}, new, ("cpu", "gpu")) == ["gpu"]


def test_bfloat16_is_known_by_arms_name_too(monkeypatch):
    monkeypatch.setattr(machine, "cpuinfo", lambda: {"Features": "fp asimd bf16"})
    assert set(machine.isa()) & set(machine.BFLOAT16_FLAGS)
