"""What came of the claims, told to people."""

from __future__ import annotations

from collections import Counter

from compare.claims import concluded
from compare.report.terminal import conclude, failures, machine_line, output
from compare.results import Results


def show(results: Results) -> None:
    """Print each claim with its figures and its verdict, what else went wrong, and how many hold as the last line."""
    console = output()
    answers = concluded(results)
    console.print(machine_line(results.machine, "numpy", "jax", "keras", "tensorflow-cpu"))
    for claim, answer in answers:
        console.print(f"\n{claim.text}: {answer.verdict.value}", style="bold", markup=False)
        for figure in answer.figures:
            console.print(f"  {figure}", markup=False, soft_wrap=True)
    console.print()
    told = {figure for _, answer in answers for figure in answer.figures}
    for line in failures(results):
        if line not in told:
            console.print(line, style="bold", markup=False)
    counts = Counter(answer.verdict.value for _, answer in answers)
    conclude(console, results, f"{'; '.join(f'{verdict}: {count}' for verdict, count in counts.items())}.")
