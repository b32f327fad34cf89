"""`compare`, and `python -m compare`: Ctrl-C and SIGTERM are caught from here on, while click is being imported too."""

from __future__ import annotations

import signal
import sys

from compare.exits import INTERRUPTED


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        from compare.cli import main as command

        command()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
