from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_findings import GPU_CEILINGS
from test_work import machine

from compare.cell import Cell, Outcome, Status
from compare.cli import main
from compare.plan import Plan
from compare.report.figures.roofline import roofline
from compare.report.naming import Naming
from compare.report.page import page
from compare.results import Results

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SECONDS = {"quick": {8: 1.0, 64: 1.0}, "steady": {8: 3.0, 64: 0.3}, "slow": {8: 30.0, 64: 30.0}}
MACHINE = {"cpu": "A <b>processor</b>", "cores_usable": 2, "caches": {}, "blas": [{"version": "1"}], "governor": None}


def results(batches: tuple[int, ...] = (8, 64), threads: tuple[int, ...] = (1, 2), rounds: int = 4) -> Results:
    cells = [
        Cell("fake_workload", name, shape={"batch": batch}, threads=count, samples=2)
        for name in SECONDS
        for batch in batches
        for count in threads
    ]
    found = Results(Plan(cells, rounds, 1), MACHINE, command="compare fake", started="2026-01-01T00:00:00+00:00")
    for run in found.plan.runs():
        if run.cell.backend == "slow" and run.cell.shape["batch"] == 8:
            found.add(run, Outcome(Status.FAILED, "out of <memory>"))
            continue
        value = SECONDS[run.cell.backend][run.cell.shape["batch"]] / run.cell.threads * (1 + run.round / 100)
        found.add(
            run,
            Outcome(
                Status.OK,
                phases={"import": 0.5, "prepare": 0.1, "compile": 0.2, "steady": 2 * value},
                samples=(value, value),
                seconds=2 * value + 1,
                quality={"loss": 0.5},
                facts={"losses": [1.0, 0.5]},
            ),
        )
    return found


