"""Foreign programs: measured exactly, or refused in one line."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from irqscope.acquire.measure import measure
from irqscope.acquire.ports import hello
from irqscope.errors import TargetError
from irqscope.experiment import Experiment, load
from irqscope.machines.elf import ProgramError, read_elf
from irqscope.machines.firmware_file import firmware
from irqscope.machines.program_file import Program, demangled
from irqscope.results.functions import answers
from irqscope.results.reader import read
from irqscope.targets import open_target
from irqscope_rtl.cores import ROOT, CoreError
from irqscope_rtl.programs import RV32, around

#: Of tests whose simulation is long: it is done once (remembered.py).
remembered = pytest.mark.usefixtures("remembered")
EXAMPLE = ROOT / "examples" / "program"
LATENCY = EXAMPLE / "latency.toml"
ZIG = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none"]
FLAGS = ["-mcpu=generic_rv32+m+zicsr", "-nostdlib", "-static", "-g", "-Wl,--build-id=none"]
FLAGS += ["-fdebug-compilation-dir=."]
#: Registers of nobody, then a loop: what a test puts in front of it decides.
ASLEEP = ".globl _start\n.type _start, @function\n_start:\n{}\n1: wfi\nj 1b\n"
#: How line 0 gets to `on_line`.
ENTRIES = {
    "clint": """
    la t0, vectors + 1
    csrw mtvec, t0
    lui t0, 16
    csrw mie, t0
""",
    "clic": """
    la t0, on_line + 3
    csrw mtvec, t0
    li t0, 0x90000000
    li t1, 8 << 1
    sw t1, 0(t0)
    li t0, 0x90001040
    li t1, 0x80000100
    sw t1, 0(t0)
""",
}
#: It takes the line back, whose register is in s0.
HANDLER = """
    .balign 256
    .type on_line, @function
on_line:
    sw s0, 0(s0)
    .rept 4 // until the line is low
    nop
    .endr
    mret
