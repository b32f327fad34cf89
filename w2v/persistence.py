"""What is saved of a model, and how it comes back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from w2v.archive import Archive, File, write_archive
from w2v.driver import Diverged
from w2v.vocabulary import Vocabulary
from w2v.weights import Weights

if TYPE_CHECKING:
    from w2v.model import Word2Vec

SETTINGS = "max_vocab_size", "max_final_vocab", "sorted_vocab", "null_word", "comment", "trainer"
HISTORY = (
    "corpus_count",
    "corpus_total_words",
    "effective_min_count",
    "epoch_losses",
    "lifecycle_events",
    "min_alpha_yet_reached",
    "running_training_loss",
    "total_train_time",
    "train_count",
)
WEIGHTS = {"syn0", "syn1neg", "syn1"}
DERIVED = "count", "sample_int", "code", "point"  # attributes of `wv` that come from the vocabulary
ATTRIBUTE = "wv."
FORMAT = 1


def save(model: Word2Vec, target: File) -> None:
    """See `Word2Vec.save`."""
    weights, vocabulary = model._built_weights(), model._built_vocabulary()
    rows, words = len(weights.syn0), len(vocabulary)
    if rows != words:
        raise RuntimeError(f"the weights have {rows} rows, but there are {words} words: call prepare_weights() first")
    tables = {name: table for name in WEIGHTS if (table := getattr(weights, name)) is not None}
    for name, table in tables.items():
        if not np.isfinite(table).all():
            raise Diverged(f"{name} holds weights that are not finite: nothing is saved")
    model._pruning(None, model.params)  # refuse to save what would be refused on its way back
    generator, keys, *position = model.random.get_state()
    described = {
        "format": FORMAT,
        "settings": {**dataclasses.asdict(model.params), **{name: getattr(model, name) for name in SETTINGS}},
        "history": {name: getattr(model, name) for name in HISTORY},
        "random": [generator, *position],
    }
    arrays = {**tables, **_attributes(model), "counts": vocabulary.counts, "random": np.asarray(keys)}
    texts = {"model.json": json.dumps(described, default=_in_json), "words.json": json.dumps(vocabulary.words)}
    write_archive(target, arrays, texts)


def load(cls: type[Word2Vec], source: File, mmap: Any = None) -> Word2Vec:
    """See `Word2Vec.load`."""
    if mmap not in (None, "r", "c"):
        raise ValueError(f"mmap={mmap!r} must be None, 'r' or 'c': training never writes to the file")
    try:
        with Archive(source, "model that w2v saved", mmap) as saved:
            described, words = json.loads(saved.text("model.json")), json.loads(saved.text("words.json"))
            there = set(saved.arrays)
            tables: dict[str, Any] = {name: saved.table(name) if name in there else None for name in WEIGHTS}
            arrays = {name: saved.array(name) for name in there - WEIGHTS}
    except ValueError as error:
        raise ValueError(
            f"{error}; if gensim saved it, use Word2Vec.from_gensim(gensim.models.Word2Vec.load(...))"
        ) from error
    if described["format"] != FORMAT:
        raise ValueError(f"{source} is a model of format {described['format']}, where format {FORMAT} is read")
    trainer = described["settings"].pop("trainer")
    model = cls(**described["settings"], trainer="reference")  # one that runs everywhere
    model.trainer = trainer
    vars(model).update(described["history"])
    generator, *position = described["random"]
    model.random.set_state((generator, arrays.pop("random"), *position))
    model._vocabulary = Vocabulary(words, arrays.pop("counts"))
    model._weights = Weights(**tables)
    _restore_attributes(model, arrays)
    return model


def _in_json(value: Any) -> Any:
    """What JSON has in place of NumPy's numbers, and of all else that was noted or set."""
    return value.item() if isinstance(value, np.generic) else str(value)


def _attributes(model: Word2Vec) -> dict[str, np.ndarray]:
    """What the user may have added to `wv`."""
    if "wv" not in vars(model):
        return {}
    expandos: dict[str, np.ndarray] = model.wv.expandos
    added = {name: values for name, values in expandos.items() if name not in DERIVED}
    for name, values in added.items():
        if values.dtype.hasobject:
            raise ValueError(f"wv's attribute {name!r} holds objects, which aren't saved: delete it from wv.expandos")
    added["vectors_lockf"] = np.asarray(model.wv.vectors_lockf, np.float32)
    return {ATTRIBUTE + name: values for name, values in added.items()}


def _restore_attributes(model: Word2Vec, arrays: Mapping[str, np.ndarray]) -> None:
    attributes = {name.removeprefix(ATTRIBUTE): np.array(values) for name, values in arrays.items()}
    lockf = attributes.pop("vectors_lockf", np.ones(1, np.float32))
    if attributes or lockf.tolist() != [1]:  # else gensim need not be imported yet
        model.wv.vectors_lockf = lockf
        model.wv.expandos.update(attributes)
