"""Floors of the window: the first plot, and frames, standstills and memory with much data.

``python -m tools.app.bench`` clicks for a twin and waits for the plot; then it fills a run of
10^7 samples, lets 10,000 samples a second arrive, and prints how the window performs. Exit code
1 if a floor is missed. The twin must be built.

``python -m tools.app.bench MINUTES`` instead watches a live run of the twin for this long, and
prints whether the window's memory grows by more than what the trace keeps.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from PyQt6.QtCore import QObject, QSettings  # noqa: E402
from PyQt6.QtWidgets import QApplication  # noqa: E402

from irqscope.analysis import stats  # noqa: E402
from irqscope.link.identity import Identity
from irqscope.results.counters import ChannelCounters
from irqscope.results.record import RunRecord, Source
from irqscope.results.statistics import Stats
from irqscope_app.control.feed import Feed, Picture  # noqa: E402
from irqscope_app.pattern.draft import Draft  # noqa: E402
from irqscope_app.preferences import Preferences  # noqa: E402
from irqscope_app.scope.painter import PAINT_MS  # noqa: E402
from irqscope_app.widgets.common import timer  # noqa: E402
from irqscope_app.window import Window  # noqa: E402
from tools.app.alive import pump, until  # noqa: E402

OPEN = 10_000_000
RATE = 10_000
#: Pieces in which samples come, in a second.
_PIECES = 50
_LASTING_S = 10.0
#: Sampling interval of a live run, s; and its warm-up time.
_LOOK_S, _WARM = 1.0, 0.2
#: More stimuli than a run of some hours has.
_ENDLESS = 10**9
_MB = 1 << 20
#: Who sees the first screen reads it before the click, s.
_READ_S = 2.0
#: A twin of the first machine and board.
_SOURCE = 0x1_0101
_HZ = 249_975_000
FLOORS = {
    "first_plot_s": 2.0,
    "frames": 30.0,
    "standstill_ms": 50.0,
    "memory_mb": 500.0,
    "growth_mb": 20.0,
}


class Samples(threading.Thread):
    """Samples at a steady rate, from a thread as those of a run."""

    def __init__(self, feed: Feed) -> None:
        super().__init__(daemon=True)
        self.stopped = threading.Event()
        self._feed = feed
        self._generator = np.random.default_rng(1)
        self._batch = 0
        self._counts = np.zeros(1024, np.int64)
        draft = Draft()
        assert draft.experiment is not None  # the built-in experiment is a good one
        self._experiment = draft.experiment.model_copy(update={"count": 10**9})

    def fill(self) -> None:
        """Sends all samples that are there before the clock runs."""
        for _ in range(OPEN // 100_000):
            self._send(100_000)

    def run(self) -> None:
        """Sends samples at a fixed rate until :attr:`stopped` is set."""
        while not self.stopped.wait(1 / _PIECES):
            self._send(RATE // _PIECES)

    def _send(self, n: int) -> None:
        latency = 60 + self._generator.geometric(0.2, n).clip(0, 900).astype(np.uint32)
        edges = np.arange(n, dtype=np.int64) * (_HZ // RATE)
        columns = {
            "channel": np.zeros(n, np.uint8),
            "batch": np.full(n, self._batch, np.uint32),
            "edge_ticks": edges,
            "latency_ticks": latency,
            "core": np.zeros(n, np.uint8),
        }
        self._counts += np.bincount(latency, minlength=1024)
        distribution = stats.of_histogram(self._counts, origin=0, width=1)
        begins = {self._batch: self._batch * n * (_HZ // RATE)}
        self._feed.take(
            pa.table(columns), Picture(self._run(distribution), {0: distribution}), begins
        )
        self._batch += 1

    def _run(self, distribution: stats.Distribution) -> RunRecord:
        """The run as far as the window looks at it."""
        statistics = Stats.model_construct(
            channel=0,
            n=distribution.n,
            served=distribution.n,
            timed_out=0,
            coalesced=0,
            quantiles=(),
            min_ticks=int(distribution.lower[0]),
            max_ticks=int(distribution.lower[-1]),
            longer=None,
            independence=None,
            stages=(),
        )
        counters = dict.fromkeys(ChannelCounters.model_fields, 0)
        counters |= dict.fromkeys(("starts", "served", "stops"), distribution.n)
        return RunRecord.model_construct(
            started="",
            identity=Identity.model_construct(
                tick_hz=_HZ, cpu_hz=1_199_880_000, counter_hz=99_990_000, source=_SOURCE
            ),
            batch_s=2.0,
            source=Source.model_construct(label="made-up data", profile="none"),
            experiment=self._experiment,
            counters=(ChannelCounters(**counters),),
            stats=(statistics,),
        )


def main(minutes: float | None) -> int:
    """Measures; prints a line for each floor."""
    application = QApplication(sys.argv[:1])
    application.setApplicationName("irqscope")
    with tempfile.TemporaryDirectory() as folder:
        failures = _floors(folder) if minutes is None else _memory(folder, minutes)
    missed = 0
    for name, value in failures.items():
        good = value >= FLOORS[name] if name == "frames" else value <= FLOORS[name]
        missed += not good
        print(f"{name:<14} {value:8.1f}   floor {FLOORS[name]:6.1f}   {'ok' if good else 'MISSED'}")
    return int(missed > 0)


class Beats(QObject):
    """Watches the window's timer.

    ``longest_s``: the longest standstill; ``busiest_s``: the greatest processor time between two
    ticks, which does not depend on other programs.
    """

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.longest_s = self.busiest_s = 0.0
        self._beat_at, self._worked = time.monotonic(), time.thread_time()
        timer(self, PAINT_MS, self._on_beat)

    def _on_beat(self) -> None:
        now, worked = time.monotonic(), time.thread_time()
        self.longest_s = max(self.longest_s, now - self._beat_at - PAINT_MS / 1000)
        self.busiest_s = max(self.busiest_s, worked - self._worked)
        self._beat_at, self._worked = now, worked


def _floors(folder: str) -> dict[str, float]:
    """Measures the window with much data; the figures by name."""
    first_plot_s = _first_plot(folder)
    window = Window(Preferences(QSettings(f"{folder}/x.ini", QSettings.Format.IniFormat)))
    window.show()
    window.screens.go_to("Scope")
    source = Samples(window.station.feed)
    source.fill()
    pump(2.0)
    source.start()
    beats = Beats(window)
    counts, lasted = [], list[float]()
    began, spent = time.monotonic(), time.thread_time()
    for _ in range(int(_LASTING_S)):
        window.scope.paints.clear()
        pump(1.0)
        counts.append(len(window.scope.paints))
        lasted += [paint for _, paint in window.scope.paints]
    busy = (time.thread_time() - spent) / (time.monotonic() - began)
    source.stopped.set()
    source.join()
    window.close()
    print(
        f"paints: median {1000 * float(np.median(lasted)):.1f} ms, longest "
        f"{1000 * max(lasted):.1f} ms; the window's thread had {100 * busy:.0f} % of a core, at "
        f"most {1000 * beats.busiest_s:.1f} ms in one go"
    )
    return {
        "first_plot_s": first_plot_s,
        "frames": float(np.median(counts)),
        "standstill_ms": 1000 * beats.longest_s,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _memory(folder: str, minutes: float) -> dict[str, float]:
    """Memory growth of a live run, without the samples kept by the trace."""
    window = _started(folder)
    window.pattern.draft.set(("count",), _ENDLESS)
    window.connect_screen.start.click()
    until(lambda: window.scope.trace.source, "a plot")
    began = time.monotonic()
    looks = list[tuple[float, float]]()
    while (at := time.monotonic() - began) < 60 * minutes:
        resident, trace = _resident(), _kept(window.station.feed)
        if len(looks) % max(1, int(6 * minutes / _LOOK_S)) == 0:
            print(
                f"{at / 60:6.1f} min  {window.station.state.done:9} stimuli  resident "
                f"{resident / _MB:6.1f} MB, of these in the trace {trace / _MB:6.1f} MB",
                flush=True,
            )
        looks.append((at, (resident - trace) / _MB))
        pump(_LOOK_S)
    window.close()
    warm = np.array([look for look in looks if look[0] >= _WARM * 60 * minutes])
    slope, _ = np.polyfit(warm[:, 0], warm[:, 1], 1)
    print(f"slope besides the trace: {60 * slope:.2f} MB a minute, {len(warm)} looks")
    return {"growth_mb": float(slope) * 60 * minutes * (1 - _WARM)}


def _resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def _kept(feed: Feed) -> int:
    """Bytes that the traces keep by design, up to their capacity."""
    with feed.traces() as traces:
        return sum(trace.kept for trace in traces.channels.values())


def _first_plot(folder: str) -> float:
    """Seconds from the click for a twin to its first plot."""
    window = _started(folder)
    began, spent = time.monotonic(), time.process_time()
    window.connect_screen.start.click()
    until(lambda: window.scope.trace.source, "a plot")
    lasted = time.monotonic() - began
    print(f"first plot: {time.process_time() - spent:.2f} s of CPU time besides the twin's")
    window.close()
    return lasted


def _started(folder: str) -> Window:
    """A window whose first screen was read."""
    preferences = Preferences(QSettings(f"{folder}/first.ini", QSettings.Format.IniFormat))
    preferences.runs = Path(folder) / "runs"
    window = Window(preferences)
    window.without_asking = True
    window.show()
    pump(_READ_S)
    return window


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else None))
