"""Suites: contents of their files, which runs are repeated, and how they end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from irqscope_fake.folder import deviate, rewrite
from test_cli import Command, one_line

from irqscope.campaign.suite import load
from irqscope.errors import ExperimentError
from irqscope.results.reader import read

ROOT = Path(__file__).parents[2]
T2 = ROOT / "experiments" / "horst2020" / "t2.toml"
SUITE = """name = "two"
card = "horst2020"
[[items]]
file = "t2.toml"
quick = { count = 20 }
[[items]]
file = "level.toml"
quick = { count = 30, "lines.0.high" = "2 ms" }
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a suite of two experiments."""
    text = T2.read_text(encoding="utf-8")
    (tmp_path / "t2.toml").write_text(text, encoding="utf-8")
    level = text.replace('name = "t2"', 'name = "level"').replace('"rising edge"', '"level"')
    (tmp_path / "level.toml").write_text(
        level.replace('"burst"', '"acknowledged"').replace('timeout = "4 ms"', 'timeout = "3 ms"'),
        encoding="utf-8",
    )
    (tmp_path / "suite.toml").write_text(SUITE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def record(out):
    return json.loads((out / "suite.json").read_text())


def states(out):
    return {name: item["state"] for name, item in record(out)["items"].items()}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


# ---- files -----------------------------------------------------------------------------------


def test_a_preset_changes_what_it_names_and_nothing_else(folder):
    quick, plain = load(folder, "quick"), load(folder / "suite.toml", "tail")
    assert [e.experiment.count for e in quick.entries] == [20, 30]
    assert [e.experiment.count for e in plain.entries] == [2400, 2400]
    assert str(quick.entries[1].experiment.lines[0].high) == "2 ms"
    assert quick.entries[0].experiment == plain.entries[0].experiment.model_copy(
        update={"count": 20}
    )


def test_a_matrix_is_the_cross_product_with_names_that_tell_runs_apart(folder):
    edit(
        folder / "suite.toml",
        'file = "t2.toml"',
        'file = "t2.toml"\nmatrix = { idle = ["wfi", "spin"], seed = [1, 2] }',
    )
    entries = load(folder, "quick").entries
    assert [e.name for e in entries][:4] == [
        "t2-wfi-seed-1",
        "t2-wfi-seed-2",
        "t2-spin-seed-1",
        "t2-spin-seed-2",
    ]
    assert [(e.experiment.idle, e.experiment.seed) for e in entries][2] == ("spin", 1)
    assert entries[2].cell == {"idle": "spin", "seed": 1}
    assert all(e.name == e.experiment.name for e in entries)


@pytest.mark.parametrize(
    ("file", "key", "values", "names"),
    [
        ("a9-cache-states/sgi", "state", '[[], ["tlb", "bp"]]', ["sgi-none", "sgi-tlb.bp"]),
        ("random-load/warm", "warm", "[true, false]", ["warm-warm", "warm-not-warm"]),
        ("horst2020/t2", "caches", '["on"]', ["t2-caches-on"]),
        ("horst2020/t2", "pages", '["2 MB", "4 KB"]', ["t2-2MB", "t2-4KB"]),
        ("horst2020/t2", "stack", '["baremetal", "freertos"]', ["t2", "t2-freertos"]),
    ],
)
def test_values_of_a_matrix_have_names_fit_for_folders(tmp_path, file, key, values, names):
    path = ROOT / "experiments" / f"{file}.toml"
    item = f'name = "one"\n[[items]]\nfile = "{path}"\nmatrix.{key} = {values}\n'
    (tmp_path / "suite.toml").write_text(item, encoding="utf-8")
    assert [entry.name for entry in load(tmp_path, "quick").entries] == names


def test_an_item_may_have_a_target_of_its_own(folder):
    edit(folder / "suite.toml", 'file = "level.toml"', 'file = "t2.toml"\ntarget = "rtl:some-core"')
    plain, own = load(folder, "quick").entries
    assert (plain.name, plain.on("twin")) == ("t2", "twin")
    assert (own.name, own.on("twin")) == ("t2-some-core", "rtl:some-core")
    assert own.experiment.name == own.name


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("hwgrep://(", "no board can be behind hwgrep://(; give a device, socket://"),
        ("loop://?x", "no board can be behind loop://?x; give a device, socket://"),
        ("spy:///dev/null?file=PRECIOUS", "no board can be behind spy:///dev/null?file="),
        ("/dev/nix", "there is no port /dev/nix; "),
        ("twin:nix", "the twin did not start: "),
        ("twin:functional:wiring=hum", "wiring 'hum': there is no device to be wired"),
        ("twin:functional:fast", 'a twin has no option "fast"; say twin:'),
        ("twin:functional\\u0000", "twin:functional\\x00: a target has no byte 0"),
        ("rtl:nix", "the RTL simulation did not start: "),
        ("replay:nix", "cannot read nix "),
        ("a\\nb", "there is no port a\\nb; "),
    ],
)
def test_a_target_that_is_none_is_named_with_file_line_and_key(
    irqscope, folder, out, tmp_path, target, said
):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    own = f'file = "t2.toml"\ntarget = "{target.replace("PRECIOUS", str(precious))}"'
    (folder / "suite.toml").write_text(f'name = "one"\n[[items]]\n{own}\n', encoding="utf-8")
    code, _, err = irqscope("suite", folder, "--out", out)
    assert code == 3
    assert one_line(err).startswith(f"{folder}/suite.toml:4: items[0].target: ")
    assert said in one_line(err)
    assert precious.read_text() == "mine"
    assert not (out / "suite.json").exists()


def test_repeats_are_runs_with_their_own_seeds(folder):
    edit(folder / "suite.toml", "count = 20", "count = 20, repeats = 2")
    entries = load(folder, "quick").entries
    assert [(e.name, e.experiment.seed, e.experiment.repeats) for e in entries[:2]] == [
        ("t2.1", 1, 1),
        ("t2.2", 2, 1),
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('card = "horst2020"', 'crad = "horst2020"', ":2: crad: unknown key; did you mean card?"),
        ('file = "level.toml"', 'fiel = "level.toml"', ":7: items[1].fiel: unknown key; did you"),
        ('card = "horst2020"', 'card = "h"', ":2: card: input should be 'horst2020'"),
        ('"level.toml"', '"absent.toml"', ":7: items[1].file: cannot read "),
        ('"level.toml"', '"t2.toml"', ':6: t2.toml: there is a run "t2" already'),
        ("count = 30", "count = 0", ":8: level.toml: count: input should be greater than"),
        ("count = 30", "cuont = 3", ":8: level.toml: cuont: unknown key; did you mean count?"),
        ("count = 30", "path = 3", ":8: level.toml: path: unknown key; remove it"),
        (
            '"lines.0.high"',
            '"lines.3.high"',
            ":8: level.toml: lines.3.high: 3: there are 1 of these",
        ),
        (
            "quick = { count = 30",
            '[items.quick]\nidle = "nap"\n[items.tail]\nx = { a = 1',
            ":9: level.toml: idle: input should be 'wfi' or 'spin'",
        ),
        *(
            ("quick = { count = 20 }", f"matrix = {{ {matrix} }}", said)
            for matrix, said in (
                ('idle = ["nap"]', ":5: t2.toml: idle: input should be 'wfi' or 'spin'"),
                (
                    '"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a" = [1]',
                    ":5: t2.toml: a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a: a.a.a",
                ),
                (
                    f'description = ["{"x" * 300}"]',
                    ":3: t2.toml: the run would be called t2-xxx",
                ),
                ("idle = []", ":5: items[0].matrix.idle: it has no value; give one"),
                ("seed = [1, 1]", ':3: t2.toml: there is a run "t2-seed-1" already; give'),
                (
                    f"seed = {list(range(200))}, count = {list(range(1, 200))}",
                    ":5: items[0].matrix: these are more than 10000 runs; give fewer",
                ),
            )
        ),
        (
            "quick = { count = 20 }",
            "quick = { count = 20 }\nmatrix = { count = [3] }",
            ":6: items[0].matrix.count: quick changes it as well; give it in one",
        ),
        ('name = "two"', "name = two", ":1: not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_key(folder, old, new, said):
    edit(folder / "suite.toml", old, new)
    with pytest.raises(ExperimentError) as error:
        load(folder, "quick")
    assert f"{folder}/suite.toml{said}" in str(error.value)
    (subject,) = str(error.value).splitlines()
    # What to do about it: a word that asks for it, or what the value should be.
    assert re.search(r"; (give|did|remove|correct|name)\b|input should be", subject)


def test_an_unknown_name_is_refused_with_those_there_are(irqscope, folder, out):
    code, _, err = irqscope("suite", folder, "--only", "t9", "--out", out)
    assert code == 2
    assert one_line(err) == f'{folder}/suite.toml: no run is called "t9"; there are t2, level'
    assert not out.exists()


# ---- runs ------------------------------------------------------------------------------------


@pytest.fixture
def suite(irqscope, folder, out, board):
    """Runs the suite on a fake board: exit code, stdout, stderr."""

    def call(*arguments: object, **faults: object) -> tuple[int, str, str]:
        port = board(**faults).port
        settings = ("suite", folder, "--target", port, "--counts", "quick", "--out", out)
        return irqscope(*settings, *arguments)

    return call


def test_all_runs_and_the_card_come_from_one_command(suite, out):
    code, stdout, err = suite()
    assert code == 0
    assert states(out) == {"t2": "valid", "level": "valid"}
    assert [read(out / name).run.stimuli for name in ("t2", "level")] == [20, 30]
    assert "two on twin, functional timing, quick counts" in stdout
    assert f"card: {out}/card.html" in err
    for page in ("card.html", "t2/report.html", "level/report.html"):
        assert (out / page).exists()


@pytest.fixture
def complete(suite, out, once):
    """The suite has been run."""

    def run(folder):
        assert suite("--no-card")[0] == 0

    once(out, run)


def test_what_is_complete_is_not_run_again(suite, out, complete):
    before = (out / "t2" / "run.json").stat().st_mtime_ns
    code, stdout, err = suite("--no-card")
    assert code == 0
    assert "valid, kept" in stdout and "moved" not in err
    assert (out / "t2" / "run.json").stat().st_mtime_ns == before
    assert all(item["kept"] for item in record(out)["items"].values())


def test_a_suite_of_two_stacks_is_run_with_one_program_after_the_other(suite, folder, out):
    edit(
        folder / "suite.toml", 'file = "t2.toml"',
        'file = "t2.toml"\nmatrix.stack = ["baremetal", "freertos"]',
    )  # fmt: skip
    code, _, err = suite("--no-card")
    assert code == 4
    assert states(out) == {"t2": "valid", "t2-freertos": "failed", "level": "valid"}
    assert "load irqscope-freertos.elf or change the key" in err
    assert list(record(out)["stacks"]) == ["baremetal"]
    code, _, _ = suite("--no-card", stack=("freertos", "V11.2.0", "as usual"))
    assert code == 0
    assert set(states(out).values()) == {"valid"}
    stored = {name: item["kept"] for name, item in record(out)["items"].items()}
    assert stored == {"t2": True, "t2-freertos": False, "level": True}
    assert read(out / "t2-freertos").run.stack.version == "V11.2.0"
    assert read(out / "t2-freertos").run.readback.timer_tick_period == 99_990  # 1 ms at 99.99 MHz


def test_a_stack_that_the_twin_was_not_built_with_fails_its_runs_alone(
    irqscope, folder, out, monkeypatch
):
    """The real twin has neither program."""
    edit(folder / "suite.toml", 'file = "t2.toml"', 'file = "t2.toml"\nmatrix.stack = ["mine"]')
    code, _, err = irqscope("suite", folder, "--only", "t2*", "--out", out)
    assert code == 3
    assert "irqscope-mine.elf is missing: run `make stacks STACKS=mine`" in one_line(err)


@pytest.mark.parametrize(
    "stale",
    ["experiment", "machine", "firmware", "stack", "cut short", "invalid", "changed", "damaged"],
)
def test_a_stale_folder_is_moved_aside_and_run_again(suite, folder, out, complete, stale):
    if stale == "experiment":
        edit(folder / "suite.toml", "count = 20", "count = 25")
        why = "its experiment differs in count"
    else:
        as_zedboard = dict.fromkeys(("target", "label"), "zedboard")
        as_zedboard |= dict.fromkeys(("profile", "profile_hash"))
        edits, why = {
            "firmware": (
                lambda run: run["identity"].update(firmware_hash="0x00000bad"),
                "its firmware hash is 0x00000bad, this target's 0x00009abc",
            ),
            "machine": (
                lambda run: run.update(
                    identity=run["identity"] | {"source": 2 | 1 << 8, "built_for": 2},
                    source=as_zedboard,
                ),
                "it is of zynq7000, this target is zynqmp",
            ),
            "stack": (
                lambda run: run["stack"].update(version="V10.4.6"),
                "its stack was built differently, as V10.4.6 or with other settings",
            ),
            "cut short": (lambda run: run.update(ended=None), "it was cut short"),
            "invalid": (lambda run: run.update(valid=False), "it is not valid"),
            "changed": (lambda run: None, "changed since it was written: run.json"),
            "damaged": (lambda run: None, "run.json is damaged"),
        }[stale]
        rewrite(out / "t2", edits)
        if stale == "changed":
            edit(out / "t2" / "run.json", version("irqscope"), "0.0.9")
        elif stale == "damaged":
            (out / "t2" / "run.json").write_text("{", encoding="utf-8")
    code, _, err = suite("--no-card")
    assert code == 0
    assert why in err and "moved to t2.old-1, run again" in err
    assert (out / "t2.old-1").is_dir()
    assert [item["kept"] for item in record(out)["items"].values()] == [False, True]


@pytest.mark.parametrize(("change", "stays"), [(1.0002, True), (1.01, False)])
def test_the_cpu_clock_is_the_same_within_the_error_of_its_measurement(
    suite, out, complete, change, stays
):
    def faster(run):
        run["identity"]["cpu_hz"] = int(run["identity"]["cpu_hz"] * change)

    rewrite(out / "t2", faster)
    _, _, err = suite("--no-card")
    assert record(out)["items"]["t2"]["kept"] is stays
    assert ("its cpu hz is" in err) is not stays


def test_another_profile_is_another_target(suite, out, complete):
    label = "twin, functional with gic.path = 45 ns"
    rewrite(out / "t2", lambda run: deviate(run, "gic.path = 45 ns"))
    _, _, err = suite("--no-card")
    expected = f"it comes from {label}, this target is twin, functional timing"
    assert expected in err


def test_only_runs_what_is_named_and_keeps_the_rest(suite, out):
    suite("--no-card", "--only", "t2")
    assert states(out) == {"t2": "valid", "level": "left out"}
    code, _, _ = suite("--no-card", "--only", "lev*")
    assert code == 0
    assert states(out) == {"t2": "valid", "level": "valid"}


def test_a_shuffled_order_is_repeatable_and_stands_in_the_result(suite, folder, out):
    orders = []
    for seed in (0, 1, 0):
        shutil.rmtree(out, ignore_errors=True)
        suite("--no-card", "--shuffle", seed)
        orders.append(record(out)["order"])
        assert record(out)["shuffle"] == seed
        began = {name: read(out / name).run.ended.time for name in ("t2", "level")}
        assert sorted(record(out)["order"], key=began.__getitem__) == record(out)["order"]
    assert orders[0] == orders[2] != orders[1]


def test_an_invalid_run_is_told_and_the_next_one_is_run(suite, out):
    code, stdout, err = suite("--no-card", of_counters=(("starts", 1),))
    assert code == 4
    assert states(out) == {"t2": "invalid", "level": "invalid"}
    assert "t2: INVALID: " in err and "counters disagree" in err
    assert "invalid" in stdout


def test_a_target_that_dies_fails_one_run(irqscope, folder, out, fake_twin):
    fake_twin(die_at_batch=1, complain="the simulated core stepped on a rake")
    code, _, err = irqscope("suite", folder, "--out", out)
    assert code == 4, err
    assert states(out) == {"t2": "failed", "level": "failed"}
    assert err.count("the simulated core stepped on a rake") == 2
    assert record(out)["counts"] == "quick"
    assert (out / "card.html").exists()


def test_a_target_that_never_answers_ends_it_at_once(irqscope, folder, out):
    code, _, err = irqscope("suite", folder, "--target", "/dev/ttyNONE", "--out", out)
    assert code == 3
    assert "/dev/ttyNONE" in one_line(err)


def test_a_folder_that_cannot_be_written(irqscope, folder, board, tmp_path):
    (tmp_path / "file").write_text("")
    arguments = ("--target", board().port, "--out", tmp_path / "file" / "out")
    code, _, err = irqscope("suite", folder, *arguments)
    assert code == 5
    assert "cannot write" in one_line(err)


def test_ctrl_c_keeps_what_is_complete_and_a_new_start_goes_on(irqscope, folder, out, fake_twin):
    edit(folder / "suite.toml", "count = 30", "count = 8000")
    command = Command("suite", folder, "--out", out, "--no-card", batch_s=0.4)
    command.until((out / "level" / "samples" / "part-00000.parquet").exists)
    command.process.send_signal(signal.SIGINT)
    code, _, err = command.end()
    assert code == 130
    assert "interrupted by Ctrl-C after" in one_line(err)
    assert states(out) == {"t2": "valid", "level": "interrupted"}
    assert record(out)["ended"]["reason"] == "interrupted"
    fake_twin()
    code, _, err = irqscope("suite", folder, "--out", out, "--no-card")
    assert code == 0
    assert "level: it ended early: interrupted; moved to level.old-1, run again" in err
    assert [item["kept"] for item in record(out)["items"].values()] == [True, False]


# ---- side by side ----------------------------------------------------------------------------


def contents(out):
    """All that was measured, by run."""
    names = ("t2", "level")
    return {n: (read(out / n).samples(), read(out / n).histogram()) for n in names}


def workers(process):
    """Processes that carry runs out, by the id of the suite's."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    commands = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
    return [child for child, command in commands.items() if b"spawn_main" in command]


