"""`compare diff`: what became faster or slower between two result files?"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click

from compare.difference import Change, changes
from compare.exits import FAILED
from compare.options import json_option
from compare.report.terminal import interval, output, table
from compare.statistics import CONFIDENCE, LEAST_ROUNDS
from compare.store import Unreadable, load
from w2v.commands.bad_input import BadInput

BAD = ("slower", "lost")
RESULT = click.Path(path_type=Path)


@click.command("diff", short_help="What became faster or slower between two results?")
@click.argument("before", type=RESULT)
@click.argument("after", type=RESULT)
@json_option
def command(before: Path, after: Path, as_json: bool) -> None:
    """Compare two result files of one machine, row by row, for what can be told from noise.

    Of collections, the results of each machine are compared with those of the same machine.

    Exit codes: 0 nothing is slower, 1 a row is slower beyond noise or has no figures any more, 2 wrong usage or files
    that can't be compared.

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
    raise SystemExit(FAILED if any(change.verdict in BAD for change in found) else 0)


def show(found: list[Change]) -> None:
    console = output()
    grid = table("", "", "before\ns", "after\ns", "times as\nfast", "")
    for change in found:
        if change.after is None or change.ratio is None:
            grid.add_row(change.label, f"{change.before:.4g}", "-", "-", change.ending)
        else:
            seconds = (f"{change.before:.4g}", f"{change.after:.4g}")
            grid.add_row(change.label, *seconds, interval(change.ratio), change.verdict)
    console.print(grid)
    counts = Counter(change.verdict for change in found)
    untold = {
        "too few repeats": f"with too few repeats to tell ({LEAST_ROUNDS} at least, in both files)",
        "lost": "without figures now",
    }
    others = "".join(f", {counts[verdict]} {words}" for verdict, words in untold.items() if counts[verdict])
    console.print(f"\ns is the median steady sample; (the {CONFIDENCE:.0%} interval) decides.")
    told = f"{counts['slower']} slower, {counts['faster']} faster, {counts['within noise']} within noise{others}"
    console.print(f"Verdict: {told}.", style="bold")
