from __future__ import annotations

import gzip
import re
import signal

import pytest
from requests.exceptions import ConnectionError

from compare import datasets
from compare.datasets import Unavailable, lay_out, locate


def test_layout_cuts_an_endless_line_and_loses_nothing(tmp_path):
    words = [f"w{number % 700}" for number in range(25_000)]
    source = tmp_path / "endless.txt"
    source.write_text(" ".join(words))
    text = lay_out(source, tmp_path / "corpus.txt", min_count=5)
    lines = [line.split() for line in text.path.read_text().splitlines()]
    assert [len(line) for line in lines] == [1_000] * 25
    assert [word for line in lines for word in line] == words
    assert (text.words, text.types) == (25_000, 700)


def test_layout_reads_gzip_and_keeps_rare_and_foreign_words(tmp_path):
    source = tmp_path / "text.gz"
    source.write_bytes(gzip.compress("der Fuß\n東京 タワー\nder Fuß\n".encode()))
    text = lay_out(source, tmp_path / "corpus.txt", min_count=2)
    assert text.path.read_text(encoding="utf-8") == "der Fuß\n東京 タワー\nder Fuß\n"


def test_layout_refuses_a_corpus_without_frequent_words(tmp_path):
    source = tmp_path / "text.txt"
    source.write_text("a b c d e f g")
    with pytest.raises(Unavailable, match="7 distinct words seen, highest count 1 < min_count 5"):
        lay_out(source, tmp_path / "corpus.txt", min_count=5)


def test_layout_refuses_what_is_not_utf8(tmp_path):
    source = tmp_path / "latin.txt"
    source.write_bytes(b"fine\nna\xefve\n")
    with pytest.raises(Unavailable, match=re.escape(str(source))):
        lay_out(source, tmp_path / "corpus.txt", min_count=1)


@pytest.mark.parametrize("name", ["text9", "txt8"])
def test_unknown_corpus_suggests_the_near_name(name):
    with pytest.raises(Unavailable, match=f"no corpus or file is called '{name}': did you mean text8"):
        locate(name)


def test_missing_file_suggests_the_near_file(tmp_path):
    (tmp_path / "wiki.txt").write_text("a")
    with pytest.raises(Unavailable, match=re.escape(f"did you mean {tmp_path / 'wiki.txt'}")):
        locate(str(tmp_path / "wiky.txt"))


def test_files_whose_names_are_not_near_are_not_suggested(tmp_path):
    for name in ("o.txt", "tiny.txt"):
        (tmp_path / name).write_text("a")
    with pytest.raises(Unavailable, match="give text8, a text file or a folder of them"):
        locate(str(tmp_path / "nofile.txt"))


def test_a_folder_of_texts_is_a_corpus(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("a b a b\n")
    assert lay_out(locate(str(tmp_path / "texts")).path, tmp_path / "corpus", 1).words == 4


def test_offline_says_how_to_use_a_local_copy(tmp_path, monkeypatch):
    def offline(*args, **kwargs):
        raise ConnectionError("no route to host")

    monkeypatch.setattr(datasets.pooch, "retrieve", offline)
    with pytest.raises(Unavailable, match=r"can't be downloaded .*--corpus PATH"):
        locate("text8", tmp_path)


def test_ctrl_c_while_the_embedded_text_is_parsed_leaves_none(tmp_path):
    assert next(datasets.articles())  # all that it needs is imported
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            locate(None, tmp_path)
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert not list(tmp_path.iterdir())


def test_embedded_text_is_parsed_once(tmp_path):
    source = locate(None, tmp_path)
    assert source.path.parent == tmp_path
    text = source.path.read_text(encoding="utf-8")
    assert text.startswith("anarchism is political philosophy")
    assert text.count("\n") == 106 and len(text.split()) == 452_944
    source.path.write_text("kept")
    assert locate(None, tmp_path).path.read_text() == "kept"
