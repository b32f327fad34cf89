"""What the benchmarks make of what they measured."""

import pytest
from click.testing import CliRunner

from benchmarks import stages, train
from compare.cell import Outcome, Status


@pytest.mark.parametrize(
    ("functions", "stage"),
    [
        (["merge_row(float*, float*, float*, unsigned long, float)", "Worker::train()"], "merging"),
        (["HotRows::merge_rows(int, int, float)"], "merging"),
        (["HotRows::share_of(float) const"], "merging"),
        (["std::min<float>(float, float)", "(anonymous namespace)::dot_row(float const*)"], "dot products"),
        (["void hogwild::update_many<4>(float*)", "train_chunk()"], "updates"),
        (["??"], "rest"),
    ],
)
def test_a_sample_is_given_to_the_innermost_function_of_a_stage(functions, stage):
    assert stages.stage_of(functions, "hogwild") == stage


@pytest.mark.parametrize(("workers", "ratios"), [("2,4", ["", ""]), ("2,1", ["0.50", "1.00"])])
def test_times_one_thread_is_of_one_thread(tmp_path, monkeypatch, workers, ratios):
    text = tmp_path / "text.txt"
    text.write_text("some words of a text\n" * 10)

    def measured(run, timeout):
        return Outcome(Status.OK, phases={"steady": float(run.cell.threads)}, peak_bytes=1)

    monkeypatch.setattr(train, "execute", measured)
    options = [str(text), "--trainers", "hogwild", "--rounds", "1", "--workers", workers]
    result = CliRunner().invoke(train.main, options, catch_exceptions=False)
    rows = [line.split("│") for line in result.output.splitlines() if "hogwild" in line]
    assert [row[5].strip() for row in rows] == ratios
