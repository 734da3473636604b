"""The tables of an experiment file: lines, channels, pins, and optional ones."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from irqscope.constants import LINES, LineMode
from irqscope.experiment.values import (
    CHIP_PIN,
    CODE,
    PIN_NAME,
    Event,
    EventText,
    Memory,
    Table,
    Time,
)
from irqscope.units import Duration

MODES = {mode.name.lower().replace("_", " "): mode for mode in LineMode}
#: Ticks of dither are spread evenly over those that a sampling grid of markers has, so that no
#: phase follows the last one.
DITHER_BITS = 8
#: The gateware refuses a line with more (hw/irqscope_hw/line.py).
MOST_DITHER_BITS = 24
#: External interrupts that an Armv7-M core may have.
MOST_INTERRUPTS = 240
#: Inputs of the instrument that have a register, and outputs that copy lines.
PINS = 8
#: Channels of a capture: signals, or threads of a histogram. The gateware has fewer.
MOST_CHANNELS = 256
#: Value of a line that raises an interrupt other than the measured one.
OWN_INTERRUPT = "own"
#: Shortest pulse that the gateware makes, ticks; what catches it is another matter.
SHORTEST_PULSE = 1
#: A list of TOML is accepted as a tuple; its elements are as strict as elsewhere.
LIST = Field(strict=False)


class Line(Table):
    """One pattern line."""

    index: int = Field(default=-1, ge=-1, lt=LINES)
    """Line of the gateware; -1: its place in the file."""
    mode: Literal["burst", "acknowledged", "single shot", "free running"] = "burst"
    """burst: count pulses; acknowledged: up until the marker of the acknowledgement, at most high;
    single shot: one pulse; free running: pulses until the batch ends."""
    high: Time
    """How long the line is up; at least 1 tick, with mode acknowledged 20."""
    low: Time
    """How long it is down between two pulses; at least 10 ticks, and dither is added."""
    start_delay: Time = Duration.parse("20 us")
    """Time from the start of a batch to the first rising edge."""
    phase: Literal["dithered", "locked"] = "dithered"
    """dithered: each pulse comes a little later, by chance; locked: its phase to clocks stays."""
    dither_bits: int | None = Field(default=None, ge=0, le=MOST_DITHER_BITS)
    """k: 0 to 2^k - 1 ticks are added to each low phase from the second one on; none: 8."""
    acknowledge: EventText = Event.parse("handler")
    """Marker that lets an acknowledged line fall."""
    interrupt: str | None = None
    """What it raises: the measured interrupt, by its name; own: one of its own, less urgent than
    that and than those of lower lines; or none. Left out: the first line raises the measured one,
    the others nothing."""
    pin: str | None = Field(default=None, pattern=f"^{CHIP_PIN}$")
    """Input pin of the chip that runs a program, which the line drives: "PC13"."""
    irq: int | None = Field(default=None, ge=0, lt=MOST_INTERRUPTS)
    """Interrupt of the chip that runs a program, which the line raises by itself."""
    pmod: Annotated[tuple[Annotated[int, Field(ge=0, lt=PINS)], ...], LIST] = ()
    """Pins that get a copy, for a scope."""
    stm: bool = False
    """Whether the trace macrocell gets a copy, for a trace probe."""

    @property
    def lead(self) -> str:
        """The pin or interrupt that it leads to, as ``"pin:PC13"`` or ``"irq:40"``, or empty."""
        if self.pin is not None:
            return f"pin:{self.pin}"
        return "" if self.irq is None else f"irq:{self.irq}"

    @property
    def dither(self) -> int:
        """Bits of dither: DITHER_BITS unless the file says otherwise."""
        if self.phase == "locked":
            return 0
        return DITHER_BITS if self.dither_bits is None else self.dither_bits


class Channel(Table):
    """One latency channel."""

    index: int = Field(default=-1, ge=-1, lt=MOST_CHANNELS)
    """Channel of the gateware; -1: its place in the file."""
    start: EventText = Event.parse("line 0")
    """What begins a stimulus: a line's rising edge, or a marker."""
    stop: EventText = Event.parse("handler")
    """Marker that answers it."""
    timeout: Time
    """A stimulus that is not answered by then has no answer; shorter than the period, unless
    pairing = "queue"."""
    pairing: Literal["open", "queue"] = "open"
    """open: a stop answers the open stimulus, and a start while one is open coalesces; queue: stop
    n answers start n, which holds for what answers each stimulus once, in order."""
    bin: Time = Duration.parse("1 tick")
    """Width of a histogram bin, 2^k ticks."""
    origin: Time = Duration.parse("0 ticks")
    """Left edge of the histogram."""


