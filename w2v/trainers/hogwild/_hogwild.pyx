# cython: boundscheck=False, wraparound=False
"""Window mode over flat arrays: see hogwild.hpp."""

from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from w2v.trainers.grouping import require_drawn


cdef extern from "hogwild.hpp" nogil:
    cdef struct Tree:
        const int32_t *nodes
        const uint8_t *codes
        const int64_t *offsets
        int longest

    cdef cppclass CModel "Model":
        float *syn0
        float *syn1neg
        float *syn1
        int32_t words
        size_t stride
        const uint32_t *keep
        const float *lockf
        const float *syn0_traffic
        const float *syn1neg_traffic
        const float *syn1_traffic
        Tree tree
        int window, group, drawn
        float negative_weight
        bool shrink_windows, skip_gram, cbow_mean, compute_loss
        int threads

    cdef struct Slot "AliasTable::Slot":
        pass

    cdef cppclass Shared:
        Shared(const CModel &model, const Slot *noise) except +

    cdef struct Trained:
        int64_t kept_words
        double loss
        int64_t examples

    cdef cppclass CThread "Thread":
        CThread(Shared &shared, const string &isa) except +
        Trained train_chunk(const int32_t *ids, const int64_t *offsets, int64_t begin, int64_t end, float alpha,
                            uint64_t seed) except +
        Trained train_windows(const int32_t *tokens, const int32_t *first, const int32_t *last,
                              const int32_t *negatives, int n, float alpha) except +
        void merge()

    vector[string] c_usable_isas "usable_isas"()


def usable_isas():
    """The instruction sets that this processor can run, best first."""
    return [isa.decode() for isa in c_usable_isas()]


cdef class Model:
    """What all threads share.

    syn0, syn1neg, syn1: (V, stride), (V, stride) or None, (V - 1, stride) or None; rows padded to whole cache lines
    with zeros; trained in place.
    keep: (V,), a word is kept if 32 random bits are at most this.
    noise: (V, 2), what negatives are drawn from: a table of `w2v.trainers.alias`.
    nodes, codes, offsets: the paths of hierarchical softmax (see `w2v.huffman`), nodes counted from the root, codes
    with 7 bytes more; or None.
    lockf: (V,), the share of its updates that an input row learns; None for all of them.
    syn0_traffic, syn1neg_traffic, syn1_traffic: float32, see `w2v.trainers.traffic`.
    group: neighbouring centres that share negatives, 1 to MOST_IN_GROUP.
    drawn, negative_weight: the negatives of a group, and how much each of them counts.
    """

    cdef unique_ptr[Shared] shared
    cdef object arrays
    cdef int drawn

    def __init__(self, float[:, ::1] syn0, float[:, ::1] syn1neg, float[:, ::1] syn1, const uint32_t[::1] keep,
                 const uint32_t[:, ::1] noise, const int32_t[::1] nodes, const uint8_t[::1] codes,
                 const int64_t[::1] offsets, const float[::1] lockf, const float[::1] syn0_traffic,
                 const float[::1] syn1neg_traffic, const float[::1] syn1_traffic, *, int window, int group,
                 int drawn, float negative_weight, bool shrink_windows, bool skip_gram, bool cbow_mean,
                 bool compute_loss, int threads):
        cdef CModel model
        cdef const Slot *distribution = NULL
        cdef int word
        self.arrays = (syn0, syn1neg, syn1, keep, noise, nodes, codes, offsets, lockf, syn0_traffic, syn1neg_traffic,
                       syn1_traffic)
        self.drawn = drawn
        model.syn0, model.syn0_traffic = &syn0[0, 0], &syn0_traffic[0]
        model.syn1neg = model.syn1 = NULL
        model.lockf = model.syn1neg_traffic = model.syn1_traffic = NULL
        if drawn:
            model.syn1neg, model.syn1neg_traffic = &syn1neg[0, 0], &syn1neg_traffic[0]
            distribution = <const Slot *>&noise[0, 0]
        model.words, model.stride = <int32_t>syn0.shape[0], <size_t>syn0.shape[1]
        model.keep = &keep[0]
        if lockf is not None:
            model.lockf = &lockf[0]
        if nodes is not None:
            model.tree.offsets = &offsets[0]
            if nodes.shape[0]:
                model.syn1, model.syn1_traffic = &syn1[0, 0], &syn1_traffic[0]
                model.tree.nodes, model.tree.codes = &nodes[0], &codes[0]
            for word in range(model.words):
                model.tree.longest = max(model.tree.longest, <int>(offsets[word + 1] - offsets[word]))
        model.window, model.group, model.threads = window, group, threads
        model.drawn, model.negative_weight = drawn, negative_weight
        model.shrink_windows, model.skip_gram = shrink_windows, skip_gram
        model.cbow_mean, model.compute_loss = cbow_mean, compute_loss
        self.shared = make_unique[Shared](model, distribution)


cdef class Thread:
    """One thread of a model. It keeps the most frequent rows to itself until `merge`."""

    cdef unique_ptr[CThread] thread
    cdef Model model

    def __init__(self, Model model, str isa):
        self.model = model
        self.thread = make_unique[CThread](dereference(model.shared), <string>isa.encode())

    def train_chunk(self, const int32_t[::1] ids, const int64_t[::1] offsets, int64_t begin, int64_t end, float alpha,
                    uint64_t seed):
        """Sample and train sentences [begin, end), where s is ids[offsets[s]:offsets[s + 1]].

        Returns the words kept, the loss and the examples.
        """
        cdef Trained trained
        with nogil:
            trained = dereference(self.thread).train_chunk(&ids[0], &offsets[0], begin, end, alpha, seed)
        return trained.kept_words, trained.loss, trained.examples

    def train_windows(self, const int32_t[::1] tokens, const int32_t[::1] first, const int32_t[::1] last,
                      const int32_t[:, ::1] negatives, float alpha):
        """Train on given samples: see `w2v.trainers.reference.train_windows`."""
        cdef Trained trained
        cdef const int32_t *noise = NULL
        require_drawn(negatives, self.model.drawn)
        if self.model.drawn:
            noise = &negatives[0, 0]
        with nogil:
            trained = dereference(self.thread).train_windows(&tokens[0], &first[0], &last[0], noise,
                                                             <int>tokens.shape[0], alpha)
        return trained.kept_words, trained.loss, trained.examples

    def merge(self):
        """Publish what this thread has learnt and take over what the others have."""
        with nogil:
            dereference(self.thread).merge()
