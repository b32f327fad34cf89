from __future__ import annotations

import json

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
