from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from test_work import machine as profile_made_up

from compare import machine, profile
from compare.cell import Cell, Outcome, Status
from compare.plan import Plan
from compare.report import mnist, mnist_details
from compare.report.mnist_rows import places
from compare.results import Results

STEPS = (2.3, 0.5)


def ok(seconds: float, steps: tuple[float, ...] = STEPS, accuracy: float = 0.9, **facts: object) -> Outcome:
    return Outcome(
        Status.OK,
        phases={"compile": 0.6, "steady": 2 * seconds},
        samples=(seconds, seconds),
        cpu_seconds=2 * seconds,
        quality={"loss": 0.25, "accuracy": accuracy},
        facts={"losses": [0.5, 0.25], "step_losses": list(steps), **facts},
    )


FAST, SLOW = [ok(0.100), ok(0.101), ok(0.099)], [ok(0.200), ok(0.201), ok(0.199)]


@pytest.fixture
def shown(capsys):
    """What is printed of outcomes by (backend, batch size), one a round; the reference is added."""

    def render(
        outcomes: dict[tuple[str, int], list[Outcome]],
        reference: Outcome = FAST[0],
        view: Callable[[Results], None] = mnist.show,
        networks: Sequence[list[int]] = ([128],),
    ) -> list[str]:
        rounds = max(map(len, outcomes.values()))
        keys = [*outcomes, *dict.fromkeys(("reference", batch) for _, batch in outcomes)]
        options = {"dataset": "MNIST", "learning_rate": 0.1}
        cells = [
            Cell("mnist", name, shape={"hidden": hidden, "batch": batch}, samples=2, options=options)
            for hidden in networks
            for name, batch in keys
        ]
        results = Results(Plan(cells, rounds, seed=1), machine.describe())
        for run in results.plan.runs():
            series = outcomes.get((run.cell.backend, run.cell.shape["batch"]), [reference] * rounds)
            if run.round < len(series):
                results.add(run, series[run.round])
        view(results)
        return capsys.readouterr().out.splitlines()

    return render


def row(lines: list[str], name: str) -> list[str]:
    """The table's line that begins with `name`."""
    table = lines[next(index for index, line in enumerate(lines) if "784-" in line) :]
    return next(line for line in table if line.split()[:1] == [name]).split()


def text(lines: list[str]) -> str:
    """Without line breaks."""
    return " ".join(" ".join(lines).split())


def verdict_of(lines: list[str]) -> str:
    """The last paragraph, its lines joined."""
    return text(lines).split("Verdict: ")[1]


def test_the_grid_has_a_row_a_backend_and_a_column_a_batch_size(shown):
    lines = shown({("numpy", 32): SLOW, ("numpy", 4096): FAST, ("jax", 32): FAST, ("jax", 4096): SLOW})
    assert "784-128-10: seconds an epoch, by batch size" in lines
    assert row(lines, "steps") == ["steps", "an", "epoch", "1,500", "12"]
    assert row(lines, "numpy") == ["numpy", "0.200", "0.100*"]
    assert row(lines, "jax") == ["jax", "0.100*", "0.200"]
    assert row(lines, "test") == ["test", "accuracy", "90.0%", "90.0%"]


@pytest.mark.parametrize("view", [mnist.show, mnist_details.show])
def test_every_mark_is_explained_and_no_row_that_was_not_measured(shown, view):
    skipped = [Outcome(Status.SKIPPED, "needs an NVIDIA GPU")] * 3
    lines = shown({("native-bf16", 32): FAST, ("numpy", 32): SLOW, ("cupy-example", 32): skipped}, view=view)
    assert row(lines, "native-bf16")[1] == "0.100!" and row(lines, "numpy")[1] == "0.200*"
    assert "or products are not in float32: native-bf16's are in bfloat16 * the fastest" in text(lines)
    assert "native-bf16 at batch 32 can't win: its products are bfloat16" in text(lines)
    assert "one epoch" not in text(lines)
    alone = shown({("numpy-example", 32): SLOW}, view=view)
    assert "numpy-example: one epoch at one batch size alone; it takes as long at any other" in alone
    assert "bfloat16" not in text(alone)


def test_cold_starts_are_told_at_the_first_batch_size(shown):
    lines = shown({("numpy", 32): SLOW, ("jax", 32): FAST, ("jax", 4096): FAST})
    told = "Seconds from a cold start to the end of training: numpy 1.0, jax 0.8 (at batch 32)"
    assert told in text(lines)


