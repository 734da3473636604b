"""Identity from the hello: gateware, firmware, and their machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from irqscope import constants
from irqscope.machines.known import DEFAULT, MACHINES
from irqscope.machines.model import Board, Machine, Simulated
from irqscope.machines.names import PlacementName
from irqscope.machines.on_chip import NAME, on_chip
from irqscope.machines.under_linux import under_linux
from irqscope.units import Hertz, Hex, Natural, Strict


class Identity(Strict):
    """The words of the hello. ``tick_hz``: PL clock; hashes: first 32 bits of a sha256.

    Where PL clock and counter come from one PLL, ``counter_hz`` and ``cpu_hz`` follow from
    ``tick_hz`` (Counter.ratio), whatever crystal the firmware supposes.
    In ``run.json`` hashes and code words are hexadecimal.
    """

    protocol: Natural
    magic: Hex
    version: Hex
    build_hash: Hex
    tick_hz: Hertz
    geometry: Hex
    sizes: Hex
    source: Natural
    source_hash: Hex
    firmware_hash: Hex
    firmware_version: Hex
    core_id: Hex
    counter_hz: Hertz
    cpu_hz: Hertz
    uart_ref_hz: Natural
    baud: Natural
    max_baud: Natural
    privilege: Natural
    cores: Natural
    max_payload: Natural
    built_for: Natural
    #: Where the firmware itself stands.
    memory: PlacementName = "ddr"
    #: How a twin differs from the profile that it names: a constant with its value, a fault, a
    #: variant. Name and version of a core in RTL simulation.
    deviation: str = ""
    #: Name of the recording that answered in place of the target; empty: the target answered.
    replay: str = ""

    @property
    def machine(self) -> Machine:
        """The processor system, as its program and its board let it be used."""
        number = constants.SOURCE_MACHINE.of(self.source)
        if self.is_linux:
            machine = under_linux(number)
        else:
            machine = on_chip(number) if self.memory == NAME else numbered(MACHINES, number)
        return machine.wired_by(constants.SOURCE_BOARD.of(self.source))

    @property
    def board(self) -> str:
        """Name of the board, of a twin the one that it plays; of the core that is simulated."""
        return self.place.name

    @property
    def place(self) -> Board | Simulated:
        """What :attr:`board` names."""
        places: tuple[Board | Simulated, ...] = self.machine.boards or self.machine.simulated
        return numbered(places, constants.SOURCE_BOARD.of(self.source))

    @property
    def lines(self) -> int:
        """That the gateware has."""
        return constants.GEOMETRY_LINES.of(self.geometry)

    @property
    def channels(self) -> int:
        """That the gateware has."""
        return constants.GEOMETRY_CHANNELS.of(self.geometry)

    @property
    def profile(self) -> str | None:
        """Name of the twin's timing profile; None on a board and of a soft core."""
        number = 0 if self.is_rtl or self.is_linux else self._simulation
        return numbered(self.machine.twins, number).profile if number else None

    @property
    def is_linux(self) -> bool:
        """Whether it is the agent, a thread of user space (fw/machine/linux)."""
        return self.privilege == 0

    @property
    def is_paced(self) -> bool:
        """Whether it is the agent with gateware that a computer simulates by its own clock."""
        return self.is_linux and self._simulation != 0

    @property
    def is_rtl(self) -> bool:
        """Whether it is a core in RTL simulation, exact to the cycle."""
        machine = self.machine
        return bool(machine.simulated) or machine.rtl and self._simulation != 0

    @property
    def _simulation(self) -> int:
        return constants.SOURCE_SIMULATION.of(self.source)

    @property
    def is_simulated(self) -> bool:
        """Whether it is a simulation."""
        return self.is_rtl or self.is_paced or self.profile is not None

    @property
    def target(self) -> str:
        """Returns the name of the board, or ``twin``, ``rtl`` or ``linux`` for a simulation.

        ``rtl`` has the name of the core; ``linux`` is the agent with simulated gateware.
        """
        if self.is_paced:
            return "linux"
        if self.is_rtl:
            return f"rtl:{self.board}"
        return "twin" if self.profile else self.board

    @property
    def changed(self) -> bool:
        """A twin that is not what its profile says: see ``deviation``, if it is known."""
        return bool(constants.SOURCE_CHANGED.of(self.source))

    @property
    def label(self) -> str:
        """Label in every plot: the source of its numbers."""
        return f"replay of {self.replay}: {self._measured}" if self.replay else self._measured

    @property
    def _measured(self) -> str:
        """Describes the measured or recorded target."""
        if self.is_paced:
            return (
                f"simulation of the gateware of {self.board}, agent under Linux on this computer: "
                "times are the computer's"
            )
        if self.is_linux:
            return f"{self.target} under Linux"
        if self.is_rtl:  # whoever started it knows the version, and a recording of it
            return f"RTL simulation of {self.deviation or f'{self.board} of unknown version'}"
        if self.profile is None:  # a netlist in simulation says what its bitstream says
            return f"{self.target}, {self.deviation}" if self.deviation else self.target
        # A twin that somebody else started tells that it differs, not how.
        deviation = self.deviation or ("a change" if self.changed else "")
        timing = f"with {deviation}" if deviation else "timing"
        # A profile's name may be several machines'.
        of = "" if self.machine.name == DEFAULT.name else f" of {self.machine.name}"
        return f"{self.target}{of}, {self.profile} {timing}"


class _Numbered(Protocol):
    @property
    def number(self) -> int: ...


_Kind = TypeVar("_Kind", bound=_Numbered)


def numbered(of: Sequence[_Kind], number: int) -> _Kind:
    """The one with this number. Raises LookupError if it does not exist."""
    for one in of:
        if one.number == number:
            return one
    raise LookupError(number)
