"""Fit the work model to result files, for `compare advise`.

PROFILE is a profile's name or file, of the machine that the results were measured on.
"""

from __future__ import annotations

from pathlib import Path

import click

from compare import store
from compare.calibration import FILE, calibrate
from compare.files import write_json
from compare.profile import named


@click.command(help=__doc__)
@click.argument("profile")
@click.argument("sources", metavar="RESULT...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def main(profile: str, sources: tuple[Path, ...]) -> None:
    results = [each for path in sources for each in store.load(path)]
    found = calibrate(results, named(profile))
    write_json(FILE, {workload: each.to_json() for workload, each in found.items()})
    for workload, each in found.items():
        for backend, numbers in each.fits.items():
            costs = f"{numbers.calls:.4g} calls a step, slack {numbers.slack:.3g}"
            click.echo(f"{workload} {backend}: {costs}, error {numbers.error:.2f}")
        click.echo(f"{workload} unfitted: error {each.unfitted_error:.2f}")


if __name__ == "__main__":
    main()
