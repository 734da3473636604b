"""Opens an agent under Linux: on a board by TCP, or on this computer with simulated gateware."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from irqscope.errors import LinkError, LinkErrorKind, TargetError
from irqscope.link.link import Link
from irqscope.link.timeouts import Timeouts
from irqscope.link.transport import SerialTransport
from irqscope.resources import remedy, resource
from irqscope.targets.base import Target
from irqscope.targets.process import SimulationProcess, SimulationTarget, read_program
from irqscope.targets.recording import recorded

#: A simulated access takes some 10 us, and the computer may be busy. Nothing damages a byte.
_SIMULATED = Timeouts(reply_s=20.0, scale=10.0, hello_s=0.0)
#: TCP loses nothing; a thread may not run for a while.
_BOARD = Timeouts(reply_s=10.0, hello_s=0.0)
#: What a host says before its first frame where the agent asks for a token.
_GREETING = "irqscope "
_PORT_MOST = 65535
_SIMULATION = "simulated"
#: Options of the simulation: threads that play the handlers of the kernel's module, and a program
#: that the agent may start in the background, to the end of the name.
_HOOK, _BACKGROUND = ":hook", ":background="
_FORM = (
    "say linux:HOST:PORT, linux:HOST:PORT:token=FILE, or "
    f"linux:{_SIMULATION}[{_HOOK}][{_BACKGROUND}NAME=COMMAND]"
)
_WHERE = (
    "the way there is ssh -L 7316:localhost:7316 USER@BOARD, then linux:localhost:7316 "
    "(docs/linux.md)"
)


def _agent() -> Path:
    """Return the agent for this computer. Raises TargetError if it is not built."""
    path = resource(f"build/fw-linux/irqscope-agent-{platform.machine()}")
    if not path.exists():
        raise TargetError(f"{path} is missing: {remedy('make agent', 'take a checkout')}")
    return path


def _token(path: str) -> str:
    """Return the word of a token's file. Raises TargetError."""
    try:
        words = Path(path).read_text(encoding="utf-8").split()
    except (OSError, UnicodeError) as error:
        raise TargetError(f"token={path}: {getattr(error, 'strerror', '') or error}") from None
    if len(words) != 1:
        raise TargetError(f"token={path}: the file has one word, that of the agent's --token")
    return words[0]


class AgentTarget(Target):
    """Connects to an agent at ``HOST:PORT[:token=FILE]``. Raises TargetError, LinkError."""

    def __init__(self, rest: str, record: Path | None = None) -> None:
        place, _, token = rest.partition(":token=")
        host, _, port = place.rpartition(":")
        if not host or not (port.isdecimal() and len(port) < 6 and int(port) <= _PORT_MOST):
            raise TargetError(f"linux:{rest}: {_FORM}")
        try:
            transport = SerialTransport(f"socket://{host}:{port}")
        except LinkError as error:
            raise LinkError(
                LinkErrorKind.NO_PORT, f"no agent answers at {place} ({error}); {_WHERE}"
            ) from error
        if token:
            transport.write(f"{_GREETING}{_token(token)}\n".encode())
        self.link = Link(recorded(transport, record), _BOARD)


class SimulatedAgentTarget(SimulationTarget):
    """Starts the agent of this computer with gateware that runs by this computer's clock.

    ``agent``: the command that runs it, or None for the one of this computer; ``hooked``: its
    threads play the handlers of the kernel's module; ``background``: NAME=COMMAND of each program
    that it may start. Both processes end with this one. Raises TargetError, LinkError.
    """

    def __init__(
        self,
        record: Path | None = None,
        agent: list[str] | None = None,
        *,
        hooked: bool = False,
        background: Sequence[str] = (),
    ) -> None:
        command = agent or [str(_agent())]
        self.program = read_program(command[-1])
        self._folder = TemporaryDirectory(prefix="irqscope-linux-")
        socket = Path(self._folder.name, "gateware")
        options = ["--priority", "0", *(["--hook"] if hooked else [])]
        options += [f"--background={program}" for program in background]
        serve = [sys.executable, "-Pm", "irqscope_twin", "--serve", str(socket)]
        try:
            self.gateware = SimulationProcess(serve, "the simulated gateware")
            try:
                self.agent = SimulationProcess(
                    [*command, "--simulation", str(socket), "--listen", "127.0.0.1:0", *options],
                    "the agent",
                )
                super().__init__(self.agent, "", record, timeouts=_SIMULATED)
            except BaseException as error:
                self.gateware.end_by(error)
                raise
        except BaseException:
            self._folder.cleanup()
            raise

    def said(self) -> list[str]:
        """Lines of both processes since the last call."""
        return [*super().said(), *self.gateware.said()]

    def close(self) -> None:
        """Ends the agent, then the gateware."""
        try:
            super().close()
        finally:
            self.gateware.close()
            self._folder.cleanup()


def linux(rest: str, record: Path | None = None) -> Target:
    """Opens what follows ``linux:`` in the name of a target. Raises TargetError, LinkError."""
    simulation, given, background = rest.partition(_BACKGROUND)
    if simulation in (_SIMULATION, _SIMULATION + _HOOK):
        hooked = simulation.endswith(_HOOK)
        return SimulatedAgentTarget(record, hooked=hooked, background=[background] if given else [])
    if rest.partition("=")[0] == "uio":
        raise TargetError(
            f"linux:{rest}: a UIO device alone cannot be measured: the edge that begins a latency "
            "and the stamp that ends it come from irqscope's gateware. Run irqscope-agent on a "
            "board with that gateware and say linux:HOST:PORT; linux:simulated tries it here"
        )
    return AgentTarget(rest, record)
