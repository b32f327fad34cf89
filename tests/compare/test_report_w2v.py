from __future__ import annotations

import re
from dataclasses import replace

import pytest
from test_work import machine as profile_made_up

from compare import machine, profile
from compare.cell import Cell, Outcome, Status
from compare.plan import Plan
from compare.report.w2v import show
from compare.results import Results

OPTIONS = {
    "text": "text8",
    "words": 17_005_207,
    "types": 253_854,
    "epochs": 5,
    "window": 5,
    "negative": 5,
    "sample": 1e-3,
    "min_count": 5,
}


def ok(seconds: float, analogies: float = 0.35) -> Outcome:
    quality = {
        "loss": 2.1,
        "analogies": analogies,
        "analogies_asked": 10_000,
        "wordsim": 0.65,
        "wordsim_asked": 350,
        "simlex": 0.29,
        "simlex_asked": 990,
    }
    return Outcome(Status.OK, phases={"prepare": 1.5}, samples=(seconds,), peak_bytes=2**30, quality=quality)


@pytest.fixture
def shown(capsys):
    """What is printed of outcomes by backend, one a round."""

    def render(rounds: int = 3, **outcomes: list[Outcome]) -> list[str]:
        names = [name.replace("_", "-") for name in outcomes]
        cells = [Cell("w2v", name, shape={"dim": 100}, options=OPTIONS, files={"source": "/t"}) for name in names]
        results = Results(Plan(cells, rounds, seed=1), machine.describe())
        for run in results.plan.runs():
            series = outcomes[run.cell.backend.replace("-", "_")]
            if run.round < len(series):
                results.add(run, series[run.round])
        show(results)
        return capsys.readouterr().out.splitlines()

    return render


FAST, SLOW, SLOWER = [ok(1.0), ok(1.1), ok(0.9)], [ok(10.0), ok(10.5), ok(9.9)], [ok(12), ok(12.5), ok(12.2)]


def test_a_winner_has_its_ratio_to_the_next_row_and_every_row_its_own_to_the_faster_gensim_row(shown):
    lines = shown(hogwild=FAST, gensim=SLOWER, gensim_file=SLOW)
    assert lines[-1].startswith("Verdict: hogwild wins, 10.2 (")
    assert lines[-1].endswith(") times as fast as gensim-file.")
    assert any(line.startswith("hogwild ") and " 10.2 (" in line for line in lines)


def test_a_winner_also_has_its_ratio_to_gensim_where_another_row_comes_between(shown):
    lines = shown(hogwild=FAST, exact=[ok(3.0), ok(3.1), ok(2.9)], gensim=SLOWER, gensim_file=SLOW)
    verdict = re.sub(r" \([\d.-]+\)", "", " ".join(lines)).partition("Verdict: ")[2]  # without intervals
    assert verdict == "hogwild wins, 3.01 times as fast as exact and 10.2 times as fast as gensim-file."


def test_a_text_is_named_once_where_its_path_is_its_name(shown, monkeypatch):
    assert [line for line in shown(gensim=SLOW) if "/t" in line] == ["(/t)"]
    monkeypatch.setitem(OPTIONS, "text", "/t")
    assert [line for line in shown(gensim=SLOW) if "/t" in line] == ["/t: 17,005,207 words, 253,854 types"]


def test_piped_output_is_plain_and_within_80_columns(shown):
    lines = shown(hogwild=FAST, exact=[ok(1.0), ok(400.0), ok(3.0)], gensim=SLOWER, gensim_file=SLOW)
    assert "\x1b" not in "".join(lines)
    assert not any(line.endswith(" ") for line in lines)
    assert max(map(len, lines)) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(lines)


def test_every_row_has_its_share_of_the_ceiling_or_the_cure_is_told(shown, monkeypatch):
    facts = {"spectrum": [[1000.0, 20], [10.0, 2000]]}
    rows = {"hogwild": [replace(each, facts=facts) for each in FAST], "exact": SLOW}
    monkeypatch.setattr(profile, "of_machine", lambda facts: profile_made_up(memory=1e12))
    told = " ".join(shown(**rows))
    assert re.search(r"Share of the ceiling: hogwild \d[\d,]*% [am], exact - \(by a model", told)
    monkeypatch.setattr(profile, "of_machine", lambda facts: None)
    assert "No share of ceilings: this machine was not measured yet: run `compare machine`." in " ".join(shown(**rows))
    whole = profile_made_up()
    lacking = replace(whole, ceilings=[each for each in whole.ceilings if each.name != "copy"])
    monkeypatch.setattr(profile, "of_machine", lambda facts: lacking)
    assert "rows, or the machine's profile lacks a ceiling." in " ".join(shown(**rows))


