from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from irqscope.acquire import encoding
from irqscope.acquire.plan import Plan
from irqscope.acquire.stm import stamps
from irqscope.errors import ExperimentError
from irqscope.experiment import constraints, load, stacks, tables
from irqscope.experiment.load import check
from irqscope.experiment.locate import line_of
from irqscope.experiment.machine import problems_of_machine
from irqscope.experiment.model import Experiment
from irqscope.experiment.tables import Background, Channel, Line, Load, TimerTick
from irqscope.kinds.placement import schema as code_under_test
from irqscope.machines.cases import CASES
from irqscope.machines.generated import MACHINES, ZYNQMP
from irqscope_hw import line as gateware

pytestmark = pytest.mark.quick

FIRMWARE = Path(__file__).parents[2] / "fw"
FILES = (Path(__file__).parents[2] / "experiments").rglob("*.toml")
SHIPPED = sorted(path for path in FILES if path.name != "suite.toml")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_experiments_are_valid_also_on_the_boards_clock(path):
    experiment = load(path)
    # On the first machine that has what it asks for: the ZynqMP, but for a few.
    machine = next(m for m in MACHINES if not list(problems_of_machine(experiment, m)))
    check(experiment, machine, 249_975_000 if machine is ZYNQMP else machine.tick_hz)
    assert experiment.name == path.stem


def test_instructions_are_stops_on_soft_cores_alone():
    experiment = load(next(path for path in SHIPPED if path.stem == "back-to-back"))
    stops = [f"{channel.start} {channel.stop}" for channel in experiment.channels]
    assert stops[:2] == ["id:handler_last pc:handler_first", "pc:handler_last pc:handler_first"]
    assert experiment.watches == (
        ("pc:handler_first", 2),
        ("id:handler_last", 3),
        ("pc:handler_last", 3),
        ("id:handler_first", 2),
    )
    assert [channel.start.core for channel in experiment.channels] == [2, 1, 2]
    with pytest.raises(ExperimentError, match="zynqmp does not show which instruction"):
        check(experiment, ZYNQMP, 249_975_000)


def test_published_cases_use_the_published_numbers():
    experiment = load(next(path for path in SHIPPED if path.stem == "t2"))
    line = experiment.lines[0]
    assert (str(line.high), str(line.low), line.mode) == ("1 ms", "4 ms", "burst")
    assert line.dither == 8
    assert (experiment.count, str(experiment.samples)) == (2400, "all")
    assert (experiment.core, experiment.caches, experiment.kind) == (0, "on", "shared")
    assert experiment.trigger == "rising edge"


