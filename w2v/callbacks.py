"""gensim's callbacks, and the loss that they ask the model for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import nan
from typing import Any

from w2v.driver import Hook, Position
from w2v.state import State
from w2v.trainers import Trained

METHODS = "on_train_begin", "on_epoch_begin", "on_epoch_end", "on_train_end"


def checked_callbacks(callbacks: Iterable[Any]) -> list[Any]:
    """What was given as `callbacks`; TypeError if these are no objects like gensim's CallbackAny2Vec."""
    if isinstance(callbacks, str) or not isinstance(callbacks, Iterable):
        raise TypeError(f"callbacks={callbacks!r} must be a list of objects like gensim's CallbackAny2Vec")
    listed = list(callbacks)
    for callback in listed:
        for method in METHODS:
            if not callable(getattr(callback, method, None)):
                raise TypeError(
                    f"the callback {callback!r} has no {method}(): derive it from "
                    "gensim.models.callbacks.CallbackAny2Vec"
                )
    return listed


class Callbacks(Hook):
    """Tells objects like gensim's CallbackAny2Vec of a run's progress.

    RuntimeError if one puts other weights in the place of those that are trained.
    """

    def __init__(self, model: State, callbacks: Sequence[Any], computes_loss: bool) -> None:
        self._model, self._callbacks, self._computes_loss = model, callbacks, computes_loss
        self._vectors = model._built_weights().syn0

    def on_train_begin(self, start: Position) -> None:
        """Before the first epoch, or where a run goes on that has done some."""
        self._report(start.trained[: start.epoch])
        self._model._forget_norms()  # a checkpoint's weights may have come
        self._tell("on_train_begin")

    def on_epoch_begin(self, epoch: int) -> None:
        """Before the first chunk of an epoch."""
        self._tell("on_epoch_begin")
        if self._model._built_weights().syn0 is not self._vectors:
            raise RuntimeError(
                "a callback put other weights in place of those that are trained: change them where they are, as in "
                "model.wv.vectors[:] = ..., and let the vocabulary be until train() returns"
            )

    def on_epoch_end(self, position: Position) -> None:
        """After the last chunk of an epoch, with its loss and fresh norms in the model."""
        self._report(position.trained)
        self._model._forget_norms()
        self._tell("on_epoch_end")

    def on_train_end(self) -> None:
        """After the last epoch."""
        self._tell("on_train_end")

    def _report(self, epochs: Sequence[Trained]) -> None:
        self._model.running_training_loss = sum(epoch.loss for epoch in epochs)
        self._model.epoch_losses = [mean_loss(epoch) for epoch in epochs] if self._computes_loss else []

    def _tell(self, method: str) -> None:
        for callback in self._callbacks:
            getattr(callback, method)(self._model)


def mean_loss(trained: Trained) -> float:
    """The loss of an example; NaN if subsampling has left none."""
    return trained.loss / trained.examples if trained.examples else nan
