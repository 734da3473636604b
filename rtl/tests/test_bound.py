"""The worst number of cycles from the input to the handler, and the cases tried for it."""

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope.report import summary
from irqscope_rtl.cores import ROOT

CLINT = ROOT / "experiments" / "cv32rt" / "clint.toml"
NOPS = ROOT / "experiments" / "placement" / "nops.toml"
TARGET = "rtl:cv32e40p"


def bound(record):
    return {row.name: row.cells for row in summary.table(record)}["bound"]


def test_the_bound_says_what_was_tried(soft, tmp_path):
    """Where the line meets the loop's last jump, the latency is a cycle longer."""
    experiment = load(CLINT.with_name("bound.toml"), count=64)
    record = measure(experiment, TARGET, tmp_path / "run").run
    assert record.valid, record.reasons
    tried = "tried were 64 interrupts with 256 delays by chance, which met running code (64)"
    assert bound(record) == (
        f"at most 34 cycles: {tried}",
        f"at most 34 cycles: {tried}",
        f"at most 33 cycles: {tried}",
    )


def test_what_timed_out_bounds_nothing(soft, tmp_path):
    experiment = load(CLINT, count=8)
    short = experiment.channels[1].model_copy(
        update={"timeout": type(experiment.channels[1].timeout).parse("20 ticks")}
    )
    experiment = experiment.model_copy(update={"channels": (short,)})
    record = measure(experiment, TARGET, tmp_path / "run").run
    (cell,) = bound(record)
    assert cell.startswith("none: 8 of 8 timed out")


def test_of_placements_it_says_how_many(soft, tmp_path):
    record = measure(load(NOPS), TARGET, tmp_path / "run").run
    assert record.valid, record.reasons
    (cell,) = bound(record)
    tried = "tried were 162 interrupts at 81 placements of code_under_test_nops"
    assert cell.endswith(f"; {tried}, which met running code (162)")
    (met,) = record.encounters  # between two placements the firmware masks, and no rise meets that
    assert met.met_ticks == 0 and 0 < met.mask_ticks < 20
    assert cell.startswith(f"none: the line was masked for up to {met.mask_ticks} cycles")
    assert f"Both together are {record.stats[0].max_ticks + met.mask_ticks} cycles" in cell
