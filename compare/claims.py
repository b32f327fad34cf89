"""The claims of the experiment that this project started from, each as an experiment that anyone can repeat.

A claim names the cells it needs and judges their results. What is "held" to hold here is decided by intervals, like any
winner; a claim about a GPU is not decided without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from compare.cell import REFERENCE, Cell
from compare.contest import Answer, Verdict, accuracies, contest, decided, objections, together, told
from compare.report.terminal import interval
from compare.results import Results
from compare.statistics import mean_difference, paired_ratio
from compare.workloads.mnist import ONCE
from compare.workloads.w2v import GENSIM, device_of
from mnist.backends import entry
from w2v.wording import counted

MIN_COUNT = 5
CONTENT = ("text", "words", "types", "sha256")
"""Options of a word2vec cell that say what is in its text."""
SMALL, LARGE = 32, 4096
"""Batch sizes."""
SWEPT_BATCH = 256
LEARNING_RATES = (0.01, 0.03, 0.1, 0.3, 1.0)
FACTOR = 45.0
"""Keras on the GPU at batch 32, 6.5 s an epoch, over JAX on the CPU at batch 4096, 0.14 s."""
CPU_FACTOR = 31.0
"""Keras on the CPU at batch 32, 4.4 s, over the same."""


@dataclass(frozen=True)
class Setting:
    """Where and on what the claims are tried."""

    threads: int
    epochs: int
    dataset: str
    files: Mapping[str, str]
    text: Mapping[str, Any]
    """What is in the text of the word2vec rows."""
    text_files: Mapping[str, str]

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> Setting:
        """The one in which `cells` were planned; what they do not tell, none of their claims asks."""
        networks, texts = ([cell for cell in cells if (cell.workload == "w2v") is of_text] for of_text in (False, True))
        data = next((cell for cell in networks if "dataset" in cell.options), None)
        return cls(
            cells[0].threads,
            max((cell.options.get("epochs", cell.samples) for cell in networks), default=1),
            data.options["dataset"] if data else "",
            data.files if data else {},
            {name: value for name, value in texts[0].options.items() if name in CONTENT} if texts else {},
            texts[0].files if texts else {},
        )

    def mnist(self, backend: str, batch: int) -> Cell:
        """The network of the experiment, 784-128-10; plain SGD at 0.1."""
        options = {"dataset": self.dataset, "learning_rate": 0.1}
        device = entry(backend).device
        shape = {"hidden": [128], "batch": batch}
        samples = 1 if backend in ONCE else self.epochs
        return Cell("mnist", backend, device, shape, self.threads, "float32", samples, options, self.files)

    def reference(self, shape: Mapping[str, Any]) -> Cell:
        """The network's training in float64, by which the others of that shape are judged."""
        return replace(self.mnist(REFERENCE, shape["batch"]), dtype="float64")

    def sweep(self, method: str) -> Cell:
        """Five learning rates of the same network, trained as `compare sweep` does."""
        configurations = [[SWEPT_BATCH, 1, rate] for rate in LEARNING_RATES]
        options = {"configurations": configurations, "epochs": self.epochs, "dataset": self.dataset}
        return Cell("sweep", method, "cpu", {"hidden": [128]}, self.threads, options=options, files=self.files)

    def word2vec(self, backend: str) -> Cell:
        """Skip-gram at dimension 100, window 5, 5 negatives, 1 epoch."""
        options = {**self.text, "epochs": 1, "window": 5, "negative": 5, "sample": 1e-3, "min_count": MIN_COUNT}
        device, files = device_of(backend), self.text_files
        return Cell("w2v", backend, device, {"dim": 100}, self.threads, options=options, files=files)

    def products(self, batch: int) -> Cell:
        """The matrix products of `mnist`'s epoch alone."""
        shape = {"hidden": [128], "batch": batch}
        return Cell("mnist-parts", "products", "cpu", shape, self.threads, "float32", self.epochs)


@dataclass(frozen=True)
class Claim:
    """`cells` are all that `judge` looks at."""

    name: str
    text: str
    cells: Callable[[Setting], Sequence[Cell]]
    judge: Callable[[Results, Setting], Answer]


def cells(claims: Sequence[Claim], at: Setting) -> list[Cell]:
    """What the claims look at, and what a winner is checked against: the networks in float64, gensim on the text."""
    asked = [cell for claim in claims for cell in claim.cells(at)]
    references = [at.reference(cell.shape) for cell in asked if cell.workload == "mnist"]
    gensim = [at.word2vec(GENSIM[0]) for cell in asked if cell.workload == "w2v"]
    return [*asked, *references, *gensim]


def small_on_cpu(results: Results, at: Setting) -> Answer:
    pairs = [("keras-cpu", "keras-gpu"), ("jax", "jax-gpu")]
    answers = [contest(results, at.mnist(cpu, SMALL), at.mnist(gpu, SMALL)) for cpu, gpu in pairs]
    return Answer(together([each.verdict for each in answers]), [line for each in answers for line in each.figures])


