"""The step that measures: one run of T2."""

from __future__ import annotations

from irqscope.acquire.measure import measure
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.step import Notes
from irqscope.errors import IrqscopeError
from irqscope.experiment.baseline import T2
from irqscope.experiment.model import Experiment
from irqscope.results.record import RunRecord
from irqscope.units import ticks_to_ns

COUNT = 240
#: The published average is of another firmware on another chip of the kind: within this factor.
_FACTOR = 2


def measured(dut: DeviceUnderTest, notes: Notes, experiment: Experiment) -> RunRecord | None:
    """Measures into the folder ``t2`` and expects a valid run.

    Returns:
        The run, or None if it ended before any stimulus; the notes then say why.
    """
    result = measure(experiment, dut.name, dut.folder / "t2", opened=dut.target)
    stats = result.run.stats
    if isinstance(result.error, IrqscopeError) or not stats or not stats[0].n:
        notes.fail(f"the run ended early: {result.error}", "the steps above; then report it")
        return None
    notes.expect(
        result.run.valid,
        "the run is not valid: " + "; ".join(result.run.reasons),
        "the reasons; `irqscope info` of the run folder",
    )
    return result.run


def t2(dut: DeviceUnderTest, notes: Notes) -> None:
    """The published baseline with caches on, and whether it comes out near what was published."""
    printed = dut.wiring.t2
    run = measured(dut, notes, T2.model_copy(update={"count": COUNT}))
    if run is None:
        return
    stats = run.stats
    tick_hz = dut.session.identity.tick_hz
    mean = ticks_to_ns(stats[0].sum_ticks, tick_hz) / stats[0].n
    low, high = printed.value / _FACTOR, printed.value * _FACTOR
    calibration = run.calibration
    assert calibration is not None  # a run comes to its first batch after it
    bound = calibration.one_way.bound_ns
    notes.see(
        f"average {mean:.0f} ns of N = {stats[0].n}, one-way path at most {bound} ns; "
        f"{printed.where}: {printed.value:.0f} {printed.unit}"
    )
    notes.expect(
        low <= mean <= high,
        f"T2's average is {mean:.0f} ns, outside {low:.0f} to {high:.0f} ns",
        f"clocks of the cores and of the bus to the markers (one-way path at most {bound} ns), "
        "as this design's set-up leaves them; other masters on the bus",
    )