def test_each_network_has_a_grid_and_a_part_of_the_verdict(shown):
    lines = shown({("numpy", 32): FAST, ("jax", 32): SLOW}, networks=([64], [32, 16]))
    assert [line.split(":")[0] for line in lines if "seconds an epoch" in line] == ["784-64-10", "784-32-16-10"]
    assert verdict_of(lines).startswith("hidden 64 and hidden 32x16: numpy wins, 2.00 (")


def test_places_of_one_network_among_several_name_it():
    one, other = ((64,), 32), ((16,), 32)
    assert places([one, ((64,), 256)], [one]) == "batch 32"
    assert places([one, other], [one]) == "784-64-10 batch 32"


def test_details_have_times_work_cores_and_what_was_learnt(shown):
    lines = shown({("numpy", 256): SLOW, ("jax", 256): FAST}, view=mnist_details.show)
    assert row(lines, "numpy") == ["numpy", "0.200", "1%", "0.40", "1.064", "98.2", "1.0", "0.250", "90.0%", "1.00"]
    assert row(lines, "jax") == ["jax", "0.100*", "1%", "0.50", "0.532", "196", "1.0", "0.250", "90.0%", "2.00"]
    assert "784-128-10" in lines and row(lines, "batch") == ["batch", "256"]


def test_details_have_the_share_of_the_ceiling_of_each_cell_or_the_cure(shown, monkeypatch):
    rows = {("numpy", 256): SLOW, ("jax", 256): FAST}
    monkeypatch.setattr(profile, "of_machine", lambda facts: profile_made_up())
    told = text(shown(rows, view=mnist_details.show))
    model = (
        "by a model of the least work; a: arithmetic binds, m: memory, c: calls; "
        "over 100%: by less work than the model's, or faster products than NumPy's"
    )
    assert f"Share of the ceiling ({model}; ceilings: made up)" in told
    assert re.search(r"256 ─+ numpy \d+% m jax \d+% m", told)
    monkeypatch.setattr(profile, "of_machine", lambda facts: None)
    assert "this machine was not measured yet: run `compare machine`." in text(shown(rows, view=mnist_details.show))
    whole = profile_made_up()
    lacking = replace(whole, ceilings=[each for each in whole.ceilings if each.name != "copy"])
    monkeypatch.setattr(profile, "of_machine", lambda facts: lacking)
    assert "rows, or the machine's profile lacks a ceiling." in text(shown(rows, view=mnist_details.show))


@pytest.mark.parametrize("view", [mnist.show, mnist_details.show])
def test_piped_output_is_plain_and_within_80_columns(shown, view):
    sizes = (32, 256, 1024, 2048, 4096)
    slow = {(name, size): [ok(4.0), ok(90.0)] for name in ("numpy-example", "torch-compile") for size in sizes}
    lines = shown(slow, view=view)
    assert "\x1b" not in "".join(lines)
    assert not any(line.endswith(" ") for line in lines)
    assert max(map(len, lines)) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(lines)


def test_verdict_names_the_winner_of_each_batch_size(shown):
    fast_then_slow = {("numpy", 32): FAST, ("jax", 32): SLOW, ("numpy", 4096): SLOW, ("jax", 4096): FAST}
    assert verdict_of(shown(fast_then_slow)) == (
        "batch 32: numpy wins, 2.00 (1.94-2.06) times as fast as jax; "
        "batch 4096: jax wins, 2.00 (1.94-2.06) times as fast as numpy."
    )


def test_the_star_and_the_verdict_are_of_one_row(shown):
    uneven = [replace(ok(0.1), samples=(0.09, 0.09, 0.2)), *[replace(ok(0.1), samples=(0.2, 0.11, 0.11))] * 2]
    even = [replace(ok(0.1), samples=(0.105, 0.105, 0.105))] * 3
    lines = shown({("numpy", 32): uneven, ("jax", 32): even})
    assert row(lines, "numpy") == ["numpy", "0.110"] and row(lines, "jax") == ["jax", "0.105*"]


def test_overlapping_intervals_are_a_tie(shown):
    lines = shown({("numpy", 32): [ok(0.1), ok(0.2), ok(0.1)], ("jax", 32): [ok(0.1), ok(0.11), ok(0.2)]})
    assert verdict_of(lines) == "a tie between numpy and jax."


def test_one_repeat_decides_nothing(shown):
    lines = shown({("numpy", 32): FAST[:1], ("jax", 32): SLOW[:1]})
    assert verdict_of(lines) == "undecided by so few repeats: numpy was ahead of jax."


