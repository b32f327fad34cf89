# cython: boundscheck=False, wraparound=False
"""Reading text at machine speed; the algorithm is in tokenizer.hpp."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

import numpy as np


cdef extern from "<string_view>" namespace "std" nogil:
    cppclass string_view:
        string_view()
        string_view(const char*, size_t)
        const char* data()
        size_t size()

cdef extern from "tokenizer.hpp" namespace "w2v" nogil:
    size_t cpp_through_last_space "w2v::through_last_space"(string_view)

    cppclass CppTokenizer "w2v::Tokenizer":
        vector[int32_t] types, line_ends
        void scan(string_view) except +
        int32_t type_of(string_view) except +
        string_view token(int32_t)
        size_t size()


def through_last_space(text: bytes) -> int:
    """Bytes of a UTF-8 text up to the end of its last white space; 0 if it has none."""
    return cpp_through_last_space(view(text))


cdef class Tokenizer:
    """Splits UTF-8 text where str.split() does and numbers the distinct tokens: a token's type."""

    cdef CppTokenizer impl

    def scan(self, text: bytes):
        """Two int32 arrays: the type of each token, and how many tokens of `text` precede each newline."""
        cdef string_view characters = view(text)
        with nogil:
            self.impl.scan(characters)
        return array_of(self.impl.types), array_of(self.impl.line_ends)

    def number(self, const int64_t[::1] values not None):
        """int32 array: the type of each integer, taken as a token of eight bytes."""
        types = np.empty(values.shape[0], np.int32)
        cdef int32_t[::1] types_view = types
        cdef Py_ssize_t at
        with nogil:
            for at in range(values.shape[0]):
                types_view[at] = self.impl.type_of(string_view(<const char*>&values[at], sizeof(int64_t)))
        return types

    def absorb(self, Tokenizer other not None, int32_t begin, int32_t end):
        """int32 array: the types here of the other's types [begin, end), new ones added."""
        cdef vector[int32_t] types
        cdef int32_t type_
        with nogil:
            for type_ in range(begin, end):
                types.push_back(self.impl.type_of(other.impl.token(type_)))
        return array_of(types)

    def words(self, const int64_t[::1] types not None):
        """The tokens of these types, a list of str."""
        words = []
        for type_ in types:
            words.append(self.word(type_))
        return words

    cdef word(self, int32_t type_):
        cdef string_view token = self.impl.token(type_)
        return PyUnicode_DecodeUTF8(token.data(), token.size(), NULL)

    def __len__(self) -> int:
        return self.impl.size()


def keep_indexed(
    int32_t[::1] types not None, const int32_t[::1] index not None, int64_t[::1] offsets not None
):
    """Replace each type by its index, in place, dropping those of negative index; returns how many are left.

    offsets: sentence boundaries, in positions of types before, and after.
    """
    cdef Py_ssize_t at, kept = 0, boundary = 0
    with nogil:
        for at in range(types.shape[0]):
            while offsets[boundary] == at:
                offsets[boundary] = kept
                boundary += 1
            types[kept] = index[types[at]]
            kept += types[kept] >= 0
        for boundary in range(boundary, offsets.shape[0]):
            offsets[boundary] = kept
    return kept


cdef string_view view(bytes text):
    return string_view(<const char*>text, len(text))


cdef array_of(const vector[int32_t]& values):
    cdef const int32_t* data = values.data()
    return np.array(<const int32_t[:values.size()]>data) if values.size() else np.empty(0, np.int32)
