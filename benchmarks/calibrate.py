"""Fit the work model to result files, for `compare advise`: python benchmarks/calibrate.py PROFILE RESULT.json ...

PROFILE is a profile's name or file, of the machine that the results were measured on.
"""

from __future__ import annotations

import sys
from pathlib import Path

from compare import store
from compare.calibration import FILE, calibrate
from compare.files import write_json
from compare.profile import named


def main() -> None:
    profile, *paths = sys.argv[1:]
    results = [each for path in paths for each in store.load(Path(path))]
    found = calibrate(results, named(profile))
    write_json(FILE, {workload: each.to_json() for workload, each in found.items()})
    for workload, each in found.items():
        for backend, numbers in each.fits.items():
            costs = f"{numbers.calls:.4g} calls a step, slack {numbers.slack:.3g}"
            print(f"{workload} {backend}: {costs}, error {numbers.error:.2f}")
        print(f"{workload} unfitted: error {each.unfitted_error:.2f}")


if __name__ == "__main__":
    main()
