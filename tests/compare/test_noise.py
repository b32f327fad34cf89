from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

from compare import disturbance
from compare.cell import Cell, Outcome, Status
from compare.disturbance import Snapshot
from compare.noise import warnings
from compare.plan import Plan
from compare.results import Results


def told(*seconds: float, machine: dict | None = None, **fields: object) -> str:
    results = Results(Plan([Cell("w2v", "hogwild")], len(seconds), 1), machine or {"cores_usable": 2})
    for run, value in zip(results.plan.runs(), seconds, strict=True):
        results.add(run, Outcome(Status.OK, samples=(value,), phases={"steady": value}, **fields))
    return " ".join(warnings(results))


def test_steady_rounds_on_a_quiet_machine_need_no_warning():
    assert told(1.0, 1.01, 0.99, 1.0, busy_elsewhere=0.01, throttled=False) == ""


def test_other_work_is_named_with_how_much_it_took():
    assert "Other work took up to 0.7 of 2 cores during 3 of 3 timed runs" in told(1.0, 1.0, 1.0, busy_elsewhere=0.7)


def test_repeats_too_few_for_an_interval_are_named_with_the_cure():
    assert told(1.0, 1.0).startswith("2 repeats have no interval, so nothing is decided: --repeats 3")


def test_repeats_that_were_asked_for_but_cut_short_are_no_reason_to_ask_for_more():
    results = Results(Plan([Cell("w2v", "hogwild")], 3, 1), {"cores_usable": 2})
    for run in [*results.plan.runs()][:2]:
        results.add(run, Outcome(Status.OK, samples=(1.0,)))
    assert warnings(results) == ["2 repeats have no interval, so nothing is decided: let all 3 finish."]


def test_the_reference_which_no_table_shows_counts_as_no_repeat_and_is_not_warned_of():
    results = Results(Plan([Cell("mnist", "numpy"), Cell("mnist", "reference")], 5, 1), {"cores_usable": 2})
    for run in results.plan.runs():
        if run.cell.backend == "reference":
            results.add(run, Outcome(Status.OK, samples=(1.0 + run.round % 2,)))
    assert (results.repeats, warnings(results)) == (0, [])


def test_load_before_the_start_counts_where_runs_were_too_short_to_tell():
    assert "busy when this began (load 1.9 on 2 cores)" in told(1.0, machine={"cores_usable": 2, "load_before": 1.9})


def test_heat_is_named():
    assert "slowed itself down from heat in 2 runs" in told(1.0, 1.0, throttled=True)


def test_a_machine_that_becomes_slower_is_named():
    assert "became 22% slower from the first round to the last" in told(1.0, 1.05, 1.1, 1.16, 1.22)


def test_scattered_repeats_are_named_with_the_cure():
    assert "hogwild: the middle half of its repeats lies 33% apart; more repeats" in told(1.0, 2.0, 1.5, 1.0, 1.5)


def test_scattered_rows_of_one_label_are_counted_each():
    results = Results(Plan([Cell("w2v", "hogwild", threads=threads) for threads in (1, 2, 4)], 3, 1), {})
    for run in results.plan.runs():
        results.add(run, Outcome(Status.OK, samples=(1.0 + run.round / run.cell.threads,)))
    (warning,) = warnings(results)
    assert "hogwild: the middle half of its repeats lies 50% apart (rows over 10% beside it: 2)" in warning


def test_own_work_is_not_work_of_others():
    before = Snapshot(wall=0.0, own=0.0, busy=0.0, throttles=3)
    after = Snapshot(wall=2.0, own=1.5, busy=3.5, throttles=4)
    assert after.busy_elsewhere(before) == 1.0 and after.throttled(before) is True
    assert Snapshot(0.1, 0.0, 5.0, None).busy_elsewhere(before) is None
    assert Snapshot(2.0, 0.0, 0.0, None).throttled(before) is None


def test_under_a_cpu_quota_others_are_left_alone_and_waits_for_it_are_seen(monkeypatch):
    monkeypatch.setattr(disturbance, "usable_cores", lambda: 2)
    monkeypatch.setattr(disturbance, "affinity", lambda: set(range(64)))
    stops = iter((3, 3, 5))
    monkeypatch.setattr(disturbance.machine, "quota_stops", lambda: next(stops))
    first, second, third = (replace(Snapshot.take(), wall=float(time)) for time in range(3))
    assert second.busy_elsewhere(first) is None
    assert (second.stopped(first), third.stopped(second)) == (False, True)
    assert replace(first, stops=None).stopped(first) is None


def test_a_used_up_cpu_quota_is_named_with_the_cure():
    assert "The CPU quota was used up in 2 runs" in told(1.0, 1.0, stopped=True)


def test_the_work_of_processes_that_were_started_is_own_work():
    before = Snapshot.take()
    subprocess.run([sys.executable, "-c", "sum(range(10_000_000))"], check=True)
    script = "sum(range(10_000_000)); print('done', flush=True); input()"
    living = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert living.stdout is not None and living.stdout.readline()
    own = Snapshot.take().own - before.own
    living.communicate(b"\n")
    assert own > 0.1


def test_snapshots_of_this_machine_have_clocks_that_run():
    before = Snapshot.take()
    deadline = time.perf_counter() + 0.25
    while time.perf_counter() < deadline:
        pass
    after = Snapshot.take()
    assert after.own > before.own and after.busy >= before.busy
    assert after.busy_elsewhere(before) is not None
