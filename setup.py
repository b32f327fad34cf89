"""The compiled extensions; all metadata is in pyproject.toml."""

from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup


def extension(name: str) -> Extension:
    """One Cython module in C++ (GCC or Clang: kernels use their vector types), rebuilt when any header changes."""
    return Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        include_dirs=["."],
        depends=glob("*/**/*.hpp", recursive=True),
        extra_compile_args=["-O3", "-std=c++17", "-Wno-psabi"],
        language="c++",
    )


setup(
    ext_modules=cythonize(
        [
            extension("compare.ceilings._memory"),
            extension("mnist.backends.native._native"),
            extension("w2v._tokenizer"),
            extension("w2v.trainers.hogwild._hogwild"),
            extension("w2v.trainers.exact._exact"),
        ],
        compiler_directives={"language_level": 3, "freethreading_compatible": True},
    )
)
