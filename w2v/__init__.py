"""word2vec with gensim's API and many times its speed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from w2v.corpus import EncodedCorpus as EncodedCorpus
    from w2v.corpus import encode as encode
    from w2v.driver import Diverged as Diverged
    from w2v.model import Word2Vec as Word2Vec
    from w2v.vocabulary import Vocabulary as Vocabulary

HOMES = {
    "Diverged": "w2v.driver",
    "EncodedCorpus": "w2v.corpus",
    "Vocabulary": "w2v.vocabulary",
    "Word2Vec": "w2v.model",
    "encode": "w2v.corpus",
}
__all__ = [*HOMES]


def __getattr__(name: str) -> Any:
    """One of these names, imported when it is asked for: so the shell's command is there at once to heed Ctrl-C."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *HOMES]