"""


def test_hello_tells_whose_program_a_core_runs(program, plain):
    met = hello(f"rtl:ibex:elf={program}")
    assert met.of_program and "running program.elf (sha256 " in met.identity.label
    identity = hello(f"rtl:ibex:elf={firmware('soft', 'baremetal')}")
    assert not identity.of_program and "running" not in identity.identity.label


def test_time_by_function_is_the_latency_of_each_stimulus(program, tmp_path):
    file, target = tmp_path / "functions.csv", f"rtl:ibex:elf={program}"
    result = measure(load(LATENCY, count=20), target, tmp_path / "run", functions=file)
    assert result.run.valid, result.run.reasons
    latencies = answers(file)
    assert len(latencies) == 20
    assert {one.whole.ticks for one in latencies} == {result.run.stats[2].max_ticks}


#: A segment that has nothing but the headers of the file.
HEADERS = "headers PT_LOAD FILEHDR PHDRS; "


def assembled(folder, text, base=0x80000000, *flags):
    """An ELF file of a text of assembly; its bytes do not depend on the folder."""
    script = f"ENTRY(_start) SECTIONS {{ . = {base:#x}; .text : {{ *(.text) }} }}"
    (folder / "program.ld").write_text(script)
    return linked(folder, text, *flags)


def linked(folder, text, *flags):
    """The same by the linker script that is in the folder."""
    (folder / "program.S").write_text(text)
    command = [*ZIG, *FLAGS, *flags, "-T", "program.ld", "program.S", "-o", "program.elf"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "program.elf"


def run(target, folder, **overrides):
    return measure(load(LATENCY, **{"count": 40} | overrides), target, folder)


def extremes(record):
    return [(stats.min_ticks, stats.max_ticks) for stats in record.stats]


@pytest.mark.parametrize(
    ("core", "cycles"),
    [
        ("ibex", (11, 30, 55)),
        ("cv32e40p", (13, 26, 50)),
        ("cv32e40x", (10, 23, 43)),
    ],
)
def test_the_example_is_measured_to_the_cycle(program, tmp_path, core, cycles):
    record = run(f"rtl:{core}:elf={program}", tmp_path / "run").run
    assert record.valid, record.reasons
    assert extremes(record) == [(n, n) for n in cycles]
    label = rf"RTL simulation of {core} .* running program.elf \(sha256 [0-9a-f]{{12}}\)"
    assert re.fullmatch(label, record.label)


def test_its_uart_is_in_the_log(program, tmp_path):
    run(f"rtl:ibex:elf={program}", tmp_path / "run")
    assert "program: ready" in (tmp_path / "run" / "log.txt").read_text()


def test_samples_are_the_same_without_skipping(program, tmp_path):
    samples = []
    for number, options in enumerate(("", ":no-skip")):
        folder = tmp_path / str(number)
        assert run(f"rtl:ibex:elf={program}{options}", folder, count=20).run.valid
        samples.append(read(folder).samples())
    assert samples[0].equals(samples[1])
    assert samples[0].num_rows == 60


def test_wait_states_make_it_slower_and_a_seed_repeats_them(program, tmp_path):
    target = f"rtl:ibex:elf={program}"
    slow = run(f"{target}:wait=2", tmp_path / "2").run
    assert slow.valid, slow.reasons
    assert "(wait=2)" in slow.label
    assert slow.stats[0].min_ticks == slow.stats[0].max_ticks > 11
    by_chance = [run(f"{target}:wait=0..3:seed={n}", tmp_path / f"s{n}") for n in (1, 2)]
    repeated = run(f"{target}:wait=0..3:seed=1", tmp_path / "again")
    samples = [read(result.folder).samples() for result in (*by_chance, repeated)]
    assert samples[0].equals(samples[2])
    assert not samples[0].equals(samples[1])
    assert by_chance[0].run.stats[0].min_ticks < by_chance[0].run.stats[0].max_ticks


def test_a_place_may_be_a_line_of_a_source_or_an_address(program, tmp_path):
    found = Program(read_elf(program), RV32)
    handler = found.place("on_line")[0]
    source = (EXAMPLE / "program.c").read_text().splitlines()
    line = 1 + next(n for n, text in enumerate(source) if "events++" in text)
    channels = [
        {"start": "line 0", "stop": stop, "timeout": "900 ticks"}
        for stop in (f"pc:{handler:#x}", f"pc:program.c:{line}", "store:events")
    ]
    record = run(f"rtl:ibex:elf={program}", tmp_path / "run", channels=channels).run
    assert record.valid, record.reasons
    entry, first, stored = (stats.min_ticks for stats in record.stats)
    assert entry == 11
    assert entry < first < stored < 30


def test_the_masked_map_names_each_interval_by_its_functions(program, tmp_path):
    intervals = []
    for number, options in enumerate(("", ":no-skip")):
        target = f"rtl:ibex:elf={program}{options}"
        record = run(target, tmp_path / str(number), count=12, masked=True).run
        assert record.valid, record.reasons
        intervals.append(record.masked)
    assert intervals[0] == intervals[1]
    handler, loop = intervals[0]
    assert re.fullmatch(r"0x\w+ \(run\+0x\w+\)", loop.opened)
    assert re.fullmatch(r"0x\w+ \(run\+0x\w+\)", loop.closed)
    assert re.fullmatch(r"0x\w+ \(vectors\+0x40\)", handler.opened)
    assert re.fullmatch(r"0x\w+ \(on_line\+0x\w+\)", handler.closed)
    assert handler.count == 12
    assert handler.least_ticks == handler.greatest_ticks == 35
    assert loop.least_ticks == loop.greatest_ticks == 11


@remembered
def test_the_longest_interval_is_where_it_delayed_a_stimulus(plain, tmp_path):
    text = """
        .option norvc
        .globl _start
        .type _start, @function
    _start:
        la t0, vectors + 1
        csrw mtvec, t0
        lui t0, 16 // line 0
        csrw mie, t0
        li t0, 0x10012000
        .type again, @function
    again:
        csrci mstatus, 8
        .rept 150
        nop
        .endr
        csrsi mstatus, 8
        .rept 40
        nop
        .endr
        j again
        .balign 256
    vectors:
        .rept 16
        j .
        .endr
        .type on_line, @function
    on_line:
        sw zero, 0(t0)
        mret
    """
    target = f"rtl:ibex:elf={assembled(tmp_path, text)}:ready=again"
    channels = [{"start": "line 0", "stop": "pc:on_line", "timeout": "900 ticks"}]
    record = run(target, tmp_path / "run", count=20, channels=channels, masked=True).run
    assert record.valid, record.reasons
    longest, handler = record.masked
    assert "(again+0x4)" in longest.opened
    # 150 nops and csrsi; a cycle more where an interrupt is seen as csrci begins.
    assert longest.end_tick - longest.start_tick == longest.greatest_ticks in (151, 152)
    (batch,) = read(tmp_path / "run").batches().to_pylist()
    samples = read(tmp_path / "run").samples().to_pylist()
    edges = [batch["start_tick"] + row["edge_ticks"] for row in samples]
    answers = [edge + row["latency_ticks"] for edge, row in zip(edges, samples, strict=True)]
    worst = max(range(20), key=lambda n: answers[n] - edges[n])
    assert answers[worst] - edges[worst] > 150
    assert longest.start_tick - 1 <= edges[worst] < longest.end_tick
    assert answers[worst] - longest.end_tick in range(6)
    # All are equally long, and line 0 rises in none: the first one that answers it.
    assert handler.least_ticks == handler.greatest_ticks
    assert handler.start_tick <= answers[0] < handler.end_tick


@remembered
@pytest.mark.parametrize("core", ["ibex", "cv32e40p", "cv32e40x"])
def test_the_masked_map_has_the_chain_of_calls(plain, tmp_path, core):
    """Also for calls by the handler, and after a returned call or an exception."""
    functions = ["again", "inner", "leaf", "on_line", "outer", "serve"]
    text = """
        .option norvc
        .globl _start
        .type _start, @function
    _start:
        la t0, vectors + 1
        csrw mtvec, t0
        lui t0, 16 // line 0
        csrw mie, t0
        li t0, 0x10012000
        csrsi mstatus, 8
    again:
        .rept 100
        nop
        .endr
        call outer
        j again
    outer:
        mv s0, ra
        ecall
        call inner
        mv ra, s0
        ret
    inner:
        mv s1, ra
        call leaf
        csrci mstatus, 8
        nop
        csrsi mstatus, 8
        mv ra, s1
        ret
    leaf:
        ret
        .balign 256
    vectors:
        j exception
        .rept 15
        j .
        .endr
    on_line:
        sw zero, 0(t0)
        mv s2, ra
        csrr s3, mepc
        call serve
        csrw mepc, s3
        mv ra, s2
        mret
    serve:
        csrsi mstatus, 8
        nop
        csrci mstatus, 8
        nop
        nop
        ret
    exception:
        csrr s4, mepc
        addi s4, s4, 4
        csrw mepc, s4
        mret
    """
    text += "".join(f".type {name}, @function\n" for name in (*functions, "exception", "vectors"))
    target = f"rtl:{core}:elf={assembled(tmp_path, text)}:ready=again"
    channels = [{"start": "line 0", "stop": "pc:on_line", "timeout": "900 ticks"}]
    record = run(target, tmp_path / "run", count=20, channels=channels, masked=True).run
    assert record.valid, record.reasons
    chains = {}
    for one in record.masked:
        opened = re.search(r"\((\w+)", one.opened)[1]
        chains.setdefault(opened, set()).add(tuple(re.findall(r"\((\w+)", one.caller)))
    assert chains.pop("inner") == {("outer", "again")}
    assert chains.pop("serve") == {("on_line",)}
    assert set().union(*chains.values()) == {()}
    assert chains.keys() == {"vectors", "on_line"}


#: Interrupt 16 has level 0x80; a threshold of that keeps it out, one below does not.
BY_THRESHOLD = """
    .option norvc
    .globl _start
    .type _start, @function
