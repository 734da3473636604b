"""Experiments with a foreign program: their meaning, and one-line refusals."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from irqscope_fake.folder import experiment, rewrite, write_run

from irqscope.acquire import encoding
from irqscope.acquire.plan import Plan
from irqscope.errors import ExperimentError, TargetError
from irqscope.experiment import load
from irqscope.experiment.kinds import kind_of
from irqscope.experiment.load import check
from irqscope.experiment.values import Event
from irqscope.kinds.placement.interruptions import Interruptions
from irqscope.kinds.program.acquisition import places
from irqscope.machines.firmware_file import firmware
from irqscope.machines.known import MACHINES
from irqscope.results.functions import Spent, answers, found_in
from irqscope.results.masked import parse
from irqscope.targets.programs import runs_program, target_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "program"
LATENCY, PLACEMENT = EXAMPLE / "latency.toml", EXAMPLE / "placement.toml"
SOFT, ZYNQMP, ECP5 = (
    next(m for m in MACHINES if m.name == name) for name in ("soft", "zynqmp", "ecp5")
)


def test_lines_reach_the_program_and_its_places_are_markers_of_sources_of_their_own():
    experiment = load(LATENCY)
    plan = Plan(experiment, SOFT, SOFT.tick_hz)
    (line,) = encoding.lines(plan, next(plan.batches()))
    assert (line["shared"], line["private"], line["pmod"]) == (1, 0, 0)
    assert line["ack_cores"] == 1 << 3
    handler, stored, task = encoding.channels(plan, 0)
    assert [channel["stop_cores"] for channel in (handler, stored, task)] == [2, 8, 2]
    assert stored["stop_code"] == line["ack_code"]
    assert len({channel["stop_code"] for channel in (handler, stored, task)}) == 3
    assert dict(experiment.watches).keys() == {"pc:on_line", "store:0x10012000", "pc:update"}
    assert plan.handlers == 0


@pytest.mark.parametrize(
    "text",
    ["pc:main", "id:main+0x10", "pc:0x80000000", "store:0x10..0x1F", "pc:src/main.rs:12",
     "pc:<app::Led as app::Pin>::set", "pc:app::main::{{closure}}", "store:tohost"],
)  # fmt: skip
def test_a_place_is_written_as_it_was_read(text):
    assert str(Event.parse(text)) == text


@pytest.mark.parametrize("text", ["pc:", "pc:a b", "pc:0x", "store:main.c:", "at:main", "pc:a+"])
def test_what_is_no_place(text):
    with pytest.raises(ValueError, match="of a soft core"):
        Event.parse(text)


REFUSED = {
    "a marker": ('stop = "pc:on_line"', 'stop = "handler"', "a program makes none of our markers"),
    "no line": (
        'high = "1000 ticks"\nlow',
        'index = 7\nhigh = "1000 ticks"\nlow',
        "line 7; those of a program are 0 to 6",
    ),
    "an interrupt": ('high = "', 'interrupt = "none"\nhigh = "', "by their numbers"),
    "a pin": (
        'high = "',
        'pmod = [0]\nhigh = "',
        "lines[0].pmod: lines reach the program's core alone",
    ),
    "our answer": ('acknowledge = "store:0x10012000"', "", "nothing of ours answers"),
    "a stack": ("count = 1000", 'count = 1000\nstack = "freertos"', "of a program, leave it out"),
    "a case": ("count = 1000", 'count = 1000\ncase = "t1"', "such a program has one case"),
    "five places": (
        'stop = "pc:update"\ntimeout = "900 ticks"',
        'stop = "pc:update"\ntimeout = "900 ticks"\n\n'
        '[[channels]]\nstart = "pc:a"\nstop = "pc:b"\ntimeout = "900 ticks"',
        "5 symbols are watched; 4 at most",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_in_one_line(tmp_path, name):
    was, becomes, output = REFUSED[name]
    text = LATENCY.read_text()
    assert was in text
    file = tmp_path / "experiment.toml"
    file.write_text(text.replace(was, becomes, 1))
    with pytest.raises(ExperimentError) as caught:
        load(file)
    assert output in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_machine_without_a_core_for_it_says_so():
    with pytest.raises(ExperimentError, match="ecp5 has no program: its memory holds only"):
        check(load(LATENCY), ECP5, ECP5.tick_hz)


def test_on_a_twin_each_place_is_a_pin_with_a_source_of_its_own():
    experiment = load(LATENCY)
    check(experiment, ZYNQMP, ZYNQMP.tick_hz)
    plan = Plan(experiment, ZYNQMP, ZYNQMP.tick_hz)
    pins = places(plan)
    assert [pin["index"] for pin in pins] == [0, 1, 2]
    assert all((pin["rise"], pin["fall"], pin["filter"]) == (1, 1, 0) for pin in pins)
    by_source = {1 << pin["core"]: pin["code"] for pin in pins}
    channels = encoding.channels(plan, 0)
    assert [by_source[one["stop_cores"]] for one in channels] == [c["stop_code"] for c in channels]
    (line,) = encoding.lines(plan, next(plan.batches()))
    assert by_source[line["ack_cores"]] == line["ack_code"]


def test_a_twin_has_no_decode_stage(tmp_path):
    file = tmp_path / "id.toml"
    file.write_text(LATENCY.read_text().replace('stop = "pc:update"', 'stop = "id:update"'))
    check(load(file), SOFT, SOFT.tick_hz)
    with pytest.raises(ExperimentError, match='zynqmp has no decode stage; write "pc:update"'):
        check(load(file), ZYNQMP, ZYNQMP.tick_hz)


def test_of_our_own_firmware_no_store_is_watched(tmp_path):
    clint = LATENCY.parents[2] / "experiments" / "cv32rt" / "clint.toml"
    file = tmp_path / "clint.toml"
    file.write_text(clint.read_text().replace("pc:handler_first", "store:handler_first"))
    with pytest.raises(ExperimentError, match="of our own firmware write"):
        load(file)


def test_only_a_program_has_a_masked_map(tmp_path):
    clint = LATENCY.parents[2] / "experiments" / "cv32rt" / "clint.toml"
    with pytest.raises(ExperimentError, match="masked: it is for a foreign program"):
        load(clint, masked=True)


def test_a_map_of_a_simulation_that_was_built_before_is_refused():
    with pytest.raises(TargetError, match="'start'.*rebuild it"):
        parse("opened,caller,closed,count,least,greatest\na,b,c,1,2,3\n")


def test_functions_of_rust_are_named_by_their_paths():
    name = "_ZN3app4main17h0123456789abcdefE"
    rows = "opened,caller,closed,count,least,greatest,start,end\n"
    rows += f"0x4 ({name}),0x8 ({name}+0x4) < 0xc (f+0x2),0x10 (_ZN3f),1,1,1,1,2\n"
    (one,) = parse(rows)
    assert one.opened == "0x4 (app::main)"
    assert one.caller == "0x8 (app::main+0x4) < 0xc (f+0x2)"
    assert one.closed == "0x10 (_ZN3f)"


def test_a_masked_map_is_read_the_longest_first():
    rows = (
        "opened,caller,closed,count,least,greatest,start,end\n"
        "a (f),,b (f),2,3,4,70,74\nc (g),d (h),e (g),1,9,9,20,40\n"
    )
    first, second = parse(rows)
    assert (first.opened, first.caller, first.greatest_ticks) == ("c (g)", "d (h)", 9)
    assert (first.start_tick, first.end_tick) == (20, 40)
    assert (second.count, second.least_ticks, second.caller) == (2, 3, "")


def test_whose_program_a_target_runs(tmp_path):
    own, other = firmware("zynqmp", "baremetal"), sys.executable
    assert runs_program(f"twin:elf={own}")  # there it is never the instrument's own
    assert runs_program(f"rtl:ibex:line=11:elf={other}")
    assert runs_program(f"rtl:ibex:elf={tmp_path / 'none.elf'}")
    assert not runs_program(f"rtl:ibex:elf={own}")
    for target in ("twin", "twin:functional", "rtl:ibex", "/dev/ttyUSB0", "rfc2217://lab:4000"):
        assert not runs_program(target)


def test_a_program_runs_where_its_architecture_does(tmp_path):
    own = firmware("zynqmp", "baremetal")
    assert target_of(own) == f"twin:elf={own}"
    header = bytearray(own.read_bytes())
    header[18] = 62  # e_machine
    (tmp_path / "x86.elf").write_bytes(header)
    with pytest.raises(TargetError, match="is built for EM_X86_64; choose a program for RV32, AA"):
        target_of(tmp_path / "x86.elf")


def test_a_placement_of_a_program_starts_its_line_at_a_place():
    experiment = load(PLACEMENT)
    assert kind_of(experiment).name == "placement"
    after = dict(experiment.watches)["pc:sample"]
    plan = Plan(experiment, SOFT, SOFT.tick_hz)
    values = encoding.code_under_test(plan, next(plan.batches()))
    assert (values["line"], values["cores"], values["code"]) == (0, 1 << 1, after)
    assert plan.recorded_markers >> (8 * 1 + after) & 1
    on_twin = Plan(experiment, ZYNQMP, ZYNQMP.tick_hz)
    (pin,) = [pin for pin in places(on_twin) if pin["code"] == after]
    assert encoding.placed(on_twin) == {"line": 0, "cores": 1 << pin["core"], "code": after}


PLACED = {
    "a marker of ours": ('after = "pc:sample"', 'after = "start"', 'write "pc:PLACE"'),
    "no place": ('after = "pc:sample"\n', "", 'write "pc:PLACE"'),
    "too early": ('first = "20 ticks"', 'first = "19 ticks"', "give at least 20 ticks"),
    "too seldom": ('period = "2100 ticks"', 'period = "1159 ticks"', "take 1159 ticks, give more"),
    "a sample": ("seed = 1", 'seed = 1\nsamples = "none"', 'has samples = "all"; write that'),
    "no code": ('code = "take_in"', 'code = "take in"', "code_under_test.code"),
}


@pytest.mark.parametrize("name", PLACED)
def test_a_placement_that_cannot_be_is_refused_in_one_line(tmp_path, name):
    was, becomes, output = PLACED[name]
    text = PLACEMENT.read_text()
    assert was in text
    file = tmp_path / "placement.toml"
    file.write_text(text.replace(was, becomes, 1))
    with pytest.raises(ExperimentError) as caught:
        load(file)
    assert output in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("code", ["app::run", "0x10..0x20", "a+4..b", "main.c:3..main.c:9"])
def test_code_of_a_program_is_a_function_or_what_is_between_two_places(tmp_path, code):
    file = tmp_path / "placement.toml"
    file.write_text(PLACEMENT.read_text().replace('"take_in"', f'"{code}"'))
    assert load(file).code_under_test.code == code


def test_each_interrupt_belongs_to_the_rise_before_it():
    interruptions = Interruptions(line=0)
    rows = ["tick,line,pc", "5,0,1", "12,0,2", "13,0,3", "14,1,4", "31,0,5", "40,0,6"]
    assert interruptions.places("\n".join(rows[:4]), [10, 20]) == [2, 0]
    assert interruptions.further == 2
    assert interruptions.places("\n".join(rows[4:]), [30, 40]) == [5, 6]
    assert interruptions.further == 2
    with pytest.raises(TargetError, match="has another version"):
        interruptions.places("1,2", [0])


def test_answers_are_read_by_function_the_longest_first(tmp_path):
    file = tmp_path / "functions.csv"
    file.write_text(
        "stimulus,function,instructions,ticks\n"
        '1,"enter",3,2.5\n1,"work",9,4\n2,"enter",3,2.25\n2,"f<a, b>",1,40\n'
    )
    longest, other = answers(file)
    assert (longest.stimulus, longest.whole) == (2, Spent(4, 42.25))
    assert longest.of("work") == Spent() and other.of("work") == Spent(9, 4.0)
    assert found_in(longest, other) == ["f<a, b>", "enter", "work"]
    file.write_text("stimulus,function,instructions\n1,enter,3\n")
    with pytest.raises(TargetError, match="another version \\('ticks'\\); rebuild it"):
        answers(file)


def test_functions_are_of_one_run_of_a_program(irqscope, tmp_path):
    file = tmp_path / "functions.csv"
    code, _, error = irqscope("run", "t2", "--functions", file)
    assert code == 2 and "--functions: it is told of a program" in error
    words = ["--functions", file, "--split", 2]
    code, _, error = irqscope("run", LATENCY, *words)
    assert code == 2 and "leave --split and repeats out" in error


def test_a_masked_map_is_printed_for_programs_with_its_clock(irqscope, tmp_path):
    interval = {
        "opened": "0x100 (lock+0x4)", "caller": "0x90 (main+0x8)", "closed": "0x110 (lock+0x14)",
        "count": 3, "least_ticks": 5, "greatest_ticks": 25, "start_tick": 100, "end_tick": 130,
    }  # fmt: skip
    write_run(tmp_path / "run", experiment(), range(50, 150))
    rewrite(tmp_path / "run", lambda run: run.update(masked=[interval]))
    code, out, _ = irqscope("masked", tmp_path / "run", "--json")
    reported = {"tick_hz": 250_000_000, "least_ns": 20, "greatest_ns": 100}
    assert code == 0 and json.loads(out) == [interval | reported]
    code, out, _ = irqscope("masked", tmp_path / "run")
    assert code == 0 and re.search(r"^ *20 +100 +3 +0x100 \(lock\+0x4\)", out, re.M), out
