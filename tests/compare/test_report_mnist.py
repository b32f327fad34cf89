from __future__ import annotations

import pytest

from compare import machine
from compare.cell import Cell, Outcome, Status
from compare.plan import Plan
from compare.report.mnist import show
from compare.results import Results

LOSSES = (0.5, 0.25)


def ok(seconds: float, losses: tuple[float, ...] = LOSSES, first: float = 0.0) -> Outcome:
    return Outcome(
        Status.OK,
        phases={"compile": first, "steady": 2 * seconds},
        samples=(seconds, seconds),
        quality={"loss": losses[-1], "accuracy": 0.9},
        facts={"losses": list(losses)},
    )


FAST, SLOW = [ok(0.100), ok(0.101), ok(0.099)], [ok(0.200), ok(0.201), ok(0.199)]


@pytest.fixture
def shown(capsys):
    """What is printed of outcomes by (backend, batch size), one a round; the reference is added."""

    def render(outcomes: dict[tuple[str, int], list[Outcome]], reference: Outcome = FAST[0]) -> list[str]:
        rounds = max(map(len, outcomes.values()))
        keys = [*outcomes, *dict.fromkeys(("reference", batch) for _, batch in outcomes)]
        options = {"dataset": "MNIST", "learning_rate": 0.1}
        cells = [
            Cell("mnist", name, shape={"batch": batch, "hidden": [128]}, samples=2, options=options)
            for name, batch in keys
        ]
        results = Results(Plan(cells, rounds, seed=1), machine.describe())
        for run in results.plan.runs():
            series = outcomes.get((run.cell.backend, run.cell.shape["batch"]), [reference] * rounds)
            if run.round < len(series):
                results.add(run, series[run.round])
        show(results)
        return capsys.readouterr().out.splitlines()

    return render


def row(lines: list[str], backend: str) -> list[str]:
    return next(line for line in lines if line.startswith(f"  {backend} ")).split()


def verdict_of(lines: list[str]) -> str:
    """The last paragraph, its lines joined."""
    return " ".join(" ".join(lines).split("Verdict: ")[1].split())


def test_a_row_has_times_work_and_what_was_learnt(shown):
    lines = shown({("numpy", 256): SLOW, ("jax", 256): [ok(0.1, first=0.6)] * 3})
    assert row(lines, "numpy") == ["numpy", "0.200", "1%", "0.00", "1,064", "98.2", "0.250", "90.0%", "1"]
    assert row(lines, "jax") == ["jax", "0.100", "0%", "0.50", "532", "196", "0.250", "90.0%", "2.00"]
    assert any(line.startswith("batch 256: 188 steps") for line in lines)


def test_piped_output_is_plain_and_within_80_columns(shown):
    lines = shown({("numpy-example", 1): [ok(4.0), ok(90.0)], ("keras-cpu-jit", 1): [ok(77.0), ok(88.0)]})
    assert "\x1b" not in "".join(lines)
    assert max(map(len, lines)) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(lines)


def test_verdict_names_the_winner_of_each_batch_size(shown):
    fast_then_slow = {("numpy", 32): FAST, ("jax", 32): SLOW, ("numpy", 4096): SLOW, ("jax", 4096): FAST}
    verdict = "numpy wins at batch 32 (2.00 times jax); jax wins at batch 4096 (2.00 times numpy)."
    assert verdict_of(shown(fast_then_slow)) == verdict


def test_overlapping_intervals_are_a_tie(shown):
    lines = shown({("numpy", 32): [ok(0.1), ok(0.2), ok(0.1)], ("jax", 32): [ok(0.1), ok(0.11), ok(0.2)]})
    assert lines[-1] == "Verdict: numpy and jax tie at batch 32."


def test_one_repeat_decides_nothing(shown):
    lines = shown({("numpy", 32): FAST[:1], ("jax", 32): SLOW[:1]})
    verdict = "undecided by one repeat: numpy was fastest at batch 32 (2.00 times jax)."
    assert verdict_of(lines) == verdict


def test_a_row_whose_loss_disagrees_in_any_epoch_is_marked_and_cannot_win(shown):
    wrong = [ok(0.05, losses=(0.51, 0.25))] * 3
    lines = shown({("numpy", 32): SLOW, ("jax", 32): wrong, ("keras-jax", 32): FAST})
    assert row(lines, "jax")[6] == "0.250!"
    assert "jax at batch 32 can't win: its loss is 2.0% off the float64 reference's" in lines
    assert lines[-1] == "Verdict: keras-jax wins at batch 32 (2.00 times numpy)."


def test_without_a_reference_no_row_may_win(shown):
    lines = shown({("numpy", 32): FAST}, reference=Outcome(Status.TIMEOUT, "still running after 1 s"))
    assert "reference timeout: still running after 1 s (batch 32)" in lines
    assert lines[-1] == "Verdict: no row may win at batch 32."


def test_what_ended_badly_is_told_once_with_its_batch_sizes_and_the_others_are_compared(shown):
    lost = [Outcome(Status.DIVERGED, "loss is nan")] * 3
    lines = shown({("numpy", 32): FAST, ("jax", 32): lost, ("numpy", 256): FAST, ("jax", 256): lost})
    assert [line for line in lines if line.startswith("jax")] == ["jax diverged: loss is nan (batch 32 and 256)"]
    assert lines[-1] == "Verdict: numpy is alone at batch 32 and 256."


def test_a_backend_that_is_not_installed_says_how_to_install_it(shown):
    missing = [Outcome(Status.SKIPPED, "jax not installed: pip install 'w2v-compare[jax]'")]
    lines = shown({("numpy", 32): FAST[:1], ("jax", 32): missing, ("jax", 256): missing})
    assert "jax skipped: jax not installed: pip install 'w2v-compare[jax]'" in lines


def test_nothing_finished_is_said(shown):
    lines = shown({("numpy", 32): [Outcome(Status.FAILED, "killed by SIGSEGV")]})
    assert lines[-1] == "Verdict: nothing finished that could be compared."