def test_runs_side_by_side_are_those_one_after_the_other(irqscope, folder, out, fake_twin):
    fake_twin()
    assert irqscope("suite", folder, "--out", out, "--no-card")[0] == 0
    code, stdout, err = irqscope("suite", folder, "--out", folder / "two", "--jobs", 2)
    assert code == 0, err
    assert contents(folder / "two") == contents(out)
    assert record(folder / "two")["order"] == record(out)["order"] == ["t2", "level"]
    assert states(folder / "two") == {"t2": "valid", "level": "valid"}
    for page in ("card.html", "t2/report.html", "level/report.html"):
        assert (folder / "two" / page).exists()
    code, stdout, _ = irqscope("suite", folder, "--out", folder / "two", "--jobs", 2, "--no-card")
    assert code == 0 and stdout.count("valid, kept") == 2


def test_a_worker_that_is_killed_costs_a_repeat_and_is_named(folder, out):
    command = Command("suite", folder, "--out", out, "--no-card", "--jobs", 2, batch_s=1.0)
    command.until(lambda: all((out / name / "run.json").exists() for name in ("t2", "level")))
    victim = workers(command.process)[0]
    os.kill(victim, signal.SIGKILL)
    code, _, err = command.end()
    assert code == 0, err
    assert (
        f"(process {victim}) died (signal 9, SIGKILL); it is run again, and its folder moved to"
        in (" ".join(err.split()))
    )
    assert states(out) == {"t2": "valid", "level": "valid"}
    assert len(list(out.glob("*.old-1"))) == 1


