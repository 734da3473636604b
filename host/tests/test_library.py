"""Runs on disk from the command line: listed, tagged, run again, compared."""

from __future__ import annotations

import json
import re

import pytest
from irqscope_fake.folder import as_board, deviate, rewrite

from irqscope.results import note
from irqscope.results.note import Note
from irqscope.results.note import read as read_note
from irqscope.results.reader import read


@pytest.fixture
def measured(irqscope, experiment, board, once, tmp_path):
    """A folder with a name of a run on a firmware with the given faults."""

    def run(name, *options, **faults):
        def measure(folder):
            words = ("--target", board(**faults).port, "--count", 200, "--out", folder, *options)
            assert irqscope("run", experiment(), *words)[0] == 0

        return once(tmp_path / "runs" / name, measure, options, faults)

    return run


def test_a_list_has_one_row_a_run_and_says_what_cannot_be_read(irqscope, measured, tmp_path):
    folder = measured("one", latency_ticks=60)
    broken = tmp_path / "runs" / "broken"
    broken.mkdir()
    (broken / "run.json").write_text("{")
    irqscope("tag", folder, "+slow")
    code, out, _ = irqscope("list", tmp_path / "runs", "--json")
    good, bad = json.loads(out)
    assert code == 0 and good["folder"] == folder.name
    assert (good["n"], good["p50_ns"], good["max_ns"]) == (200, 240, 240)
    assert (good["verdict"], good["tags"]) == ("valid", "slow")
    assert bad["name"] == "broken" and "run.json is damaged" in bad["verdict"]
    assert irqscope("list", tmp_path / "nowhere")[0] == 5


def test_tags_are_added_and_taken_away_and_leave_the_record_alone(irqscope, measured):
    folder = measured("one")
    record = (folder / "run.json").read_bytes()
    assert irqscope("tag", folder, "+slow", "+lab-3")[:2] == (0, "lab-3\nslow\n")
    assert irqscope("tag", folder, "-slow", "-absent")[:2] == (0, "lab-3\n")
    assert read_note(folder).tags == ("lab-3",)
    assert irqscope("tag", folder)[:2] == (0, "lab-3\n")
    assert irqscope("tag", folder, "-lab-3")[:2] == (0, "")
    assert not (folder / "note.json").exists()
    assert (folder / "run.json").read_bytes() == record


@pytest.mark.parametrize("word", ["slow", "+", "+two words", "+a/b"])
def test_a_word_that_changes_no_tag_is_refused(irqscope, measured, word):
    folder = measured("one")
    code, _, err = irqscope("tag", folder, word)
    assert code == 2 and f'"{word}" changes no tag; write +TAG or -TAG' in err
    assert read_note(folder).tags == ()


def test_only_a_run_folder_is_tagged(irqscope, tmp_path):
    assert irqscope("tag", tmp_path, "+slow")[0] == 5
    assert not list(tmp_path.iterdir())


def test_a_run_folder_is_run_again_as_it_was(irqscope, measured, board, tmp_path):
    first, second = measured("one", "--batch", 0.1, "--seed", 7), tmp_path / "second"
    assert irqscope("run", first, "--target", board().port, "--out", second)[0] == 0
    one, two = read(first), read(second)
    for key in ("experiment", "batch_s", "stats"):
        assert getattr(two.run, key) == getattr(one.run, key)
    assert two.run.experiment.seed == 7 and two.run.batch_s == 0.1
    assert two.samples().equals(one.samples())
    third = tmp_path / "third"
    irqscope("run", first, "--target", board().port, "--out", third, "--count", 9, "--batch", 1)
    assert (read(third).run.stimuli, read(third).run.batch_s) == (9, 1.0)


def test_an_experiment_of_another_irqscope_is_refused(irqscope, measured, tmp_path):
    folder = measured("one")
    rewrite(folder, lambda run: run["experiment"].update(quantum=True))
    code, _, err = irqscope("run", folder, "--out", tmp_path / "again")
    assert code == 5 and "run.json: experiment.quantum: unknown key; remove it" in err
    assert "the file is damaged or of another irqscope" in err
    assert not (tmp_path / "again").exists()


def test_runs_are_compared_with_intervals_and_provenance(irqscope, measured):
    first = measured("one", latency_ticks=60)
    second = measured("two", "--seed", 3, latency_ticks=70)
    code, out, _ = irqscope("compare", first, second, "--json")
    data = json.loads(out)
    assert code == 0 and data["runs"] == ["1: t2", "2: t2"]
    base, other = data["quantiles"]["p50"]
    assert base["lower"] == pytest.approx(240, abs=0.1) == base["upper"]
    assert other["lower"] == pytest.approx(40, abs=0.1) and other["verdict"] == "slower"
    assert data["quantiles"]["p99.99"][1]["verdict"] == "cannot tell, N too small"
    assert data["differs"] == {"experiment.seed": ["1", "3"]}
    assert re.search(r"\+40 ns \[[^]]*\]: slower", irqscope("compare", first, second)[1])
    assert "]: faster" in irqscope("compare", second, first)[1]


