"""Profiles: every constant is there, documented, in range; the engine knows each of them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from board import command_of, compile_program, values
from irqscope_hw import regmap
from irqscope_twin import machine as machines
from irqscope_twin import profile

pytestmark = pytest.mark.quick

TEXT = (profile.FOLDER / "functional.toml").read_text()
IDLE = "void test(void) {}"


def run(command: list[str]) -> tuple[int, str]:
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return result.returncode, result.stderr


def constant_names() -> list[str]:
    return sorted(profile.load("functional").constants)


@pytest.mark.parametrize("name", constant_names())
def test_engine_refuses_a_missing_constant(name):
    command = command_of(compile_program(IDLE))
    at = next(i for i, word in enumerate(command) if word.startswith(f"{name}="))
    code, error = run(command[: at - 1] + command[at + 1 :])
    assert code == 2
    assert error == f"irqscope-twin: profile lacks the constant {name}\n"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--constant", "cpu.magic=1"], "unknown constant cpu.magic"),
        (["--constant", "cpu.wfi_wake=75"], "given twice"),
        (["--constant", "cpu.magic=fast"], "not a number"),
        (["--elf", "/nowhere.elf"], "cannot read /nowhere.elf"),
        (["--elf", __file__], "not an ELF file"),
        (["surplus"], "unknown argument surplus"),
        (["--trace", "/nowhere/trace.csv"], "cannot write the trace"),
        (["--stats", "/nowhere/stats.json"], "cannot write the statistics"),
    ],
)
def test_engine_refuses_in_one_line(options, reason):
    code, error = run([*command_of(compile_program(IDLE)), *options])
    assert code == 2
    assert reason in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("constants", "reason"),
    [
        ({"clock_cpu_cycle": 6}, "clocks are fixed"),
        ({"clock_apb_phase": 60}, "apb_phase exceeds a cycle"),
        ({"cpu_quantum": 7}, "whole number of cycles"),
        ({"cpu_quantum": 200}, "exceeds a path"),
        ({"gpio_access": 90}, "whole APB cycles"),
        ({"gpio_spacing": 60}, "below gpio.access"),
    ],
)
def test_engine_refuses_constants_that_break_its_rules(constants, reason):
    code, error = run(command_of(compile_program(IDLE), **constants))
    assert (code, reason in error) == (2, True)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (r"value = 15,", "value = 41,", "41 cycle is outside 5..40"),
        (r"value = 15,", "value = 1.5,", "whole number"),
        (r'value = 15, unit = "cycle"', 'value = 15, unit = "us"', "unit 'us'"),
        (r'meaning = "AP[^"]*", ', "", "must have exactly"),
        (r'mark = "S"', 'mark = "X"', "mark 'X'"),
        (r'model = "functional"', "model = 1", "model must be a name"),
        (r'profile = "functional"', 'profile = "other"', "profile must be"),
        (r'machine = "zynqmp"', "machine = 1", "machine must be a name"),
        (
            r'machine = "zynqmp"',
            'machine = "z80"',
            f"there is no machine 'z80'; there are: {', '.join(machines.names())}",
        ),
        (r'board = "zcu102"', 'board = "zc702"', "machines/zynqmp.toml has no board 'zc702'"),
        (r"cpu_cycle = .*", "", "clock.cpu_cycle is missing"),
        (r"\[cpu\]", "[cpu", "functional.toml"),
        (r"\[cpu\]", "surplus = 1\n[cpu]", "must have exactly"),
    ],
)
def test_table_is_checked(tmp_path: Path, old, new, reason):
    changed, count = re.subn(old, new, TEXT, count=1)
    assert count == 1
    (tmp_path / "functional.toml").write_text(changed)
    with pytest.raises(profile.ProfileError, match=re.escape(reason)):
        profile.load("functional", tmp_path)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (["gic.path"], "not of the form KEY=VALUE"),
        (["gic.magic=1"], "has no constant 'gic.magic'"),
        (["gic.path=fast"], "'fast' is not a whole number"),
        (["gic.path=56"], "gic.path: 56 ns is outside 20..55"),
        (["gic.path=40", "gic.path=41"], "set twice"),
        (["clock.pl_tick=25"], "outside 24..24"),
    ],
)
def test_setting_a_constant_is_checked(settings, reason):
    command = [sys.executable, "-m", "irqscope_twin"]
    for setting in settings:
        command += ["--set", setting]
    code, error = run(command)
    assert (code, error.count("\n")) == (2, 1)
    assert reason in error


def test_a_set_constant_reaches_the_engine_and_its_identity():
    timing = profile.load("functional").override(["gic.path=45"])
    assert timing.constants["gic.path"] == 45 * 6
    assert timing.source_hash != profile.load("functional").source_hash
    assert profile.load("functional").override(["gic.path=30"]).source_hash == (
        profile.load("functional").source_hash
    )
    source = """
        void test(void) { pl_start(); print(pl_read(7)); }"""
    assert values(source, "--set", "gic.path=45") == [timing.source_hash]


@pytest.mark.parametrize("name", profile.names())
def test_table_is_printed_as_json(name):
    command = [sys.executable, "-m", "irqscope_twin", "--parameters", name]
    rows = json.loads(subprocess.check_output(command))
    assert [row["name"] for row in rows] == [row.name for row in profile.load(name).table]
    assert all(set(row) == {"name", profile.ALLOWED, *profile.KEYS} for row in rows)
    assert all(row["range"][0] <= row["value"] <= row["range"][1] for row in rows)


def test_table_of_an_unknown_profile_is_refused():
    code, error = run([sys.executable, "-m", "irqscope_twin", "--parameters", "fast"])
    assert (code, error.count("\n")) == (2, 1)


def test_unknown_profile_names_the_known_ones():
    with pytest.raises(profile.ProfileError, match="there are: a53, a9, functional"):
        profile.load("fast")


def test_gateware_reads_source_and_hash_of_the_profile():
    source = """
        void test(void) { pl_start(); print(pl_read(6)); print(pl_read(7)); }"""
    timing = profile.load("functional")
    assert values(source) == [timing.source_id(changed=False), timing.source_hash]


@pytest.mark.parametrize("name", profile.names())
def test_source_is_laid_out_as_the_register_source_says(name):
    timing = profile.load(name)
    fields = regmap.IRQSCOPE["source"].fields
    for changed in (False, True):
        word = timing.source_id(changed=changed)
        read = {field.name: (word & field.mask) >> field.lsb for field in fields}
        numbers = {"zynqmp": (1, 1), "zynq7000": (2, 1)}  # zcu102, zedboard
        assert (read["machine"], read["board"]) == numbers[timing.machine.name]
        assert (read["simulation"], read["changed"]) == (timing.machine.twins[timing.name], changed)


@pytest.mark.parametrize(
    ("name", "machine", "found"),
    [
        ("functional", "zynqmp", "functional"),
        ("zynqmp:functional", "zynqmp", "functional"),
        ("zynq7000:functional", "zynq7000", "functional"),
        ("zynqmp", "zynqmp", "a53"),
    ],
)
def test_a_profile_is_named_with_its_machine_where_several_have_it(name, machine, found):
    timing = profile.load(name)
    assert (timing.machine.name, timing.name) == (machine, found)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("zynq7000:a53", "zynq7000 has no timing profile 'a53'; it has: functional, a9"),
        ("soft", "there is no twin of soft"),
        ("z80:functional", f"there is no machine 'z80'; there are: {', '.join(machines.names())}"),
    ],
)
def test_a_profile_of_another_machine_is_refused_by_both_names(name, reason):
    with pytest.raises(profile.ProfileError, match=re.escape(reason)):
        profile.load(name)


def test_a_profile_that_its_machine_does_not_list_is_refused(tmp_path: Path):
    (tmp_path / "fast.toml").write_text(TEXT.replace('"functional"', '"fast"', 1))
    with pytest.raises(profile.ProfileError, match="zynqmp.toml has no twin of profile 'fast'"):
        profile.load("fast", tmp_path)


def test_the_engine_refuses_an_unknown_machine():
    command = command_of(compile_program(IDLE))
    command[command.index("--machine") + 1] = "z80"
    assert run(command) == (2, "irqscope-twin: unknown machine z80\n")


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ((), False),
        (("--set", "gic.path=30"), False),  # the profile's own value
        (("--set", "gic.path=31"), True),
        (("--fault", "spi-dead"), True),
        (("--variant", "ppisr-pin"), True),
    ],
)
def test_whatever_differs_from_the_profile_shows_in_the_source(options, changed):
    command = command_of(compile_program(IDLE), *options)
    word = int(command[command.index("--source-id") + 1])
    assert word == profile.load("functional").source_id(changed=changed)


def test_a_load_costs_what_the_table_says():
    source = """
        void test(void) {
            counters_start();
            pl_start();
            u64 start = CYCLES();
            (void)REG(GICD + 4);
            print(CYCLES() - start);
        }"""
    (slow,) = values(source, constants={"gic_path": 50 * 6})
    (fast,) = values(source, constants={"gic_path": 30 * 6})
    assert slow - fast == 48  # 2 x 20 ns


def test_a_value_that_the_model_does_not_take_is_refused():
    row = next(row for row in profile.load("a53").table if row.name == "fetch.uncached_bytes")
    assert row.allowed == (16, 32, 64)
    with pytest.raises(
        profile.ProfileError, match="uncached_bytes: 37 bytes is none of 16, 32, 64"
    ):
        row.with_value(37)


def test_what_a_row_allows_reaches_from_end_to_end_of_its_range(tmp_path):
    text = (profile.FOLDER / "a53.toml").read_text().replace("[16, 32, 64]", "[16, 32]")
    (tmp_path / "a53.toml").write_text(text)
    with pytest.raises(profile.ProfileError, match="allowed must be a list from one end"):
        profile.load("a53", tmp_path)
