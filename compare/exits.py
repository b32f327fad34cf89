"""The exit codes of `compare`'s commands, besides 0 (all well) and click's 2 (wrong usage)."""

from w2v.exits import INTERRUPTED as INTERRUPTED

FAILED = 1
"""A run failed, or what was asked for turned out badly: each command's help says what."""
PIPE_CLOSED = 141
"""Whoever read the output has had enough, as `head`: what shells make of SIGPIPE."""
