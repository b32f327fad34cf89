"""Ctrl-C, or SIGTERM, before any measurement: while a command is still importing."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

SLOW_IMPORT = """
import sys, time, types
from compare.__main__ import main
slow = sys.argv.pop()
def find_spec(name, path, target=None):
    if name == slow:
        print("importing", flush=True)
        time.sleep(60)
sys.meta_path.insert(0, types.SimpleNamespace(find_spec=find_spec))
main()
"""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        ("w2v --help", "click"),
        ("w2v --help", "compare.commands.w2v"),
        ("w2v --help", "compare.workloads.w2v"),
        ("--help", "compare.commands.w2v"),
    ],
)
def test_interrupted_imports_end_with_130_and_no_traceback(arguments, module, stop):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_IMPORT, *arguments.split(), module],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "importing\n"
    process.send_signal(stop)
    _, error = process.communicate(timeout=30)
    assert (process.returncode, error) == (130, "Interrupted.\n")
