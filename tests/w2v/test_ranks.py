"""What ranks share out and when they meet, without MPI."""

import gzip

import numpy as np
import pytest
from click.testing import CliRunner
from corpora import sentences_of

from w2v.cli import main
from w2v.commands.plan import planned
from w2v.corpus import EncodedCorpus
from w2v.distributed.averaging import FIRST_ROWS, SHARE, Averaging, rows_to_average
from w2v.distributed.plan import bytes_per_second, mean_rows, plan
from w2v.distributed.ranks import Ranks
from w2v.driver import train
from w2v.params import Params
from w2v.pieces import opened_piece, pieces
from w2v.tables import initial_syn0, new_table
from w2v.trainers import Task
from w2v.trainers.hogwild import Hogwild


def read(files, share):
    texts = []
    for piece in pieces(files, share):
        with opened_piece(piece) as (_, text):
            texts.append(text.read(1 << 20))
    return texts


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_parts_of_files_are_whole_lines_and_together_all(tmp_path, parts):
    files = [tmp_path / "a", tmp_path / "b"]
    files[0].write_text("".join(f"line {number} of a\n" for number in range(100)))
    files[1].write_text("".join(f"line {number} of b\n" for number in range(37)))
    texts = [text for part in range(parts) for text in read(files, (part, parts))]
    assert b"".join(texts) == files[0].read_bytes() + files[1].read_bytes()
    assert all(text.endswith(b"\n") for text in texts)


def test_a_text_without_lines_is_cut_between_words(tmp_path):
    (tmp_path / "a").write_text(" ".join(f"word{number}" for number in range(1000)))
    texts = [read([tmp_path / "a"], (part, 4))[0] for part in range(4)]
    assert [word for text in texts for word in text.split()] == (tmp_path / "a").read_bytes().split()
    assert max(map(len, texts)) < 1.1 * min(map(len, texts))


def test_a_packed_file_is_not_cut(tmp_path):
    files = [tmp_path / name for name in "abc"]
    for file in files:
        file.write_bytes(gzip.compress(file.name.encode() * 100))
    texts = [text for part in range(2) for text in read(files, (part, 2))]
    assert texts == [b"a" * 100, b"b" * 100, b"c" * 100]


def test_parts_of_a_corpus_are_neighbouring_sentences_and_together_all():
    corpus = EncodedCorpus.from_sentences([[str(number)] * (number % 5 + 1) for number in range(40)], min_count=1)
    parts = [corpus.part(rank, 3) for rank in range(3)]
    assert [sentence for part in parts for sentence in sentences_of(part)] == sentences_of(corpus)
    assert max(part.raw_words for part in parts) - min(part.raw_words for part in parts) <= 10
    with pytest.raises(ValueError, match="no sentence is left for part 1 of 99: start fewer processes"):
        corpus.part(0, 99)
    with pytest.raises(ValueError, match="rank 3 is none of 3, counted from 0"):
        corpus.part(3, 3)


def test_twice_as_many_rows_are_averaged_half_as_often():
    assert [rows_to_average(sync) // FIRST_ROWS for sync in range(1, 9)] == [1, 2, 1, 4, 1, 2, 1, 8]
    assert mean_rows(FIRST_ROWS // 2) == FIRST_ROWS / 2
    assert mean_rows(4 * FIRST_ROWS) == (1 + 2 + 1 + 4) / 4 * FIRST_ROWS


class Slow(Ranks):
    """One of two ranks, whose network takes some time, and which notes what is averaged."""

    def __init__(self):
        super().__init__()
        self.averaged = []

    def average(self, table):
        self.averaged.append(len(table))


def test_rows_of_both_tables_are_averaged_between_chunks_and_all_at_the_end():
    corpus = EncodedCorpus.from_arrays(np.arange(40 * 5000).reshape(40, 5000) % 3000, min_count=1)
    task = Task(
        corpus, Params(vector_size=16, epochs=1, workers=1), initial_syn0(3000, 16, seed=1), new_table(3000, 16)
    )
    ranks = Slow()
    averaging = Averaging(ranks, task, chunks=20)
    train(Hogwild(task), task, hooks=[averaging])
    assert averaging.syncs > 0
    rows = [min(rows_to_average(sync), 3000) for sync in range(1, averaging.syncs + 1)]
    assert ranks.averaged == [table for count in [*rows, 3000] for table in (count, count)]


def test_a_plan_counts_what_is_sent():
    many = plan(10**9, 10**6, threads=2, rows=100_000, row_bytes=1000, ranks=4, bandwidth=1e9)
    assert many.training == 250
    assert many.averaging == pytest.approx(250 * SHARE / (1 - SHARE), rel=0.05)
    assert many.waiting == pytest.approx((many.syncs + 1) * 0.02 * (8 / 9 - 1 / 2))
    assert many.seconds == many.training + many.averaging + many.waiting
    assert plan(10**9, 10**6, 2, 100_000, 1000, 1, 1e9).seconds == 1000


def test_a_plan_of_little_text_tells_no_time_as_nothing():
    alone, many = (plan(100, 1e6, 1, 10, 256, ranks, 1e9) for ranks in (1, 4))
    lines = planned(alone, many, 4, 1e6, 2560, 1e9).splitlines()
    assert lines[0].startswith("one machine like this: < 0.01 s an epoch, ")
    assert lines[1] == "  2.6 kB of weights"
    assert not any("0.00" in line for line in lines)


def test_a_plan_for_one_tells_nothing_of_others():
    alone = plan(10**9, 1e6, 1, 10**6, 256, 1, 1e9)
    assert planned(alone, alone, 1, 1e6, 256 * 10**6, 1e9).splitlines() == [
        "one machine like this: 1,000.00 s an epoch, measured at 1,000,000 words/s",
        "  256.0 MB of weights",
    ]


@pytest.mark.parametrize("words", [100, 10**11])
def test_a_plan_fits_a_terminal(words):
    alone, many = (plan(words, 1e6, 64, 10**6, 10**4, ranks, 1e9) for ranks in (1, 1000))
    assert max(map(len, planned(alone, many, 1000, 1e6, 10**10, 1e9).splitlines())) <= 80


@pytest.mark.parametrize(
    ("text", "found"), [("100Gb", 12.5e9), ("12GB", 12e9), ("800 Mbit/s", 1e8), ("10Gbps", 1.25e9)]
)
def test_bandwidths_are_bits_or_bytes(text, found):
    assert bytes_per_second(text) == pytest.approx(found)


@pytest.mark.parametrize("text", ["", "fast", "0Gb", "1.2.3Gb", "9" * 400 + "Gb"])
def test_what_is_no_bandwidth_is_refused(text):
    with pytest.raises(ValueError, match="is no bandwidth: write 100Gb for bits a second, or 12GB for bytes"):
        bytes_per_second(text)


def test_the_shell_plans_with_its_assumptions(tmp_path):
    (tmp_path / "text").write_text("the cat sat on the mat\n" * 2000)
    done = CliRunner().invoke(main, ["plan", str(tmp_path / "text"), "--ranks", "64", "--bandwidth", "100Gb"])
    assert done.exit_code == 0, done.output
    assert "64 ranks: " in done.output
    assert "Assumed: " in done.output
    assert CliRunner().invoke(main, ["plan", str(tmp_path / "text"), "--bandwidth", "fast"]).exit_code == 2
