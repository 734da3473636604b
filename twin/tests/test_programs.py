"""Foreign programs on both twins: measured, or refused in one line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from irqscope.acquire.callbacks import Untold
from irqscope.acquire.measure import measure
from irqscope.campaign.gate import bins, path
from irqscope.cli import show
from irqscope.errors import TargetError
from irqscope.experiment import load
from irqscope.machines.elf import read_elf
from irqscope.machines.program_file import Program
from irqscope.results.functions import answers
from irqscope.results.reader import read
from irqscope.targets import open_target

EXAMPLE = Path(__file__).parents[2] / "examples" / "program-arm"
LATENCY = EXAMPLE / "latency.toml"
ZIG = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-freestanding-none"]
FLAGS = ["-mcpu=cortex_a53", "-nostdlib", "-static", "-g", "-Wl,--build-id=none"]
#: The code that a test puts before the loop decides.
ASLEEP = ".globl _start\n.type _start, @function\n_start:\n{}\n1: wfi\nb 1b\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The example as its own Makefile builds it, for both machines."""
    folder = tmp_path_factory.mktemp("example")
    for name in ("Makefile", "program.c", "a53.S", "a9.S", "program.ld"):
        (folder / name).write_text((EXAMPLE / name).read_text())
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    subprocess.run(["make", "-s", "-C", folder], check=True, capture_output=True, env=environment)
    return folder / "build"


def assembled(folder, text, *flags):
    source, script, elf = (folder / f"program.{end}" for end in ("S", "ld", "elf"))
    source.write_text(text)
    script.write_text("ENTRY(_start) SECTIONS { . = 0x100000; .text : { *(.text) } }")
    command = [*ZIG, *FLAGS, *flags, "-T", str(script), str(source), "-o", str(elf)]
    subprocess.run(command, check=True, capture_output=True)
    return elf


def run(target, folder, **overrides):
    return measure(load(LATENCY, **{"count": 40} | overrides), target, folder)


@pytest.mark.parametrize(
    ("target", "elf", "label"),
    [
        ("twin", "a53", "twin, a53 with"),
        ("twin:functional", "a53", "twin, functional with"),
        ("twin:a9", "a9", "twin of zynq7000, a9 with"),
    ],
)
def test_the_example_is_measured(built, tmp_path, target, elf, label):
    target = f"{target}:elf={built / elf}.elf"
    results = [run(target, tmp_path / name) for name in ("once", "again")]
    record = results[0].run
    assert record.valid, record.reasons
    assert re.fullmatch(rf"{label} the program {elf}\.elf \(sha256 \w{{12}}\)", record.label)
    handler, stored, task = (stats.min_ticks for stats in record.stats)
    assert 0 < handler <= stored < task
    assert "program: ready" in (tmp_path / "once" / "log.txt").read_text()
    samples = [read(result.folder).samples() for result in results]
    assert samples[0].num_rows == 120
    assert samples[0].equals(samples[1])
    assert record.loopback.loopback.min_ticks == record.loopback.loopback.max_ticks == 2


def test_a_place_is_passed_when_its_instruction_issues(built, tmp_path):
    """One instruction a cycle: 90 cycles are 75 ns, 18.75 ticks of 4 ns."""
    nops = ".rept 90\\nnop\\n.endr"
    source = (built.parent / "program.c").read_text()
    slow = tmp_path / "slow"
    slow.mkdir()
    for name in ("Makefile", "a53.S", "a9.S", "program.ld"):
        (slow / name).write_text((EXAMPLE / name).read_text())
    handler = "static void on_line(void) {"
    assert handler in source
    text = source.replace(handler, f'{handler} __asm__ volatile("{nops}");')
    (slow / "program.c").write_text(text)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(
        ["make", "-s", "-C", slow, "build/a53.elf"], check=True, env=os.environ | {"PATH": path}
    )
    channels = [{"start": "pc:on_line", "stop": "pc:on_line+0x168", "timeout": "9 us"}]
    elf = slow / "build" / "a53.elf"
    record = run(f"twin:functional:elf={elf}", tmp_path / "run", channels=channels).run
    assert record.valid, record.reasons
    assert {record.stats[0].min_ticks, record.stats[0].max_ticks} <= {18, 19}


