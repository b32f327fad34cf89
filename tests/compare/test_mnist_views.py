"""The views of `compare mnist` that take a step or an epoch apart: what they measure, and what they tell of it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from compare import machine, mnist_plans, profile
from compare.cell import Cell, Outcome, Status
from compare.cli import main
from compare.cuda_activity import Activity
from compare.mnist_plans import Asked
from compare.plan import Plan
from compare.profile import Ceiling
from compare.report import mnist_ops, mnist_overhead
from compare.results import Results
from compare.workloads import Skip, load, mnist_operations
from mnist import backends, data


@pytest.fixture
def asked():
    options = {"dataset": "MNIST", "learning_rate": 0.1}
    return Asked((32,), ("numpy", "jax"), ((128,),), "float32", epochs=2, threads=1, options=options, files={})


@pytest.fixture
def shown(capsys):
    """What a view prints of cells, whose outcomes `outcome` makes."""

    def render(view, cells, outcome) -> str:
        results = Results(Plan(cells, rounds=2, seed=1), machine.describe())
        for run in results.plan.runs():
            results.add(run, outcome(run.cell))
        view(results)
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= 80
        return " ".join(" ".join(lines).split())

    return render


def ok(seconds: float, **facts: object) -> Outcome:
    return Outcome(Status.OK, phases={"steady": seconds}, samples=(seconds,), quality={"loss": 1.0}, facts=facts)


def taken_apart(cell: Cell) -> Outcome:
    if cell.workload == "mnist":
        return ok(0.15)
    if cell.device == "gpu":
        return Outcome(Status.SKIPPED, "needs an NVIDIA GPU")
    parts = {"Z1 = X W1 + b1": 40.0, "update": 20.0, mnist_operations.TOGETHER: 55.0}
    compiled = {} if cell.backend == "numpy" else {mnist_operations.COMPILED: 30.0}
    return ok(1.0, microseconds={**parts, **compiled, mnist_operations.PRODUCT: 35.0})


def test_a_step_taken_apart_has_the_sum_of_its_parts_beside_the_whole(shown, asked):
    told = shown(mnist_ops.show, mnist_plans.operations(asked), taken_apart)
    assert "784-128-10, batch 32: µs of one step" in told
    assert "Z1 = X W1 + b1 40 40 40 update 20 20 20" in told
    assert "sum of the operations 60 60 60 all, waited for once 55 55 55 all, compiled - 30 30" in told
    assert "X W1 alone 35 35 35" in told
    assert "In an epoch, fetching the batch included: jax-scan 100" in told
    assert "tensorflow-gpu, jax-gpu and cupy skipped: needs an NVIDIA GPU" in told
    assert told.endswith("one by one take 2.00 times as long in tensorflow and 2.00 times as long in jax.")


def test_every_shape_that_was_taken_apart_is_in_the_verdict_by_its_name(shown, asked):
    def by_batch(cell: Cell) -> Outcome:
        outcome = taken_apart(cell)
        if cell.backend != "jax" or cell.shape["batch"] == 32:
            return outcome
        faster = {**outcome.facts["microseconds"], mnist_operations.COMPILED: 15.0}
        return replace(outcome, facts={"microseconds": faster})

    told = shown(mnist_ops.show, mnist_plans.operations(replace(asked, batch_sizes=(32, 64))), by_batch)
    assert told.endswith(
        "at batch 32 2.00 times as long in tensorflow and 2.00 times as long in jax; "
        "at batch 64 2.00 times as long in tensorflow and 4.00 times as long in jax."
    )


def epoch_and_parts(cell: Cell) -> Outcome:
    if cell.workload == "mnist-parts":
        return ok({"products": 0.050, "gather": 0.010}[cell.backend])
    return ok(0.020 if "examples" in cell.options else 0.100)


def test_an_epoch_is_split_into_arithmetic_fetching_framework_and_the_rest(shown, asked):
    told = shown(mnist_overhead.show, mnist_plans.overhead(asked), epoch_and_parts)
    assert "784-128-10, batch 32: ms of an epoch of 1,500 steps" in told
    assert "numpy 100.0 50.0 10.0 20.0 20.0 50% jax 100.0 50.0 10.0 20.0 20.0 50%" in told
    assert "GPU: launches, transfers, how busy it was and CUDA's calls skipped: needs an NVIDIA GPU" in told


def test_the_least_and_the_most_arithmetic_are_those_of_all_networks(shown, asked):
    def by_network(cell: Cell) -> Outcome:
        small = cell.workload == "mnist-parts" and cell.backend == "products" and cell.shape["hidden"] == [16]
        return ok(0.005) if small else epoch_and_parts(cell)

    one = replace(asked, backends=("numpy",))
    told = shown(mnist_overhead.show, mnist_plans.overhead(replace(one, networks=((16,), (128,)))), by_network)
    assert told.endswith(
        "arithmetic is 5% of an epoch of numpy at 784-16-10 batch 32 "
        "and 50% of an epoch of numpy at 784-128-10 batch 32."
    )
    alone = shown(mnist_overhead.show, mnist_plans.overhead(one), epoch_and_parts)
    assert alone.endswith("Verdict: arithmetic is 50% of an epoch of numpy at batch 32.")


def on_a_gpu(cell: Cell) -> Outcome:
    if cell.workload != "mnist-activity":
        return epoch_and_parts(replace(cell, backend=cell.backend.removesuffix("-gpu")))
    calls = {"cuLaunchKernel": (30_000, 0.06), "cudaMemcpyAsync": (1_500, 0.015)}
    if cell.backend == "cupy-graph":
        calls = {"cudaGraphLaunch": (1_500, 0.01)}
    return ok(0.2, activity=Activity(0.2, 10_500, 0.040, 3, 10**6, 0.0005, calls).to_json())


def test_rows_on_a_gpu_have_launches_their_cost_how_busy_it_was_and_the_calls_of_cuda(shown, asked, monkeypatch):
    monkeypatch.setattr(backends, "unavailable", lambda name: None)
    costs = {"stream": 2e-6, "graph": 1e-6}
    ceilings = [Ceiling("launch", "s", cost, "gpu", 1, {"mode": mode}) for mode, cost in costs.items()]
    ceilings.append(Ceiling("sgemm", "flop/s", 40e12, "gpu", 1, {"dtype": "float32"}))
    monkeypatch.setattr(profile, "of_machine", lambda facts: profile.Profile("a machine", {}, ceilings, "2026-01-31"))
    told = shown(
        mnist_overhead.show, mnist_plans.overhead(replace(asked, backends=("cupy", "cupy-graph", "numpy"))), on_a_gpu
    )
    assert "cupy 100.0 50.0 10.0 20.0 20.0 50%" in told
    assert "cupy, 784-128-10, 32 7.0 20.0 60.0 40% 0.5 0.49%" in told
    assert "cupy-graph, 784-128-10, 32 7.0 1.0 10.5 40% 0.5 0.49%" in told
    assert "ceilings a machine, 2026-01-31" in told
    assert "CUDA in an epoch of cupy, 784-128-10, 32 calls total ms mean µs" in told
    assert "cuLaunchKernel 30,000 60.00 2.00 cudaMemcpyAsync 1,500 15.00 10.00" in told


def test_a_row_on_a_gpu_without_cupti_says_why_it_has_no_launches(shown, asked, monkeypatch):
    monkeypatch.setattr(backends, "unavailable", lambda name: None)
    monkeypatch.setattr(profile, "of_machine", lambda facts: None)

    def without_cupti(cell: Cell) -> Outcome:
        missing = Outcome(Status.SKIPPED, "CUPTI's Python interface not installed")
        return missing if cell.workload == "mnist-activity" else on_a_gpu(cell)

    told = shown(mnist_overhead.show, mnist_plans.overhead(replace(asked, backends=("cupy",))), without_cupti)
    assert "cupy, 784-128-10, 32 - - - - - -" in told
    assert "ceilings this machine was not measured yet: run `compare machine`" in told
    assert "cupy skipped: CUPTI's Python interface not installed" in told


def test_the_framework_is_measured_by_as_many_steps_with_next_to_nothing_to_compute(asked):
    cell = asked.cell("numpy", {"hidden": [128, 64], "batch": 32})
    empty = mnist_plans.empty_steps(cell)
    assert empty.shape == {"hidden": [1, 1], "batch": 1} and empty.options["examples"] == 1500
    assert (empty.backend, empty.threads, empty.samples) == (cell.backend, cell.threads, cell.samples)


def test_a_plan_knows_how_long_each_of_its_cells_may_take(asked):
    sweep = Cell("sweep", "loop-numpy", shape={"hidden": [8]}, options={"epochs": 1, "configurations": [[32, 1, 0.1]]})
    cells = [*mnist_plans.operations(asked), *mnist_plans.overhead(asked), sweep]
    guesses = [load(cell.workload).expected_seconds(cell) for cell in cells]
    assert all(guess is not None and 3 < guess < 60 for guess in guesses)


def test_a_row_that_cannot_run_here_is_planned_once(asked, monkeypatch):
    monkeypatch.setattr(backends, "unavailable", lambda name: "not installed" if name == "jax" else None)
    cells = mnist_plans.grid(Asked((32, 64), *list(vars(asked).values())[1:]))
    assert [(cell.backend, cell.shape["batch"]) for cell in cells] == [
        ("numpy", 32),
        ("jax", 32),
        ("numpy", 64),
        ("reference", 32),
        ("reference", 64),
    ]


def test_a_step_on_a_gpu_that_tensorflow_does_not_see_is_no_step_on_the_processor(monkeypatch):
    sees_none = SimpleNamespace(list_physical_devices=lambda kind: [])
    monkeypatch.setitem(sys.modules, "tensorflow", SimpleNamespace(config=sees_none))
    trial = load("mnist-operations")(Cell("mnist-operations", "tensorflow-gpu", "gpu"), seed=1)
    with pytest.raises(Skip, match="TensorFlow sees no GPU"):
        trial.load()


@pytest.fixture
def offline(monkeypatch):
    def unreachable(folder, progressbar):
        raise ConnectionError("example.org: ConnectTimeout")

    monkeypatch.setattr(data, "download", unreachable)


@pytest.mark.parametrize(("flag", "first"), [("--ops", "numpy"), ("--overhead --backends numpy", "numpy")])
def test_the_views_are_measured_from_end_to_end(offline, monkeypatch, tmp_path, flag, first):
    monkeypatch.setattr(mnist_operations.Trial, "backends", ("numpy",))
    monkeypatch.setattr(mnist_plans, "WHOLE_STEPS", ())
    monkeypatch.setattr(mnist_plans, "STEPS", 3)
    out = tmp_path / "result.json"
    options = f"{flag} --batch-sizes 8000 --epochs 1 --repeats 1 --hidden 8"
    result = CliRunner().invoke(main, ["mnist", *options.split(), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "784-8-10, batch 8,000" in result.stdout
    cells = json.loads(out.read_text())["cells"]
    assert cells[0]["backend"] == first
    assert {run["status"] for cell in cells for run in cell["runs"]} == {"ok"}


def test_every_row_of_the_operations_view_names_a_backend_whose_needs_it_shares():
    assert {backend for _, backend in mnist_operations.ROWS.values()} <= set(backends.BACKENDS)
