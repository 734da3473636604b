"""Lines with interrupts of their own on a core with a CLIC: priorities and nesting."""

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope_rtl.cores import ROOT

FILE = ROOT / "experiments" / "lines" / "three-lines.toml"


def latencies(folder, stack):
    """Least and most of each line, in cycles."""
    result = measure(load(FILE, count=150, stack=stack), "rtl:cv32e40p-clic", folder)
    assert result.run.valid, result.run.reasons
    assert all(counters.starts == 150 for counters in result.run.counters)
    return [(stats.min_ticks, stats.max_ticks) for stats in result.run.stats]


def test_a_more_urgent_line_interrupts_the_handlers_of_the_others(soft, tmp_path):
    """A handler of line 1 lasts 1000 cycles, of line 2 2000: only line 2 waits for another's."""
    first, second, third = latencies(tmp_path / "run", "nested")
    assert first[0] == 33 and first[1] < 100
    assert first[0] < second[0] and second[1] < 400
    assert second[0] == third[0] and 1000 < third[1] < 1400


def test_without_nesting_each_line_waits_for_the_handler_that_runs(soft, tmp_path):
    first, second, _ = latencies(tmp_path / "run", "baremetal")
    assert first[0] == 33 and first[1] > 1000
    assert second[1] > 1000