def test_the_masked_map_names_each_interval_by_its_functions(built, tmp_path):
    record = run(f"twin:functional:elf={built / 'a53.elf'}", tmp_path, count=12, masked=True).run
    assert record.valid, record.reasons
    # The handler's end reaches the GIC when the main loop has the interrupts off again.
    (one,) = record.masked
    assert "vectors+0x280" in one.opened
    assert "(interrupts_on)" in one.closed
    assert one.count == 11  # the last one is open when the run ends
    # Line 0 rises in it, for the program sleeps in it; and is answered after it.
    (batch,) = read(tmp_path).batches().to_pylist()
    last = read(tmp_path).samples().to_pylist()[-3]
    edge = batch["start_tick"] + last["edge_ticks"]
    assert one.start_tick < edge < one.end_tick < edge + last["latency_ticks"]


#: Functions that call each other, and the action of the innermost one.
CALLS = """
__attribute__((noinline)) static void inner(void) {
    interrupts_off();
    __asm__ volatile("nop");
    interrupts_on();
    __asm__ volatile("nop");
}
__attribute__((noinline)) static void outer(void) {
    inner();
    __asm__ volatile("nop");
}
"""


@pytest.mark.parametrize(("target", "elf"), [("twin", "a53"), ("twin:a9", "a9")])
def test_the_masked_map_has_the_chain_of_calls(tmp_path, target, elf):
    for name in ("Makefile", "a53.S", "a9.S", "program.ld"):
        (tmp_path / name).write_text((EXAMPLE / name).read_text())
    update = "__attribute__((noinline)) void update(uint32_t seen) {"
    source = (EXAMPLE / "program.c").read_text()
    assert update in source
    (tmp_path / "program.c").write_text(source.replace(update, CALLS + update + " outer();"))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = ["make", "-s", "-C", tmp_path, f"build/{elf}.elf"]
    subprocess.run(command, check=True, env=os.environ | {"PATH": path})
    file = tmp_path / "build" / f"{elf}.elf"
    record = run(f"{target}:elf={file}", tmp_path / "run", count=12, masked=True).run
    assert record.valid, record.reasons
    chains = [re.findall(r"\((\w+)\+", one.caller) for one in record.masked]
    assert ["inner", "outer", "update", "run"] in chains
    (by_inner,) = (one for one in record.masked if "(inner+" in one.caller)
    assert by_inner.count in (11, 12)  # the last stimulus may end the run in front of it


def test_a_store_takes_a_level_back_and_a_priority_mask_is_in_the_map(tmp_path):
    """The level is gone before the handler ends; the priority mask alone keeps line 0 back."""
    text = """
    ldr x0, =0xF9010000
    ldr x1, =0xF9020000
    mov w2, #1
    movz w3, #0x0200, lsl #16
    str w3, [x0, #0x10C] // GICD_ISENABLER3: 121
    strb w2, [x0, #0x879] // its target
    str w2, [x0]
    str w2, [x1]
    mov w4, #0xF0
    ldr x5, =vectors
    msr vbar_el3, x5
    mov x5, #2
    msr scr_el3, x5
    isb
    msr daifclr, #2
again:
    str wzr, [x1, #4] // GICC_PMR
    dsb sy
closed:
    nop
    str w4, [x1, #4]
    dsb sy
opened:
    wfi
    b again
.balign 2048
vectors:
    .space 0x280
answer:
    ldr w6, [x1, #0xC]
    dsb sy
    ldr x7, =taken
    str w6, [x7]
    .rept 100
    nop
    .endr
    str w6, [x1, #0x10]
    dsb sy
    eret
    .ltorg
taken: .word 0
    """
    elf = assembled(tmp_path, ".globl _start\n.type _start, @function\n_start:\n" + text)
    channels = [{"start": "line 0", "stop": "pc:answer", "timeout": "4 us"}]
    acknowledge = {"mode": "acknowledged", "acknowledge": "store:taken"}
    lines = [{"high": "5 us", "low": "5 us"} | acknowledge]
    target = f"twin:functional:elf={elf}:ready=opened"
    changes = {"channels": channels, "lines": lines, "masked": True, "count": 8}
    record = run(target, tmp_path / "run", **changes).run
    assert record.valid, record.reasons
    assert record.counters[0].stops == 8  # a level that is still there interrupts again
    by_mask = next(one for one in record.masked if "(again+0x4)" in one.opened)
    assert "(closed+0x4)" in by_mask.closed
    assert by_mask.count == 8
    assert by_mask.least_ticks == by_mask.greatest_ticks == 15  # 60 ns: the way to the GIC and back