def test_a_row_whose_steps_disagree_is_marked_and_cannot_win(shown):
    wrong = [ok(0.05, steps=(2.3, 0.52))] * 3
    lines = shown({("numpy", 32): SLOW, ("jax", 32): wrong, ("keras-jax", 32): FAST})
    assert row(lines, "jax") == ["jax", "0.050!"]
    assert "jax at batch 32 can't win: the loss of one of its first steps is 0.02 off" in text(lines)
    assert verdict_of(lines).startswith("keras-jax wins, 2.00 (")


def test_a_row_whose_accuracy_disagrees_cannot_win(shown):
    lines = shown({("numpy", 32): SLOW, ("jax", 32): [ok(0.05, accuracy=0.896)] * 3})
    assert "jax at batch 32 can't win: its test accuracy is -0.40 points off" in text(lines)
    assert verdict_of(lines) == "numpy is alone."


def test_a_row_that_takes_more_threads_than_it_has_cannot_win(shown):
    greedy = [ok(0.05, threads={"pools": {"openblas": 8}, "process": 9})] * 3
    lines = shown({("numpy", 32): SLOW, ("jax", 32): greedy})
    assert "jax at batch 32 can't win: openblas would use 8 threads where 1 were allowed" in text(lines)


def test_the_way_from_keras_to_the_fastest_row_is_told(shown):
    rows = {("keras-cpu", 32): SLOW, ("keras-cpu", 256): FAST, ("jax", 32): SLOW, ("jax", 256): [ok(0.01)] * 3}
    told = (
        "784-128-10: from keras-cpu at batch 32 to jax at batch 256, an epoch is 20.0 (19.4-20.6) times as fast; "
        "fewer steps learn less: accuracy 90.0% and 90.0%"
    )
    assert told in text(shown(rows))


def test_the_way_from_keras_is_not_told_by_so_few_repeats(shown):
    assert "from keras-cpu" not in text(shown({("keras-cpu", 32): SLOW[:2], ("jax", 256): FAST[:2]}))


def test_without_a_reference_no_row_may_win(shown):
    lines = shown({("numpy", 32): FAST}, reference=Outcome(Status.TIMEOUT, "still running after 1 s"))
    assert "reference timeout: still running after 1 s (batch 32)" in lines
    assert row(lines, "test") == ["test", "accuracy", "90.0%"]
    assert lines[-1] == "Verdict: no row may win."


def test_a_reason_that_rows_share_is_said_once(shown):
    rows = {("numpy", 32): FAST, ("jax", 32): FAST}
    lines = shown(rows, reference=Outcome(Status.TIMEOUT, "still running after 1 s"))
    assert "numpy and jax at batch 32 can't win: there is no float64 reference to check its losses" in text(lines)


@pytest.mark.parametrize("view", [mnist.show, mnist_details.show])
def test_rows_that_were_not_reached_are_shown(shown, view):
    lines = shown({("numpy", 32): FAST[:1], ("jax", 32): [], ("numpy", 256): []}, view=view)
    assert row(lines, "jax")[:3] == ["jax", "not", "run"]
    assert text(lines).count("not run") == 2
    assert "Verdict after 3 of 5 runs" in text(lines)


def test_the_legend_tells_the_repeats_that_were_made(shown):
    assert "median of 1 x 2 epochs" in text(shown({("numpy", 32): FAST[:1], ("jax", 32): FAST[:1]}))


def test_what_ended_badly_is_told_once_with_its_batch_sizes_and_the_others_are_compared(shown):
    lost = [Outcome(Status.DIVERGED, "loss is nan")] * 3
    lines = shown({("numpy", 32): FAST, ("jax", 32): lost, ("numpy", 256): FAST, ("jax", 256): lost})
    assert [line for line in lines if line.startswith("jax diverged:")] == [
        "jax diverged: loss is nan (batch 32 and 256)"
    ]
    assert row(lines, "jax") == ["jax", "diverged", "diverged"]
    assert row(lines, "numpy") == ["numpy", "0.100*", "0.100*"]
    assert lines[-1] == "Verdict: batch 32 and batch 256: numpy is alone."


def test_a_backend_that_is_not_installed_says_how_to_install_it(shown):
    missing = [Outcome(Status.SKIPPED, "jax not installed: pip install 'w2v-compare[jax]'")]
    lines = shown({("numpy", 32): FAST[:1], ("jax", 32): missing, ("jax", 256): missing})
    assert "jax skipped: jax not installed: pip install 'w2v-compare[jax]'" in lines


def test_nothing_finished_is_said(shown):
    lines = shown({("numpy", 32): [Outcome(Status.FAILED, "killed by SIGSEGV")]})
    assert lines[-1] == "Verdict: nothing finished that could be compared."
