"""What training a shape would take and cost on each machine there is a profile of, and what would limit it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from compare.calibration import Calibration
from compare.prediction import Fit, predict, unfitted
from compare.profile import Profile
from compare.statistics import Ratio
from compare.work.quantities import Work
from compare.work.roofline import bound, call_seconds, lacking

STEP, LAUNCH = "step", "launch"
"""What binds where neither arithmetic nor memory does: what a step costs a program, or its launches on a device."""

Workload = Callable[[str], Work]
"""The work of an epoch by backend; `GPU` stands for a device's kernels."""
GPU = "GPU"
KERNELS = "kernels"
"""What stands for a backend on a device: none is fitted there."""


@dataclass(frozen=True)
class Advice:
    """Of one device of one machine, by the fastest backend there."""

    machine: str
    device: str
    backend: str
    seconds: Ratio
    """Of an epoch, with the range that the model's errors so far put it in."""
    cost: Ratio | None
    """Of an epoch, in the currency of the price; None without one."""
    limit: str
    """arithmetic, memory, step or launch."""
    share: float
    """Of the epoch that the limit takes."""
    upload: float | None
    """Seconds that sending the data to the device takes once, before the first epoch."""

    @property
    def sentence(self) -> str:
        share = f"{self.share:.0%} of an epoch is"
        return {
            "arithmetic": f"arithmetic-bound: {share} matrix products; a faster processor or bfloat16 would help",
            "memory": f"memory-bound: {share} reading and writing; a smaller table would help",
            STEP: f"step-bound: {share} what each step costs whatever its size; a larger batch would help",
            LAUNCH: f"launch-bound: {share} launches; a larger batch, or a graph of all launches, would help",
        }[self.limit]


def advise(
    workload: Workload,
    calibration: Calibration,
    profiles: Mapping[str, Profile],
    prices: Mapping[str, float],
    absent: Mapping[str, Collection[str]],
) -> list[Advice]:
    """The fastest backend of each device of `profiles`.

    prices: an hour's; absent: backends that can't run there; all by the same keys.
    """
    found = []
    for key, profile in profiles.items():
        ways = [fastest(workload, calibration, profile, absent.get(key, ()))]
        if profile.gpu:
            ways.append(on_gpu(workload(GPU), calibration, profile))
        price = prices.get(key)
        found += [way if price is None else replace(way, cost=_cost(way.seconds, price)) for way in ways if way]
    return found


def lacks(workload: Workload, calibration: Calibration, profile: Profile) -> dict[str, list[str]]:
    """For which kinds of work `profile` lacks a ceiling, by device: of such devices there is no advice."""
    ways = {"cpu": (next(iter(calibration.fits)), profile.threads)} | ({"gpu": (GPU, 1)} if profile.gpu else {})
    found = {device: lacking(workload(name), profile, device, threads) for device, (name, threads) in ways.items()}
    return {device: kinds for device, kinds in found.items() if kinds}


def fastest(
    workload: Workload, calibration: Calibration, profile: Profile, absent: Collection[str] = ()
) -> Advice | None:
    """Of the backends that are not `absent`, on the processor; None where `profile` lacks ceilings."""
    present = {name: fitted for name, fitted in calibration.fits.items() if name not in absent}
    ways = [on_cpu(workload(name), name, fitted, profile) for name, fitted in present.items()]
    return min((way for way in ways if way), key=lambda way: way.seconds.estimate, default=None)


def on_cpu(work: Work, backend: str, fitted: Fit, profile: Profile) -> Advice | None:
    """None where `profile` lacks a ceiling."""
    return _advice(work, backend, fitted, profile, "cpu", profile.threads)


def on_gpu(work: Work, calibration: Calibration, profile: Profile) -> Advice | None:
    """By the bare model, with the error that it made where it could be checked: on processors."""
    advice = _advice(work, KERNELS, replace(unfitted(work), error=calibration.unfitted_error), profile, "gpu", 1)
    rate = profile.value("host to device", "gpu", memory="pageable")
    return replace(advice, upload=work.dataset_bytes / rate) if advice and rate else advice


def _advice(work: Work, backend: str, fitted: Fit, profile: Profile, device: str, threads: int) -> Advice | None:
    seconds, limit = predict(fitted, work, profile, device, threads), bound(work, profile, device, threads)
    call = call_seconds(profile, device)
    if seconds is None or limit is None or call is None:
        return None
    fixed = work.steps * fitted.calls * call
    rest = "arithmetic" if limit.terms["arithmetic"] >= limit.terms["memory"] else "memory"
    steps_bind = fixed > seconds.estimate - fixed
    kind = (LAUNCH if device == "gpu" else STEP) if steps_bind else rest
    share = (fixed if steps_bind else seconds.estimate - fixed) / seconds.estimate
    return Advice(profile.name, device, backend, seconds, None, kind, share, None)


def _cost(seconds: Ratio, price: float) -> Ratio:
    assert seconds.low is not None and seconds.high is not None
    return Ratio(*(price * each / 3600 for each in (seconds.estimate, seconds.low, seconds.high)))


def pays_from(
    at: Callable[[int], Workload],
    values: Sequence[int],
    calibration: Calibration,
    cpu: Profile,
    gpu: Profile,
    absent: Collection[str] = (),
) -> int | None:
    """The first of `values`, a shape's, at which a GPU is expected to be faster than that processor; None: none is.

    absent: backends that can't run on the processor.
    """
    for value in values:
        processor = fastest(at(value), calibration, cpu, absent)
        device = on_gpu(at(value)(GPU), calibration, gpu)
        if processor and device and device.seconds.estimate < processor.seconds.estimate:
            return value
    return None