#: Line 0's interrupt at the GIC, with the program's vectors, on a core at EL3.
SET_UP = """
    ldr x0, =0xF9010000
    ldr x1, =0xF9020000
    mov w2, #1
    movz w3, #0x0200, lsl #16
    str w3, [x0, #0x10C]
    strb w2, [x0, #0x879]
    str w2, [x0]
    str w2, [x1]
    mov w4, #0xF0
    str w4, [x1, #4]
    ldr x5, =vectors
    msr vbar_el3, x5
    mov x5, #2
    msr scr_el3, x5
    isb
    msr daifclr, #2
"""
ANSWER = """
.balign 2048
vectors:
    .space 0x280
answer:
    ldr w6, [x1, #0xC]
    str w6, [x1, #0x10]
    dsb sy
    eret
    .ltorg
"""


def with_masks(tmp_path, text):
    """Record of a run of eight interrupts, with the masked map, of a program in assembler."""
    elf = assembled(tmp_path, ".globl _start\n.type _start, @function\n_start:\n" + text)
    channels = [{"start": "line 0", "stop": "pc:answer", "timeout": "40 us"}]
    lines = [{"high": "100 ns", "low": "99900 ns"}]
    changes = {"channels": channels, "lines": lines, "masked": True, "count": 8}
    return run(f"twin:functional:elf={elf}:ready=ready", tmp_path / "run", **changes).run


def test_a_recursion_makes_no_endless_map(tmp_path):
    """Each of 200 depths masks: their chains are one from some depth on."""
    text = f"""{SET_UP}
    ldr x6, =0x300000
    mov sp, x6
again:
    mov x20, #200
    bl deep
ready:
    wfi
    b again
.type deep, @function
deep:
    str x30, [sp, #-16]!
    msr daifset, #2
    nop
    msr daifclr, #2
    subs x20, x20, #1
    beq done
    bl deep
done:
    ldr x30, [sp], #16
    ret
{ANSWER}"""
    record = with_masks(tmp_path, text)
    assert record.masked, record.reasons
    of_depths = [one for one in record.masked if "(deep+" in one.opened]
    assert 20 < len(of_depths) <= 30
    assert sum(one.count for one in of_depths) % 200 == 0
    (deepest,) = (one for one in of_depths if one.caller.endswith(" < ..."))
    assert deepest.caller.count(" < ") == 24
    assert deepest.count > 7 * 150
    assert (tmp_path / "run" / "run.json").stat().st_size < 100_000


def test_intervals_before_the_first_stimulus_are_not_in_the_map(tmp_path):
    """The program masks after it is ready and before line 0 rises, then after each answer."""
    text = f"""{SET_UP}
    mov x20, #100
ready:
    msr daifset, #2
    .rept 16
    nop
    .endr
    msr daifclr, #2
    subs x20, x20, #1
    bne ready
measured:
    wfi
    msr daifset, #2
    nop
    msr daifclr, #2
    b measured
{ANSWER}"""
    record = with_masks(tmp_path, text)
    opened = {re.search(r"\((\w+)", one.opened)[1] for one in record.masked}
    assert "measured" in opened, record.reasons
    assert "ready" not in opened


