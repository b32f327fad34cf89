"""The Huffman tree against gensim's own."""

import numpy as np
import pytest
from gensim.models import Word2Vec

import w2v
from w2v.huffman import HuffmanTree
from w2v.vocabulary import Vocabulary

RNG = np.random.default_rng(1)
COUNTS = {
    "one word": [3],
    "two words": [5, 2],
    "all equal": [4] * 37,
    "few distinct counts": np.sort(RNG.integers(1, 4, 500))[::-1],
    "Zipf's law": np.sort(RNG.zipf(1.3, 2000).clip(max=10**9))[::-1],
    "unsorted": RNG.integers(1, 1000, 300),
    "a chain": [2**k for k in range(40)],
}


def paths(tree: HuffmanTree, words: int) -> list[tuple[list[int], list[int]]]:
    spans = [slice(tree.offsets[w], tree.offsets[w + 1]) for w in range(words)]
    return [(tree.points[span].tolist(), tree.codes[span].tolist()) for span in spans]


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
def test_paths_are_gensims(counts) -> None:
    counts = np.array(counts, np.int64)
    model = Word2Vec(hs=1, min_count=1, sorted_vocab=0)
    model.build_vocab_from_freq({f"w{i}": int(count) for i, count in enumerate(counts)})
    points, codes = (model.wv.expandos[name] for name in ("point", "code"))
    theirs = [(list(point), list(code)) for point, code in zip(points, codes, strict=True)]
    assert paths(HuffmanTree.from_counts(counts), len(counts)) == theirs


def test_paths_that_were_asked_for_follow_the_vocabulary() -> None:
    model = w2v.Word2Vec(hs=1, min_count=1)
    model.build_vocab([["a"] * 3, ["b"] * 2, ["c"]])
    model.create_binary_tree()
    model.build_vocab([["d"] * 9], update=True)
    for word, path in zip(model.wv.index_to_key, paths(model._built_vocabulary().tree, 4), strict=True):
        assert (model.wv.get_vecattr(word, "point").tolist(), model.wv.get_vecattr(word, "code").tolist()) == path


def test_arrays_are_of_the_types_that_kernels_read() -> None:
    tree = Vocabulary(["a", "b", "c"], [3, 2, 1]).tree
    assert (tree.points.dtype, tree.codes.dtype, tree.offsets.dtype) == (np.int32, np.uint8, np.int64)
