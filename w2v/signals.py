"""Ctrl-C and SIGTERM, put off until what is being done is whole."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable
from types import FrameType, TracebackType
from typing import Any

STOPPING = signal.SIGINT, signal.SIGTERM


class HeldSignals:
    """Holds back the first of some signals within a `with` block; it acts on `release`, or else at the block's end.

    A second acts at once, and in a process that is forked off within the block each does, for it ends no block. An
    error that ends the block takes the place of what is held. What is ignored, as Ctrl-C is in a shell's background
    jobs, stays so. In another thread than the main one, which no signal reaches, the block is like any other.

    Parameters
    ----------
    numbers : iterable of signal.Signals
        Those to hold.

    Attributes
    ----------
    came : int or None
        The signal that is held.
    """

    came: int | None = None

    def __init__(self, numbers: Iterable[signal.Signals]) -> None:
        self._numbers, self._process = numbers, os.getpid()
        self._former: dict[int, Any] = {}

    def release(self) -> None:
        """Let the signal that is held, if there is one, do what it would have done."""
        number, self.came = self.came, None
        if number is not None:
            self._act(number)

    def _hold(self, number: int, frame: FrameType | None) -> None:
        if self.came is None and os.getpid() == self._process:
            self.came = number
        else:
            self._act(number)

    def _act(self, number: int) -> None:
        former = self._former[number]
        if callable(former):
            former(number, None)
        else:
            signal.signal(number, former)
            signal.raise_signal(number)

    def __enter__(self) -> HeldSignals:
        if threading.current_thread() is threading.main_thread():
            for number in self._numbers:
                if signal.getsignal(number) not in (None, signal.SIG_IGN):
                    self._former[number] = signal.signal(number, self._hold)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, former in self._former.items():
            signal.signal(number, former)
        if error is None:
            self.release()