_start:
    {entry}
    csrsi mstatus, 8
    li s0, 0x10012000
    li s1, 0x80
    li s2, 0x7f
    .type again, @function
again:
    .rept 60
    nop
    .endr
    csrw 0x347, s1 // mintthresh
    .rept {nops}
    nop
    .endr
    csrw 0x347, zero
    .rept 20
    nop
    .endr
    csrw 0x347, s2
    .rept 50
    nop
    .endr
    csrw 0x347, zero
    j again
    {handler}
"""


@remembered
@pytest.mark.parametrize(
    ("core", "opened", "besides"), [("cv32e40p-clic", 0xF4, 4), ("cv32e40x-clic", 0xF8, 1)]
)
def test_a_threshold_of_a_clic_masks(soft, tmp_path, core, opened, besides):
    """From the instruction on that finds it written: it is one or two after the store."""
    for nops in (10, 14):
        text = BY_THRESHOLD.format(entry=ENTRIES["clic"], handler=HANDLER, nops=nops)
        target = f"rtl:{core}:elf={assembled(tmp_path, text)}:ready=again"
        channels = [{"start": "line 0", "stop": "pc:on_line", "timeout": "900 ticks"}]
        record = run(target, tmp_path / f"{nops}", channels=channels, masked=True).run
        assert record.valid, record.reasons
        (threshold,) = (one for one in record.masked if "(again+" in one.opened)
        (handler,) = (one for one in record.masked if "(on_line" in one.closed)
        assert len(record.masked) == 2
        assert f"(again+{opened:#x})" in threshold.opened
        assert f"(again+{opened + 4 * nops:#x})" in threshold.closed
        assert threshold.least_ticks == threshold.greatest_ticks == nops + besides
        assert handler.count == 40
        assert handler.greatest_ticks < 20


def test_a_run_without_a_masked_map_has_none(program, tmp_path):
    assert run(f"rtl:ibex:elf={program}", tmp_path / "run", count=4).run.masked is None


# ---- refusals ------------------------------------------------------------------------------------


def refused(elf, **options):
    target = f"rtl:ibex:elf={elf}" if ":" not in str(elf) else str(elf)
    with pytest.raises(TargetError) as caught:
        open_target(target, of_program=True, **options).close()
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_symbol_that_there_is_not_is_answered_by_the_nearest(program):
    text = refused(program, watches=(("pc:on_lin", 2),))
    assert "program.elf has no symbol on_lin; the nearest are on_line" in text


def test_a_stripped_file(program, tmp_path):
    elf = assembled(tmp_path, ASLEEP.format("nop"), 0x80000000, "-Wl,-s")
    assert "is stripped: it has no symbols, so _start cannot" in refused(
        elf, watches=(("pc:_start", 2),)
    )


def test_another_architecture(plain):
    text = refused("/bin/true")
    assert re.search(r"/bin/true: it is built for \w+, 64 bits; this core takes RV32", text)


def test_a_file_that_is_none_and_one_that_is_no_elf(plain, tmp_path):
    assert "name a program" in refused(tmp_path / "none.elf")
    assert "is not an ELF file" in refused(LATENCY)


def test_a_program_outside_of_the_memory(plain, tmp_path):
    elf = assembled(tmp_path, ASLEEP.format("nop"), 0x20400000)
    text = refused(elf)
    assert "at 0x20400000 lie outside of the memory, 0x80000000+0x400000; say ram=" in text
    open_target(f"rtl:ibex:elf={elf}:ram=0x20400000+0x10000", of_program=True).close()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("wait=3..1", "wait=1: give 3 to 1000"),
        ("uart=16550", "write MODEL@ADDRESS, of ns16550, sifive, uartlite"),
        ("line=40", "line=40: give 0 to 31"),
        ("clint=top", "clint=top: 'top' is no number"),
        ("timer=1:timer=2", "timer is given twice"),
        ("ready=nowhere", "has no symbol nowhere"),
        ("fast=1", 'there is no option "fast"; there are: ready, ram, clint'),
    ],
)
def test_an_option_that_does_not_hold(program, option, said):
    assert said in refused(f"rtl:ibex:elf={program}:{option}")


def test_a_program_that_does_not_speak_the_link_needs_its_experiment(program, tmp_path):
    text = refused("rtl:ibex")
    assert "the program is missing: say rtl:ibex:elf=FILE" in text
    with pytest.raises(TargetError, match='write machine = "program" in the experiment'):
        open_target(f"rtl:ibex:elf={program}:wait=1")
    with pytest.raises(TargetError, match="say rtl:CORE:elf=FILE or twin:elf=FILE"):
        open_target("/dev/ttyUSB1", of_program=True)


def ended(elf, folder, options="", core="ibex", **overrides):
    """Error that ended an impossible run, and its log."""
    channels = [{"start": "line 0", "stop": "pc:_start", "timeout": "900 ticks"}]
    lines = [{"high": "1000 ticks", "low": "1000 ticks"}]
    target = f"rtl:{core}:elf={elf}{options}"
    result = run(target, folder, channels=channels, lines=lines, **overrides)
    assert not result.run.valid
    assert "\n" not in str(result.error)
    return str(result.error), (folder / "log.txt").read_text()


@remembered
def test_an_interrupt_that_nothing_enables(plain, tmp_path):
    text = ASLEEP.format(
        "li t0, 0x02004000\nli t1, 5\nsw t1, 0(t0)\nsw zero, 4(t0)\nli t0, 128\ncsrw mie, t0"
    )
    message, _ = ended(assembled(tmp_path, text), tmp_path / "run")
    assert "the program answered none of the first 16 stimuli, of interrupt 16" in message
    assert "interrupts are off, enabled are 0x80" in message
    assert "of 2 stores to the CLINT there remain msip = 0, mtimecmp = 0x5" in message


#: It is interrupted by way of a CLIC at ``BASE``: non-vectored, interrupt 16 of the highest level.
BY_CLIC = """
.globl _start
_start: la t0, on_line
   ori t0, t0, 3
   csrw mtvec, t0
   li t0, {base}
   li t1, 8 << 1
   sw t1, 0(t0)
   li t0, {base} + 0x1040
   li t1, 0xff000100
   sw t1, 0(t0)
   csrsi mstatus, 8
