"""Threads that work for the thread that made them."""

import threading

import pytest

from w2v.threads import Crew


def test_reports_reach_the_caller_and_ends_are_counted():
    jobs = [lambda report, number=number: report(number) for number in range(3)]
    reports = []
    with Crew(jobs, lambda: None) as crew:
        while crew.running:
            reports.append(crew.next_report())
    assert sorted(report for report in reports if report is not None) == [0, 1, 2]


def test_an_error_reaches_the_caller_and_stops_the_other_jobs():
    stopped = threading.Event()

    def fail(report):
        raise RuntimeError("failed")

    def wait(report):
        assert stopped.wait(10)

    with pytest.raises(RuntimeError, match="failed"), Crew([wait, fail], stopped.set) as crew:
        while crew.running:
            crew.next_report()
    assert not [thread for thread in threading.enumerate() if thread.name == "w2v"]


def test_a_caller_need_not_wait_for_ever():
    stopped = threading.Event()
    with Crew([lambda report: stopped.wait()], stopped.set) as crew:
        assert crew.next_report(timeout=0.01) is None
        assert crew.running == 1