def test_intervals_beyond_the_most_kinds_share_a_row(tmp_path):
    """2,100 places mask: the last of them are one row with the sum of their intervals."""
    text = f"""{SET_UP}
again:
    .rept 2100
    msr daifset, #2
    .rept 16
    nop
    .endr
    msr daifclr, #2
    .endr
ready:
    wfi
    b again
{ANSWER}"""
    record = with_masks(tmp_path, text)
    assert record.masked, record.reasons
    assert len(record.masked) == 2001
    (others,) = (one for one in record.masked if not one.closed)
    of_places = [one for one in record.masked if "(again+" in one.opened]
    passes = {one.count for one in of_places}
    assert passes == {8}, passes
    assert others.opened == f"and {others.count} more"
    assert others.count == 8 * (2100 - len(of_places))
    assert others.least_ticks == others.greatest_ticks == 3  # 17 instructions at 1200 MHz


def test_a_program_that_goes_on_in_aarch32_is_refused(tmp_path):
    text = """
    mov x0, #0x1D3 // SVC of AArch32, masked
    msr spsr_el3, x0
    ldr x0, =there
    msr elr_el3, x0
    msr scr_el3, xzr
leaves:
    eret
there:
    .word 0, 0
    """
    elf = assembled(tmp_path, ".globl _start\n.type _start, @function\n_start:\n" + text)
    channels = [{"start": "line 0", "stop": "pc:there", "timeout": "4 us"}]
    lines = [{"high": "5 us", "low": "5 us"}]
    target = f"twin:functional:elf={elf}"
    result = run(target, tmp_path / "run", count=8, channels=channels, lines=lines)
    assert "the program returns to AArch32, which is not modelled, PC" in str(result.error)
    assert "(leaves)" in str(result.error)


def test_a_twin_that_is_lost_in_its_program_ends_by_sigterm(tmp_path):
    """Code that the program writes itself is not looked at: it gets into AArch32 all the same."""
    text = """
    mov x0, #0x1D3
    msr spsr_el3, x0
    ldr x1, =0x200000
    msr elr_el3, x1
    msr scr_el3, xzr
    ldr w2, =0xD69F03E0 // eret
    str w2, [x1]
    ldr w2, =0xEAFFFFFE // a branch to itself, in AArch32
    str w2, [x1, #4]
    dsb sy
    ic iallu
    isb
    br x1
never: nop
    """
    elf = assembled(tmp_path, ".globl _start\n.type _start, @function\n_start:\n" + text)
    words = ["--profile", "functional", "--program", str(elf), "--ready", "never"]
    command = [sys.executable, "-Pm", "irqscope_twin", *words]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(4)
        process.terminate()
        assert process.wait(10) in (0, 3)
    finally:
        process.kill()
        process.communicate()


def test_functions_of_an_answer_are_counted(built):
    elf = built / "a53.elf"
    steps = path.measured(
        load(LATENCY, count=20), f"twin:functional:elf={elf}", Untold(), lambda: False
    )
    counts = {step.name: bins.load(step.instructions) for step in steps}
    assert {"vectors", "on_interrupt", "on_line"} <= counts.keys()
    assert [counts[name].n for name in ("on_interrupt", "on_line")] == [20, 20]
    assert int(counts["vectors"].lower.max()) == 10 + 1 + 9 + 2  # saves, call, restores, return


def test_time_by_function_is_the_latency_of_each_stimulus(built, tmp_path, capsys):
    file, target = tmp_path / "functions.csv", f"twin:a53:elf={built / 'a53.elf'}"
    experiment = load(LATENCY, count=12)
    result = measure(experiment, target, tmp_path / "run", functions=file)
    assert result.run.valid, result.run.reasons
    samples = read(result.folder).samples().to_pylist()
    latencies = [one["latency_ticks"] for one in samples if one["channel"] == 2]
    actual = answers(file)
    assert sorted(one.stimulus for one in actual) == [*range(1, 13)]
    for one in actual:  # a place is a pin: its synchroniser takes two ticks and counts whole ones
        assert 0 <= one.whole.ticks + 2 - latencies[one.stimulus - 1] <= 1
    assert actual[0].whole.ticks == max(one.whole.ticks for one in actual)
    show.print_functions(result.run, actual)
    text = " ".join(capsys.readouterr().out.split())
    assert f"the longest answer, to stimulus {actual[0].stimulus}, and the middle one" in text
    assert all(name in text for name in ("vectors", "on_interrupt", "update", "in all"))
    file.write_text("stimulus,function,instructions,ticks\n1,_ZN3app2on17h0123456789abcdefE,1,2\n")
    show.print_functions(result.run, answers(file))
    assert "app::on" in capsys.readouterr().out


