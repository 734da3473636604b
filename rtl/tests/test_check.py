"""Checks of how a core is attached: a good core passes, and each fault is told with both values."""

import shutil

import pytest

from irqscope_rtl import check, cores
from irqscope_rtl.cores import ROOT, CoreError

EXAMPLE = ROOT / "rtl" / "examples" / "multicycle"
#: Faults of the example: file, text, what it becomes; and by check what is said of them.
FAULTS = {
    "start": (
        [("multicycle.sv", "pc <= 32'h100000;", "pc <= 32'h80;")],
        {
            "reset and first fetch": "expected a start at 0x100000 or 0xfff80, seen first fetch "
            "0x80, now PC ",
        },
    ),
    "array, asleep before an answer": (
        [
            (
                "multicycle.sv", "wire [31:0] pending =",
                "logic [31:0] queue[2];\n  always_comb queue[1] = fetched;\n"
                "  always_ff @(posedge clk) queue[0] <= queue[1];\n  wire [31:0] pending =",
            ),
            (
                "multicycle.sv", "sleeping = state == SLEEP &&",
                "sleeping = (state == SLEEP || state == EXECUTE && !given) &&",
            ),
        ],
        {
            "assignments to arrays": "multicycle.sv:22: queue: expected one kind of assignment, "
            "seen blocking and non-blocking",
            "wake from wfi": "expected asleep high only after all answers, seen it high with one "
            "due, in cycle ",
        },
    ),
    "asleep": (
        [("core.sv", ".sleeping(asleep)", ".sleeping()")],
        {"wake from wfi": "expected asleep high while the core waits in wfi, seen low"},
    ),
    "irq": (
        [("core.sv", ".irq(irq)", ".irq({irq[30:0], 1'b0})")],
        {"each cause": "cause 7: expected 1 interrupt, seen none in 20000 cycles, now PC "},
    ),
    "lanes, window": (
        [
            ("multicycle.sv", "stored <= b << 8 * where[1:0];", "stored <= b;"),
            (
                "multicycle.sv", "wire [31:0] pending = irq & mie;",
                "logic [3:0] late;\n  always_ff @(posedge clk) late <= {late[2:0], enabled};\n"
                "  wire [31:0] pending = state == FETCH && !late[3] ? '0 : irq & mie;",
            ),
        ],
        {
            "byte lanes": "expected store of 0xa500 at 0x180004, bytes 0b0010, seen store of 0x0 "
            "at 0x180004, bytes 0b0010, cycle ",
            "interrupts on for one instruction": "expected the interrupt that waits between "
            "csrsi mstatus, 8 and csrci mstatus, 8, seen none",
        },
    ),
    "mepc, slow input": (
        [
            ("multicycle.sv", "mepc <= pc;", "mepc <= pc + 4;"),
            ("core.sv", ".irq(irq)", ".irq(slow[9])"),
            (
                "core.sv", "  logic [31:0] pc;",
                "  logic [31:0] pc;\n  logic [9:0][31:0] slow;\n"
                "  always_ff @(posedge clk) slow <= {slow[8:0], irq};",
            ),
        ],
        {
            "an interrupt at each of 30 instructions": "cycles after the first instruction",
            "wake from wfi": "expected asleep low 8 cycles after the input, seen high in cycle ",
        },
    ),
}  # fmt: skip
#: Loads of a core with a data cache of lines of four words, and one more that no cache makes.
LINE = [check.Access("load", 10 + n, 0x180000 + 4 * n, 0xF, 0) for n in range(4)]
TWICE = check.Access("load", 20, 0x180004, 0xF, 0)


def failed(folder):
    """Failures of a core, by check."""
    bench = check.Bench(cores.find(f"{folder}/"))
    return {name: failure for name, failure in check.failures(bench) if failure is not None}


def test_the_example_passes_and_has_its_latency():
    bench = check.Bench(cores.find(str(EXAMPLE)))
    assert [failure for _, failure in check.failures(bench) if failure] == []
    latency = check.latency(bench)
    # It looks at its inputs in the cycle of a fetch, and an instruction takes two cycles.
    assert latency.to_trap == (2, 3)
    assert latency.value == 2
    assert str(latency).startswith("#define RVMODEL_INTERRUPT_LATENCY 2\n")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_both_values(fault, tmp_path):
    changes, failures = FAULTS[fault]
    folder = tmp_path / "mine"
    shutil.copytree(EXAMPLE, folder)
    for name, old, new in changes:
        text = (folder / name).read_text()
        assert text.count(old) == 1
        (folder / name).write_text(text.replace(old, new))
    failures_by_name = failed(folder)
    for where, message in failures.items():
        assert message in failures_by_name[where]


#: Job, the first cycle that the manual shows, and its pins.
DIAGRAMS = (
    (("order", 1, 1, 1, 0, 0, 46), 33, "fetch fetch_valid access write ready valid"),
    (("wfi", 0, 0, 1, 23, 5, 38), 26, "fetch fetch_valid access valid irq asleep"),
)
PINS = ["fetch", "fetch_valid", "access", "write", "ready", "valid", "irq", "asleep"]


def test_the_diagrams_of_the_manual_are_those_of_the_simulation():
    bench = check.Bench(cores.find(str(EXAMPLE)))
    manual = (ROOT / "docs" / "cores.md").read_text()
    for (name, *numbers), first, pins in DIAGRAMS:
        levels = bench.pins(" ".join(map(str, (bench.address(f"check_{name}"), *numbers))))
        columns = [PINS.index(pin) for pin in pins.split()]
        lines = [
            f"    {PINS[column]:12}" + "".join("▁▔"[int(row[column])] * 2 for row in levels[first:])
            for column in columns
        ]
        assert "\n".join(lines) in manual


def stores(expected):
    return [
        check.Access(kind, 30 + n, address, lanes, data)
        for n, (kind, address, lanes, data) in enumerate(expected)
        if kind == "store"
    ]


def test_lines_that_a_data_cache_loads_are_no_failure():
    ended = check.Trace([*LINE, *stores(check.LANES)], ended=True)
    check.compare_accesses(ended, check.LANES, "no wait states")
    ended.events.append(TWICE)
    with pytest.raises(check.Failure, match="access 1: expected store of 0x11223344"):
        check.compare_accesses(ended, check.LANES, "no wait states")
    trace = check.Trace([*LINE, *stores(check.LANES)[1:]], ended=True)
    with pytest.raises(check.Failure, match="access 1: expected store of 0x11223344"):
        check.compare_accesses(trace, check.LANES, "no wait states")


def test_a_core_without_these_interrupts_is_refused(capsys):
    with pytest.raises(CoreError, match='picorv32 has machine = "picorv32"'):
        check.check(cores.find("picorv32"))