def test_a_twin_is_held_against_a_board_only_when_asked(irqscope, measured):
    first, second = measured("one"), measured("two")
    rewrite(second, as_board)
    code, out, err = irqscope("compare", first, second)
    assert (code, out) == (2, "") and "come from twin and zcu102" in err
    assert irqscope("compare", first, second, "--mixed")[0] == 0


def test_a_comparison_needs_two_runs_that_hold_something(irqscope, measured):
    first, second = measured("one"), measured("two")
    assert "1 runs; name 2 to 8" in irqscope("compare", first)[2]
    assert "9 runs; name 2 to 8" in irqscope("compare", *[first] * 9)[2]
    rewrite(second, lambda run: run.update(stats=[]))
    code, _, err = irqscope("compare", first, second)
    assert code == 2 and f"{second} holds no latency; leave it out" in err


def test_a_name_and_a_note_are_kept_listed_and_taken_away(irqscope, measured):
    folder = measured("one")
    record = (folder / "run.json").read_bytes()
    code, out, _ = irqscope("note", folder, "the heater\nwas on", "--name", "warm lab")
    assert (code, out) == (0, "warm lab\nthe heater\nwas on\n")
    assert note.read(folder) == Note(name="warm lab", note="the heater\nwas on")
    (cells,) = json.loads(irqscope("list", folder.parent, "--json")[1])
    assert cells["name"] == "warm lab (t2)" and cells["note"] == "the heater\nwas on"
    assert "warm" in irqscope("list", folder.parent)[1]
    assert json.loads(irqscope("note", folder, "--json")[1])["name"] == "warm lab"
    assert irqscope("note", folder, "--name", "")[1] == "the heater\nwas on\n"
    assert irqscope("note", folder, "")[1] == "" and not (folder / "note.json").exists()
    # At a time, and from one to another; an empty one takes away what begins there.
    irqscope("note", folder, "it began", "--at", "0.5")
    code, out, _ = irqscope("note", folder, "the fan", "--at", "0.1", "--until", "0.2")
    assert code == 0
    assert out == "0.100000 s to 0.200000 s: the fan\n0.500000 s: it began\n"
    assert irqscope("note", folder, "", "--at", "0.1")[1] == "0.500000 s: it began\n"
    for words in (
        ("x", "--at", "2", "--until", "1"),
        ("x", "--until", "1"),
        ("y" * 201, "--at", "1"),
    ):
        code, _, err = irqscope("note", folder, *words)
        assert code != 0 and "Traceback" not in err
    irqscope("note", folder, "", "--at", "0.5")
    assert not (folder / "note.json").exists()
    assert (folder / "run.json").read_bytes() == record and read(folder).run.valid
    assert "warm" not in irqscope("list", folder.parent)[1]


def test_control_characters_of_a_record_reach_no_terminal(irqscope, measured):
    folder = measured("one")
    hostile = "\x1b[2J\x9b31m\x07\u202e\n"
    rewrite(folder, lambda run: deviate(run, hostile))
    rewrite(folder, lambda run: run["ended"].update(message=hostile))
    output = {
        command: "".join(map(str, irqscope(command, *folders)))
        for command, folders in (
            ("info", (folder,)),
            ("list", (folder.parent,)),
            ("compare", (folder, folder)),
            ("worst", (folder,)),
            ("report", (folder,)),
        )
    }
    for command, text in output.items():
        assert not set(text) & set("\x1b\x9b\x07\u202e"), command
    assert r"with \x1b[2J\x9b31m\x07\u202e" in output["info"]


@pytest.mark.parametrize("name", ["x" * 65, "two\nlines", "\x1b[2J"])
def test_a_name_is_one_line(irqscope, measured, name):
    folder = measured("one")
    code, _, err = irqscope("note", folder, "--name", name)
    assert code == 2 and "is not a name; give one line of at most 64" in err
    assert err.count("\n") == 1 and not (folder / "note.json").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "note.json is damaged"),
        ('{"format": "irqscope-note/1"}', "format: 'irqscope-note/1', this irqscope reads"),
        ('{"format": "irqscope-note/2", "name": 3}', "note.json: name: give a text in quotes"),
        ('{"format": "irqscope-note/2", "nme": "x"}', "did you mean name?"),
    ],
)
def test_a_damaged_note_is_one_line_and_hides_no_run(irqscope, measured, text, said):
    folder = measured("one")
    (folder / "note.json").write_text(text)
    code, _, err = irqscope("note", folder)
    assert code == 5 and said in err and err.count("\n") == 1
    (cells,) = json.loads(irqscope("list", folder.parent, "--json")[1])
    assert cells["n"] == 200 and said in cells["note"]
