"""Trains on an emulator that AddressSanitizer watches; run by test_cuda_bounds.py with its library preloaded."""

import sys
from pathlib import Path

from emulated_device import ADDRESS_SANITIZER, EmulatedDevice
from injected import samples, task

from w2v.trainers.cuda import Cupy

trained = task(sg=0, hs=1, window=3)
model = Cupy(trained, EmulatedDevice(Path(sys.argv[1]), options=ADDRESS_SANITIZER))
worker = model.worker(0)
worker.train_windows(samples(trained, centres=60), 0.05)
if sys.argv[2] == "fault":
    model.syn0 = model.syn0[:1].copy()
worker.train_chunk(0, 5, 0.05, 1)
worker.finish()
