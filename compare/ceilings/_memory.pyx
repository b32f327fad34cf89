# cython: boundscheck=False, wraparound=False
"""Loops that do nothing but move memory: see memory_kernel.hpp. All run without the GIL."""

from libc.stdint cimport int32_t
from libc.string cimport memcpy


cdef extern from "memory.hpp" nogil:
    float c_gather "gather"(const float *table, const int32_t *rows, size_t n, size_t length)
    void c_update "update"(float *table, const int32_t *rows, size_t n, size_t length, float step)
    void c_triad "triad"(float *a, const float *b, const float *c, size_t n, float factor)


def gather(const float[:, ::1] table, const int32_t[::1] rows):
    """Read rows of `table` (its length a multiple of 32 floats); return a number that depends on every bit read."""
    cdef float seen
    with nogil:
        seen = c_gather(&table[0, 0], &rows[0], <size_t>rows.shape[0], <size_t>table.shape[1])
    return seen


def update(float[:, ::1] table, const int32_t[::1] rows, float step):
    """Add `step` to rows of `table` (its length a multiple of 32 floats)."""
    with nogil:
        c_update(&table[0, 0], &rows[0], <size_t>rows.shape[0], <size_t>table.shape[1], step)


def copy(float[::1] target, const float[::1] source):
    """Copy `source` to `target`, as long, as the C library does."""
    with nogil:
        memcpy(&target[0], &source[0], <size_t>source.shape[0] * sizeof(float))


def triad(float[::1] a, const float[::1] b, const float[::1] c, float factor):
    """STREAM's triad, a = b + factor * c: arrays of one length, a multiple of 32, on 64-byte boundaries."""
    with nogil:
        c_triad(&a[0], &b[0], &c[0], <size_t>a.shape[0], factor)
