"""How every command ends, besides 0 (all well), 1 (it failed) and 2 (wrong usage)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED, TERMINATED = 130, 143


@contextmanager
def heeding_ctrl_c() -> Iterator[None]:
    """Ctrl-C ends the program with INTERRUPTED, where Python would show a traceback and click say 1."""
    try:
        yield
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