# ---- refusals ------------------------------------------------------------------------------------


def refused(target, **options):
    with pytest.raises(TargetError) as caught:
        open_target(target, of_program=True, **options).close()
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_what_cannot_be_a_program(built, tmp_path):
    assert "the program is missing: say twin:elf=FILE" in refused("twin")
    assert "none.elf: No such file" in refused(f"twin:elf={tmp_path / 'none.elf'}")
    other = refused(f"twin:elf={built / 'a9.elf'}")
    assert "it is built for arm, 32 bits; the Cortex-A53 of this twin takes AArch64" in other
    elf = built / "a53.elf"
    nearest = refused(f"twin:elf={elf}", watches=(("pc:on_lin", 2),))
    assert "a53.elf has no symbol on_lin; the nearest are on_line" in nearest
    assert "write pc:main" in refused(f"twin:elf={elf}", watches=(("id:main", 2),))
    assert "measured without --fault" in refused(f"twin:fault=spi-dead:elf={elf}")
    with pytest.raises(TargetError, match='write machine = "program" in the experiment'):
        open_target(f"twin:elf={elf}")


def test_a_stripped_file(tmp_path):
    elf = assembled(tmp_path, ASLEEP.format("nop"), "-Wl,-s")
    output = refused(f"twin:elf={elf}", watches=(("pc:_start", 2),))
    assert "is stripped: it has no symbols, so _start cannot" in output


def ended(elf, folder, options=""):
    """Returns the error of a run that cannot start, and its log."""
    channels = [{"start": "line 0", "stop": "pc:_start", "timeout": "9 us"}]
    result = run(f"twin:functional:elf={elf}{options}", folder, channels=channels)
    assert not result.run.valid
    assert "\n" not in str(result.error)
    return str(result.error), (folder / "log.txt").read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("movz x0, #0x5000, lsl #16\nmovk x0, #1, lsl #32\nldr w1, [x0, #8]",
         r"load of 4 bytes at unknown address 0x150000008; memory is 0x0 to 0x7fffffff, .*, "
         r"PC 0x10000\w \(_start\+0x8\), core 0"),
        ("movz x0, #0xFF0A, lsl #16\nldr w1, [x0, #0x2D4]",
         r"load of 4 bytes at 0xff0a02d4 \(GPIO\): no such .*, PC 0x100004 \(_start\+0x4\)"),
        ("movz x0, #0xFF0A, lsl #16\nbr x0",
         r"instruction fetch at 0xff0a0000, where the registers of a device are, "
         r"PC 0x100004 \(_start\+0x4\), core 0"),
        ("movz x0, #0x3000, lsl #16\nbr x0",
         r"the program faults at 0x30000000 \(zeros, no instruction\), and again"),
        ("udf #0",
         r"the program faults at 0x100000 \(_start\) \(zeros, no instruction\), and again"),
    ],
)  # fmt: skip
def test_a_program_that_reaches_for_nothing_or_faults(tmp_path, text, said):
    actual, log = ended(assembled(tmp_path, ASLEEP.format(text)), tmp_path / "run")
    assert re.search(said, actual)
    assert "program:   0x100000 (_start)" in log
    assert "program:   x0=" in log


def test_an_interrupt_that_nothing_enables(tmp_path):
    output, _ = ended(assembled(tmp_path, ASLEEP.format("nop")), tmp_path / "run")
    assert (
        "the program answered none of the first 16 stimuli; interrupt 121 is not enabled" in output
    )
    assert "the distributor forwards nothing" in output
    assert "interrupts of core 0 are off" in output


def test_a_program_that_never_is_ready(tmp_path):
    elf = assembled(tmp_path, ASLEEP.format("") + "never: nop\n")
    output, log = ended(elf, tmp_path / "run", ":ready=never")
    assert "the program sleeps before it is ready, and nothing wakes it" in output
    assert "program:   0x100000 (_start)" in log