1: wfi
   j 1b
.balign 256
on_line: li t0, 0x10012000
   sw t0, 0(t0)
   mret
"""


@pytest.mark.parametrize(("core", "cycles"), [("cv32e40p-clic", 4), ("cv32e40x-clic", 4)])
def test_a_program_finds_the_clic_of_its_core_where_the_target_says(soft, tmp_path, core, cycles):
    elf = assembled(tmp_path, BY_CLIC.format(base="0xa0000000"))
    channels = [{"start": "line 0", "stop": "pc:on_line", "timeout": "900 ticks"}]
    target = f"rtl:{core}:elf={elf}:clic=0xa0000000"
    record = run(target, tmp_path / "run", channels=channels).run
    assert record.valid, record.reasons
    assert extremes(record) == [(cycles, cycles)]
    assert "(clic=0xa0000000)" in record.label
    elsewhere = run(f"rtl:{core}:elf={elf}", tmp_path / "elsewhere", channels=channels)
    assert "the program stores to 0xa0000000, where there is nothing" in str(elsewhere.error)


def test_where_a_clic_can_be(program):
    assert "--clic" not in around(Program(read_elf(program), RV32), []).words
    with pytest.raises(CoreError, match='there is no option "clic"; there are: ready, ram, clint'):
        around(Program(read_elf(program), RV32), ["clic=0xa0000000"])
    with pytest.raises(CoreError, match="clic=0xa0001000: give a multiple of 0x10000"):
        around(Program(read_elf(program), RV32), ["clic=0xa0001000"], ["clic"])


OVERLAPS = [
    (
        ["ram=0x80000000+0x1000", "ram=0x80000ffc+0x1000"],
        "ram=0x80000000.0x1000 and ram=0x80000ffc",
    ),
    (["clint=0x80000000"], "(ram|clint)=0x80000000.* and (clint|ram)=0x80000000"),
    (["gpio=0x100000"], "(gpio|finisher)=0x100000 and (finisher|gpio)=0x100000"),
    (["finisher=0x10000ffc"], "uart=ns16550@0x10000000 and finisher=0x10000ffc"),
    (["ram=0x0+0x400000"], "ram=0x0.0x400000 and finisher=0x100000 overlap"),
]


@pytest.mark.parametrize(("options", "said"), OVERLAPS)
def test_nothing_overlaps_around_a_program(program, options, said):
    with pytest.raises(CoreError, match=f"{said}"):
        around(Program(read_elf(program), RV32), options)


@pytest.mark.parametrize(
    "option", ["line=1_6", "line=\u0661\u0666", "ram=0x80000000+1_0", "seed= 1"]
)
def test_a_number_around_a_program_is_in_ascii_digits(program, option):
    with pytest.raises(CoreError, match="is no number"):
        around(Program(read_elf(program), RV32), [option])


def test_names_with_quotes_and_escapes_are_shown_harmless(program, tmp_path):
    """In the file's name as in those of functions, by a run that reports functions."""
    path = tmp_path / 'a"b\n\x1b[31m\u2028.elf'
    path.write_bytes(program.read_bytes().replace(b"\0on_line\0", b'\0o\n"\xe9,\x1bx\0'))
    assert b"on_line" not in path.read_bytes()[-2000:]
    channels = [{"start": "line 0", "stop": "store:0x10012000", "timeout": "900 ticks"}]
    file = tmp_path / "functions.csv"
    experiment = load(LATENCY, count=20, channels=channels)
    result = measure(experiment, f"rtl:ibex:elf={path}", tmp_path / "run", functions=file)
    assert result.run.valid, result.run.reasons
    assert 'a"b\\n\\x1b[31m\\u2028.elf (sha256 ' in result.run.label
    (name,) = {name for one in answers(file) for name in one.by_function if '"' in name}
    assert name == 'o\\n"\\xe9,\\x1bx'
    assert (tmp_path / "run" / "program.elf").read_bytes() == path.read_bytes()


