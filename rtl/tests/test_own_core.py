"""The worked example of a core of one's own: built, run, and as long as it has to be."""

import pytest

from irqscope import summary
from irqscope.experiment import load
from irqscope.measure import measure
from irqscope_rtl import build
from irqscope_rtl.cores import ROOT

EXAMPLE = ROOT / "rtl" / "examples" / "multicycle"
CLINT = ROOT / "experiments" / "cv32rt" / "clint.toml"
#: By what multicycle.sv says of itself: it wakes, goes to the entry, fetches it and executes its
#: jump, fetches; then adds (2 cycles), stores 16 registers (4 each), reads mcause and mepc (2
#: each), stores both. The marker is executed then, and is on the bus a cycle later.
EXECUTION = 5 + 2 + 16 * 4 + 2 * 2 + 2 * 4


@pytest.fixture(scope="session")
def own(soft):
    build.build([str(EXAMPLE)], report=lambda text: None)
    return f"rtl:{EXAMPLE}"


def test_it_takes_as_many_cycles_as_its_states_say(own, tmp_path):
    record = measure(load(CLINT, count=20), own, tmp_path / "run").run
    assert record.valid, record.reasons
    assert record.source.label.startswith("RTL simulation of ")
    found = [(stats.min_ticks, stats.max_ticks) for stats in record.stats]
    assert found == [(EXECUTION + 1,) * 2, (EXECUTION,) * 2, (EXECUTION,) * 2]


def test_the_bound_says_what_was_tried(soft, tmp_path):
    """A jump at the end of the loop costs a cycle, wherever the line meets it."""
    experiment = load(CLINT.with_name("bound.toml"), count=64)
    record = measure(experiment, "rtl:cv32e40p", tmp_path / "run").run
    assert record.valid, record.reasons
    rows = {row.name: row.cells for row in summary.table(record)}
    tried = "tried were 64 interrupts of a core in a loop of nops, with 256 delays by chance"
    assert rows["bound"] == (
        "not from an input to an instruction",
        f"at most 34 cycles: {tried}",
        f"at most 33 cycles: {tried}",
    )


def test_what_timed_out_bounds_nothing(soft, tmp_path):
    experiment = load(CLINT, count=8)
    short = experiment.channels[1].model_copy(
        update={"timeout": type(experiment.channels[1].timeout).parse("20 ticks")}
    )
    experiment = experiment.model_copy(update={"channels": (short,)})
    record = measure(experiment, "rtl:cv32e40p", tmp_path / "run").run
    (cell,) = {row.name: row.cells for row in summary.table(record)}["bound"]
    assert cell.startswith("none: 8 of 8 timed out")
