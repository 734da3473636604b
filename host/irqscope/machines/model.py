"""The schema of a machine's description, ``machines/NAME.toml``.

The host reads its generated form, :mod:`.generated`, never the file.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from irqscope.constants import (
    CHANNELS,
    FIFO_DEPTH_LOG2,
    HIST_BINS_LOG2,
    LINES,
    SOURCE_BOARD,
    SOURCE_MACHINE,
    SOURCE_SIMULATION,
)
from irqscope.machines.names import (
    IdleName,
    LockdownName,
    MarkerSet,
    MemoryName,
    Need,
    PageSize,
    PlacementName,
    Sense,
    StateName,
)
from irqscope.units import Hertz, Strict

_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*$")]
_Hyphenated = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
_Text = Annotated[str, Field(min_length=1, pattern=r"^[^\n]*$")]
_Id = Annotated[int, Field(ge=0, lt=1020)]
_Positive = Annotated[int, Field(gt=0)]
_Megahertz = Annotated[float, Field(gt=0)]
_Address = Annotated[int, Field(ge=0, lt=1 << 40)]
#: As wide as their fields in the register ``source``.
_Number = Annotated[int, Field(ge=1, lt=1 << SOURCE_MACHINE.width)]
_BoardNumber = Annotated[int, Field(ge=1, lt=1 << SOURCE_BOARD.width)]
_TwinNumber = Annotated[int, Field(ge=1, lt=1 << SOURCE_SIMULATION.width)]
_List = Field(strict=False)


class Cores(Strict):
    """``mode``: the firmware's processor mode."""

    count: Annotated[int, Field(ge=1, le=4)]
    name: _Text
    mode: _Text


class SamplingGrid(Strict):
    """Times, ``ns`` nanoseconds apart, at which a marker can leave the processor.

    ``phases``: ticks after which sampling grid and ticks meet again. ``ns`` is 0 without a sampling
    grid: markers then have the gateware's clock.
    """

    ns: Annotated[int, Field(ge=0)]
    phases: _Positive
    cause: _Text


class Counter(Strict):
    """The counter in which software's periods count.

    ``ratio``: whole counts, and the ticks of the PL clock that last as long on every board; None
    where the firmware reads the rate from registers.
    """

    hz: Hertz
    ratio: Annotated[tuple[_Positive, _Positive], _List] | None = None


class Outputs(Strict):
    """Outputs of the instrument that reach ``count`` IDs in a row, from ``first`` on."""

    port: _Text
    first: _Id
    count: _Positive


class Shared(Strict):
    """Interrupts that any core may take, by the number of the instrument's output.

    The first is the one that ``"shared"`` means.
    """

    word: _Name
    senses: Annotated[tuple[Sense, ...], Field(min_length=1, strict=False)]
    outputs: Annotated[tuple[Outputs, ...], Field(min_length=1, strict=False)]

    @property
    def ids(self) -> tuple[int, ...]:
        """IDs in the order of the outputs that reach them."""
        return tuple(o.first + n for o in self.outputs for n in range(o.count))


class Private(Strict):
    """The interrupt that each core has for itself: output n reaches core n.

    ``first``, ``count``: all IDs that are private.
    """

    word: _Name
    senses: Annotated[tuple[Sense, ...], Field(min_length=1, strict=False)]
    port: _Text
    id: _Id
    first: _Id
    count: _Positive


class Software(Strict):
    """Interrupts that a core raises itself. The first is the one that ``"software"`` means."""

    word: _Name
    senses: Annotated[tuple[Sense, ...], Field(min_length=1, strict=False)]
    first: _Id
    count: _Positive


class Interrupts(Strict):
    """``background``: number of all others than the measured one and those named here.

    ``absent``: IDs below ``ids`` that no source has. ``uarts``: by number, where
    the link may be another than ``link``.
    """

    controller: _Text
    ids: Annotated[int, Field(gt=0, le=1020)]
    link: _Id
    uarts: Annotated[tuple[_Id, ...], _List] = ()
    timer_tick: _Id
    finished: _Id
    background: _Positive
    absent: Annotated[tuple[_Id, ...], _List] = ()
    shared: Shared
    private: Private | None = None
    software: Software | None = None


class Placement(Strict):
    """Memory in which code and data can be. ``base``, ``size``: in bytes."""

    name: PlacementName
    title: _Text
    base: _Address
    size: _Positive


class Memory(Strict):
    """Room for arrays of loads; ``way_kib``: a way of the cores' last cache."""

    arrays_base: _Address
    arrays_kib: _Positive
    way_kib: _Positive


class Sizes(Strict):
    """Memories of its gateware, log2: bins of a histogram, records of the FIFO."""

    hist_bins_log2: Annotated[int, Field(ge=1, le=HIST_BINS_LOG2)] = HIST_BINS_LOG2
    fifo_depth_log2: Annotated[int, Field(ge=1, le=FIFO_DEPTH_LOG2)] = FIFO_DEPTH_LOG2

    @property
    def bins(self) -> int:
        """Of a histogram."""
        return 1 << self.hist_bins_log2

    @property
    def records(self) -> int:
        """That the FIFO holds."""
        return 1 << self.fifo_depth_log2


