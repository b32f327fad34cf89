"""The emulator finds what a device would get wrong."""

import numpy as np
import pytest
from emulated_device import EmulatorError

SUM = """
extern "C" __global__ void sum(const int *values, int *total) {
    extern __shared__ float4 dynamic_shared[];
    int *shared = (int *)dynamic_shared;
    shared[threadIdx.x] = values[threadIdx.x];
    BARRIER;
    if (threadIdx.x == 0)
        for (int i = 0; i < blockDim.x; i++) *total += shared[i];
}
"""


def summed(emulate, barrier, seed=1, shared_bytes=64 * 4):
    total = np.zeros(1, np.int32)
    kernels = emulate(seed=seed).compile(SUM, {"BARRIER": barrier})
    kernels.launch("sum", 1, 64, shared_bytes, np.arange(64, dtype=np.int32), total)
    return int(total[0])


@pytest.mark.parametrize("seed", range(4))
def test_threads_meet_at_a_barrier_in_any_order(emulate, seed):
    assert summed(emulate, "__syncthreads()", seed) == 63 * 64 // 2


def test_a_missing_barrier_shows_in_the_result(emulate):
    assert any(summed(emulate, "", seed) != 63 * 64 // 2 for seed in range(1, 4))


def test_a_barrier_for_a_warp_is_none_for_the_block(emulate):
    assert any(summed(emulate, "__syncwarp()", seed) != 63 * 64 // 2 for seed in range(1, 9))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("if (threadIdx.x < 32) __syncthreads()", "wait for others that never come"),
        ("if (threadIdx.x % 2) __syncwarp()", "wait for others that never come"),
        ("__syncwarp(1)", "whose mask it is not in"),
        ("if (threadIdx.x % 32 < 16) __shfl_sync(0xffff, 1, 20)", "reads from a lane outside its mask"),
    ],
)
def test_what_can_not_work_is_an_error(emulate, fault, message):
    with pytest.raises(EmulatorError, match=message):
        summed(emulate, fault)


def test_a_write_past_the_shared_memory_is_an_error(emulate):
    with pytest.raises(EmulatorError, match="past the end of the dynamic shared memory"):
        summed(emulate, "__syncthreads()", shared_bytes=63 * 4)


def test_an_argument_of_the_wrong_size_is_an_error(emulate):
    kernels = emulate().compile(SUM, {"BARRIER": "__syncthreads()"})
    with pytest.raises(EmulatorError, match="not of its parameter's size"):
        kernels.launch("sum", 1, 64, 256, np.arange(64, dtype=np.int32), np.int32(0))
