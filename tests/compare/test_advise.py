"""Advice from made-up calibrations and machines, worked out by hand."""

from __future__ import annotations

import json
import shutil
from dataclasses import astuple, replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_findings import GPU_CEILINGS
from test_work import machine

from compare import calibration, profile, store
from compare.advise import GPU, advise, fastest, on_gpu, pays_from
from compare.calibration import Calibration, calibrate
from compare.cell import Cell, Outcome, Run, Status
from compare.cli import main
from compare.plan import Plan
from compare.prediction import Fit
from compare.results import Results
from compare.work import of_cell
from compare.work.mnist import calls_per_step, mlp
from compare.work.roofline import bound

CPU = machine(memory=1e9)
MADE_UP = Calibration("made up", {"slow": Fit(1000, 2, 0.1), "quick": Fit(10, 2, 0.2)}, unfitted_error=1.0)


def at(batch: int):
    return lambda backend: mlp((784, 128, 10), batch, 48_000, calls_per_step("torch", 2, batch, 48_000))


def test_the_fastest_backend_is_told_with_its_range_and_cost():
    (found,) = advise(at(256), MADE_UP, {"it": CPU}, {"it": 7.2}, {})
    work = at(256)("quick")
    seconds = 10 * 1e-5 * work.steps + 2 * work.flops / 1e9
    assert found.backend == "quick" and found.seconds.estimate == pytest.approx(seconds)
    assert found.seconds.high / found.seconds.low == pytest.approx(2.718281828**0.8)
    assert found.cost.estimate == pytest.approx(seconds * 0.002)
    assert found.limit == "arithmetic" and "matrix products" in found.sentence


def test_small_batches_are_bound_by_what_a_step_costs():
    many = Calibration("made up", {"slow": Fit(10_000, 1, 0.1)}, 1.0)
    (found,) = advise(at(1), many, {"it": CPU}, {}, {})
    assert found.limit == "step" and found.share > 0.9 and found.cost is None
    assert "a larger batch would help" in found.sentence


def test_a_gpu_is_bound_by_launches_and_its_range_is_the_bare_models():
    gpu = machine(*GPU_CEILINGS, memory=1e9)
    processor, device = advise(at(32), MADE_UP, {"it": gpu}, {}, {})
    assert (processor.device, device.device) == ("cpu", "gpu")
    assert device.limit == "launch" and "launches" in device.sentence
    assert device.seconds.high / device.seconds.estimate == pytest.approx(2.718281828**2)


def test_a_gpu_pays_from_the_first_batch_at_which_it_is_faster():
    slow_launches = machine(*(replace(c, value=1e-3) if c.name == "launch" else c for c in GPU_CEILINGS), memory=1e9)
    batches = [2**power for power in range(15)]
    first = pays_from(at, batches, MADE_UP, CPU, slow_launches)
    faster = [
        on_gpu(at(batch)(GPU), MADE_UP, slow_launches).seconds.estimate
        < fastest(at(batch), MADE_UP, CPU).seconds.estimate
        for batch in batches
    ]
    assert first == batches[faster.index(True)] and 1 < first < 1024
    assert at(first)(GPU).calls == 5 * at(first)(GPU).steps


def test_without_a_gpu_nothing_is_said_of_one():
    assert [each.device for each in advise(at(32), MADE_UP, {"it": CPU}, {}, {})] == ["cpu"]


def test_calibration_finds_what_a_backend_costs_but_for_rows_that_can_not_win():
    shapes = [{"batch": batch, "hidden": [128]} for batch in (32, 256, 2048)]
    rows = {"torch": ("float32", 2.0), "numpy": ("float32", 3.0), "reference": ("float64", 2.0)}
    cells = [
        Cell("mnist", name, shape=shape, dtype=dtype, options={"dense": True})
        for shape in shapes
        for name, (dtype, _) in rows.items()
    ]
    results = Results(Plan(cells, 1, 1), {})
    for cell in cells:
        work = of_cell(Cell("mnist", "torch", shape=cell.shape), {})
        seconds = Fit(40, 1.5).seconds(work, bound(work, CPU, "cpu", 1), 1e-5)
        facts, quality = {"step_losses": [rows[cell.backend][1]]}, {"loss": 2.0, "accuracy": 0.5}
        outcome = Outcome(Status.OK, samples=(seconds,), facts=facts, quality=quality)
        results.finished.append((Run(cell, 0, 1), outcome))
    found = calibrate([results], CPU)["mnist"]
    assert set(found.fits) == {"torch"}  # numpy's loss is not the reference's, and that is no contestant
    assert (found.fits["torch"].calls, found.fits["torch"].slack) == pytest.approx((40, 1.5))
    assert found.unfitted_error > 0.4  # the bare model expects 5 calls and no slack


