"""The examples and their order: MNIST, or a stand-in made from digits that ship with the package.

MNIST (Y. LeCun, C. Cortes, C. Burges) comes as four IDX files, which `download` caches and `read` checks.

The stand-in enlarges the 1,797 images, 8x8, of the test set of "Optical Recognition of Handwritten Digits"
(E. Alpaydin, C. Kaynak, 1998; UCI Machine Learning Repository, doi:10.24432/C50P49; CC BY 4.0), which
`digits.npz` holds unchanged. It has MNIST's shape, not its difficulty.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from mnist.model import PIXELS

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)

SHA256 = {
    "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
}
"""Digests of the uncompressed contents: mirrors compress anew, so that those of the .gz files differ."""

TRAIN, TEST = 60_000, 10_000
EPOCH = 48_000
"""Training examples an epoch: 80 % of MNIST's; the other 12,000 are held out and not used here."""


@dataclass(frozen=True)
class Dataset:
    """uint8 images (n, 784), one row an image, grey values 0..255; uint8 labels (n,), 0..9."""

    name: str
    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray


def training_examples(dataset: Dataset, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Images (48000, 784) and labels (48000,): the first 48,000 of a permutation of the training set."""
    chosen = np.random.default_rng(seed).permutation(len(dataset.train_labels))[:EPOCH]
    return dataset.train_images[chosen], dataset.train_labels[chosen]


def epoch_order(examples: int, seed: int, epoch: int) -> np.ndarray:
    """int64 (examples,): the order in which epoch `epoch` (0, 1, ...) visits the training examples."""
    return np.random.default_rng((seed, epoch)).permutation(examples)


def download(folder: Path | None = None, progressbar: Any = False) -> Path:
    """The folder that holds MNIST's four files, by default in the user's cache; fetches those it lacks.

    progressbar: what `pooch.HTTPDownloader` takes. Raises ConnectionError, with each mirror's answer, if none
    gives a file with the right contents.
    """
    import pooch

    folder = folder or pooch.os_cache("w2v-compare") / "mnist"
    for name in SHA256:
        if not (folder / f"{name}.gz").exists():
            _fetch(name, folder, progressbar)
    return folder


def read(folder: Path | str) -> Dataset:
    """MNIST from the four IDX files in `folder`, each plain or gzipped.

    Raises FileNotFoundError for a missing file, ValueError for one whose contents are not MNIST's.
    """

    def array(name: str, header_bytes: int) -> np.ndarray:
        return np.frombuffer(_contents(_find(Path(folder), name), name), np.uint8, offset=header_bytes)

    return Dataset(
        "MNIST",
        array("train-images-idx3-ubyte", 16).reshape(TRAIN, PIXELS),
        array("train-labels-idx1-ubyte", 8),
        array("t10k-images-idx3-ubyte", 16).reshape(TEST, PIXELS),
        array("t10k-labels-idx1-ubyte", 8),
    )


def stand_in() -> Dataset:
    """60,000 + 10,000 images enlarged from the UCI digits, scaled and shifted; the same ones every time.

    The last 257 originals make the test set, the others the training set: no original is in both.
    """
    with np.load(Path(__file__).with_name("digits.npz")) as digits:
        originals, labels = digits["images"], digits["labels"]
    train, test = slice(0, 1540), slice(1540, 1797)
    return Dataset(
        "UCI digits enlarged to 28x28 (stand-in for MNIST)",
        _enlarge(originals[train], TRAIN, seed=1),
        np.resize(labels[train], TRAIN),
        _enlarge(originals[test], TEST, seed=2),
        np.resize(labels[test], TEST),
    )


def without_blanks(dataset: Dataset) -> Dataset:
    """The same with grey values of 1 and more, for trainers that skip blank pixels: most other data has none."""
    train, test = (np.maximum(images, 1) for images in (dataset.train_images, dataset.test_images))
    return replace(dataset, train_images=train, test_images=test)


def _fetch(name: str, folder: Path, progressbar: Any) -> None:
    """Put `name`.gz into `folder`, whole and checked, from the first mirror that has it."""
    import pooch
    from requests.exceptions import RequestException

    timeout = 3, 20  # seconds to connect and to wait for more: being offline shows soon
    downloader = pooch.HTTPDownloader(progressbar, chunk_size=1 << 16, timeout=timeout)
    reasons = []
    for mirror in MIRRORS:
        try:
            file = pooch.retrieve(f"{mirror}{name}.gz", None, f"{name}.gz", folder, downloader=downloader)
        except RequestException as error:
            reasons.append(f"{urlsplit(mirror).netloc}: {type(error).__name__}")
            continue
        try:
            _contents(Path(file), name)
            return
        except ValueError:
            Path(file).unlink()
            reasons.append(f"{urlsplit(mirror).netloc}: not MNIST's {name}")
    raise ConnectionError("; ".join(reasons))


def _find(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"{folder} has neither {name} nor {name}.gz: give the folder that holds MNIST's four IDX files "
        f"(from {MIRRORS[0]})"
    )


def _contents(path: Path, name: str) -> bytes:
    """The uncompressed bytes of `path`, known to be those of MNIST's `name`."""
    cure = f"delete it and fetch {MIRRORS[0]}{name}.gz again"
    try:
        contents = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is truncated or damaged ({error}): {cure}") from error
    if hashlib.sha256(contents).hexdigest() != SHA256[name]:
        raise ValueError(f"{path} is not MNIST's {name} ({len(contents):,} bytes, wrong SHA-256): {cure}")
    return contents


def _enlarge(originals: np.ndarray, count: int, seed: int) -> np.ndarray:
    """uint8 (count, 784) from images (n, 8, 8), grey values 0..16, taken over and over in ever new variants.

    A variant scales and shifts each axis by linear interpolation. Its weights are whole 64ths, so that all
    sums are exact in float32 and every machine makes the same images.
    """
    rng = np.random.default_rng(seed)
    enlarged = np.empty((count, PIXELS), np.uint8)
    for begin in range(0, count, len(originals)):
        piece = enlarged[begin : begin + len(originals)]
        stretch = np.kron(_stretch(rng), _stretch(rng)).T  # (64, 784)
        images = originals[: len(piece)].reshape(-1, 64).astype(np.float32) @ stretch
        images *= 255 / (16 * 64 * 64)
        piece[...] = np.minimum(images, 255, out=images)
    return enlarged


def _stretch(rng: np.random.Generator) -> np.ndarray:
    """float32 (28, 8): interpolation weights, in 64ths, from 8 grey values along an axis to 28."""
    scale, shift = rng.uniform(2.2, 2.7), rng.uniform(-1, 1)  # output pixels a grey value; output pixels
    sources = (np.arange(28) - 13.5 - shift) / scale + 3.5
    return np.rint(64 * np.maximum(0, 1 - np.abs(sources[:, None] - np.arange(8)))).astype(np.float32)
