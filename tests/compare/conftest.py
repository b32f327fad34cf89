from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from compare import machine, profile
from compare.cell import Cell
from compare.plan import Plan

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def fake_workload_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """By this process and by the workers that it starts."""
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))


@pytest.fixture(autouse=True)
def unknown_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither measured by whoever runs the tests, nor of a kind whose profile ships."""
    describe = machine.describe
    monkeypatch.setattr(machine, "describe", lambda: {**describe(), "cpu": "a made up processor"})
    monkeypatch.setattr(profile, "HERE", tmp_path / "machine.json")


@pytest.fixture
def fake_cell(tmp_path: Path) -> Callable[..., Cell]:
    def make(backend: str, **fields: object) -> Cell:
        return Cell("fake_workload", backend, files={"pid": str(tmp_path / "pid")}, **fields)

    return make


@pytest.fixture
def fake_plan(fake_cell: Callable[..., Cell]) -> Callable[..., Plan]:
    def make(*backends: str, rounds: int = 1) -> Plan:
        return Plan([fake_cell(backend) for backend in backends], rounds, seed=1)

    return make