def test_calibration_leaves_out_what_was_trained_on_blank_pixels():
    cells = [Cell("mnist", "native", shape={"batch": batch, "hidden": [128]}) for batch in (32, 256, 2048)]
    results = Results(Plan(cells, 1, 1), {})
    results.finished += [(run, Outcome(Status.OK, samples=(1.0,))) for run in results.plan.runs()]
    assert calibrate([results], CPU) == {}


def test_the_calibration_that_ships_covers_both_workloads():
    for workload in ("mnist", "w2v"):
        shipped = calibration.load()[workload]
        assert shipped.machine in {profile.named(name).name for name in profile.shipped()}
        assert shipped.fits and all(0 <= each.error < 2 for each in shipped.fits.values())


def test_the_calibration_that_ships_is_that_of_the_results_that_ship():
    name = "epyc-zen5-vm-2-cores"
    files = (Path(__file__).parents[2] / "results" / name).glob("*.json")
    found = calibrate([each for path in sorted(files) for each in store.load(path)], profile.named(name))
    for workload, shipped in calibration.load().items():
        assert shipped.unfitted_error == pytest.approx(found[workload].unfitted_error)
        assert set(shipped.fits) == set(found[workload].fits)
        for backend, fitted in shipped.fits.items():
            again = found[workload].fits[backend]
            assert astuple(fitted)[:3] == pytest.approx(astuple(again)[:3], rel=1e-4)


@pytest.fixture
def no_profile(tmp_path, monkeypatch):
    """One profile ships, this machine was not measured, and backends cost what MADE_UP says."""
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    shutil.copy(profile.shipped()["epyc-zen4-vm-2-cores"], shipped)
    monkeypatch.setattr(profile, "SHIPPED", shipped)
    monkeypatch.setattr(calibration, "load", lambda: dict.fromkeys(("mnist", "w2v"), MADE_UP))


def ask(*arguments: str):
    return CliRunner().invoke(main, ("advise", *arguments))


def test_advice_on_a_network_names_what_limits_it_and_what_is_not_known(no_profile):
    result = ask("mlp", "--layers", "784,128,10", "--price", "epyc-zen4-vm-2-cores=0.10")
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    assert "784-128-10, batch 256, 48,000 examples an epoch" in text and "cost an epoch" in text
    assert "the fastest of slow and quick, as fitted on made up" in text
    assert "cost hours of an epoch x the price of an hour" in text and "kernels" not in text
    assert "1 VM, two cores of an AMD EPYC (Zen 4):" in text and "-bound: " in text
    assert "Left out: this machine was not measured yet: run `compare machine`" in text
    assert "Whether a GPU would pay is not said" in text


def test_advice_on_word2vec_as_json(no_profile):
    result = ask("w2v", "--vocabulary", "1000", "--tokens", "100000", "--json")
    (advice,) = json.loads(result.stdout)["advice"]
    assert advice["machine"].startswith("VM") and advice["seconds"]["estimate"] > 0 and advice["sentence"]


def test_a_machine_with_a_gpu_is_compared_with_its_processor(no_profile, tmp_path):
    facts = {"cpu": "made up", "caches": {"L2 Unified": "1K", "L3 Unified": "16K"}}
    profile.save(replace(machine(*GPU_CEILINGS, memory=1e9), facts=facts), tmp_path / "gpu.json")
    result = ask("mlp", "--layers", "784,128,10", "--against", str(tmp_path / "gpu.json"))
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    assert "The GPU of gpu is expected to be faster than the processor of gpu from batch" in text
    assert "kernels a GPU's work by the bare model" in text


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_a_machine_whose_profile_lacks_a_ceiling_is_left_out_in_words(no_profile, tmp_path, device):
    whole = machine(*GPU_CEILINGS, memory=1e9)
    left = [each for each in whole.ceilings if each.name not in ("copy", "update") or each.device != device]
    profile.save(replace(whole, ceilings=left), tmp_path / "laptop.json")
    found = json.loads(ask("mlp", "--layers", "784,128,10", f"--against={tmp_path / 'laptop.json'}", "--json").stdout)
    (other,) = {"cpu", "gpu"} - {device}
    assert [each["device"] for each in found["advice"] if each["machine"] == "laptop"] == [other]
    why = f"Left out: the {device.upper()} of laptop: its profile lacks a ceiling of memory; `compare machine` there"
    assert any(note.startswith(why) for note in found["notes"])
    assert not any("expected to be faster" in note for note in found["notes"])


