"""The exit codes of every command, besides 0 (all well), 1 (it failed) and 2 (wrong usage)."""

INTERRUPTED, TERMINATED = 130, 143
