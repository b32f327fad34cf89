"""word2vec with gensim's API and many times its speed."""

from __future__ import annotations

from w2v.corpus import EncodedCorpus, encode
from w2v.driver import Diverged
from w2v.model import Word2Vec
from w2v.vocabulary import Vocabulary

__all__ = ["Diverged", "EncodedCorpus", "Vocabulary", "Word2Vec", "encode"]
