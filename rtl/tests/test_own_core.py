"""The worked example of a core of one's own: built, run, and as long as it has to be."""

import pytest

from irqscope.acquire.measure import measure
from irqscope.experiment import load
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