def shedding_overhead(results: Results, at: Setting) -> Answer:
    whole = contest(results, at.mnist("jax", LARGE), at.mnist("keras-gpu", SMALL), FACTOR)
    on_cpu = contest(results, at.mnist("jax", LARGE), at.mnist("keras-cpu", SMALL), CPU_FACTOR)
    part = f"on the CPU alone, claimed {CPU_FACTOR:g} times: {on_cpu.verdict.value}"
    return Answer(whole.verdict, unrepeated([*whole.figures, part, *on_cpu.figures]))


def larger_batches(results: Results, at: Setting) -> Answer:
    """Twice: fewer steps to pay a fixed cost for, and larger products, which are faster each by itself."""
    small, large = at.mnist("numpy", SMALL), at.mnist("numpy", LARGE)
    products = contest(results, at.products(LARGE), at.products(SMALL))
    rest = paired_ratio(beyond(results, small, at.products(SMALL)), beyond(results, large, at.products(LARGE)))
    cost = mean_difference(accuracies(results, small), accuracies(results, large))
    verdicts = [products.verdict, decided(rest), Verdict.UNDECIDED]
    figures = [told(results, cell) for cell in (small, large) if results.sample_seconds(cell)]
    figures += [f"the products alone: {line}" for line in products.figures]
    if rest:
        figures.append(f"all else in an epoch is {interval(rest)} times as fast at batch {LARGE}")
    if out := objections(results, small, large):
        verdicts.append(Verdict.UNDECIDED)
        figures += out
    if cost:
        low, high = cost
        verdicts[-1] = Verdict.HOLDS if low > 0 else Verdict.FAILS if high < 0 else Verdict.UNDECIDED
        figures.append(
            f"accuracy after {counted(at.epochs, 'epoch')} falls by {100 * low:.2f} to {100 * high:.2f} points"
        )
    return Answer(together(verdicts), figures)


def beyond(results: Results, epoch: Cell, products: Cell) -> dict[int, float]:
    """Seconds of an epoch that its products do not account for, by round; none at all where noise swallows them."""
    whole, part = results.sample_seconds(epoch), results.sample_seconds(products)
    rest = {round: whole[round] - part[round] for round in whole.keys() & part.keys()}
    return rest if all(seconds > 0 for seconds in rest.values()) else {}


def one_run_for_many(results: Results, at: Setting) -> Answer:
    """Compiling, and the start of the processes, are part of every sweep's time."""
    answers = [contest(results, at.sweep("vmap-jax"), at.sweep(other)) for other in ("loop-jax", "pool-numpy")]
    figures = unrepeated(line for each in answers for line in each.figures)
    return Answer(together([each.verdict for each in answers]), figures)


def unrepeated(figures: Iterable[str]) -> list[str]:
    """Each line once: a row that is in two contests has the same to tell in both."""
    return list(dict.fromkeys(figures))


def naive_port(results: Results, at: Setting) -> Answer:
    return contest(results, at.mnist("numpy-example", SMALL), at.mnist("cupy-example", SMALL))


def word2vec_on_cpu(results: Results, at: Setting) -> Answer:
    return contest(results, at.word2vec("hogwild"), at.word2vec("cupy"))


CLAIMS = (
    Claim(
        "small-on-cpu",
        "A small network trains faster on the CPU than on the GPU",
        lambda at: [at.mnist(name, SMALL) for name in ("keras-cpu", "keras-gpu", "jax", "jax-gpu")],
        small_on_cpu,
    ),
    Claim(
        "overhead",
        f"Shedding overhead beats hardware: {FACTOR:g} times, from Keras on a GPU to JAX on a CPU",
        lambda at: [at.mnist("keras-gpu", SMALL), at.mnist("keras-cpu", SMALL), at.mnist("jax", LARGE)],
        shedding_overhead,
    ),
    Claim(
        "batches",
        "Larger batches help twice, and cost accuracy at equal epochs",
        lambda at: [
            *(at.mnist("numpy", batch) for batch in (SMALL, LARGE)),
            *(at.products(batch) for batch in (SMALL, LARGE)),
        ],
        larger_batches,
    ),
    Claim(
        "vmap",
        f"One vmapped run of {len(LEARNING_RATES)} learning rates beats {len(LEARNING_RATES)} runs",
        lambda at: [at.sweep(method) for method in ("vmap-jax", "loop-jax", "pool-numpy")],
        one_run_for_many,
    ),
    Claim(
        "naive-port",
        "A naive CuPy port is slower than NumPy",
        lambda at: [at.mnist("numpy-example", SMALL), at.mnist("cupy-example", SMALL)],
        naive_port,
    ),
    Claim(
        "word2vec",
        "word2vec on CPU threads beats a GPU",
        lambda at: [at.word2vec("hogwild"), at.word2vec("cupy")],
        word2vec_on_cpu,
    ),
)


def concluded(results: Results) -> list[tuple[Claim, Answer]]:
    """The claims that `results` were measured for, and what came of them; none of what was measured for another end."""
    if results.plan.view.name != "claims":
        return []
    keys, at = {cell.key for cell in results.plan.cells}, Setting.of(results.plan.cells)
    asked = [claim for claim in CLAIMS if {cell.key for cell in claim.cells(at)} <= keys]
    return [(claim, claim.judge(results, at)) for claim in asked]


def to_json(results: Results) -> dict[str, Any]:
    """Verdict and figures of each claim, by its name."""
    return {claim.name: asdict(answer) for claim, answer in concluded(results)}
