from __future__ import annotations

import io
import math

from rich.console import Console

from compare.cell import Cell, Outcome, Run, Status
from compare.download import DownloadBar
from compare.plan import Plan
from compare.progress import Watch, estimate
from compare.results import Results


def drawn(watch: Watch) -> list[str]:
    """The lines of its bar, 80 columns wide."""
    console = Console(width=80, file=io.StringIO())
    with console.capture() as shown:
        console.print(watch.bar.get_renderable())
    return shown.get().split("\n")[:-1] if shown.get().strip() else []


def test_the_bar_fits_into_80_columns_with_its_counters_whole_and_shows_nothing_before_the_first_run():
    plan = Plan([Cell("fake_workload", "good", shape={"hidden": [128, 512], "batch": 1024, "depth": 2})], 500, 1)
    watch = Watch(Results(plan, {}), end=math.inf)
    assert not drawn(watch)
    watch.begin(next(plan.runs()), list(plan.runs()))
    (line,) = drawn(watch)
    assert line.startswith("good hidden=128x512") and " 0/500 0:00:00 about 17 min left" in line


def test_no_more_time_is_told_than_the_budget_leaves():
    runs = [Run(Cell("fake_workload", "good"), round, 1) for round in range(3)]
    results = Results(Plan([], 1, 1), {})
    assert estimate(runs, results, 60) == "about 6 s"
    assert estimate(runs, results, 5) == "at most 5 s"


def test_guesses_are_corrected_by_what_the_runs_so_far_took():
    first, second, third = (Cell("fake_workload", "good", shape={"batch": batch}) for batch in (1, 2, 3))
    results = Results(Plan([first, second, third], 1, 1), {})
    results.add(Run(first, 0, 1), Outcome(Status.OK, samples=(1.0,), seconds=10.0))
    results.add(Run(second, 0, 1), Outcome(Status.FAILED, "bad news", seconds=1.0))
    assert estimate([Run(third, 0, 1)], results) == "about 10 s"  # guessed: 2 s each
    assert estimate([Run(second, 1, 1), Run(first, 1, 1)], results) == "about 11 s"


def test_a_log_tells_the_start_of_a_long_run_and_not_of_a_short_one(capsys):
    short, long = (Cell("fake_workload", "good", shape={"batch": batch}) for batch in (1, 2))
    results = Results(Plan([short, long], 2, 1), {})
    results.add(Run(short, 0, 1), Outcome(Status.OK, samples=(1.0,), seconds=2.0))
    results.add(Run(long, 0, 1), Outcome(Status.OK, samples=(200.0,), seconds=240.0))
    watch = Watch(results, end=math.inf)
    watch.begin(Run(short, 1, 1), [Run(short, 1, 1), Run(long, 1, 1)])
    assert not capsys.readouterr().err
    watch.begin(Run(long, 1, 1), [Run(long, 1, 1)])
    assert capsys.readouterr().err == "[3/3] good batch=2, repeat 2: about 4 min\n"


def test_a_log_tells_the_start_of_a_download(capsys):
    with DownloadBar("text8") as bar:
        assert not capsys.readouterr().err
        bar.total = 31_344_016
    assert capsys.readouterr().err == "Downloading text8: 31.3 MB\n"
