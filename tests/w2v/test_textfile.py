"""Text files, encoded: against Python's str.split() and gensim's LineSentence."""

import gzip
import os
import random
import threading
import zipfile
from pathlib import Path

import pytest
from corpora import assert_same, sentences_of
from gensim.models.word2vec import LineSentence
from gensim.test.utils import datapath
from hypothesis import given
from hypothesis import strategies as st

import w2v.textfile
from w2v.corpus import EncodedCorpus
from w2v.scan import MAX_SENTENCE

SPACES = [character for character in map(chr, range(0x110000)) if character.isspace()]


@pytest.fixture
def text_file(tmp_path):
    def write(content):
        path = tmp_path / "text"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def tiny_blocks(monkeypatch):
    monkeypatch.setattr(w2v.textfile, "BLOCK_BYTES", 7)


@pytest.mark.parametrize("name", ["lee_background.cor", "head500.noblanks.cor"])
@pytest.mark.parametrize("one_line", [False, True])
def test_a_text_is_read_as_gensims_line_sentence_reads_it(name, one_line, text_file):
    content = Path(datapath(name)).read_bytes()[:1_000_000]
    path = text_file(content.replace(b"\n", b" ") if one_line else content)
    corpus = EncodedCorpus.from_file(path, min_count=1)
    assert sentences_of(corpus) == list(LineSentence(str(path)))
    assert corpus.raw_lengths.tolist() == [len(sentence) for sentence in LineSentence(str(path))]
    assert_same(
        EncodedCorpus.from_file(path, min_count=5),
        EncodedCorpus.from_sentences(LineSentence(str(path)), min_count=5),
    )


texts = st.text(st.sampled_from([*SPACES, "a", "b", "é", "\ufeff", "\u200b", "中", "\u3001", "\U0001d11e", "\0"]))


@given(texts, st.integers(1, 9), st.integers(1, 3))
def test_tokens_are_those_of_str_split(tmp_path_factory, text, block_bytes, workers):
    path = tmp_path_factory.getbasetemp() / "split"
    path.write_bytes(text.encode())
    expected = [line.split() for line in text.removeprefix("\ufeff").split("\n") if line.split()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(w2v.textfile, "BLOCK_BYTES", block_bytes)
        if expected:
            assert sentences_of(EncodedCorpus.from_file(path, 1, workers)) == expected
        else:
            with pytest.raises(ValueError, match=r"is empty|no words"):
                EncodedCorpus.from_file(path, 1, workers)


@given(st.lists(st.text("abcdefghijklmnop", min_size=1, max_size=30), min_size=1, max_size=300))
def test_words_of_every_length_are_told_apart(tmp_path_factory, words):
    path = tmp_path_factory.getbasetemp() / "words"
    path.write_text(" ".join(words))
    assert sentences_of(EncodedCorpus.from_file(path, 1)) == [words]


def test_every_white_space_character_separates(text_file):
    text = "".join(f"{number}{space}" for number, space in enumerate(SPACES))
    assert len(SPACES) == 29
    corpus = EncodedCorpus.from_file(text_file(text), 1)
    assert [word for sentence in sentences_of(corpus) for word in sentence] == text.split()


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_the_number_of_workers_changes_nothing(workers, text_file, monkeypatch):
    monkeypatch.setattr(w2v.textfile, "BLOCK_BYTES", 1000)
    dice = random.Random(1)
    lines = [[str(int(dice.paretovariate(0.7))) for _ in range(dice.randrange(12))] for _ in range(3000)]
    path = text_file("\n".join(map(" ".join, lines)))
    assert_same(EncodedCorpus.from_file(path, 2, workers), EncodedCorpus.from_sentences(filter(None, lines), 2))


def test_all_workers_tokenize_at_the_same_time(text_file, tiny_blocks, monkeypatch):
    workers = 3
    meeting = threading.Barrier(workers)

    class Meeting(w2v.textfile.Tokenizer):
        def scan(self, text):
            if not len(self):
                meeting.wait(timeout=10)
            return super().scan(text)

    monkeypatch.setattr(w2v.textfile, "Tokenizer", Meeting)
    path = text_file("word other third fourth fifth sixth")
    assert list(EncodedCorpus.from_file(path, 1, workers)) == [path.read_text().split()]


def test_a_line_is_cut_where_gensim_cuts_it_whatever_the_blocks(text_file, monkeypatch):
    monkeypatch.setattr(w2v.textfile, "BLOCK_BYTES", 1000)
    path = text_file("a b\n" + "x y z " * MAX_SENTENCE + "\nc d")
    corpus = EncodedCorpus.from_file(path, min_count=1)
    assert corpus.raw_lengths.tolist() == [len(sentence) for sentence in LineSentence(str(path))]


def test_a_token_of_a_megabyte(text_file, monkeypatch):
    monkeypatch.setattr(w2v.textfile, "BLOCK_BYTES", 4096)
    giant = "é" * 500_000 + "x"
    assert sentences_of(EncodedCorpus.from_file(text_file(f"a {giant} b"), 1)) == [["a", giant, "b"]]


@pytest.mark.parametrize("content", ["a\r\nb\r\n", "a\nb", "\n\na\n \t\nb\n\n"])
def test_line_ends_and_blank_lines_make_no_sentence(content, text_file):
    assert sentences_of(EncodedCorpus.from_file(text_file(content), 1)) == [["a"], ["b"]]


def test_a_byte_order_mark_is_dropped_at_the_start_only(text_file):
    assert sentences_of(EncodedCorpus.from_file(text_file("\ufeffa \ufeffb"), 1)) == [["a", "\ufeffb"]]


def zipped(path, *names):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", "")
        for name in names:
            archive.writestr(name, "a b\na\n")
    return path


def test_compressed_files_are_known_by_content_not_name(text_file, tmp_path):
    plain = EncodedCorpus.from_file(text_file("a b\na\n"), 1)
    assert_same(EncodedCorpus.from_file(text_file(gzip.compress(b"a b\na\n")), 1), plain)
    assert_same(EncodedCorpus.from_file(zipped(tmp_path / "archive", "folder/text"), 1), plain)


@pytest.mark.parametrize(
    ("field", "value", "complaint"), [(6, 1, "is encrypted: unpack it first"), (8, 99, "can't be unpacked here")]
)
def test_a_zip_that_cannot_be_opened_says_why(tmp_path, field, value, complaint):
    path = zipped(tmp_path / "x.zip", "one")
    content = bytearray(path.read_bytes())
    for header, offset in ((b"PK\x03\x04", field), (b"PK\x01\x02", field + 2)):  # in both headers of the last file
        content[content.rindex(header) + offset] = value
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"x\.zip {complaint}"):
        EncodedCorpus.from_file(path)


