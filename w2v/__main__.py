"""`w2v`, and `python -m w2v`: Ctrl-C is caught from here on, while what trains is being imported too."""

from __future__ import annotations

import sys

from w2v.exits import INTERRUPTED


def main() -> None:
    try:
        from w2v.cli import main as command

        command()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
