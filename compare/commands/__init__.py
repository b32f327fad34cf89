"""The subcommands of `compare`: one module each, whose `command` is imported only when it is asked for."""

COMMANDS = (
    "w2v",
    "mnist",
    "sweep",
    "crossover",
    "advise",
    "machine",
    "list",
    "diff",
    "merge",
    "report",
    "claims",
    "selftest",
)
