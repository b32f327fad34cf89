"""MNIST is what its checksums say, from wherever it comes; the stand-in is always the same."""

import gzip
import hashlib

import numpy as np
import pytest
from requests.exceptions import ConnectTimeout

from mnist import data

FILES = {
    "train-images-idx3-ubyte": bytes(16) + bytes(range(3)) * 784,
    "train-labels-idx1-ubyte": bytes(8) + bytes([5, 0, 4]),
    "t10k-images-idx3-ubyte": bytes(16) + bytes(range(2)) * 784,
    "t10k-labels-idx1-ubyte": bytes(8) + bytes([7, 2]),
}
"""Three training and two test images in MNIST's format."""


@pytest.fixture
def little_mnist(monkeypatch):
    monkeypatch.setattr(
        data, "SHA256", {name: hashlib.sha256(contents).hexdigest() for name, contents in FILES.items()}
    )
    monkeypatch.setattr(data, "TRAIN", 3)
    monkeypatch.setattr(data, "TEST", 2)


@pytest.fixture
def folder(little_mnist, tmp_path):
    for name, contents in FILES.items():
        (tmp_path / name).write_bytes(contents)
    return tmp_path


@pytest.fixture
def mirrors(little_mnist, monkeypatch):
    """A stand-in for the network: `mirrors[URL]` is what that address answers; others can't be reached."""
    answers = {}

    class Downloader:
        def __init__(self, progressbar, chunk_size, timeout):
            pass

        def __call__(self, url, output_file, pooch):
            if url not in answers:
                raise ConnectTimeout(url)
            with open(output_file, "wb") as file:
                file.write(answers[url])

    monkeypatch.setattr("pooch.HTTPDownloader", Downloader)
    return answers


def test_idx_files_become_rows_of_pixels_and_labels(folder):
    mnist = data.read(folder)
    assert mnist.name == "MNIST"
    assert mnist.train_images.shape == (3, 784)
    assert mnist.test_images.shape == (2, 784)
    assert list(mnist.train_images[0, :4]) == [0, 1, 2, 0]
    assert list(mnist.train_labels) == [5, 0, 4]


def test_a_gzipped_file_reads_like_a_plain_one(folder):
    plain = folder / "train-labels-idx1-ubyte"
    plain.with_name(f"{plain.name}.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert list(data.read(folder).train_labels) == [5, 0, 4]


def test_a_missing_file_is_named(folder):
    (folder / "t10k-labels-idx1-ubyte").unlink()
    with pytest.raises(FileNotFoundError, match=r"has neither t10k-labels-idx1-ubyte nor .*give the folder"):
        data.read(folder)


def test_a_truncated_gz_file_is_named_with_the_cure(folder):
    name = "train-images-idx3-ubyte"
    (folder / name).unlink()
    (folder / f"{name}.gz").write_bytes(gzip.compress(FILES[name])[:-12])
    with pytest.raises(ValueError, match=rf"{name}.gz is truncated or damaged .*fetch https://.*{name}.gz again"):
        data.read(folder)


def test_a_file_with_other_contents_is_named_with_the_cure(folder):
    name = "t10k-images-idx3-ubyte"
    (folder / name).write_bytes(b"<html>Not found</html>")
    with pytest.raises(ValueError, match=rf"{name} is not MNIST's {name} \(22 bytes, .*fetch https://"):
        data.read(folder)


def test_a_download_takes_the_second_mirror_when_the_first_fails_or_lies(mirrors, tmp_path):
    for name, contents in FILES.items():
        mirrors[f"{data.MIRRORS[1]}{name}.gz"] = gzip.compress(contents)
    mirrors[f"{data.MIRRORS[0]}train-images-idx3-ubyte.gz"] = b"<html>Log in first</html>"
    assert list(data.read(data.download(tmp_path)).test_labels) == [7, 2]


def test_what_is_cached_is_not_downloaded_again(mirrors, tmp_path):
    for name, contents in FILES.items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(contents))
    assert data.download(tmp_path) == tmp_path


def test_offline_the_mirrors_are_named_and_no_file_is_left(mirrors, tmp_path):
    with pytest.raises(ConnectionError, match=r"amazonaws\.com: ConnectTimeout; storage\.googleapis\.com: "):
        data.download(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def stand_in():
    return data.stand_in()


def test_the_stand_in_has_the_shape_of_mnist_and_says_what_it_is(stand_in):
    assert "stand-in" in stand_in.name
    assert stand_in.train_images.shape == (60_000, 784)
    assert stand_in.test_images.shape == (10_000, 784)
    assert stand_in.train_images.dtype == stand_in.train_labels.dtype == np.uint8
    assert set(stand_in.train_labels) == set(stand_in.test_labels) == set(range(10))


def test_the_stand_in_is_the_same_on_every_machine(stand_in):
    pixels = hashlib.sha256(stand_in.train_images.tobytes() + stand_in.test_images.tobytes())
    assert pixels.hexdigest() == "3bf78f3383f68f01425fdf1bebfbce2da8adc43e363780948c47880b4d08fbc2"


def test_no_test_image_of_the_stand_in_is_among_its_training_images(stand_in):
    train = {image.tobytes() for image in stand_in.train_images}
    assert not any(image.tobytes() in train for image in stand_in.test_images)


def test_an_epoch_has_48000_different_training_examples_chosen_by_the_seed():
    numbered = data.Dataset("", np.arange(60_000), np.arange(60_000), np.empty(0), np.empty(0))
    images, labels = data.training_examples(numbered, seed=1)
    np.testing.assert_array_equal(images, labels)
    assert len(set(images)) == 48_000
    assert not np.array_equal(images, data.training_examples(numbered, seed=2)[0])


def test_every_epoch_visits_each_example_once_in_an_order_of_its_own():
    first, again, second = (data.epoch_order(100, 1, epoch) for epoch in (0, 0, 1))
    assert sorted(first) == sorted(second) == list(range(100))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, second)