def test_the_program_that_is_measured_is_the_one_that_was_read(program, tmp_path, monkeypatch):
    """Replaced between the hash and the load, it is the first one all the same."""
    elf = tmp_path / "p.elf"
    elf.write_bytes(program.read_bytes())
    popen = subprocess.Popen

    def replacing(*words, **more):
        elf.write_bytes(b"another file by now")
        return popen(*words, **more)

    monkeypatch.setattr("irqscope.targets.process.subprocess.Popen", replacing)
    result = run(f"rtl:ibex:elf={elf}", tmp_path / "run")
    assert result.run.valid, result.run.reasons
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    assert f"p.elf (sha256 {digest[:12]})" in result.run.label
    stored = tmp_path / "run" / "program.elf"
    assert stored.read_bytes() == program.read_bytes()
    stored.write_bytes(b"another one")
    assert "changed since it was written: program.elf" in read(tmp_path / "run").run.reasons[-1]


def test_a_full_disk_ends_a_run_whose_functions_are_told(program, tmp_path):
    result = run_functions(program, tmp_path, Path("/dev/full"))
    assert not result.run.valid
    assert "cannot write the functions to /dev/full (No space left on device)" in str(result.error)


def run_functions(program, folder, file):
    experiment = load(LATENCY, count=300)
    return measure(experiment, f"rtl:ibex:elf={program}", folder / "run", functions=file)


def test_a_program_that_reaches_for_nothing(plain, tmp_path):
    text = ASLEEP.format("li a0, 0x1234\nli t0, 0x50000000\nlw t1, 8(t0)")
    message, log = ended(assembled(tmp_path, text), tmp_path / "run")
    assert "the program loads from 0x50000008, where there is nothing; PC 0x8000000" in message
    assert "(_start+0x" in message
    assert re.search(r"program: x1 .*\n.* x10 0x1234 ", log.replace("program: x9", "x9"))
    assert "program:   0x80000000 (_start)" in log


@pytest.mark.parametrize("segments", ["code PT_LOAD FILEHDR PHDRS", HEADERS + "code PT_LOAD"])
def test_headers_of_the_file_in_front_of_the_memory_are_not_loaded(plain, tmp_path, segments):
    """As linkers without a script place them."""
    (tmp_path / "program.ld").write_text(
        f"ENTRY(_start) PHDRS {{ {segments}; }} SECTIONS {{ . = 0x7FFFF000 + SIZEOF_HEADERS;"
        " .text 0x80000000 : { *(.text) } :code }"
    )
    message, log = ended(linked(tmp_path, ASLEEP.format("li t0, 0x40\njr t0")), tmp_path / "run")
    assert "the program jumps to 0x40" in message
    assert "program:   0x80000000 (_start)" in log


def test_a_program_that_jumps_to_nothing(plain, tmp_path):
    text = ASLEEP.format("li t0, 0x40\njr t0")
    message, _ = ended(assembled(tmp_path, text), tmp_path / "run")
    assert "the program jumps to 0x40, where there is no memory" in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "la t0, 1f\n1: .word 0x0062a3af",
            "0x62a3af at 0x80000008 (_start+0x8), which needs the A",
        ),
        ("csrr t0, time", "0xc01022f3 at 0x80000000 (_start), which needs the CSR time"),
        ("csrr t0, sstatus", "at 0x80000000 (_start), which needs S mode"),
        (".word 0x0002a007", "at 0x80000000 (_start), which needs floating point"),
        (
            "csrw mepc, zero\nla t0, 1f\ncsrw mepc, t0\nmret\n1: csrr t0, sstatus",
            "at 0x80000014 (_start+0x14), which needs S mode",
        ),
        ("li t0, 0x80001000\njr t0", "was 0x0 at 0x80001000, which is zeros"),
        (".half 0x6100", "0x6100 at 0x80000000 (_start), which needs floating point"),
    ],
)
def test_an_instruction_that_no_core_has_is_named_with_what_it_needs(plain, tmp_path, text, said):
    error, _ = ended(assembled(tmp_path, ASLEEP.format(text)), tmp_path / "run")
    assert "the program traps again and again and never returns; its last illegal" in error
    assert said in error
    assert "; mtvec has not been written" in error


def test_zeros_where_its_trap_goes_do_not_hide_the_instruction(plain, tmp_path):
    elf = assembled(tmp_path, ASLEEP.format("nop\n.word 0x0062a3af"), 0x80000090)
    error, _ = ended(elf, tmp_path / "run")
    assert "0x62a3af at 0x80000094 (_start+0x4), which needs the A" in error


@pytest.mark.parametrize("core", ["ibex", "cv32e40p", "cv32e40x"])
def test_zeros_after_a_jump_are_no_illegal_instruction(plain, tmp_path, core):
    text = "li t0, 2000\n2: beqz zero, 3f\n.word 0\n3: addi t0, t0, -1\nbnez t0, 2b"
    error, _ = ended(assembled(tmp_path, ASLEEP.format(text)), tmp_path / "run", core=core)
    assert "answered none of the first 16 stimuli" in error
    assert "illegal" not in error


