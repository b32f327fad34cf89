"""Every option of every command refuses what it can't take, at once, by its name and with the value."""

from __future__ import annotations

import os

import click
import pytest
from test_help_examples import COMMANDS

from compare.options import Listed, OutputFile, Real, Whole

NUMBERS = (Whole, Real, Listed)
OPTIONS = [
    pytest.param(option, id=" ".join([*names, option.opts[0]]))
    for names, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option) and not option.is_flag
]


def refusal(option: click.Option, value: str) -> str | None:
    """What is said of a value; None if it is taken."""
    context = click.Context(click.Command("any"))
    try:
        option.type_cast_value(context, (value,) if option.multiple else value)
    except click.BadParameter as error:
        assert error.exit_code == 2
        return error.format_message()
    return None


@pytest.mark.parametrize("option", [each for each in OPTIONS if isinstance(each.values[0].type, NUMBERS)])
def test_what_is_no_number_or_out_of_bounds_is_refused(option):
    for value in ("", " ", "abc", "5x", "1,,2", "-1", "nan", "inf", "1e400", "9" * 400):
        assert f"'{option.opts[0]}'" in (refusal(option, value) or "")


@pytest.mark.parametrize("option", OPTIONS)
def test_no_value_ends_in_a_traceback(option):
    for value in ("", "/no/such", "/dev/null", "9" * 400, "here=nan"):
        refusal(option, value)


@pytest.mark.parametrize("option", [each for each in OPTIONS if isinstance(each.values[0].type, OutputFile)])
def test_a_file_that_can_not_be_written_is_refused_with_the_reason(option, tmp_path, monkeypatch):
    for path, reason in (
        ("9" * 400, "File name too long"),
        ("/no/such", "there is no folder /no: make it"),
        ("/dev/null", "/dev/null is a device or a pipe: name a file"),
        (str(tmp_path), "is a folder: name a file in it"),
    ):
        assert reason in (refusal(option, path) or "")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as for those who are not root
    assert "its folder is not yours to write to" in (refusal(option, str(tmp_path / "new.json")) or "")
