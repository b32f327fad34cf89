"""Signals that wait."""

import os
import signal
import subprocess
import sys
from threading import Thread

import pytest

from w2v.signals import STOPPING, HeldSignals


@pytest.fixture(autouse=True)
def heeded():
    """Ctrl-C, which a shell's background jobs ignore, as it is at a prompt."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


def test_the_first_signal_waits_for_its_release():
    with HeldSignals(STOPPING) as held:
        signal.raise_signal(signal.SIGINT)
        assert held.came == signal.SIGINT
        with pytest.raises(KeyboardInterrupt):
            held.release()
        assert held.came is None
        held.release()  # there is nothing any more
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_acts_at_the_end_of_the_block_at_the_latest():
    done = []
    with pytest.raises(KeyboardInterrupt), HeldSignals(STOPPING):
        signal.raise_signal(signal.SIGINT)
        done.append("the rest of the block")
    assert done


def test_a_second_acts_at_once():
    with pytest.raises(KeyboardInterrupt), HeldSignals(STOPPING):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("was held, too")


def test_a_process_without_a_handler_dies_of_it_when_it_is_released():
    script = f"""if True:
        import signal
        from {HeldSignals.__module__} import STOPPING, HeldSignals
        with HeldSignals(STOPPING):
            signal.raise_signal(signal.SIGTERM)
            print("held", flush=True)
        print("not dead")
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (-signal.SIGTERM, "held\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is forked here")
def test_a_forked_process_holds_nothing():
    script = f"""if True:
        import os, signal
        from {HeldSignals.__module__} import STOPPING, HeldSignals
        with HeldSignals(STOPPING):
            if not (child := os.fork()):
                signal.raise_signal(signal.SIGTERM)
                os._exit(0)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{-signal.SIGTERM}\n"


def test_an_error_ends_the_block_in_place_of_a_signal():
    with pytest.raises(OSError, match="disk full"), HeldSignals(STOPPING):
        signal.raise_signal(signal.SIGINT)
        raise OSError("disk full")


def test_what_is_ignored_stays_so():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with HeldSignals(STOPPING) as held:
        signal.raise_signal(signal.SIGINT)
        assert held.came is None


def test_other_threads_hold_nothing():
    def block():
        with HeldSignals(STOPPING):
            handlers.append(signal.getsignal(signal.SIGINT))

    handlers = []
    thread = Thread(target=block)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]
