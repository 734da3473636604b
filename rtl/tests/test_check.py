"""Checks of how a core is attached: a good core passes, and each fault is told with both values."""

import shutil

import pytest

from irqscope_rtl import check, cores
from irqscope_rtl.cores import ROOT, CoreError

EXAMPLE = ROOT / "rtl" / "examples" / "multicycle"
#: Fault of the example, file, text, what it becomes, the check that fails, and what it says.
FAULTS = {
    "start": (
        "multicycle.sv", "pc <= 32'h100000;", "pc <= 32'h80;",
        "reset and first fetch",
        "expected a start at 0x100000 or 0xfff80, seen first fetch 0x80, now PC ",
    ),
    "array": (
        "multicycle.sv", "wire [31:0] pending =",
        "logic [31:0] queue[2];\n  always_comb queue[1] = fetched;\n"
        "  always_ff @(posedge clk) queue[0] <= queue[1];\n  wire [31:0] pending =",
        "assignments to arrays",
        "multicycle.sv:22: queue: expected one kind of assignment, seen blocking and non-blocking",
    ),
    "asleep": (
        "core.sv", ".sleeping(asleep)", ".sleeping()",
        "wake from wfi",
        "expected asleep high while the core waits in wfi, seen low",
    ),
    "irq": (
        "core.sv", ".irq(irq)", ".irq({irq[30:0], 1'b0})",
        "each cause",
        "cause 7: expected 1 interrupt, seen none in 20000 cycles, now PC ",
    ),
    "lanes": (
        "multicycle.sv", "stored <= b << 8 * where[1:0];", "stored <= b;",
        "byte lanes",
        "expected store of 0xa500 at 0x180004, bytes 0b0010, seen store of 0x0 at 0x180004, "
        "bytes 0b0010, cycle ",
    ),
    "mepc": (
        "multicycle.sv", "mepc <= pc;", "mepc <= pc + 4;",
        "an interrupt at each of 30 instructions",
        "cycles after the first instruction",
    ),
}  # fmt: skip


def failed(folder):
    """Failures of a core, by check."""
    bench = check.Bench(cores.find(f"{folder}/"))
    return {name: said for name, said in check.failures(bench) if said is not None}


def test_the_example_passes_and_has_its_latency():
    bench = check.Bench(cores.find(str(EXAMPLE)))
    assert [said for _, said in check.failures(bench) if said] == []
    found = check.latency(bench)
    # It looks at its inputs in the cycle of a fetch, and an instruction takes two cycles.
    assert found.to_trap == (2, 3)
    assert found.value == 2
    assert str(found).startswith("#define RVMODEL_INTERRUPT_LATENCY 2\n")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_both_values(fault, tmp_path):
    name, old, new, where, said = FAULTS[fault]
    folder = tmp_path / "mine"
    shutil.copytree(EXAMPLE, folder)
    text = (folder / name).read_text()
    assert text.count(old) == 1
    (folder / name).write_text(text.replace(old, new))
    found = failed(folder)
    assert said in found[where]


def test_a_core_without_these_interrupts_is_refused(capsys):
    with pytest.raises(CoreError, match='picorv32 has machine = "picorv32"'):
        check.check(cores.find("picorv32"))
