from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from compare.cli import main


def compare(*arguments: str):
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("arguments", [(), ("w2v",), ("list",), ("diff",), ("merge",)])
def test_help_teaches_with_an_example(arguments):
    result = compare(*arguments, "--help")
    assert result.exit_code == 0
    assert "Example" in result.output and f"compare {' '.join(arguments)}".strip() in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--backends", "hogwyld"), "unknown backend 'hogwyld': did you mean hogwild?"),
        (("--backends", "gensim,"), "unknown backend ''"),
        (("--corpus", "text9"), "no corpus or file is called 'text9': did you mean text8?"),
        (("--workers", "0"), "'--workers': 0 is not in the range 1 to 1,024"),
        (("--workers", "-2"), "'--workers': -2 is not in the range 1 to 1,024"),
        (("--repeats", "0"), "'--repeats': 0 is not in the range 1 to 1,000"),
        (("--dim", "70000"), "--dim 70000 must be from 1 to 65536"),
        (("--corpus", ""), "no corpus or file is called ''"),
        (("--corpus", "min_count.txt"), "no corpus or file is called 'min_count.txt'"),
        (("--corpus", "window=5/no.txt"), "no corpus or file is called 'window=5/no.txt'"),
        (("--timeout", "0"), "'0' is not a time: give 90, 90s, 10m or 1.5h"),
        (("--budget", "soon"), "'soon' is not a time: give 90, 90s, 10m or 1.5h"),
        (("--resume",), "--resume needs --out FILE"),
        (("--out", "/no/such/folder/result.json"), "there is no folder /no/such/folder"),
        (("--out", "/"), "is a folder: name a file in it"),
    ],
)
def test_bad_input_is_refused_at_once_with_the_cure(arguments, message):
    result = compare("w2v", *arguments)
    assert result.exit_code != 0
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "empty"), (b"na\xefve", "UTF-8"), (b"a b c", "highest count 1 < --min-count 5: lower --min-count")],
)
def test_bad_text_is_refused_before_any_run(tmp_path, content, message):
    path = tmp_path / "text.txt"
    path.write_bytes(content)
    result = compare("w2v", "--corpus", str(path))
    assert result.exit_code == 2
    assert message in result.output and "Traceback" not in result.output


@pytest.mark.parametrize("command", [("report",), ("diff",), ("merge", "--out", "new.json")])
def test_a_missing_file_is_wrong_input_to_every_command(command):
    result = compare(*command, "no.json", "no.json")
    assert result.exit_code == 2 and "no.json: No such file or directory" in result.output


def test_a_reader_that_is_gone_ends_a_command_quietly():
    command = f"{sys.executable} -m compare list 2>&1 | true; echo ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", command], capture_output=True, text=True).stdout == "141\n"


def test_rows_of_ours_and_of_gensim_are_measured_from_end_to_end(tmp_path):
    text, out = tmp_path / "text.txt", tmp_path / "result.json"
    text.write_text("the quick brown fox jumps over the lazy dog\n" * 300)
    options = "--backends hogwild,gensim,gensim-file --dim 8 --workers 1 --epochs 1 --repeats 2"
    result = compare("w2v", "--corpus", str(text), *options.split(), "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "\nVerdict: " in result.output
    stored = json.loads(out.read_text())
    assert [cell["backend"] for cell in stored["cells"]] == ["hogwild", "gensim", "gensim-file"]
    for cell in stored["cells"]:
        assert cell["options"]["words"] == 2700
        assert [run["status"] for run in cell["runs"]] == ["ok", "ok"]
        assert cell["runs"][0]["quality"]["loss"] > 0 and cell["runs"][0]["quality"]["analogies"] is None
