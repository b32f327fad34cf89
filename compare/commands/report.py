"""`compare report`: result files as tables, or as one page to hand on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from compare.options import DerivedFile, json_option
from compare.results import Results
from compare.store import Unreadable, load
from w2v.commands.bad_input import BadInput
from w2v.wording import counted


@click.command("report", short_help="Result files as tables, or as one HTML page.")
@click.argument("sources", metavar="RESULT...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=DerivedFile(), help="HTML file: one page, nothing else needed to read it.")
@json_option
def command(sources: tuple[Path, ...], out: Path | None, as_json: bool) -> None:
    """Show what result files hold: who wins, how sure that is, where the time goes, what limits it.

    With --out, one self-contained HTML page with charts, their tables and the raw data; made anew if it is there.

    \b
    Examples:
      compare report result.json
      compare report mnist-laptop.json mnist-server.json --out report.html
    """
    try:
        several = [results for source in sources for results in load(source)]
    except Unreadable as error:
        raise BadInput(str(error)) from error
    if as_json:
        click.echo(json.dumps([conclusions(results) for results in several], indent=1))
    if out is not None:
        write_page(several, out)
        if not as_json:
            click.echo(f"{out}: {counted(len(several), 'result')}, {out.stat().st_size:,} bytes")
    elif not as_json:
        from compare.report.tables import show

        for results in several:
            show(results)


def write_page(several: Sequence[Results], out: Path) -> None:
    from compare.files import written_text
    from compare.report.page import page

    with written_text(out) as file:
        file.write(page(several))


def conclusions(results: Results) -> dict[str, object]:
    """Every verdict, the claims that were tried with their figures, what may have spoilt them, every row's summary."""
    from compare.claims import to_json
    from compare.noise import warnings
    from compare.report.naming import Naming
    from compare.report.verdicts import by_group

    naming = Naming(results.plan.cells)
    return {
        "verdicts": by_group(results),
        "claims": to_json(results),
        "warnings": warnings(results),
        "rows": {naming.full(cell): results.summary(cell) for cell in results.plan.cells},
    }
