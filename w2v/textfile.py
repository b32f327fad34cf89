"""Scanning a text file of any size: plain, gzip or zip, in blocks that threads tokenize."""

from __future__ import annotations

import codecs
import os
import tempfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from w2v.files import require_there
from w2v.packed import Text
from w2v.pieces import Until, opened_piece, pieces
from w2v.scan import Scan, cut
from w2v.threads import Crew
from w2v.tokenizer import Tokenizer, through_last_space

BLOCK_BYTES = 1 << 20
SAMPLE_BYTES, SAMPLED_BLOCKS = 1 << 12, 64

Progress = Callable[[int, int], None]


def scan_file(
    path: str | os.PathLike[str],
    workers: int,
    progress: Progress | None = None,
    spill: Path | None = None,
    share: tuple[int, int] = (0, 1),
) -> Scan:
    """Scan a text file, or a folder of them, as `EncodedCorpus.from_file` describes.

    spill: a folder on whose disk the types of tokens are kept, for a text that memory can't hold.
    share: (r, n) for the r-th of n parts of the text, r from 0 (see `w2v.pieces`).
    """
    tokens, lengths = Spill(spill) if spill else array("i"), array("i")
    sources: list[tuple[Tokenizer, range, int]] = []
    open_line = 0
    for block in _tokenized(_texts(path, progress, share), workers):
        sources.append((block.tokenizer, block.new_types, len(block.types)))
        tokens.frombytes(block.types.tobytes())
        line_lengths = np.diff(block.line_ends, prepend=-open_line, append=len(block.types))
        lengths.frombytes(_sentences(line_lengths[:-1]).tobytes())
        open_line = int(line_lengths[-1])
    types = tokens.mapped() if isinstance(tokens, Spill) else tokens
    words = _merge(sources, np.frombuffer(types, np.int32))
    return Scan(types, np.frombuffer(lengths, np.int32), words)


class Spill:
    """int32 numbers that go to a file without a name, which is gone with the last view of it."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)
        self.frombytes = self._file.write

    def mapped(self) -> np.ndarray:
        """All of them, to be changed in place."""
        with self._file as file:
            file.flush()
            return np.memmap(file, np.int32, "r+") if file.tell() else np.empty(0, np.int32)


def _texts(path: str | os.PathLike[str], progress: Progress | None, share: tuple[int, int]) -> Iterator[bytes]:
    """The blocks of a part of all files, each file's followed by an end of its last line."""
    to_read = pieces(_files(path), share)
    total = sum(piece.end - piece.begin for piece in to_read)
    read, empty = 0, True
    for piece in to_read:
        with opened_piece(piece) as (raw, text):
            for block in _blocks(piece.path, text, piece.begin):
                yield block
                empty = False
                if progress and raw.seekable():
                    progress(min(read + raw.tell() - piece.begin, total), total)
            yield b"\n"
        read += piece.end - piece.begin
    if empty:
        part, parts = share
        none_left = f"has no text for part {part + 1} of {parts}: start fewer processes, or give it in more files"
        raise ValueError(f"{path} {none_left if parts > 1 else 'is empty'}")


def _files(path: str | os.PathLike[str]) -> list[str | os.PathLike[str]]:
    """The file itself, or those of a folder by name, but for hidden ones and folders within."""
    require_there(path)
    if not os.path.isdir(path):
        return [path]
    inside = sorted(file for file in Path(path).iterdir() if file.is_file() and is_of_text(file))
    if not inside:
        raise ValueError(f"there is no file in the folder {path}; those of folders within it are not read")
    return list(inside)


def is_of_text(file: Path) -> bool:
    """Whether a file in a folder is read with it: hidden ones are not."""
    return not file.name.startswith(".")


def require_outside(file: Path, text: Path) -> None:
    """ValueError if `file`, which is to be written, would be read with the folder `text` next time."""
    if file.resolve().parent == text.resolve() and is_of_text(file):
        raise ValueError(f"{file} would be read with the corpus next time: write to another folder")


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


def _blocks(path: str | os.PathLike[str], text: Text | Until, start: int = 0) -> Iterator[bytes]:
    """UTF-8 text in blocks of whole tokens, without its byte order mark; it is that of the file from byte `start`."""
    rest = text.read(len(codecs.BOM_UTF8))
    begin, line = start, 1
    if rest == codecs.BOM_UTF8:
        begin, rest = start + len(rest), b""
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
            part = f" of the part from byte {start}" if start else ""
            raise ValueError(
                f"{path}, line {line}{part}, byte {begin + error.start}: 0x{block[error.start]:02x} is not UTF-8 "
                f"({error.reason}); convert the file, e.g. with iconv -t UTF-8, or unpack it if it is compressed"
            ) from None
        yield block
        begin += len(block)
        line += np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n"))


def file_states(path: str | os.PathLike[str]) -> list[list]:
    """The absolute path, size and time of change of the file, or of each in the folder."""
    states = [(os.path.realpath(file), os.stat(file)) for file in _files(path)]
    return [[name, state.st_size, state.st_mtime_ns] for name, state in states]


def sampled_checksums(path: str | os.PathLike[str]) -> list[int]:
    """Of the file, or of each in the folder, 32 bits of some blocks, the first and the last among them.

    It is quick to tell a text of any size from another, but not from one with a few other words.
    """
    return [_sampled_checksum(file) for file in _files(path)]


def _sampled_checksum(path: str | os.PathLike[str]) -> int:
    checksum = 0
    with open(path, "rb") as file:
        if not file.seekable():
            raise ValueError(f"{path} is a pipe, of which no process can read its part: give them a file")
        last = max(0, os.fstat(file.fileno()).st_size - SAMPLE_BYTES)
        for begin in np.linspace(0, last, SAMPLED_BLOCKS, dtype=np.int64).tolist():
            file.seek(begin)
            checksum = zlib.crc32(file.read(SAMPLE_BYTES), checksum)
    return checksum
