"""Keras as its tutorials use it: a Sequential model and `fit`. KERAS_BACKEND chooses what computes."""

from __future__ import annotations

import keras
import numpy as np

from mnist.backends import Task, Unavailable
from mnist.device import unseen_by_tensorflow
from mnist.model import CLASSES, PIXELS, Weights, layers, pixels


class Keras:
    """One call of `model.fit` an epoch, over examples already in the epoch's order."""

    jit_compile = False

    def __init__(self, task: Task) -> None:
        self._task = task
        keras.config.set_floatx(task.dtype.name)
        self._X = pixels(task.images, task.dtype)
        self._shuffled = np.empty_like(self._X)  # kept: fresh memory costs more than the copy into it
        hidden = [
            keras.layers.Dense(len(b), activation="relu", kernel_initializer="zeros")
            for _, b in layers(task.weights)[:-1]
        ]
        output = keras.layers.Dense(CLASSES, kernel_initializer="zeros")
        self._model = keras.Sequential([keras.Input((PIXELS,)), *hidden, output])
        self._model.compile(
            optimizer=keras.optimizers.SGD(task.learning_rate),
            loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            jit_compile=self.jit_compile,
        )
        self.reset()

    def reset(self) -> None:
        self._model.set_weights(list(self._task.weights))

    def weights(self) -> Weights:
        return tuple(map(np.asarray, self._model.weights))

    def train_epoch(self, order: np.ndarray) -> float:
        X = self._shuffled[: len(order)]
        np.take(self._X, order, axis=0, out=X, mode="clip")  # the default mode would copy twice
        history = self._model.fit(
            X,
            self._task.labels[order],
            batch_size=self._task.batch_size,
            epochs=1,
            shuffle=False,
            verbose=0,
        )
        return float(history.history["loss"][0])


class KerasJit(Keras):
    """The step compiled: by XLA on TensorFlow and JAX."""

    jit_compile = True


class KerasGPU(Keras):
    """On TensorFlow and a GPU."""

    def __init__(self, task: Task) -> None:
        if reason := unseen_by_tensorflow():
            raise Unavailable(reason)
        super().__init__(task)


class KerasGPUJit(KerasGPU):
    """The step compiled by XLA, as Keras does there unless it is told otherwise."""

    jit_compile = True