class Pin(Table):
    """An input whose edges are markers: a signal of an external device."""

    name: str = Field(pattern=f"^{PIN_NAME}$", max_length=32)
    """By which channels name it."""
    pin: int = Field(ge=0, lt=PINS)
    """Number of the input."""
    edge: Literal["rise", "fall", "both"] = "rise"
    """Which edges are markers."""
    filter: Time = Duration.parse("0 ticks")
    """A shorter level is no edge. It delays each marker by as much."""


class Wire(Table):
    """A wire from an output to an input, which each run's calibration measures."""

    output: int = Field(ge=0, lt=PINS)
    """Number of the output."""
    input: int = Field(ge=0, lt=PINS)
    """Number of the input."""


class Device(Table):
    """A device that is measured by its pins."""

    name: str = Field(min_length=1, max_length=100, pattern=r"^[^\n]*$")
    """Is in the report, in front of where it is wired."""
    simulated: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9./_-]*$")
    """Table that plays it on ``twin:external``."""


class Background(Table):
    """Background interrupts of the measured core, below the measured one (T4, T5, B-Lmax), or a
    program next to a thread under Linux.
    """

    interrupts: int = Field(default=0, ge=0, lt=1020)
    """Number of background interrupts."""
    period: Time | None = None
    """Time in which another core raises them all once; none: they are only enabled."""
    program: str | None = Field(default=None, pattern="^[a-z0-9_-]{1,32}$")
    """Program that runs beside the thread, by its name on the agent's command line."""


class Load(Table):
    """Memory accesses that disturb (T7), or that come before each interrupt (random load)."""

    array: Memory
    """Size of the memory that is loaded from and stored to."""
    data_accesses: int = Field(default=0, ge=0, lt=1 << 16)
    """Loads and stores before one interrupt, at most."""
    instruction_accesses: int = Field(default=0, ge=0, lt=1 << 16)
    """Calls before one interrupt, at most."""
    aim: Literal["anywhere", "path"] = "anywhere"
    """Where: any line of the array, or those in the cache sets of the path to the handler."""
    budget: int = Field(default=0, ge=0, lt=1 << 32)
    """Instructions before one interrupt, accesses included."""


class CodeUnderTest(Table):
    """Code that the first line interrupts, each time a step later (placement)."""

    code: str = Field(pattern=f"^(?:{CODE})$", max_length=200)
    """Name of a function of the firmware; of a foreign program FROM..TO, too."""
    after: EventText = Event.parse("start")
    """Marker that the delay counts from; start is in front of the code. Of a program that is not
    ours a place."""
    first: Time
    """Shortest delay, from the marker's stamp to the line's rise."""
    last: Time
    """Longest delay; after it the first one comes again."""
    step: Time = Duration.parse("1 tick")
    """Growth of the delay with each stimulus."""
    period: Time
    """Time in which the code is run once; of a foreign program the longest."""


class TimerTick(Table):
    """A timer interrupt of low priority on the measured core: FreeRTOS's own, or one like it."""

    period: Time
    """Time from one timer tick to the next."""
    work: int = Field(default=0, ge=0, lt=1 << 32)
    """Loops of its handler."""
