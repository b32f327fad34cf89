"""Ranks on two hosts that a network alone connects: network namespaces, joined by a bridge; the ranks meet over TCP."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from mpi import BEGINNING, MPIEXEC, SECONDS, needs_mpi, write_topics

HOSTS = ("10.77.0.1", "10.77.0.2")
OVER_TCP = ["-genv", "MPIR_CVAR_CH4_NETMOD", "ofi", "-genv", "FI_PROVIDER", "tcp"]

LAUNCHER = """#!/bin/sh
# What mpiexec takes for ssh: runs a command on the host of this address.
while [ "${1#-}" != "$1" ]; do shift; done
address=$1; shift
exec ip netns exec PREFIX${address##*.} sh -c "$*"
"""

TRAINED = """
path, output = sys.argv[1:]
model = Word2Vec(corpus_file=path, **settings)
assert len(set(comm.allgather(model.wv.vectors.tobytes() + model.syn1neg.tobytes()))) == 1
assert model.corpus_total_words == 60_000
if comm.rank == 0:
    np.save(output, model.wv.vectors)
"""


def ip(arguments: str) -> bool:
    command = shutil.which("ip")
    return command is not None and subprocess.run([command, *arguments.split()], capture_output=True).returncode == 0


@pytest.fixture
def two_hosts():
    """What the names of two namespaces, each with an address of HOSTS, begin with."""
    prefix = f"w2v{os.getpid()}h"
    switch = f"{prefix}0"
    try:
        if not ip(f"netns add {switch}") or not ip(f"-n {switch} link add bridge type bridge"):
            pytest.skip("network namespaces and a bridge can't be made here: that takes root, and Linux with iproute2")
        assert ip(f"-n {switch} link set bridge up")
        for number, address in enumerate(HOSTS, 1):
            host = f"{prefix}{number}"
            assert ip(f"netns add {host}")
            assert ip(f"-n {host} link set lo up")
            assert ip(f"-n {switch} link add port{number} type veth peer name eth0 netns {host}")
            assert ip(f"-n {switch} link set port{number} master bridge up")
            assert ip(f"-n {host} addr add {address}/24 dev eth0")
            assert ip(f"-n {host} link set eth0 up")
        yield prefix
    finally:
        for number in range(3):
            ip(f"netns del {prefix}{number}")


@needs_mpi
def test_ranks_on_two_hosts_train_one_model_over_the_network(two_hosts, tmp_path):
    launcher = tmp_path / "launcher"
    launcher.write_text(LAUNCHER.replace("PREFIX", two_hosts))
    launcher.chmod(0o755)
    on_hosts = ["-hosts", ",".join(HOSTS), "-launcher", "ssh", "-launcher-exec", launcher, "-n", "2", *OVER_TCP]
    program = [sys.executable, "-c", BEGINNING + TRAINED, write_topics(tmp_path / "text"), tmp_path / "vectors.npy"]
    command = map(str, ["ip", "netns", "exec", f"{two_hosts}1", MPIEXEC, *on_hosts, *program])
    job = subprocess.run(list(command), capture_output=True, text=True, timeout=SECONDS)
    assert job.returncode == 0, job.stderr
    counter = ["ip", "netns", "exec", f"{two_hosts}2", "cat", "/sys/class/net/eth0/statistics/tx_bytes"]
    vectors = np.load(tmp_path / "vectors.npy")
    assert int(subprocess.check_output(counter)) > 5 * 2 * vectors.nbytes  # both tables, in each of five epochs
