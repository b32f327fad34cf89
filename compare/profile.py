"""A machine's profile: what is known of it and the ceilings measured on it; where profiles are kept."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from compare import machine
from compare.files import flaw, write_json
from compare.options import unknown
from w2v.files import complaint

SCHEMA = "machine/1"
SHIPPED = Path(__file__).parent / "profiles"
HERE = platformdirs.user_data_path("w2v-compare") / "machine.json"
SAME_CEILINGS = ("cpu", "cores_usable", "caches", "gpu")
"""What ceilings are of."""
UNMEASURED = "this machine was not measured yet: run `compare machine`"
CACHE_LEVELS = ("L2", "L3")
MEMORY = "memory"


@dataclass(frozen=True)
class Ceiling:
    """The best that a machine did at one thing, or why that was not measured."""

    name: str
    unit: str
    """flop/s, B/s (both: the highest seen) or s (the lowest)."""
    value: float | None
    device: str = "cpu"
    threads: int = 1
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """What it depends on: dtype, row_bytes, level (where the table lies), table_bytes, ..."""
    samples: tuple[float, ...] = ()
    reason: str = ""

    def with_samples_of(self, other: Ceiling) -> Ceiling:
        """The better of this and the same measured again."""
        samples = self.samples + other.samples
        best = min if self.unit == "s" else max
        return replace(self, samples=samples, value=best(samples, default=None), reason=self.reason or other.reason)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Ceiling:
        return cls(**{**values, "samples": tuple(values["samples"])})


class NoProfile(Exception):
    """There is no usable profile; the message says what to do."""


@dataclass(frozen=True)
class Profile:
    """A machine. `facts` are `compare.machine.describe()`'s; `gpu` what CUDA tells of the device, empty without one."""

    name: str
    facts: Mapping[str, Any]
    ceilings: Sequence[Ceiling]
    measured: str = ""
    """Date, ISO 8601."""
    gpu: Mapping[str, Any] = field(default_factory=dict)
    disturbed: str = ""
    """By what, in words, while it was measured, so that ceilings may be too low; empty: by nothing that was seen."""

    @property
    def origin(self) -> str:
        """`this machine, 2026-01-31`, and what disturbed it then."""
        when = ", ".join(filter(None, [self.name, self.measured]))
        return f"{when}, while {self.disturbed}: they may be too low" if self.disturbed else when

    @property
    def threads(self) -> int:
        """The most threads that ceilings were measured with."""
        return max(each.threads for each in self.ceilings)

    def find(self, name: str, device: str = "cpu", **conditions: Any) -> dict[int, float]:
        """The values of a ceiling by number of threads; conditions that are not given don't matter."""
        return {
            each.threads: each.value
            for each in self.ceilings
            if each.name == name
            and each.device == device
            and each.value is not None
            and all(each.conditions.get(key) == value for key, value in conditions.items())
        }

    def value(self, name: str, device: str = "cpu", threads: int = 1, **conditions: Any) -> float | None:
        """A ceiling for so many threads: as measured, or between the numbers of threads that were. None if never."""
        return _interpolated(self.find(name, device, **conditions), threads)

    def row_rate(self, name: str, row_bytes: float, level: str, threads: int) -> float | None:
        """Bytes a second of "gather" or "update" on random rows of a table that lies in `level`.

        Between the measured row sizes on logarithms; a shorter or longer row moves as the shortest or longest does.
        None also for a level that was measured with fewer threads alone, as one in which their tables do not fit.
        """
        moves = (each for each in self.ceilings if each.name == name and each.value is not None)
        measured = [each for each in moves if each.conditions["level"] == level]
        if max((each.threads for each in measured), default=0) < min(threads, self.threads):
            return None
        sizes = {each.conditions["row_bytes"] for each in measured}
        rates = {size: self.value(name, threads=threads, row_bytes=size, level=level) for size in sizes}
        return _interpolated({size: rate for size, rate in rates.items() if rate is not None}, row_bytes)

    def cache_bytes(self, level: str) -> int:
        """Of one core's cache, all of a shared one; 0 where it is not known."""
        return machine.cache_bytes(self.facts.get("caches", {}), level)

    def to_json(self) -> dict[str, Any]:
        """The form that profile.schema.json describes."""
        return {"schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls, values: Any, origin: str) -> Profile:
        """What `to_json` made; NoProfile, by the name of `origin`, for anything else."""
        schema = values.get("schema") if isinstance(values, dict) else None
        if schema != SCHEMA:
            what = f"is of schema {schema!r}" if schema else "has no schema"
            raise NoProfile(f"{origin} {what}, where a profile has {SCHEMA!r}: `compare machine --out FILE` writes one")
        if damage := flaw(values, "profile"):
            raise NoProfile(f"{origin} is a damaged profile: {damage}")
        fields = {name: value for name, value in values.items() if name != "schema"}
        return cls(**{**fields, "ceilings": tuple(map(Ceiling.from_json, values["ceilings"]))})


def _interpolated(points: Mapping[Any, float], x: float) -> float | None:
    """On logarithms of both, with the nearest point beyond the ends."""
    if not points:
        return None
    known = sorted(points)
    return float(math.exp(np.interp(math.log(x), np.log(known), np.log([points[each] for each in known]))))


def save(profile: Profile, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, profile.to_json())


def keep(measured: Profile) -> Profile:
    """Make `measured` this machine's profile, but for one that was disturbed where one is known that was not.

    Returns the one that other commands find now.
    """
    known = of_machine(measured.facts)
    if measured.disturbed and known and not known.disturbed:
        return known
    save(measured, HERE)
    return measured


def load(path: Path) -> Profile:
    """The profile in a file.

    Raises
    ------
    NoProfile
        If the file can't be read, is no profile or one of another version; the message names it.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NoProfile(complaint(error, path)) from error
    except ValueError as error:
        raise NoProfile(f"{path} is no JSON: truncated, or no profile ({error})") from error
    return Profile.from_json(values, str(path))


def shipped() -> dict[str, Path]:
    """The profiles that come with this package, by name: each was measured on the machine that it names."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.json"))}


