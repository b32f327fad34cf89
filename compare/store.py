"""Result files read back: checked, refused with a reason, gone on with, put together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compare import machine
from compare.cell import Cell, Status
from compare.files import flaw, write_json
from compare.profile import NoProfile
from compare.results import SCHEMA, Results
from w2v.files import complaint

COLLECTION = "compare-collection/1"
"""The schema of a file of several results: `{"schema": COLLECTION, "results": [result, ...]}`."""
SAME_MACHINE = ("cpu", "cores_usable", "memory_bytes", "gpu", "os", "python", "packages")
"""What must not change within one result file."""
KINDS = "compare/", "compare-collection/"
"""What the schemas of results begin with, whatever their version."""


class Unreadable(Exception):
    """A file is no result that can be used here; the message says why, and what to do."""


def load(path: Path) -> list[Results]:
    """The results in `path`: one, or those of a collection.

    Raises
    ------
    Unreadable
        If there is no such file, or it is truncated, of a newer schema, empty, or no result at all.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Unreadable(complaint(error, path)) from error
    except ValueError as error:  # not JSON, or not UTF-8
        raise Unreadable(f"{path} is no JSON: truncated, or no result file ({error})") from error
    if schema_of(values) == COLLECTION and isinstance(values.get("results"), list):
        if not values["results"]:
            raise Unreadable(f"{path} holds no result")
        return [checked(each, f"{path}, result {number}") for number, each in enumerate(values["results"], 1)]
    return [checked(values, str(path))]


def schema_of(values: Any) -> str:
    """What JSON values say that they are; empty where they don't."""
    return str(values.get("schema", "")) if isinstance(values, dict) else ""


def says_it_is_a_result(path: Path) -> bool:
    """Whether a file holds results by its own word: maybe of another version, or damaged."""
    try:
        return schema_of(json.loads(path.read_text(encoding="utf-8"))).startswith(KINDS)
    except (OSError, ValueError):
        return False


def checked(values: Any, origin: str) -> Results:
    """`values` as Results, if they are of the schema; `origin` names them in the message."""
    schema = schema_of(values)
    if not schema.startswith(KINDS):
        raise Unreadable(f"{origin} is no result of compare: it has no schema {SCHEMA}")
    if schema != SCHEMA:
        raise Unreadable(f"{origin} has schema {schema}, this version reads {SCHEMA}: pip install -U w2v-compare")
    if damage := flaw(values, "result"):
        raise Unreadable(f"{origin} is damaged: {damage}")
    for entry in values["cells"]:
        cell = Cell.from_json(entry)
        if cell.key != entry["key"]:
            raise Unreadable(f"{origin} was edited: {cell.label} is not what its key {entry['key']} stands for")
    try:
        return Results.from_json(values, origin)
    except NoProfile as error:
        raise Unreadable(str(error)) from error


def resumed(fresh: Results) -> Results:
    """`fresh`, which has measured nothing yet, with the runs that its file holds; those that ended otherwise run again.

    Raises
    ------
    Unreadable
        If the file holds another experiment, or was measured on another machine or with other packages.
    """
    assert fresh.path is not None
    if not fresh.path.exists():
        return fresh
    stored = load(fresh.path)
    if len(stored) > 1:
        raise Unreadable(f"{fresh.path} holds several results; only a single one can be gone on with")
    old = stored[0]
    if differences := experiment_differences(old, fresh):
        raise Unreadable(f"{fresh.path} holds another experiment ({differences}): name another --out")
    if changed := machine.differences(old.machine, fresh.machine, SAME_MACHINE):
        where = f"elsewhere ({', '.join(changed)})"
        raise Unreadable(f"{fresh.path} was measured {where}: name another --out, then compare merge")
    here = {cell.key: cell for cell in fresh.plan.cells}  # with the files as they lie now
    fresh.started, fresh.known = old.started, old.known or fresh.known
    fresh.finished = [
        (type(run)(here[run.cell.key], run.round, run.seed), outcome)
        for run, outcome in old.finished
        if outcome.status in (Status.OK, Status.DIVERGED)
    ]
    fresh.saved = fresh.done
    return fresh


def experiment_differences(old: Results, new: Results) -> str:
    """What two experiments do not have in common, in a few words; empty when they are one."""
    if old.plan.seed != new.plan.seed:
        return f"seed {old.plan.seed}, not {new.plan.seed}"
    theirs, ours = ({cell.key: cell for cell in results.plan.cells} for results in (old, new))
    gone = next((cell for key, cell in theirs.items() if key not in ours), None)
    added = next((cell for key, cell in ours.items() if key not in theirs), None)
    if gone and added:
        return f"its rows have {', '.join(unlike(gone, added))}"
    if gone:
        return f"it has {gone.label}"
    return f"it lacks {added.label}" if added else ""


def unlike(one: Cell, other: Cell) -> list[str]:
    """What one cell has and the other hasn't: `["epochs 1, not 2"]`. Where their files lie is not what they are."""
    before, after = (
        {**replace(each, shape={}, options={}, files={}).to_json(), **each.shape, **each.options}
        for each in (one, other)
    )
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return [f"{name} {before.get(name)}, not {after.get(name)}" for name in names]


def merge(sources: Sequence[Path], path: Path) -> int:
    """Write all results of `sources` to `path` as a collection, each once; returns how many."""
    found: list[dict[str, Any]] = []
    for source in sources:
        for results in load(source):
            if (values := results.to_json()) not in found:
                found.append(values)
    write_json(path, {"schema": COLLECTION, "results": found})
    return len(found)
