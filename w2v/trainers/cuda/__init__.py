"""Window mode on a CUDA device: the kernels in the .cu files here, run by CuPy.

A chunk is sampled on the device (sample.cu), then trained (train.cu). Each worker thread has a stream of its own, so
that one copies and samples while another trains; chunks train one after another.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from w2v.params import Params
from w2v.trainers import Task, Trained
from w2v.trainers.alias import alias_slots
from w2v.trainers.cuda.damping import Damping
from w2v.trainers.cuda.device import CupyDevice, Device, explained_memory
from w2v.trainers.cuda.plan import MIN_STRETCH, Plan, kernel_source, require_few_negatives
from w2v.trainers.reference import Windows

MOST_CHUNK_WORDS = 2_000_000
LEAST_CHUNKS = 100  # in a run: the learning rate is that of a chunk's beginning
THREADS = 256  # of a block, in the kernels of sample.cu
TILE_WORDS = 1024  # as in sample.cu
LANES = 32
COPIED_BYTES = 2**26  # at a time, to need no second copy of a table or a text, least of all a pinned one

# struct Tally in rows.cu
TALLY = np.dtype([("kept_words", "u8"), ("examples", "u8"), ("loss", "f8"), ("tokens", "i4"), ("", "i4")])


class Cupy:
    """All modes of `w2v.trainers.reference`, by kernels on a GPU.

    Parameters
    ----------
    device : Device, optional
        Where kernels run; if not given, the CUDA device that `task.device` says.

    Raises
    ------
    DeviceError
        If there is no device that works, or its memory doesn't hold the tables.
    ValueError
        If a hyper-parameter is more than the kernels or the device take.
    """

    def __init__(self, task: Task, device: Device | None = None) -> None:
        self.task = task
        self.plan = plan = Plan(task)
        self.device = device or CupyDevice(task.device)
        self.block_warps = min(plan.block_warps(self.device.shared_bytes), plan.most_warps())
        self.block_bytes = self.block_warps * plan.warp_bytes
        self.kernels = self.device.compile(kernel_source(), plan.constants)
        resident = self.kernels.resident_blocks("train", self.block_warps * LANES, self.block_bytes)
        self.blocks = max(1, min(resident, plan.most_warps() // self.block_warps))
        with self.device.stream() as stream:
            self._upload(plan.row)
            stream.synchronize()  # the workers' streams don't wait for this one
        self.training = threading.Lock()
        self.trained: Any = None  # the event after the last chunk
        self.unfinished: set[_Worker] = set()
        self.published = True

    @staticmethod
    def check(params: Params) -> None:
        """Raise what construction would raise for these settings on this machine, whatever the corpus."""
        require_few_negatives(params)
        CupyDevice()

    @property
    def chunk_words(self) -> int:
        """Words that the driver should hand over at once."""
        words = self.task.corpus.raw_words * self.task.params.epochs // LEAST_CHUNKS
        return int(np.clip(words, self.task.params.batch_words, MOST_CHUNK_WORDS))

    def worker(self, index: int) -> _Worker:
        """A thread with a stream of its own."""
        return _Worker(self)

    def finish(self, worker: _Worker) -> None:
        """Copy the tables back once every worker that has trained has finished."""
        with self.training, self.device.current():
            self.unfinished.discard(worker)
            if self.unfinished or self.published:
                return
            self.trained.synchronize()
            for table, rows in self._tables():
                if table is not None:
                    for part in parts(table):
                        table[part] = self.device.to_host(rows[part])[:, : table.shape[1]]
            self.published = True

    def reload(self) -> None:
        """Copy the tables to the device again."""
        with self.device.current(), self.device.stream() as stream:
            for table, rows in self._tables():
                if table is not None:
                    self._copy(table, rows)
            stream.synchronize()

    def _tables(self) -> list[tuple[np.ndarray | None, Any]]:
        return [(self.task.syn0, self.syn0), (self.task.syn1neg, self.syn1neg), (self.task.syn1, self.syn1)]

    def _upload(self, row: int) -> None:
        task, asarray = self.task, self.device.xp.asarray
        vocabulary, params = task.corpus.vocabulary, task.params
        gigabytes = sum(4 * len(t) * row for t in (task.syn0, task.syn1neg, task.syn1) if t is not None) / 1e9
        with explained_memory(f"the tables take {gigabytes:.1f} GB", "lower vector_size or raise min_count"):
            self.syn0, self.syn1neg, self.syn1 = (
                None if table is None else self._copied(table, row) for table in (task.syn0, task.syn1neg, task.syn1)
            )
            self.lockf = None if task.lockf is None else asarray(task.lockf, np.float32)
            self.damping = Damping(task, asarray)
            self.keep = asarray(vocabulary.keep_thresholds(params.sample))
            self.noise = asarray(alias_slots(vocabulary.noise_probabilities(params.ns_exponent)))
            tree = None if task.syn1 is None else vocabulary.tree
            self.tree = (None,) * 3 if tree is None else tuple(map(asarray, (tree.points, tree.codes, tree.offsets)))
        # A corpus that would take too much of the device stays on the host, and goes over chunk by chunk.
        self.ids: Any = task.corpus.ids
        self.offsets: Any = task.corpus.offsets
        if self.ids.nbytes + self.offsets.nbytes < self.device.free_bytes() // 2:
            self.ids, self.offsets = self._copied(self.ids), self._copied(self.offsets)

    def _copied(self, array: np.ndarray, *columns: int) -> Any:
        """The array on the device; that of a table has so many columns."""
        copy = self.device.xp.zeros((len(array), *columns), array.dtype)
        self._copy(array, copy)
        return copy

    def _copy(self, array: np.ndarray, copy: Any) -> None:
        for part in parts(array):
            place = part, *map(slice, array.shape[1:])
            copy[place] = self.device.xp.asarray(array[part])


def parts(array: np.ndarray) -> Iterator[slice]:
    """Rows of `array` that are copied at once."""
    rows = max(1, COPIED_BYTES // (array.strides[0] or 1))
    return (slice(at, at + rows) for at in range(0, len(array), rows))


class _Worker:
    def __init__(self, model: Cupy) -> None:
        self._model, self._stream = model, model.device.stream()
        self._xp, self._launch = model.device.xp, model.kernels.launch

    def train_chunk(self, begin: int, end: int, alpha: float, seed: int) -> Trained:
        with self._model.device.current(), self._stream, explained_memory("a chunk's samples", "lower negative"):
            tally = self._new_tally()
            windows = self._sample(begin, end, np.uint64(seed), tally)
            if windows is None:
                return Trained(0)
            return self._train(windows, alpha, tally, self._model.blocks, self._model.block_warps)

    def train_windows(self, windows: Windows, alpha: float, blocks: int = 1, block_warps: int = 1) -> Trained:
        """Train on given samples rather than drawn ones; a single warp does so in order."""
        with self._model.device.current(), self._stream:
            tally = self._new_tally(kept_words=len(windows.tokens), tokens=len(windows.tokens))
            on_device = Windows(*(self._xp.asarray(array, np.int32) for array in windows))
            return self._train(on_device, alpha, tally, blocks, block_warps)

    def finish(self) -> None:
        with self._model.device.current():
            self._model.finish(self)

    def _new_tally(self, **values: int) -> Any:
        tally = np.zeros(1, TALLY)
        for name, value in values.items():
            tally[name] = value
        return self._xp.asarray(tally.view(np.uint8))

    def _sample(self, begin: int, end: int, seed: np.uint64, tally: Any) -> Windows | None:
        """The windows of sentences [begin, end), on the device; None if they have no words."""
        model, xp, launch = self._model, self._xp, self._launch
        start, stop = (int(offset) for offset in model.task.corpus.offsets[[begin, end]])
        if start == stop:
            return None
        # A corpus on the host goes through CuPy's pinned buffers, and doesn't hold up this thread.
        ids, offsets = xp.asarray(model.ids[start:stop]), xp.asarray(model.offsets[begin : end + 1])
        length, sentences = stop - start + end - begin, np.int32(end - begin)
        tiles = -(-length // TILE_WORDS)
        counts = xp.empty(tiles, np.int32)
        stream, tokens, first, last = (xp.empty(length, np.int32) for _ in range(4))
        negatives = xp.empty((length, model.plan.negative), np.int32)
        by_word, by_warp = -(-length // THREADS), -(-tiles * LANES // THREADS)
        text = stream, np.int32(length), model.keep, seed, counts
        noise = model.noise, np.uint32(len(model.noise))
        shrink = np.int32(model.task.params.shrink_windows)
        launch("lay_out", -(-int(sentences) * LANES // THREADS), THREADS, 0, ids, offsets, sentences, stream)
        launch("count_kept", by_warp, THREADS, 0, *text)
        launch("compact", by_warp, THREADS, 0, *text, tokens, tally)
        launch("draw_windows", by_word, THREADS, 0, tokens, tally, *noise, shrink, seed, first, last, negatives)
        return Windows(tokens, first, last, negatives)

    def _train(self, windows: Windows, alpha: float, tally: Any, blocks: int, block_warps: int) -> Trained:
        model = self._model
        warps = min(blocks * block_warps, -(-len(windows.tokens) // MIN_STRETCH))
        damping = model.damping.factors(alpha, warps)
        tables = model.syn0, model.syn1neg, model.syn1, model.lockf, *damping, *model.tree
        shared_bytes = model.block_bytes // model.block_warps * block_warps
        with model.training:
            if model.trained is not None:
                self._stream.wait_event(model.trained)
            self._launch(
                "train", blocks, block_warps * LANES, shared_bytes, *tables, *windows, np.float32(alpha), tally
            )
            model.trained = self._stream.record()
            model.unfinished.add(self)
            model.published = False
        done = model.device.to_host(tally).view(TALLY)[0]
        if not model.task.params.compute_loss:
            return Trained(int(done["kept_words"]))
        return Trained(int(done["kept_words"]), float(done["loss"]), int(done["examples"]))