WAITS = "          # the paper does not say how its core waits"
# The change in t2.toml, and the error after the file's name.
BAD = {
    "a key of old": (
        "seed = 1",
        "tick.period = 1\nseed = 1",
        ":13: tick: unknown key; did you mean timer_tick?",
    ),
    "unknown key": ("count = ", "cuont = ", ":11: cuont: unknown key; did you mean count?"),
    "unknown key in a line": (
        "high = ",
        "hihg = ",
        ":17: lines[0].hihg: unknown key; did you mean high?",
    ),
    "unknown table": (
        "[[lines]]",
        "[[linse]]",
        ":15: linse: unknown key; did you mean lines?",
    ),
    "missing key": (
        'timeout = "4 ms"',
        "",
        ":21: channels[0].timeout: this key is missing",
    ),
    "more channels than the gateware has": (
        "[[channels]]",
        '[[channels]]\nstop = "handler"\ntimeout = "4 ms"\n' * 8 + "[[channels]]",
        ":21: channels: 9 channels, the gateware has 8; remove some",
    ),
    "a channel that the gateware has not": (
        "[[channels]]",
        "[[channels]]\nindex = 8",
        ":21: channels: index 8 is no channel of the gateware; give 0 to 7",
    ),
    "core": ("core = 0", "core = 4", ":5: core: input should be less than 4; it is 4"),
    "count": (
        "count = 2400",
        "count = 0",
        ":11: count: input should be greater than or equal to 1; it is 0",
    ),
    "choice": (
        'idle = "wfi"',
        'idle = "nap"',
        ":9: idle: input should be 'wfi' or 'spin'; it is 'nap'",
    ),
    "low phase under 10 ticks": (
        'low = "4 ms"',
        'low = "36 ns"',
        ":18: lines[0].low: 9 ticks are too short; give at least 10 ticks (40 ns)",
    ),
    "pulse of no tick": (
        'high = "1 ms"',
        "high = 0",
        ":17: lines[0].high: 0 ticks are too short; give at least 1 tick (4 ns)",
    ),
    "phase over 32 bits": (
        'low = "4 ms"',
        'low = "40 s"',
        ":18: lines[0].low: 10000000000 ticks are too long",
    ),
    "no time": (
        'high = "1 ms"',
        'high = "1 parsec"',
        ':17: lines[0].high: "1 parsec" is not a time',
    ),
    "acknowledged too short": (
        'mode = "burst"\nhigh = "1 ms"',
        'mode = "acknowledged"\nhigh = 19',
        ":17: lines[0].high: 19 ticks are too short; give at least 20",
    ),
    "timeout over the period": (
        'timeout = "4 ms"',
        "timeout = 1249990",
        ":24: channels[0].timeout: 1249990 ticks do not fit line 0, "
        "whose shortest period is 1250000 ticks",
    ),
    "timeout of a pulse that may end early": (
        'mode = "burst"',
        'mode = "acknowledged"',
        ":24: channels[0].timeout: 1000000 ticks do not fit line 0, "
        "whose shortest period is 1000010 ticks",
    ),
    "endless": ('mode = "burst"', 'mode = "free running"', ":16: lines[0].mode: it never ends"),
    "locked and dithered": (
        'phase = "dithered"',
        'phase = "locked"\ndither_bits = 3',
        ':20: lines[0].dither_bits: phase = "locked" contradicts dither_bits = 3',
    ),
    "case against caches": (
        'caches = "on"',
        'caches = "off"',
        ':6: caches: case "t2" has caches = "on"',
    ),
    "private interrupt by edge": (
        '"shared"',
        '"ppi 31"',
        ":8: trigger: a private interrupt of zynqmp is sensed by level only",
    ),
    "interrupt that no line reaches": (
        '"shared"',
        '"spi 143"',
        ':7: interrupt: give "shared", "private", "software", or "spi 121" to',
    ),
    "no such line": (
        'start = "line 0"',
        'start = "line 1"',
        ":22: channels[0].start: there is no line 1 in this file",
    ),
    "a start that raises nothing": (
        '[[channels]]\nstart = "line 0"',
        '[[lines]]\nhigh = "1 ms"\nlow = "4 ms"\n\n[[channels]]\nstart = "line 1"',
        ':26: channels[0].start: line 1 raises no interrupt, so no "handler" answers it; '
        'write interrupt = "shared" for lines[1]',
    ),
    "a first line that raises nothing": (
        'low = "4 ms"',
        'low = "4 ms"\ninterrupt = "none"',
        ":19: lines[0].interrupt: the first line raises the measured interrupt",
    ),
    "an interrupt that nothing handles": (
        'low = "4 ms"',
        'low = "4 ms"\ninterrupt = "spi 122"',
        ":19: lines[0].interrupt: nothing handles spi 122: lines raise the measured interrupt",
    ),
    "no interrupt of any machine": (
        'low = "4 ms"',
        'low = "4 ms"\ninterrupt = "measured"',
        ":19: lines[0].interrupt: give ",
    ),
    "stop by a line": (
        'stop = "handler"',
        'stop = "line 0"',
        ":23: channels[0].stop: a stimulus is served by a marker",
    ),
    "start at the vector": (
        'start = "line 0"',
        'start = "vector"',
        ":22: channels[0].start: the interrupt that ends a batch passes the vector, too",
    ),
    "bin": (
        'stop = "handler"',
        'stop = "handler"\nbin = 3',
        ":24: channels[0].bin: 3 ticks; a bin is 2^k ticks wide",
    ),
    "contradicting channels": (
        'timeout = "4 ms"',
        'timeout = "4 ms"\n[[channels]]\ntimeout = "3 ms"',
        ":26: channels[1].timeout: channels 0 and 1 both measure line 0 to handler core 0 "
        "but with timeout 4 ms and 3 ms",
    ),
    "the same channel twice": (
        'timeout = "4 ms"',
        'timeout = "4 ms"\n[[channels]]\nindex = 0\nstart = "handler"\ntimeout = "3 ms"',
        ":26: channels[1].index: channel 0 is described twice",
    ),
    "samples": (
        'samples = "all"',
        'samples = "first 2401"',
        ':12: samples: "first 2401" of count = 2400',
    ),
    "refiring stages": (
        'trigger = "rising edge"\nidle = "wfi"' + WAITS + '\nmarkers = "paper"',
        'trigger = "level"\nmarkers = "stages"',
        ":9: markers: a level held high fires again and again",
    ),
    "no TOML": ("count = 2400", "count = = 2400", ":11: not TOML: Invalid value"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_error_names_file_line_key_and_cause(name, experiment):
    old, new, output = BAD[name]
    path = experiment((old, new))
    with pytest.raises(ExperimentError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}{output}")
    assert "\n" not in str(error.value)


SHIPPED_AS = {path.stem: path for path in SHIPPED}
# A shipped file, the change in it, and the error after the file's name and line.
BAD_CASES = {
    "cores of a case for one": ("t2", "core = 0", "cores = 2", 'cores: case "t2" has 1 of them'),
    "one core of a case for several": (
        "t6-2", "cores = 2", "core = 0", 'cores: case "t6" has 2 or 3 or 4 of them',
    ),
    "b-lmax of one part": (
        "b-lmax", '[background]\ninterrupts = 36\nperiod = "203 us"', "# none",
        'case: case "b-lmax" combines at least two of',
    ),
    "b-lmax with no core to raise": (
        "b-lmax", "cores = 3", "cores = 4",
        "background.period: 4 cores answer and none is left to raise them",
    ),
    "b-lmax with no core to write": (
        "b-lmax", "[[lines]]", '[load]\narray = "96 MB"\n[[lines]]',
        "load: 3 cores answer and one raises, and none is left to write",
    ),
    "b-lmax of several cores by an SPI": (
        "b-lmax", "private", "shared", "interrupt: 3 cores answer; that takes a private interrupt",
    ),
    "another core than 0": (
        "t6-2", "cores = 2", "cores = 2\ncore = 1",
        "core: the firmware measures the core that it starts on, core 0",
    ),
    "a channel at a core that does not answer": (
        "t6-2", "handler core 1", "handler core 2",
        "channels[1].stop: core 2 does not answer the interrupt",
    ),
    "any core of one": (
        "t2", 'stop = "handler"', 'stop = "handler any core"',
        "channels[0].stop: one core answers the interrupt; leave the core out",
    ),
    "the latency of one core of 1-of-N": (
        "t6-spi-2", "handler any core", "handler core 0",
        "channels[0].stop: which core answers is chance",
    ),
    "t6 by an SPI": ("t6-2", "private", "spi 121", 'interrupt: case "t6" takes a private'),
    "t6-spi by a PPI": ("t6-spi-2", "shared", "ppi 31", 'interrupt: case "t6-spi" takes a shared'),
    "t6 taken back by the first": (
        "t6-2", 'mode = "burst"', 'mode = "acknowledged"',
        "lines[0].mode: the first core to answer would take it from the others",
    ),
    "further ones without t4": (
        "t2", "[[lines]]", "[background]\ninterrupts = 3\n[[lines]]",
        'background: case "t2" has none; they belong to "t4", "t5", "b-lmax"',
    ),
    "t4 without further ones": (
        "t4-36-enabled", "[background]\ninterrupts = 36", "# none",
        'background: case "t4" needs them; add the table',
    ),
    "t5 of another number": (
        "t5", "interrupts = 14", "interrupts = 15",
        'background.interrupts: case "t5" has 14 of them',
    ),
    "t5 that raises none": ("t5", "period =", "# period =", 'background.period: case "t5" raises'),
    "too many further ones": (
        "t4-180", "interrupts = 180", "interrupts = 181",
        "background.interrupts: 181; zynqmp has 180 besides the measured one",
    ),
    "further ones above the measured": (
        "t4-36", "seed = 1", "seed = 1\npriority = 8",
        'priority: case "t4" has its measured interrupt above all others',
    ),
    "cache states under a kernel": (
        "line", "seed = 1", 'seed = 1\nstack = "freertos"', 'case: "cache-state" acts right before',
    ),
    "an SGI under a kernel": (
        "sgi", 'case = "cache-state"', 'case = "t2"\nstack = "freertos"',
        "interrupt: a task that raises its own interrupt is not written",
    ),
    "a kernel in on-chip memory": (
        "t2", "seed = 1", 'seed = 1\nstack = "freertos"\nplacement = "ocm"',
        "placement: the kernel is in DDR",
    ),
    "a kernel with a slow clock": (
        "t2", "seed = 1", 'seed = 1\nstack = "freertos"\nclock_divisor = 2',
        "clock_divisor: sleep with a slower clock is not written",
    ),
    "memory not cacheable without caches": (
        "t1", "seed = 1", 'seed = 1\nmemory = "non-cacheable"',
        'memory: caches = "off" leaves nothing to be cached',
    ),
    "the vendor's way without its table": (
        "t2", "seed = 1", 'seed = 1\nstack = "standalone"\ndispatcher = "direct"',
        "dispatcher: the vendor's driver has a table",
    ),
    "the vendor's way in on-chip memory": (
        "t2", "seed = 1", 'seed = 1\nstack = "standalone"\nplacement = "ocm"',
        "placement: its vector and table are in DDR",
    ),
    "stages above the kernel's calls": (
        "t2-stages", "seed = 1", 'seed = 1\nstack = "freertos"\npriority = 143',
        "priority: a handler that wakes a task calls the kernel, which masks it meanwhile; "
        "give 144 or more",
    ),
    "work in the kernel tick": (
        "locked", "seed = 1", 'seed = 1\nstack = "freertos"',
        "timer_tick.work: the kernel tick's work is",
    ),
    "a kernel tick too fast": (
        "t2", "[[lines]]", 'stack = "freertos"\ntimer_tick.period = "99 us"\n[[lines]]',
        "timer_tick.period: 99 us leaves the kernel no time; give at least 100 us",
    ),
    "no name of a stack": (
        "t2", "seed = 1", 'seed = 1\nstack = "FreeRTOS"', "stack: string should match pattern",
    ),
    "a timer tick below the measured": (
        "locked", "seed = 1", "seed = 1\npriority = 232", "priority: the timer tick has 232; give",
    ),
    "a timer tick too fast": (
        "locked", 'period = "1 ms"', 'period = "0.5 us"',
        "timer_tick.period: 125 ticks are too short; give at least 250 ticks (1000 ns)",
    ),
    "an unknown key of a table": (
        "t5", "interrupts = 14", "interupts = 14",
        "background.interupts: unknown key; did you mean interrupts?",
    ),
    "t7 without its array": ("t7", '[load]\narray = "96 MB"', "", 'load: case "t7" needs it'),
    "a load without a case for it": (
        "t2", "[[lines]]", '[load]\narray = "1 MB"\n[[lines]]', 'load: case "t2" has none',
    ),
    "no size": ("t7", "96 MB", "96 M", 'load.array: "96 M" is not a size; write KB, MB or GB'),
    "an array above DDR": ("t7", "96 MB", "2 GB", "load.array: 2 GB; give at least 1 KB and at"),
    "two arrays above DDR": ("plain", "32 MB", "1 GB", "load.array: 1 GB; give at least 1 KB and"),
    "a budget of t7": (
        "t7", 'array = "96 MB"', 'array = "96 MB"\nbudget = 9', 'load.budget: case "t7" has no',
    ),
    "a budget below its accesses": (
        "plain", "budget = 2000", "budget = 779",
        "load.budget: 779 instructions do not hold 48 accesses; give at least 780",
    ),
    "an aim of t7": (
        "t7", 'array = "96 MB"', 'array = "96 MB"\naim = "path"', 'load.aim: case "t7" has no such',
    ),
    "an unknown aim": ("heavy", 'aim = "path"', 'aim = "stack"', "load.aim: input should be 'any"),
    "an aim with no room": (
        "heavy", '"32 MB"', '"63 KB"', "load.array: 63 KB; a path is aimed at once in 64 KB, give",
    ),
    "a load without an access": (
        "plain",
        "data_accesses = 24    # at most, by chance: few enough for the period\ninstruction_",
        "#",
        "load.data_accesses: no access is asked for",
    ),
    "a state of another case": (
        "t2", "seed = 1", 'seed = 1\nstate = ["l2"]', 'state: case "t2" has no such key',
    ),
    "an unknown state": ("line", "state = []", 'state = ["l3"]', "state[0]: input should be 'tlb'"),
    "warm without a load": ("t2", "seed = 1", "seed = 1\nwarm = true", 'warm: case "t2" has no'),
    "an SGI by level": (
        "sgi", 'trigger = "rising edge"', 'trigger = "level"', "trigger: an interrupt that",
    ),
    "an SGI without its period": (
        "sgi", "period =", "# period =", "period: the core begins an",
    ),
    "an SGI with lines": (
        "sgi", "[[channels]]", '[[lines]]\nhigh = "1 ms"\nlow = "4 ms"\n[[channels]]',
        "lines: an interrupt that software raises has no line; remove",
    ),
    "an SGI seen at a line": (
        "sgi", 'start = "start"', 'start = "line 0"',
        'channels[0].start: an interrupt that software raises has no line; write',
    ),
    "an SGI's timeout": (
        "sgi", 'timeout = "90 us"', 'timeout = "100 us"',
        "channels[0].timeout: 25000 ticks do not fit the interrupt, whose period is 25000 ticks",
    ),
    "an SGI of T4": ("t4-36", "shared", "sgi 1", 'interrupt: case "t4" takes a shared'),
    "a period without an SGI": (
        "t2", "seed = 1", 'seed = 1\nperiod = "1 ms"', "period: the first line raises a shared",
    ),
    "no line": (
        "t2", '[[lines]]\nmode = "burst"\nhigh = "1 ms"\nlow = "4 ms"\nphase = "dithered"', "",
        "lines: a shared interrupt is raised by a line",
    ),
    "a divided clock that spins": (
        "wfi-divided", 'idle = "wfi"', 'idle = "spin"', "clock_divisor: the clock is divided in sl",
    ),
    "a divided clock of t7": (
        "t7", "seed = 1", "seed = 1\nclock_divisor = 2", "clock_divisor: the measured core of case",
    ),
    "a divided clock of an SGI": (
        "sgi", "seed = 1", "seed = 1\nclock_divisor = 2", "clock_divisor: a core that raises its",
    ),
    "throughput of a latency case": (
        "t3", "core = 0", 'core = 0\nmeasure = "throughput"', 'measure: case "t3" measures latency',
    ),
    "latency of a throughput case": (
        "b-tmax", 'measure = "throughput"', "", 'measure: case "b-tmax" measures throughput',
    ),
    "throughput by acknowledged lines": (
        "t2-throughput", 'mode = "burst"', 'mode = "acknowledged"',
        "lines[0].mode: a level that is held makes the throughput",
    ),
    "throughput by edge": (
        "t6-spi-2", 'trigger = "level"', 'trigger = "rising edge"\nmeasure = "throughput"',
        'trigger: throughput needs trigger = "level"',
    ),
    "throughput with samples": (
        "t2-throughput", 'samples = "none"', 'samples = "all"',
        'samples: throughput needs samples = "none"',
    ),
    "a start that nothing makes": (
        "t2", 'start = "line 0"', 'start = "start"',
        'channels[0].start: "start" is made where software begins a stimulus; write start = "li',
    ),
    "a stage that nothing makes": (
        "t2", 'start = "line 0"', 'start = "done core 0"',
        'channels[0].start: markers = "paper" makes no "done core 0"; write markers = "stages"',
    ),
    "a task that nothing makes": (
        "t2", 'stop = "handler"', 'stop = "task"',
        'channels[0].stop: markers = "paper" makes no "task"; write markers = "stages"',
    ),
    "a calibration's marker": (
        "t2", 'start = "line 0"', 'start = "probe first"',
        'channels[0].start: "probe first" is made in calibrations alone; write start = "line 0"',
    ),
    "throughput to another marker": (
        "t2-throughput", 'stop = "handler"', 'stop = "done"',
        "channels[0]: throughput counts handlers while a line is high",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_CASES)
def test_a_key_that_contradicts_its_case_is_named_with_its_line(name, tmp_path):
    source, old, new, output = BAD_CASES[name]
    text = SHIPPED_AS[source].read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "experiment.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ExperimentError) as error:
        load(path)
    where, _, rest = str(error.value).removeprefix(str(path)).partition(" ")
    assert re.fullmatch(r"(:\d+)?:", where), str(error.value)
    assert rest.startswith(output)
    assert re.search(r"; |\b(write|give|add|drop|leave|so)\b", rest)  # what to do about it


def test_the_firmware_counts_the_same_instructions_and_has_the_same_room():
    accesses = (FIRMWARE / "stacks/baremetal/cases/accesses.h").read_text()
    assert f"ACCESSES_FIXED {constraints.INSTRUCTIONS_FIXED}\n" in accesses
    assert f"ACCESSES_EACH {constraints.INSTRUCTIONS_EACH}\n" in accesses
    addresses = (FIRMWARE / "machine/zynqmp/bound/addresses.h").read_text()
    ends = [int(re.search(rf"{n} (0x\w+)", addresses)[1], 16) for n in ("ARRAYS_BASE", "LOW_END")]
    assert ends[1] - ends[0] == ZYNQMP.memory.arrays_kib << 10
    controller = (FIRMWARE / "irqchip/gic/gic.h").read_text()
    assert f"PRIORITY_LOW 0x{constraints.TIMER_TICK_PRIORITY:X}\n" in controller


def defined(path: str, name: str) -> int:
    """The number that a file of the firmware gives to a macro."""
    text = (FIRMWARE / path).read_text()
    return int(re.search(rf"^#define {name} +(\w+)", text, re.MULTILINE)[1], 0)


def test_firmware_gateware_and_twin_have_the_same_limits():
    assert defined("machine/zynqmp/stm.h", "STM_TRACE_ID") == stamps.TRACE_ID
    assert defined("cases/placement.c", "STIMULI_MAX") == code_under_test.MOST_PLACEMENTS
    bits = defined("cases/requests/settings.c", "DITHER_BITS_MAX")
    assert bits == gateware.DITHER_BITS_MAX == tables.MOST_DITHER_BITS
    assert defined("cases/case.c", "PINS") == tables.PINS
    assert [defined("cases/t5.c", "BACKGROUND")] == list(CASES["t5"].background)
    kernel, priorities = "stacks/freertos/FreeRTOSConfig.h", "configUNIQUE_INTERRUPT_PRIORITIES"
    step = 256 // defined(kernel, priorities)  # of the controller's 8 bits
    priority = defined(kernel, "configMAX_API_CALL_INTERRUPT_PRIORITY") * step
    assert priority == stacks.FREERTOS_API_PRIORITY


def test_every_published_case_has_its_file():
    names = {path.stem for path in SHIPPED if path.parent.name == "horst2020"}
    background = [1, 36, 72, 108, 144, 180]
    assert names >= {
        "t1", "t2", "t3", "t5", "t7", "b-lmin", "b-lmax", "b-tmax", "b-tmax-3", "b-tmax-4",
        "b-lmax-t4-144-t6-3", "b-lmax-t4-36-t7", "b-lmax-t4-36-t6-3-t7", "b-lmax-t6-3-t7",
        "b-lmax-t4-144-t7", "b-lmax-t4-144-t6-3-t7",
        *(f"t4-{n}" for n in background), *(f"t4-{n}-enabled" for n in background),
        *(f"t6-{k}" for k in (2, 3, 4)), *(f"t6-spi-{k}" for k in (2, 3, 4)),
        "t1-throughput", "t2-throughput", *(f"t6-{k}-throughput" for k in (2, 3, 4)),
    }  # fmt: skip
    phases = load(SHIPPED_AS["t1-throughput"])
    assert (str(phases.lines[0].high), str(phases.lines[0].low)) == ("9.75 s", "250 ms")
    assert phases.count == 12


def test_an_option_is_named_in_place_of_a_line(experiment):
    with pytest.raises(ExperimentError, match=r"^--count: count: input should be greater"):
        load(experiment(), count=0)


@pytest.mark.parametrize(
    ("name", "said"), [("absent.toml", "No such file"), ("", "Is a directory")]
)
def test_a_file_that_cannot_be_read(tmp_path, name, said):
    with pytest.raises(ExperimentError, match=said):
        load(tmp_path / name)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ExperimentError, match="not UTF-8"):
        load(path)


def test_limits_hold_on_the_targets_own_clock(experiment):
    """40 ns are 10 ticks of 250 MHz, but 9 of a clock that is 10 % slower."""
    changes = ('low = "4 ms"', 'low = "40 ns"'), ('timeout = "4 ms"', 'timeout = "900 us"')
    ten = load(experiment(*changes))
    with pytest.raises(ExperimentError, match=r"clock of 225000000 Hz: lines\[0\].low: 9 ticks"):
        check(ten, ZYNQMP, 225_000_000)


def test_keys_are_found_in_the_table_they_belong_to():
    text = (
        "high = 1\n[[lines]]\nlow = 2\n# high = 9\n[[lines]] # second\n"
        '"high" = 3\n[other]\nhigh = 4\n'
    )
    assert line_of(text, ("high",)) == 1
    assert line_of(text, ("lines", 1, "high")) == 6
    assert line_of(text, ("lines", 0, "high")) == 2  # not there: the table
    assert line_of(text, ("other", "high")) == 8
    assert line_of(text, ("absent",)) is None


@pytest.mark.parametrize("table", [Experiment, Line, Channel, Background, Load, TimerTick])
def test_each_key_says_what_it_means(table):
    output = {key: field.description for key, field in table.model_fields.items()}
    assert [key for key, text in output.items() if not text or not text.endswith(".")] == []


SECOND_LINE = '[[lines]]\nhigh = "1 ms"\nlow = "4 ms"\nstart_delay = "2 ms"\n'


@pytest.mark.parametrize("interrupt", ["shared", "spi 121"])
def test_a_second_line_that_raises_the_measured_interrupt_is_answered(experiment, interrupt):
    more = f'{SECOND_LINE}interrupt = "{interrupt}"\n\n[[channels]]\nstart = "line 1"'
    actual = load(experiment(('[[channels]]\nstart = "line 0"', more)))
    plan = Plan(actual, ZYNQMP, ZYNQMP.tick_hz)
    first, second = encoding.lines(plan, next(plan.batches()))
    assert first["shared"] == second["shared"] == 1
    assert [line.index for line in actual.raising] == [0, 1]


def test_a_line_raises_nothing_unless_it_says_so(experiment):
    actual = load(experiment(("[[channels]]", f"{SECOND_LINE}\n[[channels]]")))
    plan = Plan(actual, ZYNQMP, ZYNQMP.tick_hz)
    first, second = encoding.lines(plan, next(plan.batches()))
    assert (first["shared"], second["shared"], second["private"]) == (1, 0, 0)


THREE_LINES = next(path for path in SHIPPED if path.stem == "three-lines")
CLIC = next(machine for machine in MACHINES if machine.name == "clic")


def test_a_line_with_an_interrupt_of_its_own_raises_the_output_of_its_index():
    actual = load(THREE_LINES)
    plan = Plan(actual, CLIC, CLIC.tick_hz)
    assert [line["shared"] for line in encoding.lines(plan, next(plan.batches()))] == [1, 2, 4]
    assert [line.index for line in actual.raising] == [0]


@pytest.mark.parametrize("machine", [m for m in MACHINES if m.name != "clic"], ids=lambda m: m.name)
def test_a_machine_without_them_says_why(machine):
    expected = load(THREE_LINES, stack="baremetal")
    messages = [
        one.text for one in problems_of_machine(expected, machine) if one.path[0] == "lines"
    ]
    assert len(messages) == 2
    assert messages[0].startswith(f"{machine.name} answers no line by an interrupt of its own: ")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lines.0.interrupt": "own"}, "lines[0].interrupt: the first line raises the measured"),
        ({"lines.1.mode": "acknowledged"}, "lines[1].interrupt: nothing takes its pulse back"),
        ({"lines.1.index": 7}, "lines[1].interrupt: line 7 has none: give it an index of [1, 2, 3"),
        ({"interrupt": "irq 17"}, "lines[1].interrupt: line 1 has none: give it an index of [2, 3"),
        ({"stack": "eabi"}, 'the stack "eabi" has no handler for it; write stack = "baremetal" or'),
        ({"markers": "stages"}, 'lines[1].interrupt: it goes with markers = "paper"'),
        (
            {"priority": 220},
            "lines[1].interrupt: it is less urgent than priority = 220 by 8 a line",
        ),
        ({"channels.1.stop": "handler"}, 'write stop = "pc:handler_line_1"'),
    ],
)
def test_what_a_line_with_an_interrupt_of_its_own_cannot_have_is_refused(changes, said):
    with pytest.raises(ExperimentError) as refused:
        check(load(THREE_LINES, **changes), CLIC, CLIC.tick_hz)
    assert said in str(refused.value)


