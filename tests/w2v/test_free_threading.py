"""Free-threaded Python, where an extension that doesn't know of it would switch the GIL on for all."""

import subprocess
import sys
import sysconfig

import pytest

EXTENSIONS = "w2v._tokenizer, w2v.trainers.hogwild._hogwild, w2v.trainers.exact._exact"


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has its GIL")
def test_no_import_switches_the_gil_on():
    code = f"import sys, w2v, {EXTENSIONS}; sys.exit(sys._is_gil_enabled())"
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], check=False).returncode == 0