def test_a_gpu_elsewhere_is_compared_with_the_processor_here(no_profile, tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "load", lambda: {"mnist": Calibration("made up", {"numpy": Fit(9, 2, 0.1)}, 1.0)})
    here = replace(profile.named("epyc-zen4-vm-2-cores"), facts=profile.machine.describe())
    profile.save(here, tmp_path / "machine.json")
    profile.save(machine(*GPU_CEILINGS, memory=1e9), tmp_path / "gpu.json")
    result = ask("mlp", "--layers", "784,128,10", "--against", str(tmp_path / "gpu.json"))
    assert "expected to be faster than the processor of this machine " in " ".join(result.stdout.split())


def test_a_backend_that_is_not_installed_is_not_advised_here(no_profile, tmp_path, monkeypatch):
    fits = {"numpy": Fit(1000, 2, 0.1), "jax-scan": Fit(10, 2, 0.2)}
    monkeypatch.setattr(calibration, "load", lambda: {"mnist": Calibration("made up", fits, 1.0)})
    monkeypatch.setattr("mnist.backends.find_spec", lambda module: None)
    here = profile.named("epyc-zen4-vm-2-cores")
    profile.save(replace(here, facts=profile.machine.describe()), tmp_path / "machine.json")
    result = ask("mlp", "--layers", "784,128,10", "--json")
    found = json.loads(result.stdout)
    assert [each["backend"] for each in found["advice"]] == ["numpy", "jax-scan"]  # here; on the VM that ships
    assert any(note.startswith("Not considered here: jax-scan: jax not installed") for note in found["notes"])


def test_a_profile_that_ships_for_a_machine_like_this_is_that_of_this_machine(no_profile, monkeypatch):
    monkeypatch.setattr(calibration, "load", lambda: {"mnist": Calibration("made up", {"numpy": Fit(9, 2, 0.1)}, 1.0)})
    facts = profile.machine.describe()
    like = replace(profile.named("epyc-zen4-vm-2-cores"), name="a twin", measured="today", facts=facts)
    profile.save(like, profile.SHIPPED / "twin.json")
    found = json.loads(ask("mlp", "--layers", "784,128,10", "--price", "here=3", "--json").stdout)
    (here,) = [each for each in found["advice"] if each["machine"] == "this machine"]
    assert here["cost"] and "This machine's ceilings are those of a like one: a twin, today" in found["notes"]
    assert not any("not measured" in note for note in found["notes"] if note.startswith("Left out"))


@pytest.fixture
def measured_here(no_profile):
    """This machine, as `compare machine --out` writes it elsewhere too: both are called "this machine"."""
    here = replace(profile.named("epyc-zen4-vm-2-cores"), name="this machine", facts=profile.machine.describe())
    profile.save(here, profile.HERE)
    return here


def test_a_machine_given_by_a_file_is_called_as_the_file_is(measured_here, tmp_path, monkeypatch):
    fits = {"numpy": Fit(1000, 2, 0.1), "jax-scan": Fit(10, 2, 0.2)}
    monkeypatch.setattr(calibration, "load", lambda: {"mnist": Calibration("made up", fits, 1.0)})
    monkeypatch.setattr("mnist.backends.find_spec", lambda module: None)
    for name in ("laptop", "server"):
        profile.save(replace(measured_here, measured=name), tmp_path / f"{name}.json")
    files = [f"--against={tmp_path / name}.json" for name in ("laptop", "server")]
    result = ask("mlp", "--layers", "784,128,10", *files, "--price", "here=3", "--price", "server=7", "--json")
    found = {each["machine"]: each for each in json.loads(result.stdout)["advice"]}
    assert {name: each["backend"] for name, each in found.items() if not name.startswith("VM")} == {
        "this machine": "numpy",
        "laptop": "jax-scan",
        "server": "jax-scan",
    }
    assert found["this machine"]["cost"] and found["server"]["cost"] and found["laptop"]["cost"] is None