def test_extensions_of_the_file_that_the_core_lacks_are_in_the_log(plain, tmp_path):
    text = ASLEEP.format("la t0, trap\ncsrw mtvec, t0") + ".balign 256\ntrap: j trap\n"
    for name, flags in (("atomic", ["-mcpu=generic_rv32+m+a+zicsr"]), ("plain", [])):
        folder = tmp_path / name
        folder.mkdir()
        _, log = ended(assembled(folder, text, 0x80000000, *flags), folder / "run")
        warning = "program.elf may use extensions that this core lacks: a, zaamo, zalrsc; their"
        assert (warning in log) == (name == "atomic")


@remembered
def test_an_instruction_that_no_core_has_is_named_where_its_handler_hangs(plain, tmp_path):
    text = "la t0, trap\ncsrw mtvec, t0\n.word 0x0062a3af\n.balign 256\ntrap: j trap"
    error, _ = ended(assembled(tmp_path, ASLEEP.format(text)), tmp_path / "run")
    assert "answered none of the first 16 stimuli" in error
    assert "which needs the A extension" in error


def test_a_direct_mtvec_that_the_core_does_not_take_is_told_when_it_is_written(plain, tmp_path):
    text = "la t0, trap\ncsrw mtvec, t0\nlui t0, 16\ncsrw mie, t0\ncsrsi mstatus, 8"
    text = ASLEEP.format(text) + ".balign 256\ntrap: j trap\n.rept 40\nlw a0, 4(zero)\n.endr\n"
    error, log = ended(assembled(tmp_path, text), tmp_path / "run")
    warning = "mtvec was written with 0x80000100 and is 0x80000101: this core has no direct mode"
    assert warning in log
    assert f"{warning}, so line 0 goes to 0x80000140" in error


#: As lowRISC's start-up code: a table at the boot address, and mtvec as it is after reset.
BY_BOOT = """
    .rept 16
    j .
    .endr
    j on_line
    .rept 15
    j .
    .endr
.globl _start
_start:
    lui t0, 16
    csrw mie, t0
    csrsi mstatus, 8
1:  wfi
    j 1b
on_line: mret
"""


def test_ibex_boots_in_front_of_the_entry_and_takes_the_table_there(plain, tmp_path):
    elf = assembled(tmp_path, ".option norvc\n" + BY_BOOT)
    lines = [{"high": "10 ticks", "low": "1000 ticks"}]
    channels = [{"start": "line 0", "stop": "pc:on_line", "timeout": "900 ticks"}]
    record = run(f"rtl:ibex:elf={elf}", tmp_path / "run", lines=lines, channels=channels).run
    assert record.valid, record.reasons
    assert record.counters[0].served == 40


#: Claims and completes as a driver of QEMU's virt board does; the source is enabled by ENABLE.
BY_PLIC = """
.option norvc
.globl _start
_start:
    li s1, 0x0C000000
    li t0, 3
    sw t0, 40(s1)
    li s2, 0x0C002000
    li t0, ENABLE
    sw t0, 0(s2)
    li s3, 0x0C200000
    sw zero, 0(s3)
    la t0, vectors + 1
    csrw mtvec, t0
    li s4, 0x10012000
    li t0, 1 << 11
    csrw mie, t0
    csrsi mstatus, 8
1:  wfi
    j 1b
    .balign 256
vectors:
    .rept 11
    j .
    .endr
    j on_line
on_line:
    lw a0, 4(s3)
    sw a0, 0(s4)
    .rept 4
    nop
    .endr
claimed:
    sw a0, 4(s3)
    lw a1, 4(s3)
    sw a1, 4(s4)
    mret
"""


def test_a_line_comes_by_the_plic_claimed_and_completed(plain, tmp_path):
    elf = assembled(tmp_path, BY_PLIC.replace("ENABLE", "1 << 10"))
    line = {"low": "1000 ticks", "mode": "acknowledged", "acknowledge": "store:0x10012000"}
    lines = [line | {"high": "100 ticks"}]
    stops = ("pc:on_line", "store:0x10012000", "store:0x10012004")
    channels = [{"start": "line 0", "stop": stop, "timeout": "900 ticks"} for stop in stops]
    target = f"rtl:ibex:elf={elf}:line=plic10"
    record = run(target, tmp_path / "run", lines=lines, channels=channels, masked=True).run
    assert record.valid, record.reasons
    assert [one.served for one in record.counters] == [40, 40, 40]
    assert sum(one.count for one in record.masked) == 40  # each from the entry to mret


def test_a_source_that_the_plic_keeps_back_is_told(plain, tmp_path):
    elf = assembled(tmp_path, BY_PLIC.replace("ENABLE", "1 << 11"))
    error, _ = ended(elf, tmp_path / "run", ":line=plic10")
    warning = (
        "of interrupt 11; source 10 of the PLIC is not enabled, of priority 3, the threshold is 0"
    )
    assert warning in error


def test_a_program_that_ends(plain, tmp_path):
    text = ASLEEP.format("li t0, 0x100000\nli t1, 0x5555\nsw t1, 0(t0)")
    message, _ = ended(assembled(tmp_path, text), tmp_path / "run")
    assert "the program ended: it stored 0x5555 to 0x100000" in message


