"""No number on the screen says more than its run: runs that are wrong, cut short, or censored."""

from __future__ import annotations

import pyarrow as pa
from gui.by_hand import drop, go_to, next_frame, open_folder
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import record, rewrite, write_run

from irqscope.gui.control.feed import Picture
from irqscope.results.reader import read
from irqscope.results.tables import SAMPLES

_LATENCIES = [60 + n % 40 for n in range(300)]


def _wrong(folder, **values):
    """A run with results that is not valid."""
    return write_run(
        folder, described(name="wrong"), _LATENCIES, valid=False, reasons=["records were lost"],
        **values,
    )  # fmt: skip


def test_runs_that_are_not_valid_are_compared_with_a_word_about_it(window, tmp_path):
    for name in ("valid", "stopped"):
        write_run(tmp_path / name, described(), _LATENCIES)

    def stop(run):
        run["ended"] |= {"reason": "interrupted", "message": "stopped early"}
        run |= {"valid": False, "reasons": ["stopped early"]}

    rewrite(tmp_path / "stopped", stop)
    _wrong(tmp_path / "wrong")
    assert drop(window, *(tmp_path / name for name in ("valid", "stopped", "wrong")))
    said = window.compare.hint.text()
    assert "Run 2 is interrupted: stopped early." in said
    assert "Run 3 is INVALID: records were lost." in said and "Run 1 is" not in said


def test_a_reference_that_is_not_valid_is_called_so(window, until, tmp_path):
    write_run(tmp_path / "valid", described(), _LATENCIES)
    _wrong(tmp_path / "wrong")
    open_folder(window, tmp_path / "valid")
    until(lambda: window.station.feed.picture)
    window.scope.refer_to(tmp_path / "wrong")
    until(lambda: window.scope.painter.reference)
    assert window.scope.painter.reference.name == "reference (INVALID): wrong"


def test_a_segment_that_ended_before_its_first_batch_shows_no_number_of_the_one_before(
    window, until, tmp_path
):
    write_run(tmp_path / "first", described(), _LATENCIES)
    open_folder(window, tmp_path / "first")
    until(lambda: window.station.feed.picture)
    feed = window.station.feed
    feed.go_on("line 0 low 4 ms → 6 ms")
    feed.settle(record(described(), started="2026-11-22T10:00:00Z"))
    assert not feed.picture.distributions
    go_to(window, "Scope")
    for _ in range(3):
        next_frame(window.scope.painter)
    assert not window.scope.figures.cell("whole run", "N")
    assert not window.scope.histogram.drawn.shown and not window.scope.ccdf.drawn.shown


def test_a_maximum_beside_coalesced_stimuli_is_of_those_served(window, until, tmp_path):
    run = write_run(tmp_path / "run", described(), _LATENCIES)
    found = run.stats[0].model_copy(update={"n": 302, "coalesced": 2})
    known = read(tmp_path / "run").distribution(0)
    go_to(window, "Scope")
    feed = window.station.feed
    feed.take(
        pa.table([pa.array([], one.type) for one in SAMPLES], schema=SAMPLES),
        Picture(run.model_copy(update={"stats": (found,)}), {0: known}),
        {},
    )
    next_frame(window.scope.painter)
    scope = window.scope
    assert scope.maximum.text().endswith(" of served")
    assert "N = 302: 300 served, 2 coalesced" in scope.counters.text()
    assert scope.counters.text().endswith("ns of served")
    for row in ("min", "max"):
        assert scope.figures.cell("whole run", row).endswith(" of served")
