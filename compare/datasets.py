"""The text that `compare w2v` trains on: named, downloaded, or parsed from what gensim carries."""

from __future__ import annotations

import bz2
import difflib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pooch
from requests.exceptions import RequestException
from rich.console import Console

from compare.download import CACHE, DownloadBar
from compare.files import written_text
from compare.work.w2v import zipf
from w2v.corpus import EncodedCorpus
from w2v.files import complaint
from w2v.pruning import Pruning, RawVocabulary

TEXT8_URL = "http://mattmahoney.net/dc/text8.zip"
TEXT8_SHA256 = "a6640522afe85d1963ad56c05b0ede0a0c000dddc9671758a6cc09b7a38e5232"
EMBEDDED_DUMP = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
NAMES = ("text8",)
# gensim 4.4's corpus_file mode reads lines in batches and drops what exceeds 10,000 kept words of a batch: on lines of
# 10,000 words it trained 1.70 of 2.42 million kept words, on lines of 1,000 (where word2vec.c cuts) all of them.
LINE_WORDS = 1_000


class Unavailable(Exception):
    """The text can't be had; the message says what to do."""


@dataclass(frozen=True)
class Source:
    """A corpus as it was given or downloaded, and what to call it."""

    name: str
    path: Path


@dataclass(frozen=True)
class Text:
    """A corpus as every row of the comparison reads it: UTF-8, a sentence of at most LINE_WORDS words a line."""

    path: Path
    words: int
    types: int
    sha256: str


def locate(name: str | None, cache: Path = CACHE) -> Source:
    """A corpus by name: "text8", a path, or None for the one that needs no network.

    Raises
    ------
    Unavailable
        If there is no such file or name (suggesting near ones), or the download fails.
    """
    if name is None:
        return Source("106 Wikipedia articles from gensim", embedded(cache))
    if name == "text8":
        return Source("text8", text8(cache))
    path = Path(name)
    if not os.path.exists(name):  # unlike Path's, also for a name that is empty or too long
        known = {each: each for each in NAMES} | {file.name: str(file) for file in path.parent.glob("*")}
        near = [known[each] for each in difflib.get_close_matches(path.name, known, cutoff=0.75)]
        hint = f"did you mean {' or '.join(near)}?" if near else "give text8, a text file or a folder of them"
        raise Unavailable(f"no corpus or file is called {name!r}: {hint}")
    return Source(name, path)


def text8(cache: Path) -> Path:
    """The first 100 MB of cleaned English Wikipedia, zipped: 17 M words. Downloaded once, and checked."""
    try:
        with DownloadBar("text8") as bar:
            file = pooch.retrieve(TEXT8_URL, TEXT8_SHA256, "text8.zip", cache, progressbar=bar)
    except (OSError, ValueError) as error:  # ValueError: not the right sha256
        reason = type(error).__name__ if isinstance(error, RequestException) else error
        raise Unavailable(
            f"text8 can't be downloaded from {TEXT8_URL} ({reason}). If you have a copy, plain or zipped, "
            "give its path: --corpus PATH"
        ) from error
    return Path(file)


def embedded(cache: Path) -> Path:
    """106 articles of English Wikipedia, 453 thousand words, from the dump that gensim's tests carry."""
    path = cache / "gensim-wikipedia-106-articles.txt"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        console = Console(stderr=True)
        with written_text(path) as file, console.status("unpacking 106 Wikipedia articles that gensim carries"):
            file.writelines(" ".join(words) + "\n" for words in articles())
    return path


def articles() -> Iterator[list[str]]:
    """The words of each article of that dump, as gensim's WikiCorpus has them.

    But without its pool of processes: with that, Ctrl-C and SIGTERM end the text early, and no one is told.
    """
    from gensim.corpora.wikicorpus import ARTICLE_MIN_WORDS, extract_pages, process_article
    from gensim.test.utils import datapath

    with bz2.open(datapath(EMBEDDED_DUMP)) as dump:
        for title, text, page in extract_pages(dump, filter_namespaces=("0",)):
            words, *_ = process_article((text, title, page))
            if len(words) >= ARTICLE_MIN_WORDS:
                yield words


def lay_out(source: Path, path: Path, min_count: int) -> Text:
    """Write the corpus in `source` to `path` in the form that every row reads, gensim's corpus_file included.

    Raises
    ------
    Unavailable
        With what w2v says of a file that it can't read, or that has no word with `min_count` occurrences.
    OSError
        If `path` can't be written.
    """
    try:
        corpus = EncodedCorpus.from_file(source, min_count=1)
        words: Sequence[str] = corpus.vocabulary.words
        counts = RawVocabulary.from_counts(dict(zip(words, corpus.vocabulary.counts.tolist(), strict=True)))
        Pruning(min_count=min_count).kept_types(counts)
    except ValueError as error:
        raise Unavailable(str(error)) from error
    except OSError as error:
        raise Unavailable(complaint(error, source)) from error
    with written_text(path) as file:
        for begin, end in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
            for start in range(begin, end, LINE_WORDS):
                line = corpus.ids[start : min(start + LINE_WORDS, end)]
                file.write(" ".join([words[index] for index in line]) + "\n")
    return Text(path, corpus.raw_words, len(words), pooch.file_hash(str(path)))


def synthetic(types: int, tokens: int, path: Path) -> Text:
    """A text for speed alone: `tokens` words, `types` different ones, as frequent as in natural language, in no order.

    Every word occurs; the others are drawn from the distribution of `compare.work.w2v.zipf`. The same each time.

    Raises
    ------
    ValueError
        If there are more types than tokens.
    """
    if types > tokens:
        raise ValueError(f"{tokens:,} tokens can't hold {types:,} different words: give more tokens")
    rng = np.random.default_rng(types)
    counts = zipf(types, tokens).counts
    drawn = rng.choice(types, tokens - types, p=counts / counts.sum())
    ids = rng.permutation(np.concatenate([np.arange(types), drawn])).tolist()
    with written_text(path) as file:
        for start in range(0, tokens, LINE_WORDS):
            file.write(" ".join([f"w{index}" for index in ids[start : start + LINE_WORDS]]) + "\n")
    return Text(path, tokens, types, pooch.file_hash(str(path)))
