"""The compiled extensions; all metadata is in pyproject.toml."""

from glob import glob
from pathlib import Path
from tempfile import TemporaryDirectory

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

COMPILE_ARGS = "-O3", "-std=c++17", "-Wno-psabi"


def extension(name: str) -> Extension:
    """One Cython module in C++ (GCC or Clang: kernels use their vector types), rebuilt when any header changes."""
    return Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        include_dirs=["."],
        depends=glob("*/**/*.hpp", recursive=True),
        extra_compile_args=list(COMPILE_ARGS),
        language="c++",
    )


class BuildIfPossible(build_ext):
    """Where nothing can be compiled, the rest is installed all the same, and says what is missing when asked for it.

    With a compiler that works, an error of it is one of the installation.
    """

    def build_extensions(self) -> None:
        if not self.can_compile():
            self.warn("no C++ compiler works here: only what is plain Python or Numba is installed")
            for each in self.extensions:
                each.optional = True
        super().build_extensions()

    def can_compile(self) -> bool:
        with TemporaryDirectory() as folder:
            source = Path(folder, "probe.cpp")
            source.write_text("#include <Python.h>\n#include <string_view>\n")
            try:
                self.compiler.compile([str(source)], folder, extra_postargs=list(COMPILE_ARGS))
            except CompileError:
                return False
        return True


setup(
    cmdclass={"build_ext": BuildIfPossible},
    ext_modules=cythonize(
        [
            extension("compare.ceilings._memory"),
            extension("mnist.backends.native._native"),
            extension("w2v._tokenizer"),
            extension("w2v.trainers.hogwild._hogwild"),
            extension("w2v.trainers.exact._exact"),
        ],
        compiler_directives={"language_level": 3, "freethreading_compatible": True},
    ),
)
