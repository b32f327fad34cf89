"""`w2v train`: vectors from a text, by word2vec.c's flags or by readable ones."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click
from rich import filesize

from w2v.bar import Bar
from w2v.checkpoint import CHECKPOINT_MINUTES, kept, require_checkpoint
from w2v.classes import require_classes
from w2v.commands.bad_input import refused, refusing, told
from w2v.commands.options import CBOW_ALPHA, FILE, SWITCH, TEXT, Command, setting
from w2v.commands.wordlists import read_vocabulary, write_classes, write_vocabulary
from w2v.cores import usable_cores
from w2v.corpus import EncodedCorpus, encode
from w2v.distributed.launch import ending_the_job, launched
from w2v.distributed.ranks import Ranks
from w2v.driver import Diverged
from w2v.exits import INTERRUPTED, TERMINATED
from w2v.files import require_file, writable, written_atomically
from w2v.model import Word2Vec
from w2v.params import Params
from w2v.textfile import require_outside
from w2v.trainers import TRAINERS
from w2v.wording import counted

LONG_RUN_WORDS = 200_000_000


@click.command(cls=Command, short_help="Train word vectors on a text.")
@click.argument("corpus", type=TEXT, required=False)
@click.option("-train", "--train", "train_file", type=TEXT, help="The text, in place of CORPUS.")
@click.option("-o", "-output", "--output", type=FILE, help="File for the vectors, in word2vec's format.")
@setting("vector-size", "Numbers in a vector.", "size")
@setting("window", "Words of context on each side, at most.")
@setting("sample", "Share of the text above which a word is thinned out; 0 keeps all.")
@setting("hs", "1: hierarchical softmax.", type=SWITCH)
@setting("negative", "Noise words for each word to predict; 0 with -hs 1.")
@setting("workers", "Threads.", "threads", default=None, show_default="all cores, or a process's share", type=int)
@setting("epochs", "Passes over the corpus.", "iter")
@setting("min-count", "Ignore words seen less often.")
@click.option("-alpha", "--alpha", type=float, show_default="0.025; 0.05 for cbow", help="Learning rate at the start.")
@click.option("-cbow", "--cbow", type=SWITCH, default=1, show_default=True, help="1: CBOW; 0: skip-gram.")
@setting("seed", "Of the start weights and all samples.")
@click.option("--trainer", default="hogwild", show_default=True, metavar="|".join(TRAINERS), help="See above.")
@click.option(
    "-binary",
    "--binary",
    type=click.Choice(["0", "1"]),
    is_flag=False,
    flag_value="1",
    default="0",
    show_default=True,
    help="1: word2vec's binary format, smaller and quicker to load.",
)
@click.option(
    "-classes", "--classes", type=click.IntRange(0), default=0, metavar="K", help="Write one of K word classes a word."
)
@click.option("-save-vocab", "--save-vocab", type=FILE, help="Write the words and their counts.")
@click.option("-read-vocab", "--read-vocab", type=FILE, help="Take the words from such a file, not the corpus.")
@click.option(
    "--cache", type=FILE, help="Keep the encoded text in this file: for one larger than memory, and next time."
)
@click.option("--compute-loss", is_flag=True, help="Show the loss; costs a little speed.")
@click.option("--checkpoint", type=FILE, help="Save the state of the run in this file, until all is written.")
@click.option(
    "--checkpoint-minutes",
    type=click.FloatRange(0),
    show_default=str(CHECKPOINT_MINUTES),
    help="Time from one save to the next within an epoch; its end is saved, too, and what Ctrl-C interrupts.",
)
@click.option("--resume", is_flag=True, help="Go on from the checkpoint, if it is there.")
@click.option("-debug", "--debug", type=int, default=2, show_default=True, help="0: say nothing; 1: no progress.")
@click.pass_context
@ending_the_job
def train(
    context: click.Context,
    corpus: Path | None,
    train_file: Path | None,
    output: Path | None,
    trainer: str,
    cbow: int,
    alpha: float | None,
    workers: int | None,
    binary: str,
    classes: int,
    save_vocab: Path | None,
    read_vocab: Path | None,
    cache: Path | None,
    checkpoint: Path | None,
    checkpoint_minutes: float | None,
    resume: bool,
    debug: int,
    **settings: Any,
) -> None:
    """Train word vectors on CORPUS and write them in word2vec's format.

    CORPUS is a UTF-8 text, plain, gzip or zip, or a folder of such files (not
    of folders within it): a sentence a line, words between spaces, or all of
    it in one line. - is standard input.

    \b
    Trainers:
      hogwild     the fastest; neighbouring windows share their noise words
      exact       gensim's arithmetic and random numbers
      numba       hogwild's loops in Numba, for those without a C++ compiler
      cupy        the same on an NVIDIA GPU
      reference   the specification in NumPy, slow

    \b
    Examples:
      w2v train corpus.txt -o vectors.txt
      w2v train corpus.txt.gz -o vectors.bin -binary 1 -size 300 -cbow 0
      w2v train corpus.txt -o vectors.txt --checkpoint run.ckpt --resume
      xz -dc corpus.txt.xz | w2v train - -o vectors.txt
      mpiexec -n 4 w2v train corpus.txt -o vectors.txt
    """
    text = corpus or train_file
    if text is None or (corpus and train_file):
        raise click.UsageError("name one text: CORPUS, or -train FILE")
    if not output and not save_vocab:
        raise click.UsageError("nothing would be written: name a file with -output (-o) or -save-vocab")
    if cache and read_vocab:
        raise click.UsageError("--cache goes with the words of its own text: leave out -read-vocab")
    for option, given in {"--resume": resume, "--checkpoint-minutes": checkpoint_minutes is not None}.items():
        if given and not checkpoint:
            raise click.UsageError(f"{option} needs --checkpoint FILE")
    alpha = alpha if alpha is not None else CBOW_ALPHA if cbow else Params.alpha
    with refusing(context):
        refuse_shared_files(text, read_vocab, written=(output, save_vocab, cache, checkpoint))
        comm = launched()
        ranks = Ranks(comm)
        writing, debug = ranks.rank == 0, 0 if ranks.rank else debug
        bar = Bar(shown=debug > 1)
        settings["workers"] = max(1, usable_cores() // ranks.sharing_cores) if workers is None else workers
        model = Word2Vec(sg=1 - cbow, alpha=alpha, trainer=trainer, progress=bar.trained, comm=comm, **settings)
        if writing:
            for path in filter(None, (output, save_vocab, checkpoint)):  # a cache may be there to be read
                writable(path)
        if read_vocab:
            require_file(read_vocab)
        if checkpoint and checkpoint.exists():
            if not resume:
                cure = "add --resume to go on with its run, if that is this one, or remove it"
                raise click.UsageError(f"{checkpoint} is there already: {cure}")
            require_checkpoint(checkpoint)
        elif resume and debug:
            click.echo(f"{checkpoint} is not there: training begins anew", err=True)
    with failures(context, output or save_vocab, checkpoint), bar, ExitStack() as files:
        source = text, model.min_count, model.workers, bar.read
        with refusing(context):
            unfinished = files.enter_context(written_atomically(output)) if output and writing else None
            if read_vocab:
                encoded = encode(*source, read_vocabulary(read_vocab, model.min_count), ranks)
            else:
                encoded = EncodedCorpus.from_file(*source, cache, ranks)
            model.build_vocab(encoded)
            if classes:
                require_classes(classes, len(model.wv))
        if save_vocab and writing:
            write_vocabulary(save_vocab, model)
        if not output:
            if debug:
                click.echo(f"{save_vocab}: {counted(len(model.wv), 'word')}")
            return
        bar.begin_training()
        if debug and model.corpus_total_words * model.epochs > LONG_RUN_WORDS:
            click.echo(foretold(model), err=True)
        minutes = CHECKPOINT_MINUTES if checkpoint_minutes is None else checkpoint_minutes
        _, words = model.train(checkpoint=checkpoint, checkpoint_minutes=minutes)
        words -= bar.resumed_at or 0  # before this process
        if not unfinished:
            return
        bar.begin_writing()
        if classes:
            write_classes(unfinished, model, classes)
        else:
            model.wv.save_word2vec_format(unfinished, binary=binary == "1")
    if checkpoint:
        checkpoint.unlink(missing_ok=True)
    if debug:
        what = counted(len(model.wv), "word" if classes else "vector")
        if classes:
            what = f"{counted(classes, 'class', 'es')} of {what}"
        loss = f", loss {model.get_latest_training_loss():.4f}" if model.compute_loss else ""
        click.echo(f"{output}: {what}; {words:,} words trained at {words / model.total_train_time:,.0f} words/s{loss}")


def refuse_shared_files(text: Path, words: Path | None, written: Iterable[Path | None]) -> None:
    """UsageError if what is to be written would replace what is read, or something else that is written.

    ValueError if it would be read with the text next time.
    """
    uses = {text.resolve(): "the corpus itself", **({words.resolve(): "the vocabulary to read"} if words else {})}
    for path in filter(None, written):
        if path == Path("-"):
            raise click.UsageError("- would be standard output, but what is written is a file, whole or not there")
        if path.resolve() in uses:
            raise click.UsageError(f"{path} is {uses[path.resolve()]}: name another file to write")
        require_outside(path, text)
        uses[path.resolve()] = "named for two things to write"


@contextmanager
def failures(context: click.Context, output: Path | None, checkpoint: Path | None) -> Iterator[None]:
    """Tell of what went wrong in a line; end in order, too, when another process asks for it by SIGTERM."""
    former = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as stop:
        what, code = ("Terminated", TERMINATED) if isinstance(stop, SystemExit) else ("Interrupted", INTERRUPTED)
        to_go_on = f" {kept(checkpoint)}: go on with --resume." if checkpoint and checkpoint.exists() else ""
        click.echo(f"{what}: {output} was not written.{to_go_on}", err=True)
        raise SystemExit(code) from None
    except ValueError as error:  # of what was given, and could be known only now
        raise refused(error, context) from error
    except (OSError, MemoryError, Diverged, RuntimeError) as error:  # the last is a trainer that can't run here
        raise click.ClickException(told(error)) from error
    finally:
        signal.signal(signal.SIGTERM, former)


def _terminate(number: int, frame: object) -> NoReturn:
    raise SystemExit(TERMINATED)


def foretold(model: Word2Vec) -> str:
    """What a run will take, for people."""
    expected = model.estimate_run()
    size, minutes, seconds = filesize.decimal(expected.memory["total"]), *divmod(max(1, round(expected.seconds)), 60)
    time_ = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    words = f"{model.corpus_total_words:,} words, {len(model.wv):,} of them distinct and kept"
    return f"{words}: about {size} of memory and {time_} hours to train"
