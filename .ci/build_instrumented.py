"""Builds the packages with their extensions compiled for a sanitizer: CXXFLAGS say which.

usage: build_instrumented.py FOLDER
"""

import os
import runpy
import sys
from typing import Any

import setuptools

setup, given = setuptools.setup, dict[str, Any]()
setuptools.setup = given.update
runpy.run_path("setup.py")

extensions = given["ext_modules"]
for extension in extensions:
    extension.extra_compile_args.append("-O1")  # instrumented code takes minutes to optimise further
folder = sys.argv[1]
where = ["--build-base", folder, "--build-lib", f"{folder}/lib"]
setup(ext_modules=extensions, script_args=["-q", "build", *where, "--parallel", str(os.cpu_count())])