def test_a_program_that_never_is_ready(plain, tmp_path):
    text = ASLEEP.format("") + "never: nop\n"
    message, log = ended(assembled(tmp_path, text), tmp_path / "run", ":ready=never")
    assert "program:   0x80000000 (_start)" in log
    assert "the program sleeps before it is ready, and nothing wakes it" in message


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("uart=uartlite@0x40600000", "li t0, 0x40600000\nli t1, 65\nsw t1, 4(t0)\n", "program: A"),
        ("uart=sifive@0x10013000", "li t0, 0x10013000\nli t1, 1\nsw t1, 8(t0)\nli t1, 66\n"
         "sw t1, 0(t0)\n", "program: B"),
        ("uart=sifive@0x10013000", "li t0, 0x10013000\nli t1, 66\nsw t1, 0(t0)\n",
         "program: [a byte was sent to a UART whose transmitter is disabled: txctrl is 0x0]"),
    ],
)  # fmt: skip
def test_each_uart_and_one_that_is_disabled(plain, tmp_path, option, text, said):
    end = "li t0, 0x100000\nsw zero, 0(t0)"  # the end passes what is left of a line
    _, log = ended(assembled(tmp_path, ASLEEP.format(text + end)), tmp_path / "run", f":{option}")
    assert said in log


# ---- places and options --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("symbol", "plain"),
    [
        ("_ZN3app4main17h0123456789abcdefE", "app::main"),
        (
            "_ZN37_$LT$app..Led$u20$as$u20$app..Pin$GT$3set17h0123456789abcdefE",
            "<app::Led as app::Pin>::set",
        ),
        ("main", None),
        ("_ZN3app4mainE", None),
    ],
)
def test_names_of_rust(symbol, plain):
    assert demangled(symbol) == plain


def test_ranges_of_addresses(program):
    found = Program(read_elf(program), RV32)
    assert found.place("0x10012000..0x10012fff") == (0x10012000, 0x1000)
    assert found.place("on_line+4")[0] == found.place("on_line")[0] + 4
    with pytest.raises(ProgramError, match="is no range"):
        found.place("0x20..0x10")
    with pytest.raises(ProgramError, match="has no code of a source main.c"):
        found.place("main.c:3")


def test_what_is_usual_is_not_said(program):
    assert around(Program(read_elf(program), RV32), []).said == ""
    assert around(Program(read_elf(program), RV32), ["wait=1", "ready=update"]).said == "wait=1"


def test_run_json_says_what_was_run(program, tmp_path):
    target = f"rtl:ibex:elf={program}:ready=run"
    result = run(target, tmp_path / "run")
    assert result.run.valid, result.run.reasons
    stored = json.loads((tmp_path / "run" / "run.json").read_text())
    assert stored["target"] == target
    assert stored["experiment"]["machine"] == "program"
    assert stored["loopback"]["loopback"]["min_ticks"] == 1


# ---- a gate in another repository ----------------------------------------------------------------


GATE = "irqscope gate gate.toml --load make --target rtl:ibex:elf=build/program.elf"


@pytest.mark.parametrize("file", [".github/workflows/latency.yml", ".gitlab-ci.yml"])
def test_files_for_services_have_the_command_that_is_run_here(file):
    text = (EXAMPLE / file).read_text()
    assert f"{GATE} --junit junit.xml\n" in text
    assert '[cores]"' in text


def gate(folder, *more):
    command = [*GATE.split(), *more]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    process = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return process.returncode, process.stdout + process.stderr


def test_a_gate_of_another_repository_fails_on_a_slower_handler(plain, tmp_path):
    """Also where it is slower after the store that takes the line back."""
    for name in ("Makefile", "program.c", "program.ld", "latency.toml", "gate.toml"):
        (tmp_path / name).write_text((EXAMPLE / name).read_text())
    code, text = gate(tmp_path, "--accept", "--junit", "junit.xml")
    assert code == 0, text
    assert "<testsuite" in (tmp_path / "junit.xml").read_text()
    source = (tmp_path / "program.c").read_text()
    stores = "    OUTPUT = events;\n"
    assert stores in source
    nops = '    __asm__ volatile(".rept 40\\nnop\\n.endr");\n'
    (tmp_path / "program.c").write_text(source.replace("ready\\n", "Ready\\n"))
    code, text = gate(tmp_path)
    assert code == 0, text  # another file, and as fast
    (tmp_path / "program.c").write_text(source.replace(stores, stores + nops))
    code, text = gate(tmp_path)
    assert code == 7, text
    text = " ".join(text.split())  # long lines are wrapped
    assert "channel 2, edge -> pc:update: 240 of 240 moved by +40 cycles" in text
    assert "channel 0" not in text
    assert re.search(r"by function, on_line: (\d+) instructions, now (\d+)", text)
    (tmp_path / "gate.toml").write_text(
        (tmp_path / "gate.toml").read_text().replace('baseline = "', 'masked = "60 ticks"\n# "')
    )
    code, text = gate(tmp_path)
    assert code == 7, text
    text = " ".join(text.split())  # long lines are wrapped
    assert "masked for 75 cycles at most, allowed 60 cycles" in text
    assert re.search(
        r"75 cycles at most, \d+ times: from 0x\w+ \(vectors\+0x40\) to 0x\w+ \(on_", text
    )


@pytest.fixture
def periodic(plain, tmp_path):
    """A program that passes `begin` each 500 cycles, then 24 nops, then what is `straight`."""

    def assemble(straight=".rept 8\nnop\n.endr", by="clint"):
        return assembled(
            tmp_path, PERIODIC.format(straight=straight, entry=ENTRIES[by], handler=HANDLER)
        )

    return assemble


