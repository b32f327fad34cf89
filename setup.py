"""The compiled extensions; all metadata is in pyproject.toml."""

import platform

from Cython.Build import cythonize
from setuptools import Extension, setup

COMPILE_ARGS = ["/O2", "/std:c++17"] if platform.system() == "Windows" else ["-O3", "-std=c++17", "-Wno-psabi"]


def extension(name: str, *headers: str) -> Extension:
    """One Cython module in C++; `headers` are the files whose change must rebuild it."""
    return Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        depends=list(headers),
        extra_compile_args=COMPILE_ARGS,
        language="c++",
    )


setup(
    ext_modules=cythonize(
        [
            extension("w2v._tokenizer", "w2v/tokenizer.hpp"),
            extension("w2v.trainers.hogwild._hogwild", "w2v/trainers/hogwild/hogwild.hpp", "w2v/trainers/foreach_isa.hpp"),
            extension("w2v.trainers.exact._exact", "w2v/trainers/exact/exact.hpp", "w2v/trainers/foreach_isa.hpp"),
        ],
        compiler_directives={"language_level": 3, "freethreading_compatible": True},
    )
)
