"""`w2v`, and `python -m w2v`: Ctrl-C is caught from here on, while what trains is being imported too."""

from __future__ import annotations

from w2v.exits import heeding_ctrl_c


def main() -> None:
    with heeding_ctrl_c():
        from w2v.cli import main as command

        command()


if __name__ == "__main__":
    main()
