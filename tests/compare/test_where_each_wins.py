"""The page that is written from the result files of the repository says what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_its_script_makes_of_the_result_files():
    script = runpy.run_path(str(ROOT / "benchmarks" / "where_each_wins.py"))
    page = (ROOT / "docs" / "where-each-wins.md").read_text(encoding="utf-8")
    assert page == script["page"](), "run python benchmarks/where_each_wins.py"


def test_the_page_names_its_machine_and_both_workloads():
    page = (ROOT / "docs" / "where-each-wins.md").read_text(encoding="utf-8")
    assert "VM, two cores of an AMD EPYC (Zen 4)" in page
    assert "## mnist by batch" in page and "## w2v by dim" in page
