"""What is concluded from made-up results whose backends follow the model exactly."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from test_work import machine

from compare.cell import REFERENCE, Outcome, Status
from compare.crossover import Course, Crossing
from compare.findings import Findings, of
from compare.prediction import Fit
from compare.profile import Ceiling
from compare.report.crossover import change, crossing_words, describe, legend, place, show, verdict
from compare.results import Results
from compare.shape_sweep import AXES, GPU, Sweep, of_mnist, of_results, of_w2v
from compare.work.roofline import bound

HERE = machine(memory=1e9)
NUMBERS = {"numpy": Fit(calls=1000, slack=1), "jax": Fit(calls=100, slack=2)}
GPU_CEILINGS = (
    Ceiling("sgemm", "flop/s", 1e13, "gpu", conditions={"dtype": "float32"}),
    Ceiling("copy", "B/s", 1e12, "gpu"),
    Ceiling("launch", "s", 5e-6, "gpu", conditions={"mode": "stream"}),
)


@pytest.fixture
def sweep() -> Sweep:
    shape = {"batch": 256, "hidden": 128, "depth": 1}
    return of_mnist("batch", (8, 32, 128, 512), ("numpy", "jax"), shape, 1, 1, {"dataset": "made up"}, {})


def measured(sweep: Sweep, losses=lambda backend: [2.0]) -> Results:
    """Every cell as NUMBERS say, with three repeats 1 % apart."""
    plan = sweep.plan(rounds=3, seed=1)
    results = Results(plan, {"cpu": "made up", "cores_usable": 1, "cores_logical": 1, "memory_bytes": 1, "python": "3",
                             "packages": {}})  # fmt: skip
    for run in plan.runs():
        numbers = NUMBERS.get(run.cell.backend, NUMBERS["jax"])
        work = sweep.work(run.cell.backend, run.cell.shape["batch"])
        seconds = numbers.seconds(work, bound(work, HERE, "cpu", 1) or bound_of_float32(sweep, run.cell), 1e-5)
        facts, quality = {"step_losses": losses(run.cell.backend)}, {"loss": 2.0, "accuracy": 0.5}
        samples = (seconds * (1 + run.round / 100),)
        results.add(run, Outcome(Status.OK, samples=samples, facts=facts, quality=quality))
    return results


def bound_of_float32(sweep: Sweep, cell):
    return bound(sweep.work("jax", cell.shape["batch"]), HERE, "cpu", 1)


def test_the_prediction_stands_beside_the_measurement_and_agrees_where_the_model_holds(sweep):
    found = of(sweep, measured(sweep), HERE, None)
    (crossing,), (predicted,) = found.course.crossings, found.predicted
    assert (crossing.before, crossing.after) == (predicted.before, predicted.after) == ("jax", "numpy")
    assert 8 < crossing.at < 32
    assert predicted.at == pytest.approx(crossing.at, rel=0.2)  # seconds are not quite a power of the batch size
    assert found.fits["numpy"].calls == pytest.approx(1010) and found.fits["jax"].slack == pytest.approx(2.02)
    json.dumps(found.to_json(), allow_nan=False)


def test_a_result_file_tells_its_sweep_and_leads_to_the_same_findings(sweep):
    results = measured(sweep)
    again = of(of_results(results), results, HERE, None)
    assert again.to_json() == of(sweep, results, HERE, None).to_json()


@pytest.mark.parametrize("axis", AXES["w2v"])
def test_a_result_file_of_word2vec_leads_to_the_same_findings_along_every_axis(axis, tmp_path):
    shape = {"dim": 8, "negative": 5, "vocabulary": 50, "workers": 1}
    sweep = of_w2v(axis, (2, 8, 32), ("hogwild", "gensim"), shape, 2000, tmp_path)
    results = Results(sweep.plan(rounds=3, seed=1), {})
    for run in results.plan.runs():
        if run.cell != results.plan.cells[-1]:  # whose runs a reader misses
            results.add(run, Outcome(Status.OK, samples=(run.cell.threads + run.round / 100,)))
    found = of(sweep, results, HERE, None)
    assert len(found.points["hogwild"]) == 3 and len(found.points["gensim"]) == 2
    assert of(of_results(results), results, HERE, None).to_json() == found.to_json()


def test_what_all_shapes_have_in_common_is_told(tmp_path):
    shape = {"dim": 8, "negative": 5, "vocabulary": 50, "workers": 1}
    swept = of_w2v("vocabulary", (20, 50), ("hogwild",), shape, 2000, tmp_path)
    assert describe(swept) == "w2v over vocabulary; all else alike: dim 8, negative 5, workers 1, tokens 2,000"
    shape = {"batch": 256, "hidden": 128, "depth": 1}
    swept = of_mnist("depth", (2, 4), ("numpy",), shape, 1, 1, {"dataset": "made up"}, {})
    assert describe(swept) == "mnist over depth; all else alike: batch 256, hidden 128, threads 1"


def test_a_row_whose_loss_disagrees_can_not_win(sweep):
    results = measured(sweep, lambda backend: [2.1 if backend == "jax" else 2.0])
    assert set(sweep.seconds(results)[8]) == {"numpy"}
    assert of(sweep, results, HERE, None).course.crossings == []


def test_without_a_profile_there_are_crossings_but_no_predictions(sweep):
    found = of(sweep, measured(sweep), None, None)
    assert len(found.course.crossings) == 1 and not found.predicted and not found.points


def test_another_machine_is_predicted_with_the_errors_made_here(sweep):
    found = of(sweep, measured(sweep), HERE, machine(*GPU_CEILINGS))
    assert found.elsewhere.rows == ["numpy", "jax", GPU]
    assert found.elsewhere.first == GPU and found.elsewhere.crossings == []
    json.dumps(found.to_json(), allow_nan=False)


def test_why_nothing_can_be_predicted_of_another_machine_is_told(sweep, capsys):
    results = measured(sweep)
    other = replace(HERE, ceilings=[each for each in HERE.ceilings if each.name not in ("copy", "update")])
    show(results, sweep, of(sweep, results, HERE, other))
    told = "Nothing can be predicted for made up: its profile lacks a ceiling of memory on the cpu;"
    assert told in " ".join(capsys.readouterr().out.split())
    few = without(results, *[(name, batch) for name in NUMBERS for batch in (8, 32)])
    show(few, sweep, of(sweep, few, HERE, HERE))
    told = "Nothing can be predicted for made up: no row has figures at 3 shapes or more."
    assert told in " ".join(capsys.readouterr().out.split())


def test_the_report_tells_all_of_it(sweep, capsys):
    results = measured(sweep)
    show(results, sweep, of(sweep, results, HERE, HERE))
    text = " ".join(capsys.readouterr().out.split())
    assert "batch 128" in text and "numpy" in text and "arithmetic" in text
    assert "Predicted for made up (numpy, jax; ranges: two errors either way): jax leads at batch 8; then numpy" in text
    assert "Verdict: jax up to batch" in text and "off by a factor 1.0" in text


def test_an_open_end_is_a_question_mark():
    assert place("batch", Crossing("a", "b", 410.2, None, 480.0)) == "batch 410 (?-480)"


def test_a_crossing_that_nothing_decides_is_called_a_tie():
    words = change("batch", Crossing("a", "b", 410.2, None, None))
    assert words == "a and b tie: their means cross at batch 410, and no measured batch decides between them"


def test_a_crossing_that_was_not_predicted_says_so(sweep):
    found = of(sweep, measured(sweep), HERE, None)
    assert crossing_words("batch", Crossing("numpy", "jax", 64, None, None), found).endswith("(not predicted)")


def test_references_are_measured_at_every_shape(sweep):
    cells = sweep.plan(1, 1).cells
    assert [cell.shape["batch"] for cell in cells if cell.backend == REFERENCE] == [8, 32, 128, 512]


@pytest.mark.parametrize(("axis", "value"), [("hidden", [[64], [32]]), ("depth", [[128] * 2, [128] * 3])])
def test_width_and_depth_are_shapes_of_the_network(axis, value):
    shape = {"batch": 256, "hidden": 128, "depth": 1}
    values = [len(v) if axis == "depth" else v[0] for v in value]
    sweep = of_mnist(axis, values, ("numpy",), shape, 1, 1, {"dataset": "made up"}, {})
    assert [sweep.cell("numpy", v).shape["hidden"] for v in values] == value


def test_a_made_up_text_holds_every_word_and_is_the_same_each_time(tmp_path):
    shape = {"dim": 8, "negative": 5, "vocabulary": 50, "workers": 1}
    sweep = of_w2v("vocabulary", (20, 50), ("hogwild", "gensim"), shape, 2000, tmp_path)
    again = of_w2v("vocabulary", (20, 50), ("hogwild", "gensim"), shape, 2000, tmp_path)
    text = (tmp_path / "50.txt").read_text().split()
    assert len(text) == 2000 and len(set(text)) == 50
    assert sweep.cell("gensim", 50).key == again.cell("gensim", 50).key != sweep.cell("gensim", 20).key
    assert sweep.work("gensim", 50).flops == sweep.work("hogwild", 50).flops


def test_a_row_of_word2vec_on_a_gpu_is_a_cell_of_the_gpu(tmp_path):
    shape = {"dim": 8, "negative": 5, "vocabulary": 50, "workers": 1}
    sweep = of_w2v("dim", (8, 16), ("hogwild", "cupy"), shape, 2000, tmp_path)
    assert [cell.device for cell in sweep.cells(8)] == ["cpu", "gpu"]


def test_more_words_than_tokens_are_refused(tmp_path):
    shape = {"dim": 8, "negative": 5, "vocabulary": 50, "workers": 1}
    with pytest.raises(ValueError, match="2,000 tokens can't hold 3,000 different words"):
        of_w2v("vocabulary", (20, 3000), ("gensim",), shape, 2000, tmp_path)


def without(results: Results, *gone: tuple[str, int]) -> Results:
    """The same, but that these rows, by backend and batch size, have failed."""
    kept = Results(results.plan, results.machine)
    for run, outcome in results.finished:
        failed = (run.cell.backend, run.cell.shape["batch"]) in gone
        kept.add(run, Outcome(Status.FAILED, "out of memory") if failed else outcome)
    return kept


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ([], "jax up to batch"),
        (
            [("numpy", 8)],
            "jax leads at batch 8 and numpy at 32, but where they cross can't be told: "
            "there is nothing to compare of numpy at 8.",
        ),
        ([("jax", batch) for batch in (8, 32, 128, 512)], "numpy is fastest at every measured batch, so nothing"),
        (
            [("jax", batch) for batch in (8, 32, 128, 512)] + [("numpy", 8), ("numpy", 32)],
            "numpy is fastest at every measured batch but 8 and 32, where no row may win, so nothing",
        ),
        ([(name, batch) for name in NUMBERS for batch in (8, 32, 128)], "only batch 512 has rows to compare, so no"),
        ([(name, batch) for name in NUMBERS for batch in (8, 32, 128, 512)], "nothing finished that could be compared"),
    ],
)
def test_where_no_crossing_can_be_placed_the_verdict_says_why(sweep, gone, said):
    assert verdict(sweep, of(sweep, without(measured(sweep), *gone), HERE, None)).startswith(said)


def test_a_leader_that_is_not_decidedly_faster_is_called_no_fastest(sweep):
    course = Course({float(value): "jax" for value in sweep.values}, unsure=[32.0])
    told = verdict(sweep, Findings(course, {}, {}, [], None))
    assert told == "jax is ahead at every measured batch, not decidedly at 32."


def test_a_row_that_can_not_win_keeps_its_seconds_and_a_mark(sweep, capsys):
    results = measured(sweep, lambda backend: [2.1 if backend == "jax" else 2.0])
    show(results, sweep, of(sweep, results, HERE, HERE))
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  jax")]
    assert len(rows) == 4 and all(row[1].endswith("!") and row[2] == "1%" for row in rows)


def test_the_seconds_of_an_even_number_of_repeats_are_their_median(sweep, capsys):
    results = measured(sweep)
    first = Results(results.plan, results.machine, finished=[pair for pair in results.finished if pair[0].round < 2])
    show(first, sweep, of(sweep, first, HERE, HERE))
    row = next(line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  numpy"))
    seconds = list(first.sample_seconds(sweep.cell("numpy", 8)).values())
    assert row[1] == f"{sum(seconds) / 2:.3g}"


def test_shares_beyond_the_ceilings_are_explained(sweep):
    results = measured(sweep)
    slow = replace(HERE, ceilings=[replace(each, value=each.value and each.value / 1e3) for each in HERE.ceilings])
    assert "over 100%" not in legend(of(sweep, results, HERE, None))
    assert "over 100%  by less work" in legend(of(sweep, results, slow, None))


def test_a_profile_that_lacks_a_ceiling_is_no_matter_of_too_few_shapes(sweep):
    lacking = replace(HERE, ceilings=[each for each in HERE.ceilings if each.name != "copy"])
    told = legend(of(sweep, measured(sweep), lacking, None))
    assert "no predictions: there is no work model for these rows, or the machine's profile lacks a ceiling" in told
