"""`compare selftest`: does the instrument tell the truth on this machine?"""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from compare.exits import FAILED
from compare.options import SEED, Whole, json_option
from compare.report.terminal import output, progress_bar
from compare.selftest import findings

TIMES = Whole(1, 10**4)


@click.command("selftest", short_help="Does the instrument tell the truth here?")
@click.option("--comparisons", default=100, show_default=True, type=TIMES, help="Of a backend with itself.")
@click.option("--slowdowns", default=10, show_default=True, type=TIMES, help="Comparisons with one 10 % slower.")
@click.option("--seed", default=1, show_default=True, type=SEED, help="Of the order of runs.")
@json_option
def command(comparisons: int, slowdowns: int, seed: int, as_json: bool) -> None:
    """Measure backends whose speed and faults are known, and check what is concluded. About five minutes.

    Exit codes: 0 all is as it should be, 1 something is not, or other work kept the machine too busy to judge. What is
    not so on an idle machine is either this program's fault, or the machine is too unsteady for its figures to be
    believed.

    \b
    Examples:
      compare selftest
      compare selftest --comparisons 20 --json
    """
    console = output()
    found = []
    with progress_bar() as bar:
        task = bar.add_task("selftest", total=comparisons + slowdowns + 2)
        for finding in findings(comparisons, slowdowns, seed, lambda: bar.advance(task)):
            found.append(finding)
            if not as_json:
                mark = {True: "ok    ", False: "FAILED", None: "unsure"}[finding.passed]
                console.print(f"{mark} {finding.name}: {finding.words}", markup=False)
    passed = sum(finding.passed is True for finding in found)
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in found], indent=1))
    else:
        unsure = sum(finding.passed is None for finding in found)
        busy = f"; {unsure} can't be judged while the machine is so busy" if unsure else ""
        console.print(f"Verdict: {passed} of {len(found)} are as they should be{busy}.", style="bold")
    raise SystemExit(0 if passed == len(found) else FAILED)
