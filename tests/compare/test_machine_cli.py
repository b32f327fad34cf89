"""`compare machine` from end to end, quickly."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from compare import profile
from compare.ceilings import gpu
from compare.cli import main
from compare.profile import SHIPPED
from w2v.cores import usable_cores


def compare_machine(*arguments: str):
    return CliRunner().invoke(main, ("machine", *arguments))


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """No profile of this machine yet, nor one that ships, and no GPU."""
    monkeypatch.setattr(profile, "HERE", tmp_path / "data" / "machine.json")
    monkeypatch.setattr(profile, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr(gpu, "unavailable", lambda: "needs a GPU")
    return tmp_path


@pytest.fixture
def one_thread(monkeypatch):
    monkeypatch.setattr("compare.ceilings.usable_cores", lambda: 1)
    monkeypatch.setattr("compare.ceilings.cpu.find_spec", lambda name: None)  # JAX takes seconds to start


def test_a_quick_look_is_told_and_written_but_not_kept(one_thread, home):
    out = home / "laptop.json"
    result = compare_machine("--quick", "--name", "laptop", "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "sgemm float32, threads: 1" in result.stdout and "gather in memory, threads: 1" in result.stdout
    assert "GPU ceilings not measured: needs a GPU" in " ".join(result.stdout.split())
    assert not profile.HERE.exists()
    written = profile.named(str(out))
    assert written.name == "laptop" and all(each.value is None or each.value > 0 for each in written.ceilings)
    rows = [each for each in written.ceilings if each.name == "update" and each.value]
    assert {each.conditions["row_bytes"] for each in rows} == {128, 256, 512, 1024, 2048}


def test_json_is_the_profile_alone(one_thread):
    result = compare_machine("--quick", "--json")
    values = json.loads(result.stdout)
    assert values["schema"] == "machine/1" and values["facts"]["cpu"]
    assert {"call", "thread start", "sgemm", "copy", "triad", "gather", "update"} <= {
        each["name"] for each in values["ceilings"]
    }


@pytest.fixture
def measured(home, monkeypatch):
    """What is measured is the profile that ships, as this machine's, and disturbed."""
    found = replace(
        profile.load(next(iter(SHIPPED.glob("*.json")))),
        facts=profile.machine.describe(),
        disturbed="other work took 0.9 of 2 cores",
    )
    monkeypatch.setattr("compare.ceilings.measure", lambda *arguments: found)
    return found


def test_other_work_is_warned_of_and_kept_only_where_nothing_better_is(measured, home):
    told = " ".join(compare_machine().stdout.split())
    assert "Warning: other work took 0.9 of 2 cores meanwhile, so these ceilings may be too low: stop it" in told
    assert profile.here().disturbed == measured.disturbed and f"Kept for other commands in {profile.HERE}" in told
    quiet = replace(measured, disturbed="")
    profile.save(quiet, profile.HERE)
    told = " ".join(compare_machine("--out", str(home / "laptop.json")).stdout.split())
    assert f"Not kept: what was measured in quiet ({quiet.origin}) stays for other commands" in told
    assert profile.here() == quiet and profile.named(str(home / "laptop.json")).disturbed == measured.disturbed


def test_what_can_not_be_kept_is_shown_and_the_file_named(measured, home, monkeypatch):
    (home / "file").touch()
    monkeypatch.setattr(profile, "HERE", home / "file" / "machine.json")
    result = compare_machine()
    assert result.exit_code == 1
    assert "sgemm float32, threads: 1" in result.stdout
    assert result.stderr.endswith(f"\nError: {home / 'file'}: File exists\n")


def test_other_work_is_seen_while_ceilings_are_measured(one_thread, monkeypatch):
    monkeypatch.setattr("compare.ceilings.Snapshot.busy_elsewhere", lambda self, since: 0.75 * usable_cores())
    values = json.loads(compare_machine("--quick", "--json").stdout)
    assert values["disturbed"] == f"other work took {0.75 * usable_cores():.1f} of {usable_cores()} cores"


def test_a_folder_that_can_not_be_written_is_refused_before_measuring():
    result = compare_machine("--out", "/no/such/folder/profile.json")
    assert result.exit_code == 2 and "there is no folder /no/such/folder" in " ".join(result.output.split())
