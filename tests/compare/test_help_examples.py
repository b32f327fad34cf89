"""Every example that a command's help prints is a command that works."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from compare import datasets, profile
from compare.cell import Cell, Outcome, Status
from compare.cli import main
from compare.plan import Plan
from compare.results import Results
from mnist import data

TEXT = "the quick brown fox jumps over the lazy dog\n" * 50


def commands(command: click.Command, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """The command and those below it, by what is typed after `compare`."""
    yield names, command
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), name)
            assert below is not None
            yield from commands(below, *names, name)


COMMANDS = dict(commands(main))


def examples(command: click.Command) -> list[str]:
    """The lines of a help text that are commands, joined where a backslash ends them, without what is said beside."""
    return re.findall(r"^ *compare (\S.*?)(?:   .*)?$", (command.help or "").replace("\\\n", ""), re.MULTILINE)


EXAMPLES = list(dict.fromkeys(line for command in COMMANDS.values() for line in examples(command)))


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Where everything lies that examples name, and what they would download."""

    def text(cache):
        return tmp_path / "my-text.txt.gz"

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(data, "download", lambda folder, bar: tmp_path / "mnist")
    monkeypatch.setattr(data, "read", lambda folder: SimpleNamespace(name="MNIST"))
    monkeypatch.setattr(datasets, "text8", text)
    monkeypatch.setattr(datasets, "embedded", text)
    here = profile.load(next(iter(profile.shipped().values())))
    profile.save(profile.Profile("here", profile.machine.describe(), here.ceilings), profile.HERE)
    for name in ("result", "before", "after", "mnist-laptop", "mnist-server"):
        results = Results(
            Plan([Cell("fake_workload", "a")], 1, 1), profile.machine.describe(), tmp_path / f"{name}.json"
        )
        results.add(next(results.plan.runs()), Outcome(Status.OK, samples=(1.0,), phases={"steady": 1.0}))
    (tmp_path / "my-text.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "mnist").mkdir()
    layers = [{"class_name": "Dense", "config": {"units": 10}, "build_config": {"input_shape": [None, 784]}}]
    with zipfile.ZipFile(tmp_path / "model.keras", "w") as archive:
        archive.writestr("config.json", json.dumps({"class_name": "Sequential", "config": {"layers": layers}}))
    return tmp_path


def named(arguments: list[str]) -> click.Command:
    """The command that `arguments` begin with."""
    return next(COMMANDS[tuple(arguments[:end])] for end in (2, 1) if tuple(arguments[:end]) in COMMANDS)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_works_as_printed(example, folder):
    arguments = shlex.split(example)
    options = {name for parameter in named(arguments).params for name in parameter.opts}
    if arguments[0] in ("machine", "selftest"):  # minutes of measuring: read, and not carried out
        named(arguments).make_context(arguments[0], arguments[1:]).close()
        return
    done = CliRunner().invoke(main, [*arguments, *(["--dry-run"] if "--dry-run" in options else [])])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("names", [names for names, each in COMMANDS.items() if not isinstance(each, click.Group)])
def test_a_command_prints_json_and_has_an_example(names):
    command = COMMANDS[names]
    assert any("--json" in parameter.opts for parameter in command.params)
    assert any(shlex.split(line)[: len(names)] == list(names) for line in examples(command))


@pytest.mark.parametrize("names", COMMANDS)
def test_help_fits_into_80_columns(names):
    assert max(map(len, CliRunner().invoke(main, [*names, "--help"], terminal_width=80).output.splitlines())) <= 80