def test_a_zip_of_several_files_names_them(tmp_path):
    with pytest.raises(ValueError, match=r"x\.zip holds 2 files \(one, two\): give a zip of exactly one"):
        EncodedCorpus.from_file(zipped(tmp_path / "x.zip", "one", "two"))


def test_a_damaged_archive_is_named(text_file):
    damaged = gzip.compress(b"a b c d e f g " * 100)[:-10]
    with pytest.raises(ValueError, match="text is damaged: "):
        EncodedCorpus.from_file(text_file(damaged))


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
def test_bad_utf8_is_named_by_file_line_and_byte(prefix, workers, text_file, tiny_blocks):
    content = prefix + "één twee\ndrie\n\nvier ".encode() + b"vij\xffzes zeven\nacht"
    message = f"text, line 4, byte {content.index(0xFF)}: 0xff is not UTF-8 .*; convert the file, e.g. with iconv"
    with pytest.raises(ValueError, match=message):
        EncodedCorpus.from_file(text_file(content), 1, workers)


@pytest.mark.parametrize("bad", [b"\xed\xa0\x80", b"\xc0\xa0", b"\xe2\x80", b"\x85", b"\xf5\x80\x80\x80"])
def test_what_cpython_does_not_decode_is_refused(bad, text_file):
    with pytest.raises(ValueError, match="line 1, byte 2: "):
        EncodedCorpus.from_file(text_file(b"a " + bad), 1)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such file: .*missing"):
        EncodedCorpus.from_file(tmp_path / "missing")


def test_a_folder_is_read_file_by_file_in_the_order_of_names(tmp_path):
    (tmp_path / "2").write_bytes(gzip.compress("\ufeffb c".encode()))
    (tmp_path / "10").write_text("\ufeffa b")
    (tmp_path / "3").write_text("")
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "folder").mkdir()
    calls = []
    corpus = EncodedCorpus.from_file(tmp_path, 1, progress=lambda done, total: calls.append((done, total)))
    assert sentences_of(corpus) == [["a", "b"], ["b", "c"]]
    total = sum((tmp_path / name).stat().st_size for name in ("2", "3", "10"))
    assert calls == sorted(calls)
    assert calls[-1] == (total, total)


def test_a_folder_without_text_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no file in the folder"):
        EncodedCorpus.from_file(tmp_path)
    (tmp_path / "empty").write_text("")
    with pytest.raises(ValueError, match="is empty"):
        EncodedCorpus.from_file(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", gzip.compress(b"")])
def test_an_empty_file_is_refused(content, text_file):
    with pytest.raises(ValueError, match="text is empty"):
        EncodedCorpus.from_file(text_file(content))


def test_white_space_alone_holds_no_words(text_file):
    with pytest.raises(ValueError, match="the corpus holds no words"):
        EncodedCorpus.from_file(text_file(" \n\n \t"))


def test_no_frequent_word_is_an_error(text_file):
    with pytest.raises(ValueError, match=r"^7 distinct words seen, highest count 1 < min_count 5: lower min_count"):
        EncodedCorpus.from_file(text_file("a b c d e f g"))


@pytest.mark.parametrize(("arguments", "name"), [({"workers": 0}, "workers=0"), ({"min_count": -1}, "min_count=-1")])
def test_bad_settings_are_refused_before_reading(arguments, name, tmp_path):
    with pytest.raises(ValueError, match=name):
        EncodedCorpus.from_file(tmp_path / "missing", **arguments)


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_progress_counts_the_bytes_of_the_file(compress, text_file, tiny_blocks):
    path = text_file(compress(b"one two three four five"))
    calls = []
    EncodedCorpus.from_file(path, 1, progress=lambda done, total: calls.append((done, total)))
    size = path.stat().st_size
    assert calls == sorted(calls)
    assert calls[-1] == (size, size)


def test_an_error_in_progress_ends_the_reading(text_file, tiny_blocks):
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EncodedCorpus.from_file(text_file("one two three " * 100), 1, progress=interrupt)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=["a b a"])
    writer.start()
    corpus = EncodedCorpus.from_file(pipe, 1, progress=lambda done, total: pytest.fail("a pipe has no size"))
    writer.join()
    assert sentences_of(corpus) == [["a", "b", "a"]]
