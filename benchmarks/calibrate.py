"""Fit the work model to results/PROFILE/*.json, for `compare advise`.

PROFILE is a shipped profile, of the machine that these results were measured on.
"""

from __future__ import annotations

from pathlib import Path

import click

from compare import store
from compare.calibration import FILE, calibrate
from compare.files import write_json
from compare.profile import named, shipped
from compare.results import Results

ROOT = Path(__file__).parent.parent


@click.command(help=__doc__)
@click.argument("profile", type=click.Choice(list(shipped())))
def main(profile: str) -> None:
    found = calibrate(results_of(profile), named(profile))
    write_json(FILE, {workload: each.to_json() for workload, each in found.items()})
    for workload, each in found.items():
        for backend, numbers in each.fits.items():
            costs = f"{numbers.calls:.4g} calls a step, slack {numbers.slack:.3g}"
            click.echo(f"{workload} {backend}: {costs}, error {numbers.error:.2f}")
        click.echo(f"{workload} unfitted: error {each.unfitted_error:.2f}")


def results_of(profile: str) -> list[Results]:
    """All that was measured on its machine."""
    return [each for path in sorted((ROOT / "results" / profile).glob("*.json")) for each in store.load(path)]


if __name__ == "__main__":
    main()
