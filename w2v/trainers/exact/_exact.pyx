# cython: boundscheck=False, wraparound=False
"""The loops of the exact trainer over flat arrays: see exact.hpp."""

from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "exact.hpp" nogil:
    cdef struct Random:
        uint64_t state

    cdef cppclass CModel "Model":
        CModel(float *syn0, float *syn1neg, int64_t words, int64_t stride, const uint32_t *cumulative,
               int window, int negative) except +

    cdef struct Chunk:
        const int32_t *words
        const int64_t *ends
        int64_t sentences
        const int64_t *reduced_windows

    vector[string] c_usable_isas "usable_isas"()
    int64_t c_subsample "subsample"(
        const int32_t *ids, const int64_t *offsets, int64_t sentences, const uint32_t *thresholds,
        Random &random, int32_t *kept, int64_t *ends)
    void train(
        const string &isa, const CModel &model, const Chunk &chunk, float alpha, Random random) except +


def usable_isas():
    """The instruction sets that this processor can run, best first."""
    return [isa.decode() for isa in c_usable_isas()]


def subsample(const int32_t[::1] ids, const int64_t[::1] offsets, const uint32_t[::1] thresholds,
              uint64_t state, int32_t[::1] kept, int64_t[::1] ends):
    """Copy the words that are kept to `kept` and the ends of their sentences to `ends`.

    Returns how many words were kept, and the random state after.
    """
    cdef Random random
    cdef int64_t count
    random.state = state
    with nogil:
        count = c_subsample(
            &ids[0], &offsets[0], ends.shape[0], &thresholds[0], random, &kept[0], &ends[0])
    return count, random.state


cdef class Model:
    """The tables and settings of a run.

    syn0, syn1neg: (V, stride), rows padded to whole cache lines with zeros; trained in place.
    cumulative: (V,), noise words by cumulative weight, the last 2**31 - 1.
    """

    cdef unique_ptr[CModel] model
    cdef string isa
    cdef object arrays

    def __init__(self, float[:, ::1] syn0, float[:, ::1] syn1neg, const uint32_t[::1] cumulative,
                 int window, int negative, str isa):
        self.arrays = syn0, syn1neg, cumulative
        self.isa = isa.encode()
        self.model = make_unique[CModel](
            &syn0[0, 0], &syn1neg[0, 0], syn0.shape[0], syn0.shape[1], &cumulative[0], window, negative)

    def train(self, const int32_t[::1] words, const int64_t[::1] ends,
              const int64_t[::1] reduced_windows, float alpha, uint64_t state):
        """Train on sentences that lie one after the other in `words`, each up to its entry of `ends`."""
        cdef Chunk chunk
        cdef Random random
        random.state = state
        chunk.words, chunk.ends, chunk.reduced_windows = &words[0], &ends[0], &reduced_windows[0]
        chunk.sentences = ends.shape[0]
        with nogil:
            train(self.isa, dereference(self.model), chunk, alpha, random)
