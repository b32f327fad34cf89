"""The command line: `w2v train CORPUS -o VECTORS`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TimeRemainingColumn
from rich.text import Text

from w2v.cores import usable_cores
from w2v.driver import Diverged
from w2v.files import written_atomically
from w2v.model import Word2Vec
from w2v.params import Params
from w2v.trainers import TRAINERS

INTERRUPTED = 130

F = TypeVar("F", bound=Callable[..., Any])


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="w2v-compare")
def main() -> None:
    """Learn word vectors from text, many times as fast as gensim.

    \b
    An example, on encyclopedia articles that come with gensim:
      DATA=$(python -c "import gensim.test as t; print(t.__path__[0])")/test_data
      w2v train "$DATA/head500.noblanks.cor" -o vectors.txt
      python -c "from gensim.models import KeyedVectors as K
      print(K.load_word2vec_format('vectors.txt').most_similar('war'))"

    Exit codes: 0 all well, 1 training failed, 2 wrong usage, 130 interrupted.
    """


def setting(name: str, text: str) -> Callable[[F], F]:
    """An option for a hyper-parameter; `Params` checks it."""
    default = getattr(Params, name.replace("-", "_"))
    return click.option(f"--{name}", default=default, show_default=True, help=text)


@main.command(short_help="Train skip-gram vectors on a text.")
@click.argument("corpus", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="File for the vectors.")
@setting("vector-size", "Numbers in a vector.")
@setting("window", "Words of context on each side, at most.")
@setting("negative", "Noise words for each word to predict.")
@setting("sample", "Share of the text above which a word is thinned out; 0 keeps all.")
@setting("min-count", "Ignore words seen less often.")
@setting("epochs", "Passes over the corpus.")
@click.option("--workers", default=usable_cores, type=int, show_default="all cores", help="Threads.")
@setting("alpha", "Learning rate at the start.")
@setting("seed", "Of the start weights and all samples.")
@click.option("--trainer", default="hogwild", show_default=True, metavar="|".join(TRAINERS), help="See below.")
@click.option("--binary", is_flag=True, help="Write word2vec's binary format: smaller, quicker to load.")
def train(corpus: Path, output: Path, trainer: str, binary: bool, **settings: Any) -> None:
    """Train skip-gram vectors on CORPUS and write them in word2vec's format.

    CORPUS is a UTF-8 text, plain, gzip or zip: a sentence a line, words between spaces, or all of it in one line.

    \b
    Trainers:
      hogwild     the fastest; a word's neighbours share its noise words
      exact       gensim's arithmetic and random numbers
      reference   the specification in NumPy, slow

    \b
    Examples:
      w2v train corpus.txt -o vectors.txt
      w2v train corpus.txt.gz -o vectors.bin --binary --vector-size 300
    """
    bar = progress_bar()
    step = bar.add_task("Reading", total=None)

    def show(done: int, total: int, loss: float | None) -> None:
        bar.update(step, description="Training", completed=done, total=total)

    try:
        model = Word2Vec(sg=1, trainer=trainer, progress=show, **settings)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if output.exists() and corpus.exists() and output.samefile(corpus):
        raise click.UsageError(f"{output} is the corpus itself: name another file for the vectors")
    try:
        with written_atomically(output) as path, bar:
            model.build_vocab(corpus_file=corpus)
            started = time.perf_counter()
            _, words = model.train()
            seconds = time.perf_counter() - started
            bar.update(step, description="Writing")
            model.wv.save_word2vec_format(path, binary=binary)
    except KeyboardInterrupt:
        click.echo(f"Interrupted: {output} was not written.", err=True)
        raise SystemExit(INTERRUPTED) from None
    except (OSError, ValueError, Diverged) as error:
        raise click.ClickException(str(error)) from error
    speed = f"{words:,} words trained at {words / seconds:,.0f} words/s"
    click.echo(f"{output}: {len(model.wv):,} vectors; {speed}")


def progress_bar() -> Progress:
    """A bar on standard error that vanishes when done. Silent where nobody watches."""
    console = Console(stderr=True)
    columns = BarColumn(), TaskProgressColumn(), WordsPerSecond(), TimeRemainingColumn()
    return Progress("{task.description}", *columns, console=console, disable=not console.is_terminal, transient=True)


class WordsPerSecond(ProgressColumn):
    """The speed of the last half minute."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f} words/s" if task.speed else "")
