"""Targets: finds them, connects to them, and retries lost ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QTimer

from irqscope.acquire.ports import Answer, Met, ask, hello, ports
from irqscope.errors import IrqscopeError, LinkError, LinkErrorKind
from irqscope.kinds.capture.live import PREFIX, Live, find_analyser
from irqscope_app.control.desk import Desk
from irqscope_app.control.state import Fault, Found, Link, is_simulation
from irqscope_app.widgets.common import timer

#: Waits before a lost target is asked again, s; the last one stays.
BACK_OFF_S = (1, 2, 4, 8, 16, 30)
#: Failures after which a target that has answered before may come back by itself.
_PASSING = {
    LinkErrorKind.NO_PORT,
    LinkErrorKind.LOST,
    LinkErrorKind.SILENT,
    LinkErrorKind.NONSENSE,
    LinkErrorKind.DAMAGED,
    LinkErrorKind.RESET,
}
#: Interval at which an idle port is checked for having vanished, ms.
_LOOK_MS = 2000


class Targets:
    """Opens a port only while it talks to the target."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.back_off_s: tuple[float, ...] = BACK_OFF_S
        self._retry = QTimer(desk)
        self._retry.setSingleShot(True)
        self._retry.timeout.connect(lambda: self._hello(None))
        self._looks = timer(desk, _LOOK_MS, self._look_at_port)

    def rescan(self) -> None:
        """Lists the serial ports and says hello on each, except the one in use."""
        desk = self._desk
        if desk.state.scanning:
            return
        desk.told.emit("command", "irqscope ports --hello")
        desk.set(scanning=True)
        busy = desk.state.target if desk.state.link is not Link.NONE else ""
        desk.begin(lambda: _ports(busy), self._on_ports, self._on_ports_failed)

    def connect_to(self, target: str, then: Callable[[], None] | None = None) -> None:
        """Asks a target to identify itself; ``then`` is called once it has answered."""
        desk = self._desk
        if desk.state.link in (Link.ASKING, Link.MEASURING):
            return
        self._retry.stop()
        desk.told.emit("info", f"asking {target} who it is")
        before = desk.state
        desk.set(link=Link.ASKING, target=target, identity=None, signals=(), attempts=0, fault=None)

        def refused(error: IrqscopeError) -> None:
            """Returns to the target that was connected before."""
            desk.told.emit("info", f"{before.target} stays connected")
            of_it = {"identity": before.identity, "signals": before.signals}
            desk.set(link=Link.READY, target=before.target, **of_it)
            desk.report_fault(error)

        other = before.link is Link.READY and before.target != target
        self._hello(then, refused if other else self.lost)

    def release(self) -> None:
        """Releases the target, at once or after the current run."""
        desk = self._desk
        self._retry.stop()
        desk.releasing = True
        desk.stop("the port was released in the app")
        if desk.state.link is not Link.MEASURING:
            desk.told.emit("info", f"{desk.state.target} released")
            desk.set(link=Link.NONE, target="", identity=None, signals=(), attempts=0, fault=None)

    def lost(self, error: IrqscopeError) -> None:
        """Handles a target that does not answer: retries at growing intervals until it is
        released.
        """
        desk, before = self._desk, self._desk.state
        desk.told.emit("error" if not before.attempts else "info", str(error))
        if before.link is Link.NONE or not before.target or desk.closed:
            return
        was_there = before.identity is not None
        fault = Fault.of(str(error))
        if not (was_there and isinstance(error, LinkError) and error.kind in _PASSING):
            # Never reached, of another version, or permanently dead: a retry would not help.
            desk.set(link=Link.NONE, target="", identity=None, fault=fault)
            return
        wait_s = self.back_off_s[min(before.attempts, len(self.back_off_s) - 1)]
        desk.set(link=Link.LOST, attempts=before.attempts + 1, fault=fault)
        self._retry.start(int(wait_s * 1000))

    def close(self) -> None:
        """Stops looking for targets."""
        self._retry.stop()
        self._looks.stop()

    def _on_ports(self, found: tuple[Found, ...]) -> None:
        self._desk.set(ports=found, scanning=False)
        text = f"{len(found)} serial port{'' if len(found) == 1 else 's'} found"
        self._desk.told.emit("info", text)

    def _on_ports_failed(self, error: IrqscopeError) -> None:
        self._desk.set(scanning=False)
        self._desk.report_fault(error)

    def _hello(
        self,
        then: Callable[[], None] | None,
        failed: Callable[[IrqscopeError], None] | None = None,
    ) -> None:
        desk, target = self._desk, self._desk.state.target

        def done(met: Met | Live) -> None:
            found: dict[str, Any]
            if isinstance(met, Live):
                desk.told.emit("info", f"{target} has the signals {', '.join(met.signals)}")
                found = {"stack": None, "of_program": False, "signals": met.signals}
            else:
                desk.told.emit("info", f"{target} is {met.identity.label}")
                stack = None if is_simulation(target) else met.stack
                found = {"identity": met.identity, "stack": stack, "of_program": met.of_program}
            desk.set(link=Link.READY, attempts=0, fault=None, **found)
            desk.connected.emit(target)
            if then is not None:
                then()

        meet = find_analyser if target.startswith(PREFIX) else hello
        desk.begin(lambda: meet(target), done, failed or self.lost)

    def _look_at_port(self) -> None:
        target = self._desk.state.target
        gone = target.startswith("/") and not Path(target).exists()
        if self._desk.state.link is Link.READY and gone:
            cause = f"the port {target} has vanished; check cable and power"
            self.lost(LinkError(LinkErrorKind.LOST, cause))


def _ports(busy: str) -> tuple[Found, ...]:
    ours = Answer("in use by this window", ours=False)
    return tuple(Found(port, ours if port.port == busy else ask(port.port)) for port in ports())
