"""Where a compiled trainer's time goes: one epoch under Linux's `perf record`, summed by stages.

TEXT is a text file. A sample is given to the innermost function, inlined or not, that belongs to a stage: processors
work on many instructions at once, and a sample meets the one that all others wait for, so that waiting for a row counts
where the row is used. Needs perf, llvm-symbolizer (addr2line loses names of inlined functions) and debug information in
the extension, which CFLAGS=-g gives where the compiler isn't told so anyway.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import click

STAGES = {
    "sampling": "sample_sentence|draw|draw_targets|open|weigh_repeats.*|subsample|next|push_back",
    "prefetching": "prefetch|prefetch_lines",
    "dot products": "dot_row|dot_tile|horizontal_sums|sum",
    "sigmoids": "steps_from_dots|exponential|step",
    "updates": "update|update_one|update_many",
    "contexts to and from one row": "gather_contexts|scatter_change|gather|scatter",
    "merging": "merge|merge_rows?|share_of",
}
"""The functions of each stage; `exact` has dot products and updates in one function, train_group."""
FUSED = "dot products and updates"
MODES = {
    "skip-gram": "-cbow 0",
    "cbow": "-cbow 1",
    "skip-gram-hs": "-cbow 0 -hs 1 -negative 0",
    "cbow-hs": "-cbow 1 -hs 1 -negative 0",
}
MAPPED = re.compile(r"\[0x(\w+)\(0x(\w+)\) @ (?:0x)?(\w+) .*: r-xp (\S+)")


@click.command(help=__doc__)
@click.argument("text", type=click.Path(exists=True, dir_okay=False))
@click.option("--trainer", default="hogwild", show_default=True, type=click.Choice(("hogwild", "exact")))
@click.option("--mode", default="skip-gram", show_default=True, type=click.Choice(tuple(MODES)))
@click.option("--threads", default=1, show_default=True, type=click.IntRange(min=1))
def main(text: str, trainer: str, mode: str, threads: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder, "samples")
        train = [sys.executable, "-m", "w2v", "train", text, "-o", f"{folder}/vectors.txt", "-iter", "1", "-debug", "0"]
        train += ["-threads", str(threads), "--trainer", trainer, *MODES[mode].split()]
        record: list[str] = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", str(samples), "--"]
        subprocess.run(record + train, check=True)
        addresses = in_extension(samples, f"/_{trainer}.")
    stages = Counter(dict.fromkeys(STAGES, 0))
    for library, counts in addresses.items():
        for address, functions in inlined(library, list(counts)):
            stages[stage_of(functions, trainer)] += counts[address]
    total = stages.total()
    print(f"{trainer}, {mode}, {threads} threads: {total:,} samples")
    for stage, count in stages.most_common():
        print(f"{count / total:6.1%}  {stage}")


def in_extension(samples: Path, name: str) -> dict[str, Counter[int]]:
    """How often each address of the libraries whose path contains `name` was met."""
    fields = ["perf", "script", "-i", str(samples), "--show-mmap-events", "-F", "ip"]
    mapped, found = [], dict[str, Counter[int]]()
    for line in subprocess.run(fields, capture_output=True, text=True, check=True).stdout.splitlines():
        if event := MAPPED.search(line):
            begin, size, offset = (int(number, 16) for number in event.groups()[:3])
            if name in event[4]:
                mapped.append((begin, begin + size, offset, event[4]))
        elif re.fullmatch(r"\s*[0-9a-f]+\s*", line):
            address = int(line, 16)
            for begin, end, offset, library in mapped:
                if begin <= address < end:
                    found.setdefault(library, Counter())[address - begin + offset] += 1
    if not found:
        raise click.ClickException("no sample fell into the trainer: is the text long enough?")
    return found


def inlined(library: str, addresses: list[int]) -> list[tuple[int, list[str]]]:
    """The functions that each address lies in, the innermost inlined one first."""
    given = "\n".join(map(hex, addresses))
    command = ["llvm-symbolizer", "--output-style=GNU", "-a", "-i", "-f", "-C", "-e", library]
    lines = subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout
    parts = re.split(r"^0x(\w+)\n", lines, flags=re.MULTILINE)[1:]
    return [(int(address, 16), text.splitlines()[::2]) for address, text in zip(parts[::2], parts[1::2], strict=True)]


def stage_of(functions: list[str], trainer: str) -> str:
    """The stage of the innermost function that has one."""
    for function in functions:
        name = re.split(r"[<(]", function.replace("(anonymous namespace)::", ""))[0].split("::")[-1].split()[-1]
        for stage, names in STAGES.items():
            if re.fullmatch(names, name):
                return stage
        if trainer == "exact" and name == "train_group":
            return FUSED
    return "rest"


if __name__ == "__main__":
    main()
