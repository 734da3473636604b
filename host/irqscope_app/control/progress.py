"""Progress, rate and suspected faults of the current run."""

from __future__ import annotations

import time

from PyQt6.QtCore import QObject, pyqtSignal

from irqscope_app.control.desk import Desk
from irqscope_app.control.state import Fault, Link, State, is_simulation
from irqscope_app.widgets.common import timer

#: A run without any result for this long is reported, s.
SILENT_S = 2.0
_LOOK_AT_RUN_MS = 250


class Progress(QObject):
    """Receives progress from the measuring thread, as ``measure(progress=)``.

    ``stimulus_s``: target time of a stimulus, s, for a twin whose speed is shown.
    """

    progressed = pyqtSignal(str, int, int)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._desk = desk
        self.stimulus_s: float | None = None
        self.progressed.connect(self.on_progress)
        self._looks = timer(self, _LOOK_AT_RUN_MS, self._look_at_run)

    def step(self, text: str) -> None:
        """Reports the current step of the run."""
        self.progressed.emit(text, 0, 0)

    def advance(self, done: int, of: int) -> None:
        """Reports the number of finished stimuli."""
        self.progressed.emit("", done, of)

    def close(self) -> None:
        """Stops looking at the run."""
        self._looks.stop()

    def on_progress(self, step: str, done: int, of: int) -> None:
        """Shows the current step or the number of finished stimuli. Runs in the window's thread."""
        desk = self._desk
        if step:
            desk.told.emit("info", step)
            desk.set(step=step)
            return
        now = time.monotonic()
        # Between the runs of a suite no stimulus has been requested yet.
        began = desk.state.began if done else (now if of else 0.0)
        pace = None
        if done and self.stimulus_s is not None:
            pace = done * self.stimulus_s / max(now - began, 1e-9)
        desk.set(done=done, of=of, began=began, pace=pace)
        self._look_at_run()

    def _look_at_run(self) -> None:
        """Shows what looks wrong with a running measurement, in the fault bar."""
        desk = self._desk
        if desk.state.link is Link.MEASURING and desk.state.hint != (hint := self._hint()):
            if hint is not None:
                desk.told.emit("warning", f"{hint.cause}; {hint.remedy}")
            desk.set(hint=hint)

    def _hint(self) -> Fault | None:
        state, picture = self._desk.state, self._desk.live.picture
        if not state.began:
            return None
        if not state.done:
            waited = time.monotonic() - state.began
            return _silent(state) if waited > SILENT_S else None
        counters = [] if picture is None else picture.run.counters
        if counters and not any(counted.stops for counted in counters):
            remedy = "is the interrupt's priority high enough, and does the handler make the "
            remedy += "marker that a channel stops at?"
            if state.signals:
                remedy = "is it the right signal, and the right edge?"
            return Fault(f"{state.done} stimuli, and not one was answered", remedy)
        return None


def _silent(state: State) -> Fault:
    """Message for a run without any result so far."""
    cause = f"no sample {SILENT_S:.0f} s after the start"
    if is_simulation(state.target):
        return Fault(cause, "wait: a simulation may be far behind real time; Stop ends the run")
    if state.signals:
        return Fault(cause, "is the start the right signal, and does it change? Stop ends the run")
    return Fault(
        cause,
        "is the period long? else check power, reset and UART of the board; Stop ends the run",
    )
