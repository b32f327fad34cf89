"""The benchmark's dry run goes through every row, and says of each what came of it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "gpu.py"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    out = tmp_path_factory.mktemp("benchmark") / "gpu.json"
    command = [sys.executable, "-W", "ignore", str(BENCHMARK), "--dry-run", "--out", str(out)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return json.loads(out.read_text())


def test_rows_on_the_cpu_have_figures(report):
    cpu = [row for row in report["rows"] if row["device"] == "cpu"]
    assert {row["kind"] for row in cpu} == {"quality", "w2v", "mnist"}
    for row in cpu:
        optional = row["backend"] == "jax-scan" and row["status"] == "failed" and "pip install" in row["reason"]
        assert optional or (row["status"] == "ok" and row["seconds"] > 0), row


def test_rows_on_the_gpu_have_figures_or_the_reason(report):
    gpu = [row for row in report["rows"] if row["device"] == "gpu"]
    assert {row["kind"] for row in gpu} == {"ceiling", "quality", "w2v", "mnist"}
    for row in gpu:
        assert row["status"] == "ok" or row["reason"], row


def test_what_it_was_measured_on_is_told(report):
    assert report["dry_run"] is True
    assert report["machine"]["cpu"]