def test_words_per_second_are_raw_words_times_epochs_over_training_seconds(shown):
    lines = shown(rounds=1, gensim=[ok(17.005207)])
    assert "5,000" in next(line for line in lines if line.startswith("gensim "))


def test_one_repeat_says_that_it_decides_nothing(shown):
    lines = shown(rounds=1, hogwild=FAST[:1], gensim=SLOW[:1])
    assert lines[-1] == "Verdict: undecided by so few repeats: hogwild was ahead of gensim."
    assert not any("99% interval" in line for line in lines)


def test_overlapping_intervals_are_a_tie(shown):
    lines = shown(hogwild=[ok(1.0), ok(1.2), ok(0.9)], exact=[ok(1.1), ok(1.0), ok(1.1)], gensim=SLOW)
    assert re.fullmatch(r"Verdict: a tie between hogwild and exact \(\d\.\d\d-\d\.\d\d times as fast\)\.", lines[-1])


def test_narrow_intervals_around_1_are_equal_speeds(shown):
    same = [ok(1.000), ok(1.001), ok(1.002)], [ok(1.001), ok(1.002), ok(1.001)]
    lines = shown(hogwild=same[0], exact=same[1], gensim=SLOW)
    assert lines[-1] == "Verdict: hogwild and exact are equally fast, within 1%."


def test_warnings_stand_before_the_verdict(shown):
    lines = shown(hogwild=[replace(each, busy_elsewhere=2.0) for each in FAST], gensim=SLOW)
    assert any(line.startswith("Warning: Other work took up to 2.0 of") for line in lines[:-1])
    assert lines[-1].startswith("Verdict: hogwild")


def test_fast_row_that_learns_less_is_shown_and_cannot_win(shown):
    lines = shown(hogwild=[ok(1.0, 0.20), ok(1.1, 0.21), ok(0.9, 0.20)], gensim=SLOW)
    assert any(line.startswith("hogwild can't win: analogies 0.1") for line in lines)
    assert any(line.startswith("hogwild ") and "20.0%" in line for line in lines)
    assert lines[-1] == "Verdict: gensim is alone."


def test_fast_row_whose_loss_is_higher_cannot_win_against_gensim_itself(shown):
    lossy = [replace(each, quality={**each.quality, "loss": 2.3}) for each in FAST]
    lines = shown(hogwild=lossy, gensim=SLOW)
    assert "hogwild can't win: loss 0.200 above gensim's (noise 0.000)" in lines
    assert shown(hogwild=lossy, gensim_file=SLOW)[-1].startswith("Verdict: hogwild wins")


def test_without_gensim_a_row_is_judged_by_its_loss_and_that_nothing_else_was_checked_is_said(shown):
    lossy = [replace(each, quality={**each.quality, "loss": 4.15}) for each in FAST]
    crash = Outcome(Status.FAILED, "killed by SIGSEGV")
    lines = shown(hogwild=SLOW, my_word2vec=lossy, gensim=[crash] * 3)
    assert "my-word2vec can't win: its loss is 4.15, the lowest is 2.1" in lines
    assert lines[-1] == "Verdict: hogwild is alone."
    text = " ".join(lines)
    assert "No row of gensim's has figures (gensim or gensim-file), so nothing was checked against it" in text
    assert "below gensim's" not in text and "below gensim's" in " ".join(shown(hogwild=FAST, gensim=SLOW))


def test_failed_row_says_so_and_the_others_are_compared(shown):
    crash = Outcome(Status.FAILED, "killed by SIGSEGV")
    lines = shown(hogwild=[crash] * 3, exact=FAST, gensim=SLOW)
    assert next(line for line in lines if line.startswith("hogwild")).endswith(" failed")
    assert any("hogwild dim=100 failed: killed by SIGSEGV (3 runs)" in line for line in lines)
    assert lines[-1].startswith("Verdict: exact wins")


def test_interrupted_run_shows_what_there_is(shown):
    lines = shown(hogwild=FAST[:1], gensim=[])
    assert next(line for line in lines if line.startswith("gensim")).endswith("not run")
    assert lines[-1] == "Verdict after 1 of 6 runs: hogwild is alone."


def test_nothing_finished_is_said(shown):
    crash = Outcome(Status.FAILED, "killed by SIGSEGV")
    assert shown(rounds=1, gensim=[crash])[-1] == "Verdict: nothing finished that could be compared."