def test_ceilings_that_may_be_too_low_are_told(measured_here, monkeypatch):
    monkeypatch.setattr(calibration, "load", lambda: {"mnist": Calibration("made up", {"numpy": Fit(9, 2, 0.1)}, 1.0)})
    profile.save(replace(measured_here, disturbed="other work took 0.9 of 2 cores"), profile.HERE)
    notes = json.loads(ask("mlp", "--layers", "784,128,10", "--json").stdout)["notes"]
    when = f"this machine, {measured_here.measured}"
    assert f"Ceilings of {when}, while other work took 0.9 of 2 cores: they may be too low" in notes


@pytest.mark.parametrize("name", ["laptop", "here", "this machine", "epyc-zen4-vm-2-cores"])
def test_two_machines_of_one_name_are_refused(measured_here, tmp_path, name):
    (tmp_path / "other").mkdir()
    profile.save(measured_here, tmp_path / "laptop.json")
    profile.save(replace(measured_here, measured="another day"), tmp_path / "other" / f"{name}.json")
    files = [f"--against={tmp_path / path}.json" for path in ("laptop", f"other/{name}")]
    result = ask("mlp", "--layers", "784,128,10", *files)
    assert result.exit_code == 2
    assert f"two machines would be called {name!r}, as that file is: rename it" in " ".join(result.output.split())


def test_a_profile_that_ships_may_be_given_too(no_profile):
    result = ask("mlp", "--layers", "784,128,10", "--against", "epyc-zen4-vm-2-cores", "--json")
    assert len(json.loads(result.stdout)["advice"]) == 1


@pytest.mark.parametrize(("layers", "considered"), [("784,64,64,10", True), ("783,128,10", False), ("784,9", False)])
def test_native_is_advised_for_what_it_can_train_alone(no_profile, monkeypatch, layers, considered):
    fits = {"numpy": Fit(1000, 2, 0.1), "native": Fit(10, 1, 0.1)}
    monkeypatch.setattr(calibration, "load", lambda: {"mnist": Calibration("made up", fits, 1.0)})
    found = json.loads(ask("mlp", "--layers", layers, "--json").stdout)
    assert [each["backend"] for each in found["advice"]] == ["native" if considered else "numpy"]
    why = "Not considered: native: takes 784 inputs and 10 classes alone"
    assert (why in found["notes"]) is not considered


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mlp",), "give the shape by --layers, or by --model"),
        (("mlp", "--layers", "784"), "'784': give inputs, hidden layers and outputs, as 784,128,10"),
        (("mlp", "--layers", "784,0"), "0 is not in the range 1 to 1,000,000,000,000"),
        (("mlp", "--model", "missing.keras"), "there is no file missing.keras"),
        (("mlp", "--layers", "8,2", "--price", "epyc=1"), "unknown machine 'epyc': known are epyc-zen4-vm-2-cores"),
        (
            ("mlp", "--layers", "8,2", "--price", "here=1"),
            "not measured yet: run `compare machine` first",
        ),
        (("mlp", "--layers", "8,2", "--price", "7"), "'7' is no price: give here=0.20"),
        (("mlp", "--layers", "8,2", "--price", "here=abc"), "'abc' is not a valid number"),
        (("mlp", "--layers", "8,2", "--price", "here=nan"), "'nan' is not a finite number"),
        (("mlp", "--layers", "8,2", "--against", "h200"), "unknown profile 'h200'"),
        (("w2v", "--vocabulary", "10", "--tokens", "9"), "9 tokens can't hold 10 different words"),
    ],
)
def test_bad_input_is_refused_at_once_with_the_cure(no_profile, arguments, message):
    result = ask(*arguments)
    assert result.exit_code == 2 and message in " ".join(result.output.split())


@pytest.mark.parametrize("arguments", [(), ("mlp",), ("w2v",)])
def test_help_teaches_with_an_example(arguments):
    result = ask(*arguments, "--help")
    assert result.exit_code == 0 and f"compare advise {' '.join(arguments)}".strip() in result.output