PERIODIC = """
    .option norvc
    .globl _start
    .type _start, @function
_start:
    {entry}
    csrsi mstatus, 8
    li s0, 0x10012000
    li s1, 0x200bff8
    li s2, 0
wait:
    addi s2, s2, 500
1:  lw t0, 0(s1)
    blt t0, s2, 1b
    .type begin, @function
begin:
    .rept 24
    nop
    .endr
    .type code, @function
code:
    {straight}
    .size code, . - code
after:
    j wait
    {handler}
    .align 8
vectors:
    .rept 16
    j .
    .endr
    j on_line
"""
PLACED = {
    "name": "placed",
    "machine": "program",
    "code_under_test": {
        "code": "code", "after": "pc:begin", "first": 20, "last": 39, "period": 600,
    },
    "lines": [
        {"mode": "acknowledged", "phase": "locked", "high": 100, "low": 100,
         "acknowledge": "store:0x10012000"}
    ],
    "channels": [{"stop": "pc:on_line", "timeout": 90}],
}  # fmt: skip


def placed(target, folder, **changes):
    table = PLACED["code_under_test"] | changes
    count = table["last"] - table["first"] + 1
    experiment = Experiment.model_validate(PLACED | {"count": count, "code_under_test": table})
    return measure(experiment, target, folder)


@remembered
@pytest.mark.parametrize(
    ("core", "by", "ahead", "latency"),
    [
        ("ibex", "clint", 1, 6),
        ("cv32e40p", "clint", 2, 6),
        ("cv32e40p-clic", "clic", 2, 4),
        ("cv32e40x-clic", "clic", 0, 4),
        pytest.param("cv32e40x", "clint", 0, 6, marks=pytest.mark.soak),
    ],
)
def test_each_instruction_of_a_program_is_interrupted_in_its_turn(
    soft, periodic, tmp_path, core, by, ahead, latency
):
    """Of nops one is executed in each cycle: so a cycle later is an instruction later."""
    elf = periodic(by=by)
    result = placed(f"rtl:{core}:elf={elf}", tmp_path / "run")
    record = result.run
    assert record.valid, record.reasons
    placements = record.placements
    assert (placements.symbol, placements.firmware, placements.size) == ("code", "program.elf", 32)
    assert (placements.accepted, placements.ignored, placements.alike, placements.through) == (
        20,
        0,
        True,
        True,
    )
    assert [(one.where, one.text) for one in placements.instructions] == [
        (f"code+{4 * n:#x}", "nop") for n in range(8)
    ]
    assert {one.taken for one in placements.instructions} == {1}
    assert record.notes == ()
    begin = Program(read_elf(elf), RV32).place("begin")[0]
    names = ["delay_ticks", "address", "latency_ticks"]
    rows = read(result.folder).places().select(names).to_pydict()
    assert rows["delay_ticks"] == [*range(20, 40)]
    for delay, address, ticks in zip(*rows.values(), strict=True):
        if delay < 24 + 6:  # of the nops
            assert (address - begin) // 4 == delay + ahead
            assert ticks == latency


@remembered
def test_code_of_a_program_with_interrupts_off_delays_by_its_own_length(periodic, tmp_path):
    longest = []
    for nops in (5, 9):
        off = f"nop\ncsrci mstatus, 8\n.rept {nops}\nnop\n.endr\ncsrsi mstatus, 8\nnop"
        record = placed(
            f"rtl:ibex:elf={periodic(off)}", tmp_path / str(nops), code="code..after", last=59
        ).run
        assert record.valid, record.reasons
        counts = [one.taken for one in record.placements.instructions]
        assert counts[0] and not any(counts[2 : nops + 3]) and counts[nops + 3] > 2
        longest.append(record.stats[0].max_ticks)
    assert longest[1] - longest[0] == 4


def test_a_program_that_sleeps_passes_no_place(plain, tmp_path):
    elf = assembled(tmp_path, ASLEEP.format(".type on_line, @function\non_line:\nnop\nnop"))
    places = {"after": "pc:on_line", "code": "on_line..on_line+8"}
    result = placed(f"rtl:ibex:elf={elf}", tmp_path / "run", **places)
    assert "sleeps, and does not pass the place that starts the line" in str(result.error)


@remembered
def test_a_busy_program_that_never_passes_a_place_is_ended(periodic, tmp_path):
    places = {"after": "pc:on_line", "code": "on_line..on_line+16"}
    result = placed(f"rtl:ibex:elf={periodic()}", tmp_path / "run", **places)
    message = "in 30000000 cycles the program did not pass the place that starts the line"
    assert message in str(result.error)
    assert " (wait+0x" in str(result.error)


@remembered
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"code": "begin+48..after"}, "interrupt was taken in begin+48..after already"),
        ({"last": 29}, "the last interrupt was taken in code still"),
        ({"code": "_start..wait"}, "no interrupt was taken in _start..wait"),
        ({"code": "after..code"}, "code_under_test.code: code is not behind after"),
        ({"code": "cod"}, "has no symbol cod; the nearest are code"),
    ],
)
def test_placements_that_meet_no_code_are_no_result(periodic, tmp_path, changes, reason):
    record = placed(f"rtl:ibex:elf={periodic()}", tmp_path / "run", **changes).run
    assert not record.valid
    (reason_line,) = [text for text in record.reasons if reason in text]
    assert "\n" not in reason_line


def test_a_core_that_does_not_show_its_interrupts_has_no_placements(soft, periodic, tmp_path):
    record = placed(f"rtl:cv32e40p-fastirq:elf={periodic()}", tmp_path / "run")
    assert "this core does not show where it was interrupted" in str(record.error)