def test_a_byte_to_a_uart_that_is_off_is_said(tmp_path):
    text = "movz x0, #0xFF00, lsl #16\nmov w1, #65\nstr w1, [x0, #0x30]\n"
    _, log = ended(assembled(tmp_path, ASLEEP.format(text)), tmp_path / "run")
    assert "[a byte was sent to UART0 whose transmitter is disabled: its control register" in log


def test_each_instruction_of_a_program_is_interrupted_in_its_turn(built, tmp_path):
    """Of nops one issues in each cycle of 5/6 ns, 4.8 in a tick of 4 ns. The stamp does not show
    within which tick the place was passed.
    """
    source = (EXAMPLE / "periodic.c").read_text()
    assert "pass_time(4);" in source
    straight = source.replace("pass_time(4);", '__asm__ volatile(".rept 400\\nnop\\n.endr");')
    folder = tmp_path / "nops"
    folder.mkdir()
    (folder / "periodic.c").write_text(straight)
    for name in ("Makefile", "a53.S", "program.ld"):
        (folder / name).write_text((EXAMPLE / name).read_text())
    elf = folder / "build" / "periodic-a53.elf"
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = ["make", "-s", "-C", folder, "build/periodic-a53.elf"]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    table = load(EXAMPLE / "placement.toml").code_under_test.model_dump() | {"last": "119 ticks"}
    placed = load(EXAMPLE / "placement.toml", count=100, code_under_test=table)
    result = measure(placed, f"twin:functional:elf={elf}", tmp_path / "run")
    actual = result.run.placements
    assert result.run.valid, result.run.reasons
    assert (actual.firmware, actual.accepted) == ("periodic-a53.elf", 100)
    sample = Program(read_elf(elf)).place("sample")[0]
    rows = read(result.folder).places().to_pydict()
    assert rows["delay_ticks"] == list(range(20, 120))
    measured = [(address - sample) // 4 for address in rows["address"]]
    per_tick, inside = 4.8, 50
    lead = [measured[n] - per_tick * (20 + n) for n in range(inside)]
    assert max(lead) - min(lead) < per_tick + 1
    assert any(one.taken for one in actual.instructions)


def test_a_place_is_awaited_while_other_interrupts_end_the_core_s_waits(tmp_path):
    """A timer interrupts a load at once, before the time that the load's value comes at."""
    text = f"""{SET_UP}
    movz w6, #0x2000, lsl #16
    str w6, [x0, #0x100] // GICD_ISENABLER0: 29, the secure timer
    ldr x6, =0xFF260000
    str w2, [x6] // the system counter
    mrs x10, cntpct_el0
    msr cntps_ctl_el1, x2
    isb
again:
    mov x11, #50
passed:
    .rept 4
    ldr x8, [x5]
    add x8, x8, #1
    .endr
code:
    ldr x8, [x5]
end_of_code:
    add x8, x8, #1
more:
    ldr x8, [x5]
    add x8, x8, #1
    subs x11, x11, #1
    bne more
    b again
.balign 2048
vectors:
    .space 0x280
    ldr w12, [x1, #0xC]
    cmp w12, #121
    b.eq answer
    add x10, x10, #130
    msr cntps_cval_el1, x10
    isb
    str w12, [x1, #0x10]
    dsb sy
    eret
answer:
    str w12, [x1, #0x10]
    dsb sy
    eret
    .ltorg
    """
    elf = assembled(tmp_path, ".globl _start\n.type _start, @function\n_start:\n" + text)
    changes = {
        "channels": [{"start": "line 0", "stop": "pc:answer", "timeout": "1900 ns"}],
        "lines": [{"phase": "locked", "high": "1 us", "low": "1 us"}],
        "code_under_test": {
            "code": "code..end_of_code",
            "after": "pc:passed",
            "first": "20 ticks",
            "last": "419 ticks",
            "step": "4 ticks",
            "period": "30 us",
        },
    }
    result = run(f"twin:a53:elf={elf}:ready=again", tmp_path / "run", count=100, **changes)
    assert result.run.valid, result.run.reasons
    assert result.run.counters[0].served == 100
