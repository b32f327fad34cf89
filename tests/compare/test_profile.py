from __future__ import annotations

import json
from dataclasses import replace

import pytest

from compare import machine, profile
from compare.profile import Ceiling, NoProfile, Profile


@pytest.fixture
def small() -> Profile:
    """Rows move at bytes per row x 1e6 with one thread, and four times that with four."""
    rows = [
        Ceiling("gather", "B/s", size * 1e6 * threads, "cpu", threads, {"row_bytes": size, "level": "L2"}, (1.0,))
        for size in (128, 512)
        for threads in (1, 4)
    ]
    unmeasured = Ceiling("sgemm", "flop/s", None, "cpu", 1, {"dtype": "bfloat16"}, (), "no such instructions")
    return Profile("small", machine.describe(), (*rows, unmeasured), "2026-01-31")


@pytest.fixture
def stored(small, tmp_path, monkeypatch):
    """Where this machine's profile lies: `small`; none ships."""
    monkeypatch.setattr(profile, "HERE", tmp_path / "new folder" / "machine.json")
    monkeypatch.setattr(profile, "SHIPPED", tmp_path)
    profile.save(small, profile.HERE)
    return small


def test_values_between_the_measured_ones_lie_on_logarithms(small):
    assert small.row_rate("gather", 256, "L2", 1) == pytest.approx(256e6)
    assert small.row_rate("gather", 128, "L2", 2) == pytest.approx(256e6)
    assert small.row_rate("gather", 256, "L2", 2) == pytest.approx(512e6)


def test_beyond_the_measured_ones_the_nearest_holds(small):
    assert small.row_rate("gather", 64, "L2", 1) == pytest.approx(128e6)
    assert small.row_rate("gather", 4096, "L2", 16) == pytest.approx(4 * 512e6)


def test_a_level_that_was_measured_with_fewer_threads_alone_has_no_rate_for_more(small):
    alone = Ceiling("gather", "B/s", 1e9, "cpu", 1, {"row_bytes": 128, "level": "L3"}, (1.0,))
    both = replace(small, ceilings=(*small.ceilings, alone))
    assert both.row_rate("gather", 128, "L3", 1) == pytest.approx(1e9)
    assert both.row_rate("gather", 128, "L3", 2) is both.row_rate("gather", 128, "L3", 16) is None


def test_measured_again_the_better_value_holds_and_all_samples_are_kept():
    rate, again = (Ceiling("copy", "B/s", value, samples=(value,)) for value in (2.0, 3.0))
    assert rate.with_samples_of(again).value == 3.0 and rate.with_samples_of(again).samples == (2.0, 3.0)
    call, quicker = (Ceiling("call", "s", value, samples=(value,)) for value in (2.0, 1.0))
    assert call.with_samples_of(quicker).value == 1.0


def test_what_was_not_measured_has_no_value(small):
    assert small.value("sgemm", dtype="bfloat16") is None
    assert small.value("copy") is None
    assert small.row_rate("update", 128, "L2", 1) is None


def test_a_stored_profile_is_found_again(stored):
    assert profile.here() == stored


def test_a_disturbed_profile_takes_the_place_of_none_that_was_measured_in_quiet(small, stored):
    disturbed = replace(small, measured="2026-02-01", disturbed="other work took 0.9 of 2 cores")
    assert profile.keep(disturbed) == stored == profile.here()
    assert profile.keep(again := replace(small, measured="2026-02-02")) is again and profile.here() == again
    assert disturbed.origin == "small, 2026-02-01, while other work took 0.9 of 2 cores: they may be too low"
    assert again.origin == "small, 2026-02-02"


@pytest.mark.parametrize("there", [{"disturbed": "other work took 2.0 of 2 cores"}, {"facts": {"cpu": "another"}}])
def test_a_disturbed_profile_is_better_than_a_disturbed_one_or_one_of_another_machine(small, stored, there):
    profile.save(replace(stored, **there), profile.HERE)
    disturbed = replace(small, disturbed="other work took 0.9 of 2 cores")
    assert profile.keep(disturbed) is disturbed and profile.here() == disturbed


def test_a_disturbed_profile_comes_after_a_quiet_one_that_ships(small, stored):
    disturbed = replace(small, disturbed="other work took 0.9 of 2 cores")
    profile.save(disturbed, profile.HERE)
    shipped = replace(small, name="a machine like this")
    profile.save(shipped, profile.SHIPPED / "like-this.json")
    assert profile.of_machine(small.facts) == profile.keep(disturbed) == shipped
    assert profile.keep(small) == profile.of_machine(small.facts) == small


def test_a_profile_of_another_processor_is_refused(stored):
    other = replace(stored, facts={**stored.facts, "cpu": "another"})
    profile.save(other, profile.HERE)
    with pytest.raises(NoProfile, match=r"cpu was 'another' and is .*run `compare machine`"):
        profile.here()


def test_a_result_of_another_gpu_has_not_this_machines_ceilings(small, stored):
    with_gpu = replace(small, facts={**small.facts, "gpu": {"name": "A"}})
    profile.save(with_gpu, profile.HERE)
    untold = {name: value for name, value in small.facts.items() if name != "gpu"}
    assert profile.of_machine(with_gpu.facts) == profile.of_machine(untold) == with_gpu
    assert profile.of_machine({**untold, "gpu": {"name": "B"}}) != with_gpu
    assert profile.of_machine({**untold, "gpu": None}) != with_gpu


def test_without_a_profile_the_cure_is_named():
    with pytest.raises(NoProfile, match="run `compare machine`"):
        profile.here()


def test_every_shipped_profile_can_be_loaded_and_names_its_machine():
    assert profile.shipped()
    for name in profile.shipped():
        loaded = profile.named(name)
        assert loaded.measured and loaded.facts["cpu"] in json.dumps(loaded.facts)
        assert loaded.value("sgemm", dtype="float32") > 1e9


def test_an_unknown_profile_is_refused_with_those_there_are():
    with pytest.raises(NoProfile, match=r"unknown profile 'h200': known are epyc.*machines that were measured"):
        profile.named("h200")
    with pytest.raises(NoProfile, match="did you mean epyc-zen4-vm-2-cores"):
        profile.named("epyc-zen4-vm-4-cores")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no JSON: truncated, or no profile"),
        ("[]", "has no schema, where a profile has 'machine/1': `compare machine --out FILE` writes one"),
        ('{"schema": "machine/2"}', "is of schema 'machine/2'"),
        ('{"schema": "machine/1"}', "damaged profile: data must contain"),
        ('{"schema": "machine/1", "name": "a", "facts": {}, "ceilings": [{}]}', r"damaged profile: ceilings\[0\]"),
        ('{"schema": "machine/1", "name": "a", "facts": {}, "ceilings": []}', "damaged profile: ceilings must contain"),
    ],
)
def test_a_file_that_is_no_profile_is_refused(tmp_path, text, message):
    path = tmp_path / "profile.json"
    path.write_text(text)
    with pytest.raises(NoProfile, match=message):
        profile.named(str(path))


def test_cache_sizes_are_read_from_what_linux_says():
    caches = {"L1 Instruction": "32K", "L2 Unified": "1024K", "L3 Unified": "1M"}
    assert machine.cache_bytes(caches, "L2") == machine.cache_bytes(caches, "L3") == 2**20
    assert machine.cache_bytes(caches, "L1") == machine.cache_bytes({"L2 Unified": "unknown"}, "L2") == 0
