# cython: boundscheck=False, wraparound=False
"""An epoch over flat arrays: see native.hpp."""

from cython cimport floating
from libc.stdint cimport int64_t, uint8_t
from libcpp cimport bool
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "native.hpp" nogil:
    cdef cppclass Epoch[Real]:
        const uint8_t *images
        const uint8_t *labels
        const int64_t *order
        int64_t examples, batch
        Real learning_rate
        int threads
        vector[int] sizes
        Real *weights

    double c_train_epoch "train_epoch"[Real](const Epoch[Real] &epoch, const string &isa) except +
    vector[string] c_usable_isas "usable_isas"()
    bool c_has_bf16 "has_bf16"()
    const char *c_BF16 "BF16"
    bool BF16_KERNEL


BF16 = c_BF16.decode()
BF16_COMPILED = BF16_KERNEL


def usable_isas():
    """The instruction sets that this processor can run, best first."""
    return [isa.decode() for isa in c_usable_isas()]


def has_bf16():
    """Whether `BF16` may be given as an instruction set: the processor has it, and it was compiled."""
    return c_has_bf16()


def train_epoch(floating[::1] weights, const uint8_t[:, ::1] images, const uint8_t[::1] labels,
                const int64_t[::1] order, *, vector[int] sizes, int64_t batch, double learning_rate, int threads,
                str isa):
    """Train on images[order], batch by batch; the last batch has what is left.

    weights: W1, b1, W2, b2, ..., each in C order, one after the other; trained in place. sizes: pixels, units of each
    hidden layer, classes. order: within the images; labels: within the classes. Returns the sum of the examples'
    losses.
    """
    cdef Epoch[floating] epoch
    cdef string chosen = isa.encode()
    cdef double loss
    if not order.shape[0]:
        return 0.0
    epoch.weights, epoch.sizes = &weights[0], sizes
    epoch.images, epoch.labels, epoch.order = &images[0, 0], &labels[0], &order[0]
    epoch.examples, epoch.batch = order.shape[0], batch
    epoch.learning_rate, epoch.threads = <floating>learning_rate, threads
    with nogil:
        loss = c_train_epoch(epoch, chosen)
    return loss
