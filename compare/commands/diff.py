"""`compare diff`: what became faster or slower between two result files?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from compare.difference import Change, changes
from compare.exits import FAILED
from compare.options import BadInput, json_option
from compare.report.terminal import interval, output, table
from compare.statistics import CONFIDENCE
from compare.store import Unreadable, load

RESULT = click.Path(path_type=Path)


@click.command("diff", short_help="What became faster or slower between two results?")
@click.argument("before", type=RESULT)
@click.argument("after", type=RESULT)
@json_option
def command(before: Path, after: Path, as_json: bool) -> None:
    """Compare two result files, row by row, for what can be told from noise.

    Exit codes: 0 nothing is slower, 1 a row is slower beyond noise, 2 wrong usage or files that can't be compared.

    \b
    Examples:
      compare diff before.json after.json
      compare diff before.json after.json --json
    """
    try:
        found = changes(load(before), load(after))
    except Unreadable as error:
        raise BadInput(str(error)) from error
    if as_json:
        click.echo(json.dumps([asdict(change) | {"verdict": change.verdict} for change in found], indent=1))
    else:
        show(found)
    raise SystemExit(FAILED if any(change.verdict == "slower" for change in found) else 0)


def show(found: list[Change]) -> None:
    console = output()
    grid = table("", "", "before\ns", "after\ns", "times as\nfast", "")
    for change in found:
        seconds = (f"{change.before:.4g}", f"{change.after:.4g}")
        grid.add_row(change.label, *seconds, interval(change.ratio), change.verdict)
    console.print(grid)
    counts = {verdict: sum(change.verdict == verdict for change in found) for verdict in ("slower", "faster")}
    same = len(found) - sum(counts.values())
    console.print(f"\ns is the median steady sample; (the {CONFIDENCE:.0%} interval) decides.")
    console.print(f"Verdict: {counts['slower']} slower, {counts['faster']} faster, {same} within noise.", style="bold")
