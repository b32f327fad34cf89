# cython: boundscheck=False, wraparound=False
"""Window mode over flat arrays: see hogwild.hpp."""

from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp cimport bool
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "hogwild.hpp" nogil:
    cdef cppclass CModel "Model":
        CModel(float *syn0, float *syn1neg, int32_t words, size_t stride, const uint32_t *keep, const double *noise,
               int window, int negative, bool shrink_windows, int threads) except +

    cdef cppclass CThread "Thread":
        CThread(CModel &model, const string &isa) except +
        int64_t train_chunk(const int32_t *ids, const int64_t *offsets, int64_t begin, int64_t end, float alpha,
                            uint64_t seed) except +
        void train_windows(const int32_t *tokens, const int32_t *first, const int32_t *last, const int32_t *negatives,
                           int n, float alpha) except +
        void merge()

    vector[string] c_usable_isas "usable_isas"()


def usable_isas():
    """The instruction sets that this processor can run, best first."""
    return [isa.decode() for isa in c_usable_isas()]


cdef class Model:
    """What all threads share.

    syn0, syn1neg: (V, stride), rows padded to whole cache lines with zeros; trained in place.
    keep: (V,), a word is kept if 32 random bits are at most this.
    noise: (V,), the probability of each word as a negative.
    """

    cdef unique_ptr[CModel] model
    cdef object arrays

    def __init__(self, float[:, ::1] syn0, float[:, ::1] syn1neg, const uint32_t[::1] keep, const double[::1] noise,
                 int window, int negative, bool shrink_windows, int threads):
        self.arrays = syn0, syn1neg, keep
        self.model = make_unique[CModel](&syn0[0, 0], &syn1neg[0, 0], <int32_t>syn0.shape[0], <size_t>syn0.shape[1],
                                         &keep[0], &noise[0], window, negative, shrink_windows, threads)


cdef class Thread:
    """One thread of a model. It keeps the most frequent rows to itself until `merge`."""

    cdef unique_ptr[CThread] thread
    cdef Model model

    def __init__(self, Model model, str isa):
        self.model = model
        self.thread = make_unique[CThread](dereference(model.model), <string>isa.encode())

    def train_chunk(self, const int32_t[::1] ids, const int64_t[::1] offsets, int64_t begin, int64_t end, float alpha,
                    uint64_t seed):
        """Sample and train sentences [begin, end), where s is ids[offsets[s]:offsets[s + 1]]; return the words kept."""
        cdef int64_t kept
        with nogil:
            kept = dereference(self.thread).train_chunk(&ids[0], &offsets[0], begin, end, alpha, seed)
        return kept

    def train_windows(self, const int32_t[::1] tokens, const int32_t[::1] first, const int32_t[::1] last,
                      const int32_t[:, ::1] negatives, float alpha):
        """Train on given samples: see `w2v.trainers.reference.train_windows`."""
        with nogil:
            dereference(self.thread).train_windows(&tokens[0], &first[0], &last[0], &negatives[0, 0],
                                                   <int>tokens.shape[0], alpha)

    def merge(self):
        """Publish what this thread has learnt and take over what the others have."""
        with nogil:
            dereference(self.thread).merge()
