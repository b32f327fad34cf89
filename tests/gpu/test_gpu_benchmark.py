"""The benchmark's dry run goes through every row, and says of each what came of it; what it keeps is found again."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from compare import profile, store
from compare.profile import Ceiling, Profile
from w2v.trainers import cuda

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "gpu.py"


def run(*options):
    command = [sys.executable, "-W", "ignore", str(BENCHMARK), *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    out = tmp_path_factory.mktemp("benchmark")
    result = run("--dry-run", "--name", "tiny", "--out", out)
    assert result.returncode == 0, result.stderr
    return out


@pytest.fixture(scope="module")
def report(out):
    return json.loads((out / "results" / "tiny" / "gpu" / "rows.json").read_text())


def test_rows_on_the_cpu_have_figures(report):
    cpu = [row for row in report["rows"] if row["device"] == "cpu"]
    assert {row["kind"] for row in cpu} == {"profile", "quality", "w2v", "mnist"}
    assert {row["status"] for row in cpu} == {"ok"}, cpu
    assert all(row["seconds"] > 0 for row in cpu if row["kind"] != "profile")


def test_rows_on_the_gpu_have_figures_or_the_reason(report):
    gpu = [row for row in report["rows"] if row["device"] == "gpu"]
    assert {row["kind"] for row in gpu} == {"quality", "w2v", "mnist"}
    mnist = {row["backend"] for row in gpu if row["kind"] == "mnist"}
    assert mnist == {"cupy-example", "cupy", "cupy-graph", "jax-gpu", "keras-gpu", "keras-gpu-jit"}
    for row in gpu:
        assert row["status"] == "ok" or row["reason"], row


def test_what_it_was_measured_on_is_told(report):
    assert report["dry_run"] is True
    assert report["machine"]["cpu"]


def test_the_profile_is_where_profiles_ship_from_and_the_grid_is_a_result_of_compare(out, monkeypatch):
    monkeypatch.setattr(profile, "SHIPPED", out / "compare" / "profiles")
    assert profile.named("tiny").value("call") > 0
    (grid,) = store.load(out / "results" / "tiny" / "mnist-batch.json")
    assert {cell.backend for cell in grid.plan.cells} >= {"numpy", "keras-gpu"}


def test_when_time_is_up_what_was_measured_is_kept_and_the_rest_says_why(tmp_path):
    result = run("--dry-run", "--name", "tiny", "--out", tmp_path, "--minutes", 0)
    assert result.returncode == 0, result.stderr
    rows = json.loads((tmp_path / "results" / "tiny" / "gpu" / "rows.json").read_text())["rows"]
    assert rows[-1]["status"] == "skipped" and rows[-1]["reason"] == "not done after 0 minutes"


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--dry-run"], "--dry-run needs --out DIR"), (["--dry-run", "--out", ".", "txet8"], "did you mean text8?")],
)
def test_what_can_not_be_done_is_refused_at_once(options, message):
    result = run(*options)
    assert result.returncode == 2
    assert message in result.stderr


@pytest.fixture
def benchmark_on_the_emulator(monkeypatch, emulate):
    spec = importlib.util.spec_from_file_location("gpu_benchmark", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(cuda, "CupyDevice", lambda number=None: emulate())
    return module


def test_a_row_of_word2vec_on_the_device_has_its_share_of_the_measured_bandwidth(benchmark_on_the_emulator, tmp_path):
    copy = Ceiling("copy", "B/s", 1e9, "gpu")
    profile.save(Profile("emulator", {}, [copy]), tmp_path / "profile.json")
    row = benchmark_on_the_emulator.speed(
        "cupy", tmp_path / "profile.json", dim=10, vocabulary=50, negative=2, words=300, epochs=1
    )
    assert row["row_bytes_per_second"] == pytest.approx(row["kept_words_per_second"] * 2 * 4 * 4 * 10)
    assert row["share_of_bandwidth"] == pytest.approx(row["row_bytes_per_second"] / 1e9)


def test_quality_is_measured_with_fewer_and_with_more_warps(benchmark_on_the_emulator, monkeypatch, tmp_path):
    most = []
    whole = cuda.Cupy.__init__

    def noted(self, task):
        whole(self, task)
        most.append(self.plan.most_warps())

    monkeypatch.setattr(cuda.Cupy, "__init__", noted)
    (tmp_path / "text").write_text("one two three four " * 50)
    for factor in (0.25, 1, 4):
        benchmark_on_the_emulator.quality(tmp_path / "text", "cupy", epochs=1, min_count=1, warp_factor=factor)
    few, some, many = most
    assert few < some < many
