from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from compare.cell import Cell, Outcome, Status
from compare.cli import main
from compare.plan import Plan
from compare.results import Results

FAST, SLOW, WILD = (1.0, 1.01, 0.99, 1.0), (1.2, 1.21, 1.19, 1.2), (0.7, 1.6, 0.9, 1.2)


@pytest.fixture
def stored(tmp_path: Path):
    """A result file of backends and their seconds by round."""

    def write(name: str, cpu: str = "A", **seconds: tuple[float, ...]) -> str:
        cells = [Cell("w2v", backend, files={"corpus": f"/tmp/{name}"}) for backend in seconds]
        results = Results(Plan(cells, 4, 1), {"cpu": cpu}, tmp_path / name)
        for run in results.plan.runs():
            value = next(iter(seconds[run.cell.backend][run.round :]), None)
            good = Outcome(Status.OK, samples=(value,), phases={"steady": value}) if value else None
            results.add(run, good or Outcome(Status.TIMEOUT, "still running"))
        return str(results.path)

    return write


def compare(*arguments: str):
    return CliRunner().invoke(main, arguments)


def test_a_row_that_is_slower_beyond_noise_is_exit_code_1(stored):
    before, after = stored("1", a=FAST, b=SLOW, c=FAST), stored("2", a=SLOW, b=FAST, c=WILD)
    result = compare("diff", before, after)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "Verdict: 1 slower, 1 faster, 1 within noise."
    rows = {line.split()[0]: line for line in result.stdout.splitlines() if line[:2] in ("a ", "b ", "c ")}
    assert rows["a"].endswith("slower") and rows["b"].endswith("faster") and rows["c"].endswith("within noise")


def test_a_long_name_folds_and_no_figure_is_cut(tmp_path):
    shape = {"hidden": [128, 128], "batch": 4096}
    results = Results(Plan([Cell("mnist", "native-bf16", shape=shape)], 3, 1), {"cpu": "A"}, tmp_path / "1.json")
    for run in results.plan.runs():
        results.add(run, Outcome(Status.OK, samples=(0.088725 * (1 + run.round),)))
    told = compare("diff", str(results.path), str(results.path)).stdout
    assert " ".join(told.split()).count("0.1774") == 2 and "\N{HORIZONTAL ELLIPSIS}" not in told
    assert "native-bf16" in told and "batch=4096" in told and "within noise" in told


def test_faster_or_equal_is_exit_code_0_and_json_says_how_much(stored):
    result = compare("diff", stored("1", a=SLOW, b=WILD), stored("2", a=FAST, b=FAST), "--json")
    assert result.exit_code == 0
    a, b = json.loads(result.stdout)
    assert (a["verdict"], b["verdict"]) == ("faster", "within noise")
    assert a["before"] == 1.2 and a["ratio"]["estimate"] == pytest.approx(1.2, rel=1e-3)


def test_rows_with_too_few_repeats_for_an_interval_are_not_said_to_be_within_noise(stored):
    result = compare("diff", stored("1", a=FAST, b=FAST, c=FAST[:1]), stored("2", a=FAST, b=SLOW[:2], c=SLOW[:1]))
    assert result.exit_code == 0
    rows = {line.split()[0]: line for line in result.stdout.splitlines() if line[:2] in ("a ", "b ", "c ")}
    assert rows["b"].endswith("too few repeats") and rows["c"].endswith("too few repeats")
    assert " ".join(result.stdout.split()).endswith(
        "Verdict: 0 slower, 0 faster, 1 within noise, 2 with too few repeats to tell (3 at least, in both files)."
    )


def test_other_experiments_are_refused(stored):
    result = compare("diff", stored("1", a=FAST), stored("2", b=FAST))
    assert result.exit_code == 2 and "no measured row in common" in " ".join(result.output.split())


@pytest.mark.parametrize("command", ["report", "machine"])
def test_what_is_made_anew_takes_no_result_file_s_place(stored, command):
    result_file = stored("1", a=FAST)
    before = Path(result_file).read_bytes()
    refused = compare(command, *([result_file] if command == "report" else ["--quick"]), "--out", result_file)
    assert refused.exit_code == 2 and "holds results, which would be lost" in " ".join(refused.output.split())
    assert Path(result_file).read_bytes() == before


def test_results_of_another_version_are_results_too(stored, tmp_path):
    later = tmp_path / "later.json"
    later.write_text('{"schema": "compare/2"}')
    refused = compare("report", stored("1", a=FAST), "--out", str(later))
    assert refused.exit_code == 2 and "holds results, which would be lost" in " ".join(refused.output.split())
    assert later.read_text() == '{"schema": "compare/2"}'


def test_merge_puts_files_together_and_refuses_what_is_no_result(stored, tmp_path):
    out = str(tmp_path / "all.json")
    result = compare("merge", stored("1", a=FAST), stored("2", b=FAST), "--out", out, "--json")
    assert json.loads(result.stdout) == {"out": out, "results": 2}
    assert compare("diff", out, out).exit_code == 0
    (tmp_path / "bad").write_text("{")
    refused = compare("merge", str(tmp_path / "bad"), "--out", str(tmp_path / "new.json"))
    assert refused.exit_code == 2 and "truncated" in refused.output
    assert f"{out} exists" in compare("merge", out, "--out", out).output


def test_a_row_that_has_no_figures_any_more_is_told_and_exit_code_1(stored):
    files = stored("1", a=FAST, b=FAST), stored("2", a=FAST, b=())
    result = compare("diff", *files)
    assert result.exit_code == 1
    assert next(line for line in result.stdout.splitlines() if line.startswith("b ")).endswith("timeout")
    assert result.stdout.splitlines()[-1] == "Verdict: 0 slower, 0 faster, 1 within noise, 1 without figures now."
    lost = json.loads(compare("diff", *files, "--json").stdout)[1]
    assert (lost["verdict"], lost["after"], lost["ending"]) == ("lost", None, "timeout")
    assert compare("diff", *reversed(files)).exit_code == 0


def test_results_of_different_machines_are_not_compared(stored):
    result = compare("diff", stored("1", a=FAST), stored("2", cpu="B", a=SLOW))
    assert result.exit_code == 2 and "of different machines (other cpu)" in " ".join(result.output.split())


def test_collections_are_compared_machine_by_machine(stored, tmp_path):
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    compare("merge", stored("1", a=FAST), stored("2", cpu="B", a=SLOW), "--out", old)
    compare("merge", stored("3", cpu="B", a=SLOW), stored("4", a=SLOW), "--out", new)
    found = {each["label"]: each["verdict"] for each in json.loads(compare("diff", old, new, "--json").stdout)}
    assert found == {"a on A": "slower", "a on B": "within noise"}
