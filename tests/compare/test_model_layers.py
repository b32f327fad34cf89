from __future__ import annotations

import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from compare.model_layers import Unsupported, layers_of


def dense(units: int, inputs: int | None) -> dict:
    built = {"build_config": {"input_shape": [None, inputs]}} if inputs else {}
    return {"class_name": "Dense", "config": {"units": units}, **built}


@pytest.fixture
def keras_file(tmp_path):
    """As Keras 3 writes it, but for the weights."""

    def write(*layers: dict) -> str:
        path = tmp_path / "model.keras"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("config.json", json.dumps({"class_name": "Sequential", "config": {"layers": layers}}))
        return str(path)

    return write


def test_a_keras_file_is_read_without_keras(keras_file):
    path = keras_file({"class_name": "InputLayer", "config": {}}, dense(64, 784), {"class_name": "ReLU", "config": {}},
                      dense(10, 64))  # fmt: skip
    assert layers_of(path) == [784, 64, 10]


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([{"class_name": "Conv2D", "config": {}}, dense(10, 64)], "layer of kind Conv2D: only dense"),
        ([dense(10, None)], "saved before it was built"),
        ([dense(10, 64), dense(5, 12)], "takes 12 numbers where the one before gives 10"),
        ([{"class_name": "Dropout", "config": {}}], "no dense layer"),
    ],
)
def test_what_is_no_dense_network_is_refused_by_name(keras_file, layers, message):
    with pytest.raises(Unsupported, match=message):
        layers_of(keras_file(*layers))


@pytest.mark.parametrize(
    "layers", [[3], [{"class_name": "Dense", "build_config": {"input_shape": [None, 8]}}], [dense("many", 64)]]
)
def test_a_file_that_is_made_otherwise_is_refused(keras_file, layers):
    with pytest.raises(Unsupported, match="of a sequential or functional model"):
        layers_of(keras_file(*layers))


def test_a_damaged_file_is_refused(keras_file):
    path = Path(keras_file(dense(10, 784)))
    path.write_bytes(path.read_bytes().replace(b"Sequential", b"Sequentiel"))
    with pytest.raises(Unsupported, match="of a sequential or functional model"):
        layers_of(path)


def test_a_file_of_another_kind_is_refused_with_the_cure(tmp_path):
    path = tmp_path / "model.pt"
    path.write_bytes(b"PK or not")
    with pytest.raises(Unsupported, match=r"is no \.keras file.*layers_of"):
        layers_of(path)
    with pytest.raises(Unsupported, match="neither a Keras model"):
        layers_of(object())


class Dense(SimpleNamespace):
    """Of Keras: a kernel once built."""


class Dropout(SimpleNamespace): ...


def test_a_built_keras_model():
    model = SimpleNamespace(layers=[Dense(built=True, kernel=np.ones((20, 7))), Dropout(), Dense(built=True, kernel=np.ones((7, 2)))])  # fmt: skip  # noqa: E501
    assert layers_of(model) == [20, 7, 2]
    with pytest.raises(Unsupported, match="not built yet"):
        layers_of(SimpleNamespace(layers=[Dense(built=False)]))


def test_a_pytorch_module():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    nn = torch.nn
    assert layers_of(nn.Sequential(nn.Flatten(), nn.Linear(20, 7), nn.ReLU(), nn.Sequential(nn.Linear(7, 2)))) == [
        20,
        7,
        2,
    ]
    with pytest.raises(Unsupported, match="layer of kind Conv2d"):
        layers_of(nn.Sequential(nn.Conv2d(1, 2, 3), nn.Linear(2, 2)))
