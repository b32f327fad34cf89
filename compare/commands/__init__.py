"""The subcommands of `compare`: one module each, whose `command` is imported only when it is asked for."""

COMMANDS = ("w2v", "mnist", "machine", "list", "diff", "merge", "selftest")
