from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from click.testing import CliRunner

from compare.cell import REFERENCE, Cell, Outcome, Status
from compare.claims import CLAIMS, LARGE, LEARNING_RATES, SMALL, Setting, cells, concluded
from compare.cli import main
from compare.contest import Answer, Verdict, together
from compare.plan import Plan
from compare.results import Results
from compare.view import View
from mnist import device

AT = Setting(threads=2, epochs=2, dataset="MNIST", files={}, text={"words": 1, "types": 1}, text_files={})
CLAIM = {claim.name: claim for claim in CLAIMS}
NO_GPU = Outcome(Status.SKIPPED, f"{device.NEEDED}: there is none")


def answer(name: str, outcome: Callable[[Cell, int], Outcome], rounds: int = 4) -> Answer:
    """What is concluded when every cell of a claim ends as `outcome` says, by round."""
    results = Results(Plan(cells([CLAIM[name]], AT), rounds, 1), {})
    for run in results.plan.runs():
        results.add(run, outcome(run.cell, run.round))
    return CLAIM[name].judge(results, AT)


def ok(seconds: float, round: int, accuracy: float = 0.9) -> Outcome:
    quality = {"loss": 0.3, "accuracy": accuracy + round % 2 / 1000}
    facts = {"step_losses": [2.3, 0.5], "finishes": [[0.3, accuracy]] * len(LEARNING_RATES)}
    return Outcome(Status.OK, samples=(seconds * (1 + round % 3 / 100),), quality=quality, facts=facts)


@pytest.mark.parametrize(
    ("gpu", "verdict"),
    [(2.0, Verdict.HOLDS), (0.5, Verdict.FAILS), (1.0, Verdict.UNDECIDED), (None, Verdict.NEEDS_GPU)],
)
@pytest.mark.parametrize("name", ["small-on-cpu", "naive-port", "word2vec"])
def test_a_claim_about_a_gpu_is_decided_by_intervals_or_needs_one(name, gpu, verdict):
    def outcome(cell, round):
        if cell.device == "gpu":
            return NO_GPU if gpu is None else ok(gpu * (1 + round % 2 / 50 - 0.01), round)
        return ok(1.0, round)

    found = answer(name, outcome)
    assert found.verdict is verdict
    assert any("there is none" in line for line in found.figures) == (gpu is None)
    assert any(line.endswith(": 1.01 s, accuracy 90.0%") or ": 1 s" in line for line in found.figures)


def test_a_result_tells_which_claims_it_was_measured_for():
    planned = cells([CLAIM[name] for name in ("batches", "word2vec", "vmap")], AT)
    results = Results(Plan(planned, 1, 1, View("claims")), {})
    assert [claim.name for claim, _ in concluded(results)] == ["batches", "vmap", "word2vec"]
    another_end = Results(Plan(planned, 1, 1, View("sweep")), {})
    assert concluded(another_end) == []


def test_all_pairs_must_agree_for_a_claim_to_hold():
    def outcome(cell, round):
        return ok({"keras-gpu": 2.0, "jax-gpu": 0.5}.get(cell.backend, 1.0), round)

    assert answer("small-on-cpu", outcome).verdict is Verdict.FAILS
    assert together([Verdict.HOLDS, Verdict.UNDECIDED]) is Verdict.UNDECIDED


@pytest.mark.parametrize(("pool", "verdict"), [(2.0, Verdict.HOLDS), (0.5, Verdict.FAILS)])
def test_one_vmapped_run_must_beat_the_loop_and_the_processes(pool, verdict):
    seconds = {"vmap-jax": 1.0, "loop-jax": 2.0, "pool-numpy": pool}
    assert answer("vmap", lambda cell, round: ok(seconds[cell.backend], round)).verdict is verdict


def test_shedding_overhead_tells_its_cpu_half_without_a_gpu():
    def outcome(cell, round):
        return NO_GPU if cell.device == "gpu" else ok(4.4 if cell.backend == "keras-cpu" else 0.1, round)

    found = answer("overhead", outcome)
    assert found.verdict is Verdict.NEEDS_GPU
    assert "on the CPU alone, claimed 31 times: holds here" in found.figures
    assert any("is 44.0 (" in line for line in found.figures)


@pytest.mark.parametrize(
    ("large", "products", "accuracy", "verdict"),
    [
        (0.2, 0.1, 0.8, Verdict.HOLDS),
        (0.2, 0.1, 0.95, Verdict.FAILS),
        (0.2, 0.1, 0.9, Verdict.UNDECIDED),
        (1.5, 0.1, 0.8, Verdict.FAILS),
        (0.4, 0.3, 0.8, Verdict.FAILS),
        (0.05, 0.1, 0.8, Verdict.UNDECIDED),
    ],
)
def test_larger_batches_must_help_twice_and_cost_accuracy(large, products, accuracy, verdict):
    def outcome(cell, round):
        if cell.backend == "products":
            return ok(products if cell.shape["batch"] == LARGE else 0.2, round)
        small = cell.shape["batch"] == SMALL
        return ok(1.0 if small else large, round, 0.9 if small else accuracy)

    found = answer("batches", outcome)
    assert found.verdict is verdict, found


def test_a_row_that_failed_decides_nothing_and_says_why():
    def outcome(cell, round):
        return Outcome(Status.FAILED, "out of memory") if cell.device == "gpu" else ok(1.0, round)

    found = answer("naive-port", outcome)
    assert found.verdict is Verdict.UNDECIDED
    assert any("out of memory" in line for line in found.figures)


