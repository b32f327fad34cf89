"""What a word2vec model has learnt, measured in one way whoever trained it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from gensim import matutils
from gensim.models import KeyedVectors
from gensim.test.utils import datapath

from w2v.trainers import Task
from w2v.trainers.reference import sample_windows, train_windows

RESTRICT_VOCAB = 30_000
QUESTIONS_AT_ONCE = 128
"""Their similarities to all words take 15 MB."""
SIMILARITIES = {"wordsim": ("wordsim353.tsv", 353), "simlex": ("simlex999.txt", 999)}
LOSS_CENTRES = 10_000
LOSS_SEED = 20130116


def mean_loss(task: Task) -> float:
    """Mean of -log likelihood of an example, in any mode: the reference trainer's loss, at a learning rate of 0.

    task: tables in the order of the corpus's vocabulary; of its params those of the mode and of sampling count.
    Sentences of LOSS_CENTRES words in all are drawn from the corpus, windows and negatives as in training, by a fixed
    seed, so that all models over one corpus meet the same examples. NaN for a corpus without any.
    """
    params, vocabulary, ids, offsets = task.params, task.corpus.vocabulary, task.corpus.ids, task.corpus.offsets
    rng = np.random.default_rng(LOSS_SEED)
    drawn = rng.permutation(len(offsets) - 1)
    enough = 1 + np.searchsorted(np.cumsum(np.diff(offsets)[drawn]), LOSS_CENTRES)
    windows = sample_windows(
        [ids[offsets[s] : offsets[s + 1]] for s in drawn[:enough]],
        vocabulary.keep_probabilities(params.sample),
        vocabulary.noise_probabilities(params.ns_exponent),
        params.window,
        params.shrink_windows,
        params.negative,
        rng,
    )
    trained = train_windows(replace(task, params=replace(params, compute_loss=True)), windows, alpha=0.0)
    return trained.loss / trained.examples if trained.examples else float("nan")


def evaluate(vectors: KeyedVectors) -> dict[str, float | None]:
    """Analogies (share right), WordSim-353 and SimLex-999 (Spearman), and how many of each were asked.

    As gensim evaluates them, on the files that gensim carries; None where too few words are known.
    """
    right, asked = analogies(vectors)
    found: dict[str, float | None] = {"analogies": right / asked if asked else None, "analogies_asked": asked}
    for name, (file, pairs) in SIMILARITIES.items():
        try:
            _, spearman, unknown = vectors.evaluate_word_pairs(datapath(file))
        except ValueError:  # fewer than two pairs are known
            found |= {name: None, f"{name}_asked": 0}
        else:
            found |= {name: float(spearman[0]), f"{name}_asked": round(pairs * (1 - unknown / 100))}
    return found


def analogies(vectors: KeyedVectors) -> tuple[int, int]:
    """How many of the questions "a is to b as c is to what?" are answered right, of how many that have known words.

    What `vectors.evaluate_word_analogies` counts, which reads all vectors anew for each question: here many questions
    share a matrix product.
    """
    words = [word.upper() for word in vectors.index_to_key[:RESTRICT_VOCAB]]
    index = {word: i for i, word in reversed([*enumerate(words)])}  # of words that differ in case alone, the first
    with open(datapath("questions-words.txt"), encoding="utf-8") as file:
        lines = [line.upper().split() for line in file if not line.startswith(":")]
    questions = [[index[word] for word in line] for line in lines if index.keys() >= set(line)]
    vectors.fill_norms()
    unit = vectors.vectors[: len(words)] / vectors.norms[: len(words), None]
    right = 0
    for begin in range(0, len(questions), QUESTIONS_AT_ONCE):
        block = questions[begin : begin + QUESTIONS_AT_ONCE]
        a, b, c, _ = np.transpose(block)
        for (*given, expected), similarities in zip(block, (unit[b] + unit[c] - unit[a]) @ unit.T, strict=True):
            nearest = matutils.argsort(similarities, topn=5 + len(given), reverse=True)
            answers = [index[words[i]] for i in nearest if i not in given][:5]
            # a given word in another case is passed over
            right += next((answer for answer in answers if answer not in given), None) == expected
    return right, len(questions)
