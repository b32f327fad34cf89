"""How the loops here are compiled."""

from numba import njit

# error_model: Python's would look for zero before each division, and a loop that may raise is not vectorised.
compiled = njit(nogil=True, fastmath=True, error_model="numpy", cache=True)
# Arrays travel by seven numbers each, with a count of references: calls would cost as much as short loops.
inlined = njit(nogil=True, fastmath=True, error_model="numpy", cache=True, forceinline=True)
