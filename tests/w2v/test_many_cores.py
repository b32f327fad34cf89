"""Many cores, emulated on one: workers take turns of a few words, so each trains from copies of the hot rows that lack
what the others have learnt since its last merge. Real threads on few cores don't show that: they run one by one."""

import pytest
from gensim.models.word2vec import LineSentence
from gensim.test.utils import datapath

from w2v.corpus import EncodedCorpus
from w2v.params import Params
from w2v.schedule import alpha_at
from w2v.trainers import Task, Trained
from w2v.trainers.hogwild import Hogwild
from w2v.weights import Weights

EPOCHS = 3
HEADS = {"negative": {}, "tree": {"hs": 1, "negative": 0}}


def loss(corpus: EncodedCorpus, workers: int, **settings) -> float:
    """Of the last epoch."""
    params = Params(workers=workers, epochs=EPOCHS, vector_size=50, compute_loss=True, **settings)
    task = Task(corpus, params, **vars(Weights.initial(len(corpus.vocabulary), params)))
    sentences = len(corpus.raw_lengths)
    trainer = Hogwild(task)
    team = [trainer.worker(index) for index in range(workers)]
    for epoch in range(EPOCHS):
        trained = Trained(0)
        for sentence in range(sentences):
            alpha = alpha_at((epoch + sentence / sentences) / EPOCHS, params)
            worker = team[sentence % workers]
            trained = trained.plus(worker.train_chunk(sentence, sentence + 1, alpha, epoch * sentences + sentence))
        for worker in team:
            worker.finish()
    return trained.loss / trained.examples


@pytest.fixture(scope="module")
def corpus() -> EncodedCorpus:
    lines = LineSentence(datapath("lee_background.cor"))
    return EncodedCorpus.from_sentences(line[begin : begin + 20] for line in lines for begin in range(0, len(line), 20))


@pytest.mark.parametrize("workers", [2, 4, 16, 64])
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("sg", [0, 1])
def test_as_many_cores_as_there_are_learn_as_well_as_one(corpus, sg, head, workers):
    alone, together = (loss(corpus, count, sg=sg, **HEADS[head]) for count in (1, workers))
    assert together == pytest.approx(alone, rel=0.07)


@pytest.mark.parametrize("workers", [16, 64])
@pytest.mark.parametrize("head, alpha", [("negative", 0.05), ("tree", 0.1)])
@pytest.mark.parametrize("sg", [0, 1])
def test_many_cores_bear_more_than_the_usual_learning_rate(corpus, sg, head, alpha, workers):
    alone, together = (loss(corpus, count, sg=sg, alpha=alpha, **HEADS[head]) for count in (1, workers))
    assert together == pytest.approx(alone, rel=0.1)
