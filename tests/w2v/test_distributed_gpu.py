"""Ranks whose trainer has its tables on a device: here, the emulated one of tests/gpu."""

import sys
from pathlib import Path

import numpy as np
from injected import task
from mpi import needs_mpi, program, write_topics

from w2v import driver
from w2v.driver import Hook
from w2v.trainers.cuda import Cupy

sys.path.insert(0, str(Path(__file__).parents[1] / "gpu" / "emulator"))

from emulated_device import HERE, EmulatedDevice

TRAINED = """
emulator, text, folder = sys.argv[1:]
sys.path.insert(0, emulator)
from pathlib import Path
from emulated_device import EmulatedDevice
from w2v.trainers import cuda
numbers = []
class Numbered(EmulatedDevice):
    def __init__(self, number=None):
        numbers.append(number)
        super().__init__(Path(folder) / str(comm.rank))
cuda.CupyDevice = Numbered
(Path(folder) / str(comm.rank)).mkdir()
model = Word2Vec(corpus_file=text, trainer="cupy", epochs=4, alpha=0.05, compute_loss=True, **settings)
assert numbers == [None, comm.rank]  # the first when the model was made
assert len(set(comm.allgather(model.wv.vectors.tobytes() + model.syn1neg.tobytes()))) == 1
if comm.rank == 0:
    print(json.dumps(model.epoch_losses))
"""


class Setting(Hook):
    """Sets all weights to one value after the first epoch."""

    def __init__(self, task):
        self._tables = task.tables.values()

    def on_epoch_end(self, position):
        if position.epoch == 1:
            for table in self._tables:
                table[:] = 0.125


def test_a_device_trains_on_from_tables_that_a_hook_has_changed(tmp_path):
    changed = task(epochs=2, alpha=1e-6, min_alpha=1e-6)
    driver.train(Cupy(changed, EmulatedDevice(tmp_path)), changed, hooks=[Setting(changed)])
    for table in changed.tables.values():
        np.testing.assert_allclose(table, 0.125, atol=1e-3)


@needs_mpi
def test_ranks_average_what_their_devices_have_learnt(tmp_path):
    job = program(2, TRAINED, HERE, write_topics(tmp_path / "text", sentences=1000), tmp_path)
    assert job.returncode == 0, job.stderr
    losses = [float(loss) for loss in job.stdout.strip().strip("[]").split(",")]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.95 * losses[0]
