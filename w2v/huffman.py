"""The Huffman tree of hierarchical softmax: the words are its leaves, and frequent words have short paths."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class HuffmanTree:
    """The paths from the root to each of V words: that of word w is [offsets[w]:offsets[w + 1]] of points and codes.

    points: int32, the inner nodes on the way, root first; there are V - 1, and the root is the last, V - 2.
    codes: uint8, the turn taken at each: 0 left, 1 right.
    offsets: int64 (V + 1,).
    """

    points: np.ndarray
    codes: np.ndarray
    offsets: np.ndarray

    @classmethod
    def from_counts(cls, counts: np.ndarray) -> HuffmanTree:
        """The tree of words that occur `counts` times, int64 (V,): gensim's own, equal counts included.

        Two nodes of least count become one, V - 1 times (Huffman 1952, "A Method for the Construction of
        Minimum-Redundancy Codes").
        """
        words, root = len(counts), 2 * len(counts) - 2
        parents, turns = _merge(counts)
        depths = [0] * (root + 1)
        for child in reversed(range(root)):
            depths[child] = depths[parents[child]] + 1
        offsets = np.concatenate([[0], np.cumsum(depths[:words])])
        points, codes = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.uint8)
        parent, turn = np.array(parents, np.int32), np.array(turns, np.uint8)
        # all words climb at once, from the ends of their paths to the root
        node, end = np.arange(words, dtype=np.int32), offsets[1:]
        while (below := node < root).any():
            node, end = node[below], end[below] - 1
            codes[end] = turn[node]
            node = parent[node]
            points[end] = node - words
        return cls(points, codes, offsets)


class _Node(float):
    """A count that knows its node. Heaps compare it with C's speed, by the count alone, as gensim's do."""

    __slots__ = ("index",)
    index: int


def _merge(counts: np.ndarray) -> tuple[list[int], list[int]]:
    # The parent of each of 2V - 1 nodes, words first, then inner nodes as they arise, and which child of it each is.
    # Which of equal counts comes first is up to the heap's moves: other algorithms build other trees.
    words = len(counts)
    parents, turns = [0] * (2 * words - 1), [0] * (2 * words - 1)
    heap = [_node(count, word) for word, count in enumerate(counts.tolist())]
    heapq.heapify(heap)
    for inner in range(words, 2 * words - 1):
        left, right = heapq.heappop(heap), heapq.heappop(heap)
        parents[left.index] = parents[right.index] = inner
        turns[right.index] = 1
        heapq.heappush(heap, _node(left + right, inner))
    return parents, turns


def _node(count: float, index: int) -> _Node:
    node = _Node(count)
    node.index = index
    return node