def named(name: str) -> Profile:
    """A shipped profile by its name, or one in a file, which is called as the file is, without its ending.

    Raises
    ------
    NoProfile
        If it is neither; the message lists the profiles that there are.
    """
    if name in shipped():
        return load(shipped()[name])
    if os.path.exists(name):
        return replace(load(Path(name)), name=Path(name).stem)
    advice = unknown("profile", name, list(shipped()))
    rule = "profiles ship of machines that were measured; elsewhere, `compare machine --out FILE` writes one"
    raise NoProfile(f"{advice} ({rule})")


def of_machine(facts: Mapping[str, Any]) -> Profile | None:
    """The profile measured on a machine like that of a result: the same processor, caches, usable cores and GPU.

    This machine's own comes before one that ships, but not if it was disturbed.
    """
    alike = []
    for path in (HERE, *shipped().values()):
        with suppress(NoProfile):
            profile = load(path)
            if not machine.differences(profile.facts, facts, SAME_CEILINGS):
                alike.append(profile)
    return min(alike, key=lambda profile: bool(profile.disturbed), default=None)


def here() -> Profile:
    """This machine's profile, by the rule of `of_machine`.

    Raises
    ------
    NoProfile
        If there is none: it was not measured, or its processor, its usable cores or the GPU have changed since.
    """
    now = machine.describe()
    if known := of_machine(now):
        return known
    if not HERE.exists():
        raise NoProfile(UNMEASURED)
    old = load(HERE)
    changed = machine.differences(old.facts, now, SAME_CEILINGS)[0]
    was = f"{changed} was {old.facts[changed]!r} and is {now[changed]!r}"
    raise NoProfile(f"this machine's profile is out of date ({was}): run `compare machine`")
