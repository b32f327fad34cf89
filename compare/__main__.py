"""`compare`, and `python -m compare`: Ctrl-C and SIGTERM are caught from here on, while click is being imported too."""

from __future__ import annotations

import signal

from w2v.exits import heeding_ctrl_c


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with heeding_ctrl_c():
        from compare.cli import main as command

        command()


if __name__ == "__main__":
    main()
