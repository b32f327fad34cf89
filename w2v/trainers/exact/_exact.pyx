# cython: boundscheck=False, wraparound=False
"""The loops of the exact trainer over flat arrays: see exact.hpp."""

from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "exact.hpp" nogil:
    cdef struct Random:
        uint64_t state

    cdef struct Settings:
        int window, negative
        bool sg, cbow_mean, compute_loss

    cdef cppclass CModel "Model":
        CModel(float *syn0, int64_t stride, const float *lockf, const Settings &settings) except +
        void add_negative_sampling(float *syn1neg, const uint32_t *cumulative, int64_t words) except +
        void add_hierarchical_softmax(float *syn1, const int32_t *points, const uint8_t *codes, const int64_t *offsets)

    cdef struct Chunk:
        const int32_t *words
        const int64_t *ends
        int64_t sentences
        const int64_t *reduced_windows

    cdef struct Totals:
        double loss
        int64_t examples

    vector[string] c_usable_isas "usable_isas"()
    int64_t c_subsample "subsample"(
        const int32_t *ids, const int64_t *offsets, int64_t sentences, const uint32_t *thresholds,
        Random &random, int32_t *kept, int64_t *ends)
    Totals train(const string &isa, const CModel &model, const Chunk &chunk, float alpha, Random random) except +


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
    """The input rows and settings of a run, to which heads are added.

    syn0: (V, stride), rows padded to whole cache lines with zeros; trained in place, as all tables are.
    lockf: (V,), what each input row's steps are multiplied by; None for 1.
    """

    cdef unique_ptr[CModel] model
    cdef string isa
    cdef list arrays

    def __init__(self, float[:, ::1] syn0, const float[::1] lockf, int window, int negative, bool sg, bool cbow_mean,
                 bool compute_loss, str isa):
        cdef const float *factors = NULL
        self.arrays = [syn0, lockf]
        self.isa = isa.encode()
        if lockf is not None:
            factors = &lockf[0]
        self.model = make_unique[CModel](
            &syn0[0, 0], syn0.shape[1], factors, Settings(window, negative, sg, cbow_mean, compute_loss))

    def add_negative_sampling(self, float[:, ::1] syn1neg, const uint32_t[::1] cumulative):
        """syn1neg: (V, stride). cumulative: (V,), noise words by cumulative weight, the last 2**31 - 1."""
        self.arrays += [syn1neg, cumulative]
        dereference(self.model).add_negative_sampling(&syn1neg[0, 0], &cumulative[0], cumulative.shape[0])

    def add_hierarchical_softmax(self, float[:, ::1] syn1, const int32_t[::1] points, const uint8_t[::1] codes,
                                 const int64_t[::1] offsets):
        """syn1: (V - 1, stride). points, codes, offsets: as in `w2v.huffman.HuffmanTree`."""
        self.arrays += [syn1, points, codes, offsets]
        dereference(self.model).add_hierarchical_softmax(&syn1[0, 0], &points[0], &codes[0], &offsets[0])

    def train(self, const int32_t[::1] words, const int64_t[::1] ends,
              const int64_t[::1] reduced_windows, float alpha, uint64_t state):
        """Train on sentences that lie one after the other in `words`, each up to its entry of `ends`.

        Returns the loss and the number of examples, both 0 unless asked for.
        """
        cdef Chunk chunk
        cdef Random random
        cdef Totals totals
        random.state = state
        chunk.words, chunk.ends, chunk.reduced_windows = &words[0], &ends[0], &reduced_windows[0]
        chunk.sentences = ends.shape[0]
        with nogil:
            totals = train(self.isa, dereference(self.model), chunk, alpha, random)
        return totals.loss, totals.examples
