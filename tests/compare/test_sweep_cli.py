"""`compare sweep`: its methods must agree, and it says whether they do."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from compare import machine
from compare.cell import Cell, Outcome, Status
from compare.cli import main
from compare.memory import PeakOfChildren
from compare.plan import Plan
from compare.report.mnist_sweep import show
from compare.results import Results
from mnist import data

CONFIGURATIONS = [[256, 1, 0.1], [256, 1, 1.0], [256, 1, 1e38]]
GOOD, BETTER = [0.5, 0.9], [0.25, 0.95]


def ended(seconds: float, *finishes: list[float] | None) -> Outcome:
    return Outcome(
        Status.OK,
        phases={"import": 0.5, "steady": seconds},
        samples=(seconds,),
        peak_bytes=100_000_000,
        quality={"loss": 0.25, "accuracy": 0.95},
        facts={"finishes": list(finishes), "children_bytes": 50_000_000},
    )


@pytest.fixture
def shown(capsys):
    """What is printed of one outcome by method, repeated with a little noise."""

    def render(outcomes: dict[str, Outcome], rounds: int = 3) -> str:
        options = {"dataset": "MNIST", "configurations": CONFIGURATIONS, "epochs": 5}
        cells = [Cell("sweep", name, shape={"hidden": [128]}, options=options) for name in outcomes]
        results = Results(Plan(cells, rounds, seed=1), machine.describe())
        for run in results.plan.runs():
            results.add(run, outcomes[run.cell.backend])
        show(results)
        return " ".join(capsys.readouterr().out.split())

    return render


def test_methods_that_agree_are_compared(shown):
    told = shown({"loop-numpy": ended(4, GOOD, BETTER, None), "vmap-jax": ended(2, GOOD, BETTER, None)})
    assert "loop-numpy 0.50 4.00 150" in told
    assert "1 256 1 0.2500* 0.2500*" in told and "1e+38 256 1 diverged diverged" in told
    assert "1 256 1 95.0% 95.0%" in told and "1e+38 256 1 - -" in told
    assert "Same winner by all 2 methods: learning rate 1, batch 256, seed 1; their losses lie within 0.00%" in told
    assert "Verdict: vmap-jax wins, 2.00 (2.00-2.00) times as fast as loop-numpy." in told


def test_a_method_with_another_winner_is_named_and_cannot_win(shown):
    right = {"loop-numpy": ended(4, GOOD, BETTER, None), "loop-jax": ended(3, GOOD, BETTER, None)}
    told = shown({"vmap-jax": ended(2, BETTER, GOOD, None), **right})
    assert "vmap-jax can't win: it ended elsewhere than most methods with learning rate 0.1, batch 256" in told
    assert "The 3 methods did not find the same winner." in told
    assert "Verdict: loop-jax wins" in told


@pytest.mark.parametrize("elsewhere", [(GOOD, BETTER, GOOD), ([0.6, 0.85], BETTER, None)])
def test_a_method_that_ends_elsewhere_is_named_and_cannot_win(shown, elsewhere):
    right = ended(4, GOOD, BETTER, None)
    told = shown({"vmap-jax": ended(2, *elsewhere), "loop-numpy": right, "loop-jax": right})
    assert "vmap-jax can't win: it ended elsewhere than most methods with learning rate" in told


def test_losses_that_rounding_drove_apart_bar_nobody_when_as_much_was_learnt(shown):
    told = shown(
        {"loop-numpy": ended(4, [0.0771, 0.9669], BETTER, None), "native": ended(2, [0.075, 0.9680], BETTER, None)}
    )
    assert "can't win" not in told and "Verdict: native wins" in told


def test_two_methods_that_ended_apart_bar_each_other(shown):
    told = shown({"loop-numpy": ended(4, GOOD, BETTER, None), "vmap-jax": ended(2, [0.6, 0.85], BETTER, None)})
    assert told.count("can't win") == 2 and "Verdict: no row may win." in told


def test_a_sweep_where_everything_diverged_says_so(shown):
    told = shown({"loop-numpy": ended(4, None, None, None)}, rounds=1)
    assert "Every configuration diverged, by every method." in told


def test_a_small_sweep_from_end_to_end(monkeypatch, tmp_path):
    def unreachable(folder, progressbar):
        raise ConnectionError("example.org: ConnectTimeout")

    monkeypatch.setattr(data, "download", unreachable)
    out = tmp_path / "sweep.json"
    options = "--methods loop-numpy --lr 0.1,1e38 --batch-sizes 8000 --hidden 8 --epochs 1 --repeats 1"
    result = CliRunner().invoke(main, ["sweep", *options.split(), "--out", str(out)])
    assert result.exit_code == 0, result.output
    (cell,) = json.loads(out.read_text())["cells"]
    (loss, accuracy), diverged = cell["runs"][0]["facts"]["finishes"]
    assert loss > 0 and 0 < accuracy < 1 and diverged is None
    assert "The winner: learning rate 0.1, batch 8000, seed 1" in result.stdout
    assert result.stdout.splitlines()[-1] == "Verdict: loop-numpy is alone."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--lr", "0.1,nan"), "'nan' is not a finite number"),
        (("--lr", "0.1,-1"), "-1.0 is not in the range above 0"),
        (("--seeds", "1,x"), "'x' is not a valid integer"),
        (("--seeds", "1,"), "'1,': give seeds, as 1 or 1,2,3"),
        (("--hidden", "16,32"), "a sweep is of one network"),
        (("--methods", "loop-numpi"), "unknown method 'loop-numpi': did you mean loop-numpy"),
    ],
)
def test_bad_input_is_refused_at_once_with_the_cure(arguments, message):
    result = CliRunner().invoke(main, ["sweep", *arguments])
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_memory_of_started_processes_is_counted():
    with PeakOfChildren() as peak:
        subprocess.run([sys.executable, "-c", "b = b'x' * 50_000_000; import time; time.sleep(0.4)"], check=True)
    assert peak.bytes > 50_000_000