class Has(Strict):
    """Words of an experiment that hold on the machine.

    ``case``: those whose needs it has (:mod:`.cases`). ``stack``: those that come with irqscope and
    say that they are for it (:mod:`.stacks`).

    ``pages``: the usual size first; ``clock_divisor``: the largest.
    """

    case: Annotated[tuple[_Text, ...], _List]
    stack: Annotated[tuple[_Text, ...], _List]
    pages: Annotated[tuple[PageSize, ...], Field(min_length=1, strict=False)]
    memory: Annotated[tuple[MemoryName, ...], _List]
    lockdown: Annotated[tuple[LockdownName, ...], _List]
    idle: Annotated[tuple[IdleName, ...], _List]
    markers: Annotated[tuple[MarkerSet, ...], _List]
    clock_divisor: Annotated[int, Field(ge=1, lt=64)]


class Pins(Strict):
    """Where copies of lines go. ``stm``: the trace unit's inputs, if there are any."""

    pmod: Annotated[int, Field(ge=0, le=8)]
    leds: Annotated[tuple[_Text, ...], _List]
    stm: _Text | None = None


class Preset(Strict):
    """Clocks that a Zynq-7000's board file must set, in MHz: the reference and the cores."""

    crystal_mhz: _Megahertz
    cpu_mhz: _Megahertz


class Vivado(Strict):
    """A board as the scripts for Vivado see it (scripts/vivado/boards.tcl).

    Attributes:
        board: Name of the board file, with a pattern for its version.
        free: The free edition has the part.
        carrier: Of a module: its connector, the board file of its carrier, the carrier's connector.
        leds: The PL has LEDs whose pins are known.
        own_firmware: Its firmware is another program than that of the machine's other boards.
        settings: Of the processor system, by property: the carrier's preset has them, where it
            reaches the processor system.
        preset: Checked in the board file.
    """

    board: _Text
    free: bool
    carrier: Annotated[tuple[_Text, _Text, _Text], _List] | None = None
    leds: bool = True
    own_firmware: bool = False
    settings: dict[_Text, _Text] = {}
    preset: Preset | None = None


class Board(Strict):
    """The machine on a circuit board.

    ``number``: what its gateware says that it is. ``tick_hz``: the PL clock by the board's preset.
    ``uart``: the one that the USB cable reaches. ``pins``: outputs of the machine's that the board
    wires at most, and as many inputs, from 0 on. ``vivado``: None where other tools build the
    bitstream. ``lines``, ``channels``: that its gateware has.
    """

    name: _Hyphenated
    number: _BoardNumber
    title: _Text
    part: _Text
    vivado: Vivado | None = None
    tick_hz: Hertz
    cpu_mhz: _Positive
    uart: Literal[0, 1]
    pmod: _Text
    lines: Annotated[int, Field(ge=1, le=LINES)] = LINES
    channels: Annotated[int, Field(ge=1, le=CHANNELS)] = CHANNELS
    pins: Annotated[int, Field(ge=1, le=8)] = 8


class Twin(Strict):
    """The machine simulated with a timing profile. ``number``: its number in the gateware."""

    profile: _Name
    number: _TwinNumber


class Simulated(Strict):
    """A core in RTL simulation. ``number``: what its gateware says, in the place of a board."""

    name: _Hyphenated
    number: _BoardNumber
    title: _Text


class Machine(Strict):
    """One machine.

    ``number``: what its gateware says it is. ``tick_hz``: the PL clock that the design asks for, by
    which limits are judged before a target has said its own. ``emptied``: states that a latency can
    be measured from, and the instructions that establish them. ``without``: missing features with
    reasons; ``unsupported``: reasons by key and value; ``rtl``: its boards are simulated whole, RTL
    and firmware.
    """

    name: _Name
    number: _Number
    title: _Text
    tick_hz: Hertz
    markers: _Text
    port: _Text
    cores: Cores
    sampling_grid: SamplingGrid
    counter: Counter
    interrupts: Interrupts
    placements: Annotated[tuple[Placement, ...], Field(min_length=1, strict=False)]
    memory: Memory
    sizes: Sizes = Sizes()
    has: Has
    emptied: dict[StateName, _Text] = {}
    without: dict[Need, _Text] = {}
    unsupported: dict[str, dict[str, _Text]] = {}
    pins: Pins
    boards: Annotated[tuple[Board, ...], _List] = ()
    twins: Annotated[tuple[Twin, ...], _List] = ()
    simulated: Annotated[tuple[Simulated, ...], _List] = ()
    rtl: bool = False

    def wired_by(self, board: int) -> Machine:
        """The machine with the pins that its board of that number wires."""
        for each in self.boards:
            if each.number == board and each.pins < self.pins.pmod:
                pins = self.pins.model_copy(update={"pmod": each.pins})
                return self.model_copy(update={"pins": pins})
        return self

    @property
    def usual_pages(self) -> PageSize:
        """In which normal memory is translated unless an experiment says otherwise."""
        return self.has.pages[0]

    @property
    def finished_output(self) -> int:
        """Output of the interrupt that says that a batch has finished."""
        return self.interrupts.shared.ids.index(self.interrupts.finished)