def sections(html: str) -> dict[str, str]:
    """The page by its h3 headings; what stands before them under ""."""
    pieces = re.split(r"<h3>(.*?)</h3>", html)
    return {"": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


def test_each_device_stands_under_a_roof_of_its_own():
    shape = {"batch": 32, "hidden": [128]}
    cells = [Cell("mnist", name, device, shape) for name, device in (("numpy", "cpu"), ("cupy", "gpu"))]
    found = Results(Plan(cells, 3, 1), MACHINE, known=machine(*GPU_CEILINGS))
    for run in found.plan.runs():
        found.add(run, Outcome(Status.OK, samples=(1.0,)))
    plots = roofline(found, Naming(cells), {"numpy": 0, "cupy": 1}).plots
    assert {plot.title: [line.name for line in plot.lines] for plot in plots} == {
        "Roofline of the CPU": ["memory 0 GB/s, then sgemm 1 GFLOP/s", "numpy"],
        "Roofline of the GPU": ["memory 1000 GB/s, then sgemm 10000 GFLOP/s", "cupy"],
    }


@pytest.mark.parametrize(("seconds", "beyond"), [(1e6, False), (1e-9, True)])
def test_a_share_beyond_the_ceiling_is_explained(seconds, beyond):
    cell = Cell("mnist", "numpy", shape={"batch": 32, "hidden": [128]})
    found = Results(Plan([cell], 1, 1), MACHINE, known=machine())
    found.add(next(found.plan.runs()), Outcome(Status.OK, samples=(seconds,)))
    assert ("over 100%: by less work" in roofline(found, Naming([cell]), {"numpy": 0}).note) is beyond


def test_verdicts_come_first_with_ratio_and_interval():
    top = sections(page([results()]))[""]
    assert "quick (threads 2) wins, 3.00 (" in top and "steady (threads 2) wins, 3.33 (" in top


def test_every_chart_has_its_table():
    found = sections(page([results()]))
    charts = [title for title, text in found.items() if "<figure>" in text or 'class="bar"' in text]
    expected = ["Where the time goes", "Where the winner changes", "What was learnt in that time", "Thread scaling"]
    assert charts == expected and all("<table>" in found[title] for title in charts)
    assert "quick to steady" in found["Where the winner changes"]


def test_failures_are_shown_and_names_are_no_markup():
    html = page([results()])
    assert "failed: out of &lt;memory&gt;" in html and "A &lt;b&gt;processor&lt;/b&gt;" in html


def test_what_a_result_lacks_is_said_with_the_cure():
    found = sections(page([results(batches=(64,), threads=(2,))]))
    assert "Only one shape was measured" in found["Where the winner changes"]
    assert "Only one number of threads was measured" in found["Thread scaling"]
    assert "ceilings were not measured: compare machine" in found["Share of the machine&#39;s ceilings"]


def test_a_result_in_which_nothing_finished_has_a_page():
    nothing = Results(Plan([Cell("w2v", "a")], 1, 1), MACHINE)
    assert "nothing finished that could be compared" in page([nothing])


def test_raw_data_is_the_result_itself():
    found = results()
    (data,) = re.findall(r'download="result-1.json.gz" href="data:application/gzip;base64,(.*?)"', page([found]))
    assert json.loads(gzip.decompress(base64.b64decode(data))) == json.loads(json.dumps(found.to_json()))


def test_a_page_of_ten_results_stays_under_2_mb():
    assert len(page([results()] * 10)) < 2e6


def test_a_page_needs_nothing_from_elsewhere_and_is_small():
    html = page([results(), results()])
    assert re.findall(r'(?:src|href)="(?!data:)|url\(|@import|<script', html) == []
    assert len(html) < 2e6


def test_a_cell_is_shaded_by_its_distance_from_the_best_of_its_column():
    grid = sections(page([results(threads=(1,))]))["Every row at every shape"]
    shades = re.findall(r'class="h(\d)">(\S+)', grid)
    assert shades == [("0", "1.02"), ("3", "1.02"), ("3", "3.04"), ("0", "0.304"), ("9", "30.5")]


def test_command_writes_a_page_and_tells_verdicts(tmp_path):
    found, out = results(), tmp_path / "report.html"
    source = tmp_path / "result.json"
    source.write_text(json.dumps(found.to_json()))
    written = CliRunner().invoke(main, ["report", str(source), "--out", str(out)])
    assert written.exit_code == 0 and written.stdout.startswith(f"{out}: 1 result, ")
    told = CliRunner().invoke(main, ["report", str(source), "--json"])
    (conclusions,) = json.loads(told.stdout)
    assert conclusions["verdicts"]["batch 64"].startswith("steady (threads 2) wins, 3.33 (")
    shown = CliRunner().invoke(main, ["report", str(source)])
    assert "Verdict: batch 8: quick (threads 2) wins" in shown.stdout
    refused = CliRunner().invoke(main, ["report", str(tmp_path / "none.json")])
    assert refused.exit_code == 2 and "No such file" in refused.output


def test_runs_beyond_the_planned_rounds_are_counted_apart():
    found = results()
    assert "48 of 48 planned runs, order" in page([found])
    for run in found.plan.round(4)[:7]:
        found.add(run, Outcome(Status.FAILED))
    assert "48 of 48 planned runs and 7 more, order" in page([found])


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here to show the page")
@pytest.mark.parametrize("width", [360, 1200])
def test_a_browser_shows_the_page_without_errors_or_overflow(tmp_path, width):
    (tmp_path / "page.html").write_text(page([results(), results(batches=(64,))]), encoding="utf-8")
    frame = tmp_path / "frame.html"  # a window can't be as narrow as a phone, a frame can
    frame.write_text(FRAME.format(width=width))
    done = browser(frame)
    assert re.findall(r"<title>(.*?)</title>", done.stdout) == [f"{width} of {width}"]
    assert "CONSOLE" not in done.stderr


FRAME = """<iframe src="page.html" style="width:{width}px;height:2000px;border:0" onload="
  const root = this.contentDocument.documentElement;
  document.title = root.scrollWidth + ' of ' + this.contentWindow.innerWidth"></iframe>"""


def browser(path: Path) -> subprocess.CompletedProcess[str]:
    assert CHROMIUM is not None
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--hide-scrollbars"]
    folders = ["--allow-file-access-from-files", f"--user-data-dir={path.parent / 'profile'}"]
    command = [CHROMIUM, *options, *folders, "--dump-dom", path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)
