"""The device under test: the board or twin that the steps examine, and the facts known so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from irqscope.acquire.encoding import PAGES
from irqscope.acquire.session import Outcome, Session
from irqscope.constants import SIZES_MARKER_DELAY
from irqscope.doctor import by_hand
from irqscope.doctor.by_hand import HIGH, LOW
from irqscope.doctor.wiring import Wiring
from irqscope.link import messages
from irqscope.link.codec import Reply, Values, request_values
from irqscope.link.identity import Identity
from irqscope.link.link import Link
from irqscope.link.messages import Message, Placement, Trigger
from irqscope.machines import known
from irqscope.machines.cases import CaseId
from irqscope.machines.generated import ZYNQMP
from irqscope.machines.interrupts import interrupt_of
from irqscope.machines.model import Machine
from irqscope.machines.on_chip import on_chip
from irqscope.machines.under_linux import under_linux
from irqscope.targets import Target

#: How often an interrupt is raised to see whether it is answered.
PULSES = 32
#: Target time that a look at the board takes at most: it gives up then (fw/cases/checks.c).
_CHECK_S = 0.01
#: Priority of the interrupt looked at, as in experiments.
_PRIORITY = 0x40


class DeviceUnderTest:
    """The board or twin under examination, and the facts known so far.

    ``facts``: names of the parts that work. ``name``: of the target, ``folder``: where the run
    folder of the step t2 belongs. ``step``: called with the action within a step. ``machine``,
    ``wiring``: of the answering target; of the first machine before an answer.
    """

    def __init__(
        self,
        target: Target,
        name: str,
        folder: Path,
        wirings: Mapping[str, Wiring],
        step: Callable[[str], None],
    ) -> None:
        self.target = target
        self.name = name
        self.folder = folder
        self.machine: Machine = known.DEFAULT
        self._wirings = wirings
        self.step = step
        self.facts: set[str] = set()
        self.pl_state: Reply | None = None
        self._session: Session | None = None

    @property
    def wiring(self) -> Wiring:
        """Returns the names of the answering machine's parts."""
        return self._wirings[self.machine.name]

    def recognise(self, number: int, *, in_user_space: bool = False) -> str:
        """Stores the machine with the number that the firmware reports; returns the fault, if any.

        ``in_user_space``: it is the agent under Linux.
        """
        machine = known.numbered(number & ~messages.BUILT_ON_CHIP)
        if machine is None:
            return f"the firmware was built for machine {number}, which this irqscope does not know"
        if number & messages.BUILT_ON_CHIP:
            machine = on_chip(machine.number)
        if in_user_space:
            machine = under_linux(machine.number)
        if machine.name not in self._wirings:
            return f"the doctor has no steps for {machine.name}"
        self.machine = machine
        return ""

    def recognise_by(self, registers: Mapping[str, int]) -> None:
        """Takes the machine whose firmware names such registers of the PL's state."""
        for machine in (*known.MACHINES, under_linux(ZYNQMP.number)):
            wiring = self._wirings.get(machine.name)
            if wiring is not None and wiring.pl_register in registers:
                self.machine = machine

    @property
    def link(self) -> Link:
        """The link to the firmware."""
        return self.target.link

    @property
    def session(self) -> Session:
        """The conversation; begun when the identity is good enough for one."""
        assert self._session is not None  # the fact "identity" says so
        return self._session

    @property
    def identity(self) -> Identity | None:
        """The identity of the firmware that answers; None until it has said it."""
        return None if self._session is None else self._session.identity

    def begin_session(self) -> Identity:
        """Says hello. Raises TargetError if this host cannot work with what answers."""
        self._session = Session(self.link, self.target.deviation)
        return self._session.identity

    @property
    def marker_delay(self) -> int:
        """Ticks from the flip-flop that first samples a marker to its stamp, by the identity."""
        return SIZES_MARKER_DELAY.of(self.session.identity.sizes)

    @property
    def cores(self) -> list[int]:
        """Numbers of the cores that were found running."""
        identity = self.identity
        count = 0 if identity is None else identity.cores
        return [core for core in range(count) if f"core {core}" in self.facts]

    def missing_cores(self) -> list[str]:
        """Names of the facts about cores that are not running."""
        count = 0 if self.identity is None else self.identity.cores
        return [f"core {core}" for core in range(count) if core not in self.cores]

    def request(self, message: Message, **values: int) -> Reply:
        """Sends a request, with every field that is not given as 0, and returns the reply."""
        return self.link.request(message, lasting_s=_CHECK_S, **request_values(message, **values))

    def set_up_cores(self, count: int) -> Reply:
        """Starts so many cores, with no interrupt enabled; returns the readback."""
        probe = {"count": 1, "cores": count}
        first = interrupt_of(self.machine, "shared").id
        return self.session.prepare(
            self.case(CaseId.CAL_PROBE, first, Trigger.RISING_EDGE, **probe)
        )

    def case(self, case_id: CaseId, interrupt: int, trigger: Trigger, **values: int) -> Values:
        """Values of a CASE message: caches on, core 0, else nothing beyond T1."""
        fixed = {"caches": 1, "priority": _PRIORITY, "interrupt": interrupt, "trigger": trigger}
        fixed |= {"case_id": case_id, "pages": PAGES[self.machine.usual_pages]}
        fixed |= {"placement": Placement[self.machine.placements[0].name.upper()]}
        return request_values(messages.CASE, **(messages.PLAIN_CASE | fixed | values))

    def watch(
        self,
        lines: list[Values],
        channels: list[Values] | None = None,
        *,
        loopback: bool = False,
        finished: int = 0,
        cores: list[int] | None = None,
    ) -> Reply:
        """Has the lines pulse, without interrupts, and returns their levels in that time.

        All other lines must be off, and no interrupt enabled. Afterwards these are off too.
        """
        self.session.configure(lines, channels or [])
        reply = self.request(
            messages.WATCH,
            loopback=loopback,
            finished=finished,
            cores=sum(1 << core for core in cores or []),
        )
        for line in lines:
            self.link.request(messages.LINE, **(line | {"enable": 0}))
        return reply

    def answer(self, case: Values, line: Values, core: int = 0) -> Outcome:
        """Sets a case up and has it answer ``line`` on ``core``."""
        self.session.prepare(case)
        pulses = line["count"]
        lasting_s = 2 * pulses * (HIGH + LOW) / self.session.identity.tick_hz
        recorder = request_values(messages.RECORDER)
        return self.session.batch(0, [line], [by_hand.channel(core)], recorder, lasting_s)