def test_an_instruction_may_be_passed_whatever_a_line_does():
    bare = load(next(path for path in SHIPPED if path.stem == "clint"))
    line = bare.lines[0].model_copy(update={"index": 1})
    start = bare.channels[0].start.model_copy(update={"line": 1})
    of_store, channel = (c.model_copy(update={"start": start}) for c in bare.channels[:2])
    assert (of_store.stop.symbol, channel.stop.symbol) == (None, "handler_first")
    changed = bare.model_copy(update={"lines": (*bare.lines, line), "channels": (channel,)})
    machine = next(m for m in MACHINES if not list(problems_of_machine(changed, m)))
    check(changed, machine, machine.tick_hz)
    never = changed.model_copy(update={"channels": (of_store,)})
    with pytest.raises(ExperimentError, match="line 1 raises no interrupt"):
        check(never, machine, machine.tick_hz)


def test_a_key_that_a_descriptor_claims_belongs_to_that_case_alone(monkeypatch, experiment):
    claiming = replace(CASES["cache-state"], keys=("state", "dispatcher"))
    monkeypatch.setitem(CASES, "cache-state", claiming)
    own = load(experiment())
    check(own, ZYNQMP, ZYNQMP.tick_hz)
    expected = 'dispatcher: case "t2" has no such key; it belongs to "cache-state"'
    with pytest.raises(ExperimentError, match=re.escape(expected)):
        check(own.model_copy(update={"dispatcher": "table"}), ZYNQMP, ZYNQMP.tick_hz)
