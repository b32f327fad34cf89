"""The widths of a dense network's layers, read from a Keras or PyTorch model without importing either."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

WEIGHTLESS = ("InputLayer", "Flatten", "Dropout", "Activation", "ReLU", "LeakyReLU", "Softmax", "Rescaling", "ELU")


class Unsupported(ValueError):
    """A model that is more than a dense network; the message names what it has."""


def layers_of(model: Any) -> list[int]:
    """Widths, inputs first: of a `.keras` file, a built Keras model, or a PyTorch module.

    Raises
    ------
    Unsupported
        If it has layers with weights that are not dense (convolutions, embeddings, ...), or no dense layer at all.
    OSError
        If a file can't be read.
    """
    if isinstance(model, (str, Path)):
        return _of_keras_file(Path(model))
    if hasattr(model, "named_modules"):
        return _of_torch(model)
    if hasattr(model, "layers"):
        found = [(type(layer).__name__, _shape(layer)) for layer in model.layers]
        return _chain(found)
    raise Unsupported(f"{type(model).__name__} is neither a Keras model nor a PyTorch module nor a .keras file")


def _of_keras_file(path: Path) -> list[int]:
    if not zipfile.is_zipfile(path):
        if not path.exists():
            raise Unsupported(f"there is no file {path}")
        raise Unsupported(
            f"{path} is no .keras file. Save one by model.save('model.keras'); for a PyTorch model call "
            "compare.model_layers.layers_of(model) in Python and give its result to --layers"
        )
    try:
        with zipfile.ZipFile(path) as archive:
            described = json.loads(archive.read("config.json"))["config"]["layers"]
        return _chain((each["class_name"], _described_shape(each)) for each in described)
    except Unsupported:
        raise
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise Unsupported(f"{path} is no .keras file of a sequential or functional model") from error


def _described_shape(layer: Mapping[str, Any]) -> tuple[int, int] | None:
    if layer["class_name"] != "Dense":
        return None
    built = (layer.get("build_config") or {}).get("input_shape")
    if not built:
        raise Unsupported("the model was saved before it was built: call it once, or give it an Input layer")
    return int(built[-1]), int(layer["config"]["units"])


def _shape(layer: Any) -> tuple[int, int] | None:
    if type(layer).__name__ != "Dense":
        return None
    if not layer.built:
        raise Unsupported("the model is not built yet: call it once, or give it an Input layer")
    inputs, outputs = layer.kernel.shape
    return int(inputs), int(outputs)


def _of_torch(model: Any) -> list[int]:
    leaves = [module for _, module in model.named_modules() if not any(True for _ in module.children())]
    found: list[tuple[str, tuple[int, int] | None]] = []
    for module in leaves:
        if hasattr(module, "in_features") and hasattr(module, "out_features"):
            found.append(("Dense", (module.in_features, module.out_features)))
        elif any(True for _ in module.parameters()):
            found.append((type(module).__name__, None))
    return _chain(found)


def _chain(layers: Iterable[tuple[str, tuple[int, int] | None]]) -> list[int]:
    # Kinds with the (inputs, outputs) of those that are dense, one after another.
    widths: list[int] = []
    for kind, shape in layers:
        if shape is None:
            if kind not in WEIGHTLESS:
                raise Unsupported(f"the model has a layer of kind {kind}: only dense networks are modelled")
            continue
        inputs, outputs = shape
        if widths and widths[-1] != inputs:
            raise Unsupported(f"a dense layer takes {inputs} numbers where the one before gives {widths[-1]}")
        widths += [outputs] if widths else [inputs, outputs]
    if not widths:
        raise Unsupported("the model has no dense layer")
    return widths