@pytest.mark.parametrize(
    ("name", "row", "learnt", "why"),
    [
        ("naive-port", "numpy-example", {"step_losses": [2.3, 0.6]}, "first steps is 0.1 off the float64 reference's"),
        ("naive-port", "cupy-example", {"threads": {"pools": {"openblas": 8}}}, "openblas would use 8 threads"),
        ("vmap", "vmap-jax", {"finishes": [[0.9, 0.5]] * len(LEARNING_RATES)}, "ended elsewhere than most methods"),
        ("batches", "numpy", {"step_losses": [9.9, 0.5]}, "off the float64 reference's"),
    ],
)
def test_a_row_that_no_winner_may_be_decides_no_claim(name, row, learnt, why):
    def outcome(cell, round):
        good = ok(1.0 if cell.backend in ("vmap-jax", "numpy-example") else 2.0, round)
        return replace(good, facts={**good.facts, **learnt}) if cell.backend == row else good

    found = answer(name, outcome)
    assert found.verdict is Verdict.UNDECIDED
    assert any("decides nothing: " in line and why in line for line in found.figures)


def test_a_word2vec_row_whose_loss_is_above_gensims_decides_nothing():
    def outcome(cell, round):
        good = ok(1.0 if cell.backend == "hogwild" else 2.0, round)
        return replace(good, quality={"loss": 3.0 if cell.backend == "hogwild" else 2.0})

    found = answer("word2vec", outcome)
    assert found.verdict is Verdict.UNDECIDED and "loss 1.000 above gensim's" in found.figures[-1]


def test_a_library_that_is_missing_beside_a_gpu_is_no_missing_gpu():
    missing = Outcome(Status.SKIPPED, "cupy not installed: pip install 'w2v-compare[cuda12]'")
    found = answer("naive-port", lambda cell, round: missing if cell.device == "gpu" else ok(1.0, round))
    assert found.verdict is Verdict.UNDECIDED and missing.reason in found.figures[-1]


@pytest.mark.parametrize(("name", "row"), [("naive-port", "numpy-example"), ("small-on-cpu", "keras-cpu")])
def test_a_claim_whose_cpu_row_failed_needs_more_than_a_gpu(name, row):
    def outcome(cell, round):
        if cell.device == "gpu":
            return NO_GPU
        return Outcome(Status.FAILED, "out of memory") if cell.backend == row else ok(1.0, round)

    found = answer(name, outcome)
    assert found.verdict is Verdict.UNDECIDED
    assert f"{row} hidden=128 batch=32 failed: out of memory (4 runs)" in found.figures


def test_a_row_that_was_not_run_decides_nothing():
    results = Results(Plan(CLAIM["naive-port"].cells(AT), 1, 1), {})
    found = CLAIM["naive-port"].judge(results, AT)
    assert found.verdict is Verdict.UNDECIDED and found.figures[0] == "numpy-example hidden=128 batch=32 not run"


def test_command_plans_the_cells_of_the_claims_that_are_asked_for():
    result = CliRunner().invoke(main, ["claims", "--only", "batches", "--dry-run", "--repeats", "1"])
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stdout.splitlines() if ": 1 run" in line]
    assert sorted(line.split()[0] for line in lines) == ["numpy"] * 2 + ["products"] * 2 + ["reference"] * 2
    assert CliRunner().invoke(main, ["claims", "--only", "batch"]).exit_code == 2


def test_command_tells_of_failed_runs_once_those_of_no_claims_row_too(monkeypatch):
    def execute(run, timeout):
        failed = run.cell.backend in (REFERENCE, "numpy-example")
        return Outcome(Status.FAILED, "out of memory") if failed else NO_GPU

    monkeypatch.setattr("compare.conduct.execute", execute)
    told = CliRunner().invoke(main, ["claims", "--only", "naive-port", "--repeats", "1"]).stdout.splitlines()
    failed = [line.split()[0] for line in told if line.endswith("hidden=128 batch=32 failed: out of memory")]
    assert failed == ["numpy-example", REFERENCE]


def test_command_answers_in_words_and_in_json_and_its_result_tells_the_same(monkeypatch, tmp_path):
    def execute(run, timeout):
        return NO_GPU if run.cell.device == "gpu" else ok(1.0, run.round)

    monkeypatch.setattr("compare.conduct.execute", execute)
    out, page = str(tmp_path / "claims.json"), tmp_path / "claims.html"
    told = CliRunner().invoke(main, ["claims", "--only", "naive-port", "--out", out]).stdout
    assert CliRunner().invoke(main, ["report", out]).stdout == told
    assert CliRunner().invoke(main, ["report", out, "--out", str(page)]).exit_code == 0
    html = page.read_text(encoding="utf-8")
    assert "<dt>A naive CuPy port is slower than NumPy</dt><dd>needs a GPU<ul><li>numpy-example" in html
    assert "can&#39;t win" not in html
    assert "A naive CuPy port is slower than NumPy: needs a GPU" in told
    assert told.splitlines()[-1] == "Verdict: needs a GPU: 1."
    found = json.loads(CliRunner().invoke(main, ["claims", "--only", "naive-port", "--json"]).stdout)
    assert found["claims"]["naive-port"]["verdict"] == "needs a GPU"
    assert found["claims"]["naive-port"]["figures"][0].startswith("numpy-example hidden=128 batch=32: 1.01 s")
