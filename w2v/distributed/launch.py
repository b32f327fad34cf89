"""Whether an MPI launcher started this process, and how it ends the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from w2v.distributed.ranks import end_the_job

SIZES = "PMI_SIZE", "OMPI_COMM_WORLD_SIZE"  # set by the launchers of MPICH and its kin, and of Open MPI

F = TypeVar("F", bound=Callable[..., Any])


def launched() -> Any:
    """The communicator of all processes that `mpiexec` started with this one; None if it was started otherwise.

    Raises
    ------
    ValueError
        If they can't reach each other.
    """
    started = [int(os.environ[name]) for name in SIZES if name in os.environ]
    if not started:
        return None
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise ValueError(f"mpiexec needs mpi4py: pip install 'w2v-compare[mpi]' ({error})") from error
    reached = MPI.COMM_WORLD.Get_size()
    if reached not in started:
        raise ValueError(
            f"mpiexec started {started[0]} processes, but {MPI.get_vendor()[0]} under mpi4py reaches {reached}: start "
            "them with its own mpiexec, the one beside this Python if it came with w2v-compare[mpi]"
        )
    return MPI.COMM_WORLD


def ending_the_job(command: F) -> F:
    """Let an error of the command in one process end those in all."""

    @wraps(command)
    def run(*given: Any, **named: Any) -> Any:
        try:
            return command(*given, **named)
        except BaseException as error:
            if any(name in os.environ for name in SIZES):
                end_the_job(getattr(error, "exit_code", error))
            raise

    return run  # type: ignore[return-value]
