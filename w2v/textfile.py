"""Scanning a text file of any size: plain, gzip or zip, in blocks that threads share."""

from __future__ import annotations

import codecs
import gzip
import os
import reprlib
import threading
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import IO, NamedTuple

import numpy as np

from w2v._tokenizer import Tokenizer, through_last_space
from w2v.scan import Scan

BLOCK_BYTES = 1 << 20


def scan_file(
    path: str | os.PathLike[str], workers: int, progress: Callable[[int, int], None] | None = None
) -> Scan:
    """Scan a text file as `EncodedCorpus.from_file` describes."""
    scanned: dict[int, _ScannedBlock] = {}
    try:
        with _opened(path) as (raw, text), ThreadPoolExecutor(workers) as pool:
            size = os.fstat(raw.fileno()).st_size
            blocks = _Blocks(text)

            def scan(after_block: Callable[[], None] = lambda: None) -> None:
                tokenizer = Tokenizer()
                for start, block in blocks:
                    known = len(tokenizer)
                    types, line_ends = tokenizer.scan(block)
                    scanned[start] = _ScannedBlock(tokenizer, range(known, len(tokenizer)), types, line_ends)
                    after_block()

            def report() -> None:
                if progress and raw.seekable():
                    progress(min(raw.tell(), size), size)

            try:
                helpers = [pool.submit(scan) for _ in range(workers - 1)]
                scan(after_block=report)
                for helper in helpers:
                    helper.result()
                report()
            finally:
                blocks.stop()
    except UnicodeDecodeError as error:
        line = 1 + sum(len(block.line_ends) for block in scanned.values()) + error.object.count(b"\n", 0, error.start)
        raise ValueError(
            f"{path} is not UTF-8: line {line}, byte {blocks.start + error.start} is "
            f"0x{error.object[error.start]:02x} ({error.reason}); convert it, e.g. with iconv -t UTF-8"
        ) from None
    if not scanned:
        raise ValueError(f"{path} is empty")
    return _merged([scanned[start] for start in sorted(scanned)])


class _ScannedBlock(NamedTuple):
    """One block of text by one thread's tokenizer, which met the types `new` here for the first time."""

    tokenizer: Tokenizer
    new: range
    types: np.ndarray
    line_ends: np.ndarray


def _merged(blocks: list[_ScannedBlock]) -> Scan:
    """Renumber the types of all tokenizers in order of first occurrence in the whole text."""
    merged = Tokenizer()
    numbers = defaultdict(list)
    for block in blocks:
        numbers[block.tokenizer].append(merged.absorb(block.tokenizer, block.new.start, block.new.stop))
    renumbered = {tokenizer: np.concatenate(parts) for tokenizer, parts in numbers.items()}
    for block in blocks:
        np.take(renumbered[block.tokenizer], block.types, out=block.types, mode="clip")

    ends = np.cumsum([len(block.types) for block in blocks])
    line_ends = [block.line_ends + (end - len(block.types)) for block, end in zip(blocks, ends, strict=True)]
    lengths = np.diff(np.concatenate([*line_ends, ends[-1:]]), prepend=0)
    return Scan([block.types for block in blocks], lengths[lengths > 0], merged.words)


class _Blocks:
    """UTF-8 text in blocks of whole tokens, handed out in text order to whichever thread asks next.

    Yields (byte offset, text). After an error or `stop` nobody gets another block.
    """

    def __init__(self, text: IO[bytes]) -> None:
        self.start = 0
        self._lock = threading.Lock()
        self._blocks = self._read(text)

    def __iter__(self) -> _Blocks:
        return self

    def __next__(self) -> tuple[int, bytes]:
        with self._lock:
            return next(self._blocks)

    def stop(self) -> None:
        with self._lock:
            self._blocks.close()

    def _read(self, text: IO[bytes]) -> Iterator[tuple[int, bytes]]:
        block = text.read(len(codecs.BOM_UTF8))
        if block == codecs.BOM_UTF8:
            self.start, block = len(block), b""
        while True:
            cut = 0
            # A token longer than a block makes the block grow; doubling it keeps the time linear.
            while not cut and (more := text.read(max(BLOCK_BYTES, len(block)))):
                block += more
                cut = through_last_space(block)
            cut = cut or len(block)
            if not cut:
                return
            whole, block = block[:cut], block[cut:]
            if not whole.isascii():
                whole.decode()
            yield self.start, whole
            self.start += cut


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
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
                with zipfile.ZipFile(raw) as archive:
                    members = [member.filename for member in archive.infolist() if not member.is_dir()]
                    if len(members) != 1:
                        raise ValueError(
                            f"{path} holds {len(members)} files ({', '.join(members)}): give a zip of exactly one"
                        )
                    with archive.open(members[0]) as text:
                        yield raw, text
            else:
                yield raw, raw
        except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile) as error:
            raise ValueError(f"{path} is damaged: {error}") from error
