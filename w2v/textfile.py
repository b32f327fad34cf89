"""Scanning a text file of any size: plain, gzip or zip, in blocks that threads tokenize."""

from __future__ import annotations

import codecs
import gzip
import io
import lzma
import os
import reprlib
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import IO, NamedTuple

import numpy as np

from w2v._tokenizer import Tokenizer, through_last_space
from w2v.scan import Scan, cut
from w2v.threads import Crew

BLOCK_BYTES = 1 << 20
ENCRYPTED = 0x1  # a bit of a zip member's flags


def scan_file(path: str | os.PathLike[str], workers: int, progress: Callable[[int, int], None] | None = None) -> Scan:
    """Scan a text file as `EncodedCorpus.from_file` describes."""
    types, lengths = array("i"), array("i")
    sources: list[tuple[Tokenizer, range, int]] = []
    open_line = 0
    with _opened(path) as (raw, text):
        size = os.fstat(raw.fileno()).st_size
        for block in _tokenized(_blocks(path, text), workers):
            sources.append((block.tokenizer, block.new_types, len(block.types)))
            types.frombytes(block.types.tobytes())
            line_lengths = np.diff(block.line_ends, prepend=-open_line, append=len(block.types))
            lengths.frombytes(_sentences(line_lengths[:-1]).tobytes())
            open_line = int(line_lengths[-1])
            if progress and raw.seekable():
                progress(min(raw.tell(), size), size)
    if not sources:
        raise ValueError(f"{path} is empty")
    lengths.frombytes(_sentences(np.array([open_line])).tobytes())
    words = _merge(sources, np.frombuffer(types, np.int32))
    return Scan(types, np.frombuffer(lengths, np.int32), words)


def _sentences(line_lengths: np.ndarray) -> np.ndarray:
    return cut(line_lengths[line_lengths > 0])


class _Block(NamedTuple):
    """A block of text as a tokenizer numbered it; `new_types` are those it had not met before."""

    tokenizer: Tokenizer
    new_types: range
    types: np.ndarray
    line_ends: np.ndarray


def _tokenized(texts: Iterable[bytes], workers: int) -> Iterator[_Block]:
    """The blocks in text order, while `workers` threads, each with a tokenizer of its own, work ahead."""
    ahead = 2 * workers
    waiting: SimpleQueue[tuple[int, bytes] | None] = SimpleQueue()
    done: dict[int, _Block] = {}

    def block(number: int) -> _Block:
        while number not in done:
            done.update(filter(None, [crew.next_report()]))
        return done.pop(number)

    def stop() -> None:
        for _ in range(workers):
            waiting.put(None)

    with Crew([partial(_tokenize, waiting)] * workers, stop) as crew:
        number = -1
        for number, text in enumerate(texts):
            waiting.put((number, text))
            if number >= ahead:
                yield block(number - ahead)
        for last in range(max(0, number + 1 - ahead), number + 1):
            yield block(last)


def _tokenize(waiting: SimpleQueue[tuple[int, bytes] | None], report: Callable[[tuple[int, _Block]], None]) -> None:
    tokenizer = Tokenizer()
    while handed := waiting.get():
        number, text = handed
        known = len(tokenizer)
        types, line_ends = tokenizer.scan(text)
        report((number, _Block(tokenizer, range(known, len(tokenizer)), types, line_ends)))


def _merge(sources: list[tuple[Tokenizer, range, int]], types: np.ndarray) -> Callable[[np.ndarray], list[str]]:
    """Renumber `types` in place, from each tokenizer's own order to first occurrence in the whole text.

    sources: tokenizer, new types and number of tokens of each block. Returns what gives the words of types.
    """
    merged = Tokenizer()
    renumbered: dict[Tokenizer, array] = {}
    for tokenizer, new, _ in sources:
        numbers = renumbered.setdefault(tokenizer, array("i"))
        numbers.frombytes(merged.absorb(tokenizer, new.start, new.stop).tobytes())
    begin = 0
    for tokenizer, _, tokens in sources:
        block = types[begin : begin + tokens]
        block[:] = np.frombuffer(renumbered[tokenizer], np.int32)[block]
        begin += tokens
    return merged.words


def _blocks(path: str | os.PathLike[str], text: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    """UTF-8 text in blocks of whole tokens, without its byte order mark."""
    rest = text.read(len(codecs.BOM_UTF8))
    begin, line = 0, 1
    if rest == codecs.BOM_UTF8:
        begin, rest = len(rest), b""
    while True:
        end = 0
        # A token longer than a block makes the block grow; doubling keeps the time linear.
        while not end and (more := text.read(max(BLOCK_BYTES, len(rest)))):
            rest += more
            end = through_last_space(rest)
        end = end or len(rest)
        block, rest = rest[:end], rest[end:]
        if not block:
            return
        try:
            if not block.isascii():
                block.decode()
        except UnicodeDecodeError as error:
            line += block.count(b"\n", 0, error.start)
            raise ValueError(
                f"{path}, line {line}, byte {begin + error.start}: 0x{block[error.start]:02x} is not UTF-8 "
                f"({error.reason}); convert the file, e.g. with iconv -t UTF-8"
            ) from None
        yield block
        begin += len(block)
        line += np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n"))


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[tuple[io.BufferedReader, IO[bytes] | gzip.GzipFile]]:
    """The file and the text in it, which are one unless it is compressed; the content tells, not the name."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"no such file: {reprlib.repr(os.fspath(path))}")
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a directory: give one text file")
    with open(path, "rb") as raw:
        magic = raw.peek(4)[:4]
        try:
            if magic.startswith(b"\x1f\x8b"):
                with gzip.GzipFile(fileobj=raw) as text:
                    yield raw, text
            elif magic in (b"PK\x03\x04", b"PK\x05\x06"):
                with zipfile.ZipFile(raw) as archive, archive.open(_only_member(path, archive)) as text:
                    yield raw, text
            else:
                yield raw, raw
        except NotImplementedError as error:  # zipfile's word for a way of packing it doesn't know
            raise ValueError(f"{path} can't be unpacked here: {error}; unpack it first") from error
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile) as error:
            raise ValueError(f"{path} is damaged: {error}") from error


def _only_member(path: str | os.PathLike[str], archive: zipfile.ZipFile) -> str:
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        names = ", ".join(member.filename for member in members)
        raise ValueError(f"{path} holds {len(members)} files ({names}): give a zip of exactly one")
    if members[0].flag_bits & ENCRYPTED:
        raise ValueError(f"{path} is encrypted: unpack it first")
    return members[0].filename