def test_a_run_that_kills_its_worker_twice_has_failed(folder, out):
    """Killed whenever it is seen."""
    command = Command(
        "suite", folder, "--only", "t2", "--out", out, "--no-card", "--jobs", 2, batch_s=1.0
    )
    killed = set()
    while command.process.poll() is None and len(killed) < 2:
        with contextlib.suppress(OSError):
            if (out / "t2" / "run.json").exists():
                for child in set(workers(command.process)) - killed:
                    os.kill(child, signal.SIGKILL)
                    killed.add(child)
                    (out / "t2" / "run.json").unlink()
        time.sleep(0.01)
    code, _, err = command.end()
    assert code == 4
    assert states(out)["t2"] == "failed"
    assert "died (signal 9, SIGKILL)" in record(out)["items"]["t2"]["reasons"][0]


def test_ctrl_c_ends_all_that_are_under_way_in_order(irqscope, folder, out, fake_twin):
    edit(folder / "suite.toml", "count = 30", "count = 8000")
    edit(folder / "suite.toml", "count = 20", "count = 8000")
    command = Command("suite", folder, "--out", out, "--no-card", "--jobs", 2, batch_s=0.4)
    first = [out / name / "samples" / "part-00000.parquet" for name in ("t2", "level")]
    command.until(lambda: all(part.exists() for part in first))
    command.process.send_signal(signal.SIGINT)
    code, _, err = command.end()
    assert code == 130, err
    assert "interrupted by Ctrl-C" in one_line(err)
    assert states(out) == {"t2": "interrupted", "level": "interrupted"}
    for name in ("t2", "level"):
        assert read(out / name).run.ended.reason == "interrupted"
    edit(folder / "suite.toml", "count = 8000", "count = 30")
    fake_twin()
    code, _, err = irqscope("suite", folder, "--out", out, "--no-card", "--jobs", 2)
    assert code == 0 and err.count("moved to") == 2


def test_a_board_has_one_run_at_a_time(suite):
    code, _, err = suite("--jobs", 2)
    assert code == 2 and "is not a twin and has one run at a time; leave it out" in one_line(err)


def test_the_suites_of_the_project_can_be_run():
    for path in sorted((ROOT / "experiments").glob("*/suite.toml")):
        for counts in ("quick", "paper", "tail"):
            assert load(path, counts).entries
