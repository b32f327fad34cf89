"""Without a C++ compiler: what is left works, what is missing says so, and with one nothing is missing."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import w2v.textfile
from compare.ceilings import cpu
from compare.ceilings.timing import QUICK
from compare.workloads.w2v import Trial
from mnist import backends
from w2v import Word2Vec, _tokenizer, plain_tokenizer
from w2v.cli import main
from w2v.trainers import trainer_class

ROOT = Path(__file__).parents[2]
EXTENSIONS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in ("compare", "mnist", "w2v")
    for path in (ROOT / package).rglob("*.pyx")
)
SPACES = [character for character in map(chr, range(0x110000)) if character.isspace()]
texts = st.text(st.sampled_from([*SPACES, "a", "b", "é", "\u200b", "中", "\U0001d11e"]))


@pytest.mark.parametrize("name", EXTENSIONS)
def test_every_extension_is_compiled_where_there_is_a_compiler(name):
    importlib.import_module(name)


@pytest.fixture
def not_compiled(monkeypatch):
    for name in "hogwild", "exact":
        monkeypatch.delitem(sys.modules, f"w2v.trainers.{name}", raising=False)
        monkeypatch.setitem(sys.modules, f"w2v.trainers.{name}._{name}", None)


@pytest.mark.parametrize("name", ["hogwild", "exact"])
def test_a_trainer_that_is_not_compiled_says_what_to_do(not_compiled, name):
    message = f"the trainer '{name}' is not compiled: install a C.. compiler, .* or take trainer='numba'"
    with pytest.raises(RuntimeError, match=message):
        Word2Vec(trainer=name)
    assert "is not compiled" in Trial.unavailable(name)


def test_the_shell_says_it_in_a_line(not_compiled, tmp_path):
    result = CliRunner().invoke(main, ["train", "absent.txt", "-o", str(tmp_path / "vectors.txt")])
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert result.stderr.startswith("Error: the trainer 'hogwild' is not compiled: ")


def test_a_model_is_loaded_whose_trainer_is_not_compiled(tmp_path, monkeypatch):
    Word2Vec([["a", "b"]], min_count=1, epochs=1).save(tmp_path / "model")
    monkeypatch.delitem(sys.modules, "w2v.trainers.hogwild")
    monkeypatch.setitem(sys.modules, "w2v.trainers.hogwild._hogwild", None)
    loaded = Word2Vec.load(tmp_path / "model")
    assert (loaded.trainer, len(loaded.wv)) == ("hogwild", 2)
    with pytest.raises(RuntimeError, match="not compiled"):
        loaded.train([["a", "b"]])


def test_an_error_inside_a_trainer_is_not_mistaken_for_a_missing_one(monkeypatch):
    monkeypatch.delitem(sys.modules, "w2v.trainers.hogwild", raising=False)
    monkeypatch.setitem(sys.modules, "w2v.trainers.alias", None)
    with pytest.raises(ModuleNotFoundError, match="alias"):
        trainer_class("hogwild")


def test_rows_that_are_not_compiled_say_so(monkeypatch):
    monkeypatch.setattr("mnist.backends.native.COMPILED", False)
    for name in "native", "native-bf16":
        assert backends.unavailable(name).startswith("not compiled: install")
    monkeypatch.setattr(cpu, "_memory", None)
    ceilings = [*cpu.streams(1, QUICK), *cpu.rows("L2", 1, QUICK)]
    assert {each.name for each in ceilings} == {"copy", "triad", "gather", "update"}
    assert all(each.value is None and each.reason.startswith("not compiled: install") for each in ceilings)


@given(texts, texts)
def test_the_plain_tokenizer_numbers_as_the_compiled_one(first, second):
    results = []
    for module in _tokenizer, plain_tokenizer:
        one, other = module.Tokenizer(), module.Tokenizer()
        scans = [one.scan(first.encode()), other.scan(second.encode())]
        absorbed = one.absorb(other, len(other) // 2, len(other))
        arrays = [*scans[0], *scans[1], absorbed]
        assert {array.dtype for array in arrays} == {np.dtype(np.int32)}
        words = one.words(np.arange(len(one)))
        results.append(([array.tolist() for array in arrays], words, module.through_last_space(first.encode())))
    assert results[0] == results[1]


@given(st.lists(st.integers(-(2**63), 2**63 - 1)), st.data())
def test_the_plain_numbers_and_selections_are_the_compiled_ones(values, data):
    numbers = [module.Tokenizer().number(np.array(values, np.int64)) for module in (_tokenizer, plain_tokenizer)]
    np.testing.assert_array_equal(*numbers)
    index = np.array([data.draw(st.integers(-1, 3)) for _ in set(values)], np.int32)
    ends = sorted(data.draw(st.lists(st.integers(0, len(values)))))
    results = []
    for module in _tokenizer, plain_tokenizer:
        types, offsets = numbers[0].copy(), np.array([0, *ends, len(values)], np.int64)
        kept = module.keep_indexed(types, index, offsets)
        results.append((types[:kept].tolist(), offsets.tolist()))
    assert results[0] == results[1]


def test_a_file_is_read_by_the_plain_tokenizer_which_says_so_once(tmp_path, monkeypatch, caplog):
    path = tmp_path / "text"
    path.write_text("the cat sat\non the mat\n" * 100)
    expected = w2v.encode(path, min_count=1)
    for name in "Tokenizer", "through_last_space":
        monkeypatch.setattr(w2v.textfile, name, getattr(plain_tokenizer, name))
    plain_tokenizer.tell_once.cache_clear()
    for _ in range(2):
        found = w2v.encode(path, min_count=1)
    np.testing.assert_array_equal(found.ids, expected.ids)
    assert found.vocabulary.words == expected.vocabulary.words
    assert [record.message.split(":")[0] for record in caplog.records] == [
        "the text is read by plain Python, slowly, for the reader in C++ is not compiled"
    ]
