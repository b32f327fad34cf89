"""Called with N and SAMPLES: the rate of an N by N product in bfloat16, a line a sample.

A process of its own, since JAX reads its number of threads once, when it is imported.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from compare.ceilings.timing import FULL, seconds_per_call


def main() -> None:
    import jax

    n, samples = map(int, sys.argv[1:])
    a = jax.numpy.ones((n, n), jax.numpy.bfloat16)
    product = jax.jit(lambda x: x @ x)
    for seconds in seconds_per_call(lambda: product(a).block_until_ready(), replace(FULL, samples=samples)):
        print(2 * n**3 / seconds)
