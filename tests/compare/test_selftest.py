from __future__ import annotations

import json

from click.testing import CliRunner

from compare import selftest
from compare.cell import Outcome, Status
from compare.cli import main
from w2v.cores import usable_cores


def outcome(seconds: float, loss: float = 1.0) -> Outcome:
    return Outcome(Status.OK, samples=(seconds,), quality={"loss": loss})


def fake(monkeypatch, **seconds: float) -> None:
    """Replaces the processes: each backend takes its time, give or take what its seed says."""

    def execute(run, timeout):
        loss = 2.0 if run.cell.backend == "cheat" else 1.0
        return outcome(seconds[run.cell.backend] * (1 + run.seed % 3 / 100), loss)

    monkeypatch.setattr(selftest, "execute", execute)
    monkeypatch.setattr(selftest.Snapshot, "busy_elsewhere", lambda self, since: 0.0)


def test_a_true_instrument_passes(monkeypatch):
    fake(monkeypatch, plain=1.0, twin=1.0, slower=1.1, cheat=0.5)
    assert selftest.same_twice(10, 1, lambda: None).passed
    assert selftest.planted_slowdown(10, 1, lambda: None).passed
    assert selftest.cheat(1).passed
    assert selftest.unlike_cells().passed


def test_an_instrument_that_sees_differences_where_there_are_none_is_found_out(monkeypatch):
    fake(monkeypatch, plain=1.0, twin=1.05)
    finding = selftest.same_twice(10, 1, lambda: None)
    assert not finding.passed and "in 10 of 10" in finding.words


def test_an_instrument_that_misses_a_slow_down_is_found_out(monkeypatch):
    fake(monkeypatch, plain=1.0, slower=1.0)
    assert not selftest.planted_slowdown(5, 1, lambda: None).passed


def test_on_a_busy_machine_a_miss_is_not_held_against_the_instrument(monkeypatch):
    fake(monkeypatch, plain=1.0, slower=1.0)
    monkeypatch.setattr(selftest.Snapshot, "busy_elsewhere", lambda self, since: usable_cores() / 2)
    finding = selftest.planted_slowdown(5, 1, lambda: None)
    assert finding.passed is None and "too busy to judge" in finding.words


def test_unsure_rows_are_repeated_up_to_a_limit(monkeypatch):
    runs = []

    def execute(run, timeout):
        runs.append(run)
        return outcome(1.0 + len(runs) % 3)

    monkeypatch.setattr(selftest, "execute", execute)
    selftest.contest("plain", "twin", 1)
    assert len(runs) == 2 * (selftest.ROUNDS + selftest.MORE_ROUNDS)


def test_an_instrument_that_believes_an_early_return_is_found_out(monkeypatch):
    monkeypatch.setattr(selftest, "execute", lambda run, timeout: outcome(0.0001))
    assert not selftest.early_return().passed


def test_command_measures_real_processes_and_says_what_it_found():
    result = CliRunner().invoke(main, ["selftest", "--comparisons", "1", "--slowdowns", "1", "--json"])
    found = {finding["name"]: finding for finding in json.loads(result.stdout)}
    assert len(found) == 5
    assert found["an early return is caught"]["passed"]
    assert found["a row that learns less can't win"]["passed"]
    assert "of 1 comparisons" in found["a backend ties with itself"]["words"]
    assert result.exit_code == (0 if all(finding["passed"] for finding in found.values()) else 1)
