"""The one TOML schema of experiments, used by command line and library alike.

A time is a whole number of ticks or a text with a unit, such as ``"1 ms"`` or ``"40 ns"``; the
target's own clock turns it into ticks.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from irqscope.constants import CHANNELS, CORES, LINES, LineMode, Marker, StartKind
from irqscope.machines.known import kind_of
from irqscope.machines.words import (
    CaseName,
    IdleName,
    InterruptKind,
    LockdownName,
    MarkerSet,
    MemoryName,
    PageSize,
    PlacementName,
    Sense,
    StateName,
)
from irqscope.stack import DEFAULT_STACK
from irqscope.units import Duration, Size

Time = Annotated[
    Duration,
    BeforeValidator(lambda value: value if isinstance(value, Duration) else Duration.parse(value)),
    PlainSerializer(str),
]
Memory = Annotated[
    Size,
    BeforeValidator(lambda value: value if isinstance(value, Size) else Size.parse(value)),
    PlainSerializer(str),
]
MARKER_NAMES = {marker.name.lower().replace("_", " "): marker for marker in Marker}
MODES = {mode.name.lower().replace("_", " "): mode for mode in LineMode}
MOST_STIMULI = 10**12
LARGEST_SEED = (1 << 63) - 1
#: Ticks of dither are spread evenly over those that a comb of markers has, so that no phase follows
#: the last one.
DITHER_BITS = 8
#: The gateware refuses a line with more (hw/irqscope_hw/line.py).
MOST_DITHER_BITS = 24
#: Inputs of the instrument that have a register, and outputs that copy lines.
PINS = 8
#: Sources of markers of a soft core, in the places of further cores: stages of its pipeline, in
#: which instructions are watched (rtl/system/system.cpp).
STAGES = {"pc": 1, "id": 2}
#: Codes of watched instructions, in the order in which a file names them.
WATCHED = (Marker.HANDLER, Marker.DONE, Marker.TASK, Marker.START)
#: What a pin may be called.
PIN_NAME = r"[a-z][a-z0-9_-]*"
#: Period of the kernel tick unless an experiment has another.
FREERTOS_TIMER_TICK = "1 ms"


#: A list of TOML is as good as a tuple; what stands in it is as strict as elsewhere.
_LIST = Field(strict=False)


class _Table(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        arbitrary_types_allowed=True,
        use_attribute_docstrings=True,  # what a key means stands below it, for the app, too
    )


class Samples(_Table):
    """Which stimuli are kept one by one; the histogram always holds them all."""

    which: Literal["all", "first", "tail", "none"]
    number: int = 0  #: of ``first`` and ``tail``

    @classmethod
    def parse(cls, text: object) -> Samples:
        """From ``"all"``, ``"first 100"``, ``"tail 100"`` (the longest 100) or ``"none"``."""
        match = re.fullmatch(r"(all|none)|(first|tail) ([1-9][0-9]{0,12})", str(text))
        if match is None:
            raise ValueError('give "all", "first N", "tail N" or "none"')
        if match[1]:
            return cls(which="all" if match[1] == "all" else "none")
        return cls(which="first" if match[2] == "first" else "tail", number=int(match[3]))

    def __str__(self) -> str:
        return f"{self.which} {self.number}" if self.number else self.which


class Event(_Table):
    """What opens or serves a stimulus."""

    kind: StartKind
    line: int = 0
    marker: Marker = Marker.DUMMY
    #: None: the core that is measured. "any": each core that handles the interrupt.
    core: int | Literal["any"] | None = None
    #: Symbol of a soft core's firmware: the marker is the instruction there, in the stage ``core``
    #: stands for.
    symbol: str | None = None
    #: For an external device: the marker is an edge of the pin of that name.
    pin: str | None = None

    @classmethod
    def parse(cls, text: object) -> Event:
        """From ``"line 0"``, ``"handler"``, ``"handler core 1"``, ``"handler any core"``,
        ``"pc:SYMBOL"`` (the instruction at a symbol executes), ``"id:SYMBOL"`` (is decoded), or
        ``"pin:NAME"`` (an edge of an external device's pin).
        """
        if match := re.fullmatch(r"line ([0-9])", str(text)):
            return cls(kind=StartKind.LINE, line=int(match[1]))
        if match := re.fullmatch(r"(pc|id):([A-Za-z_][A-Za-z0-9_.]*)", str(text)):
            return cls(kind=StartKind.MARKER, core=STAGES[match[1]], symbol=match[2])
        if match := re.fullmatch(rf"pin:({PIN_NAME})", str(text)):
            return cls(kind=StartKind.MARKER, pin=match[1])
        match = re.fullmatch(r"([a-z ]+?)(?: core ([0-3])|( any core))?", str(text))
        if match is None or match[1] not in MARKER_NAMES or match[1] == "dummy":
            names = ", ".join(name for name in MARKER_NAMES if name != "dummy")
            raise ValueError(
                f'give "line N" or a marker, with or without "core N" or "any core": {names}; '
                'of a soft core "pc:SYMBOL" or "id:SYMBOL", of an external device "pin:NAME"'
            )
        core: int | Literal["any"] | None = int(match[2]) if match[2] else None
        if match[3]:
            core = "any"
        return cls(kind=StartKind.MARKER, marker=MARKER_NAMES[match[1]], core=core)

    def __str__(self) -> str:
        if self.kind is StartKind.LINE:
            return f"line {self.line}"
        if self.pin is not None:
            return f"pin:{self.pin}"
        if self.symbol is not None:
            stage = next(stage for stage, source in STAGES.items() if source == self.core)
            return f"{stage}:{self.symbol}"
        name = self.marker.name.lower().replace("_", " ")
        if self.core is None:
            return name
        return f"{name} any core" if self.core == "any" else f"{name} core {self.core}"


def _parsed(kind: Any) -> Any:
    return BeforeValidator(lambda value: value if isinstance(value, kind) else kind.parse(value))


class Line(_Table):
    """One pattern line. The first one in the file drives the measured interrupt."""

    index: int = Field(default=-1, ge=-1, lt=LINES)
    """Line of the gateware; -1: its place in the file."""
    mode: Literal["burst", "acknowledged", "single shot", "free running"] = "burst"
    """burst: count pulses; acknowledged: up until the marker of the acknowledgement, at most high;
    single shot: one pulse; free running: pulses until the batch ends."""
    high: Time
    """How long the line is up; at least 10 ticks."""
    low: Time
    """How long it is down between two pulses; at least 10 ticks, and dither is added."""
    start_delay: Time = Duration.parse("20 us")
    """Time from the start of a batch to the first rising edge."""
    phase: Literal["dithered", "locked"] = "dithered"
    """dithered: each pulse comes a little later, by chance; locked: its phase to clocks stays."""
    dither_bits: int | None = Field(default=None, ge=0, le=MOST_DITHER_BITS)
    """k: 0 to 2^k - 1 ticks are added to each low phase from the second one on; none: 8."""
    acknowledge: Annotated[Event, _parsed(Event), PlainSerializer(str)] = Event.parse("handler")
    """Marker that lets an acknowledged line fall."""
    pmod: Annotated[tuple[Annotated[int, Field(ge=0, lt=PINS)], ...], _LIST] = ()
    """Pins that get a copy, for a scope."""
    stm: bool = False
    """Whether the trace macrocell gets a copy, for a trace probe."""

    @property
    def dither(self) -> int:
        """Bits of dither in force: DITHER_BITS unless the file says otherwise."""
        if self.phase == "locked":
            return 0
        return DITHER_BITS if self.dither_bits is None else self.dither_bits


class Channel(_Table):
    """One latency channel."""

    index: int = Field(default=-1, ge=-1, lt=CHANNELS)
    """Channel of the gateware; -1: its place in the file."""
    start: Annotated[Event, _parsed(Event), PlainSerializer(str)] = Event.parse("line 0")
    """What begins a stimulus: a line's rising edge, or a marker."""
    stop: Annotated[Event, _parsed(Event), PlainSerializer(str)] = Event.parse("handler")
    """Marker that answers it."""
    timeout: Time
    """A stimulus that is not answered by then has no answer; shorter than the period."""
    bin: Time = Duration.parse("1 tick")
    """Width of a histogram bin, 2^k ticks."""
    origin: Time = Duration.parse("0 ticks")
    """Left edge of the histogram."""


class Pin(_Table):
    """An input whose edges are markers: a signal of an external device."""

    name: str = Field(pattern=f"^{PIN_NAME}$", max_length=32)
    """By which channels name it."""
    pin: int = Field(ge=0, lt=PINS)
    """Number of the input."""
    edge: Literal["rise", "fall", "both"] = "rise"
    """Which edges are markers."""
    filter: Time = Duration.parse("0 ticks")
    """A shorter level is no edge. It delays each marker by as much."""


class Wire(_Table):
    """A wire from an output to an input, which each run's calibration measures."""

    output: int = Field(ge=0, lt=PINS)
    """Number of the output."""
    input: int = Field(ge=0, lt=PINS)
    """Number of the input."""


class Device(_Table):
    """What is measured by its pins."""

    name: str = Field(min_length=1, max_length=100, pattern=r"^[^\n]*$")
    """Stands in the report, in front of where it is wired."""
    simulated: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9./_-]*$")
    """Table that plays it on ``twin:external``."""


class Further(_Table):
    """Further interrupts of the measured core, below the measured one (T4, T5, B-Lmax)."""

    interrupts: int = Field(ge=1, lt=1020)
    """Number of further interrupts."""
    period: Time | None = None
    """Time in which another core raises them all once; none: they are only enabled."""


class Load(_Table):
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


class Stretch(_Table):
    """Code of the firmware that the first line interrupts, each time a step later (placement)."""

    code: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*$", max_length=64)
    """Name of a function of the firmware."""
    after: Annotated[Event, _parsed(Event), PlainSerializer(str)] = Event.parse("start")
    """Marker that the delay counts from; start stands in front of the code."""
    first: Time
    """Shortest delay, from the marker's stamp to the line's rise."""
    last: Time
    """Longest delay; behind it the first one comes again."""
    step: Time = Duration.parse("1 tick")
    """Growth of the delay with each stimulus."""
    period: Time
    """Time in which the code is run once."""


class Loss(_Table):
    """Pairs of pulses over a grid, and which of them are answered; count is pairs of each cell."""

    widths: tuple[Time, ...] = Field(min_length=1, max_length=32, strict=False)
    """How long each pulse of a pair is."""
    spacings: tuple[Time, ...] = Field(min_length=1, max_length=32, strict=False)
    """From one rise of a pair to the other."""


class TimerTick(_Table):
    """A timer interrupt of low priority on the measured core: FreeRTOS's own, or one like it."""

    period: Time
    """Time from one timer tick to the next."""
    work: int = Field(default=0, ge=0, lt=1 << 32)
    """Loops of its handler."""


class Experiment(_Table):
    """Target-independent description of one measurement."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)
    """Names the run folder; letters, digits, points, dashes."""
    description: str = ""
    """Stands in the report."""
    machine: Literal["external"] | None = None
    """External: a device at the pins; else the machine that the target says it is."""
    case: CaseName
    """What the cores do: a case of Horst et al. 2020, or another one of the manual."""
    measure: Literal["latency", "throughput"] = "latency"
    """Times of stimuli, or how often a line that stays up is answered; count then counts phases."""
    stack: str = Field(default=DEFAULT_STACK, pattern=r"^[a-z][a-z0-9_-]*$", max_length=32)
    """Software below the handler: a folder of fw/stacks, or a stack of one's own."""
    core: int = Field(default=0, ge=0, lt=CORES)
    """The core that is measured."""
    cores: int = Field(default=1, ge=1, le=CORES)
    """Number of cores that handle the interrupt, from core 0 on."""
    caches: Literal["on", "off"]
    """Caches L1 and L2, for all cores of the case."""
    placement: PlacementName = "ddr"
    """Where vector, handler, their data and call stack stand: DDR or on-chip memory."""
    pages: PageSize | None = None
    """Page size of normal memory; none: the machine's usual size."""
    memory: MemoryName = "cacheable"
    """What the translation says of normal memory, beside caches that are on."""
    state: Annotated[tuple[StateName, ...], _LIST] = ()
    """What is emptied before each interrupt: TLB, branch predictors, caches."""
    lockdown: LockdownName | None = None
    """Where the path to the handler is held while a random load runs; none: nowhere."""
    warm: bool = False
    """Whether the way to the handler is run once more before each wait."""
    interrupt: str = "shared"
    """shared, private or software, none in a switch of tasks, or as a machine calls it."""
    trigger: Sense
    """What the interrupt controller senses."""
    priority: int = Field(default=0, ge=0, lt=0xF0)
    """Priority of the measured interrupt; 0 is the highest."""
    period: Time | None = None
    """Least time from one stimulus to the next, of an interrupt that software raises."""
    idle: IdleName = "wfi"
    """What the core does between interrupts: sleep, or run in a loop."""
    clock_divisor: int = Field(default=1, ge=1, lt=64)
    """Divisor of the CPU clock while the core sleeps."""
    lead_in: int = Field(default=8, ge=0, lt=1 << 16)
    """Rounds in front of each batch that warm the path and are not measured; 0: none."""
    markers: MarkerSet = "paper"
    """paper: the handler alone; stages: vector, handler, done, task. paper+stm: the handler stores
    to the STM, too, behind its marker; stm+paper: before it."""
    dispatcher: Literal["direct", "table"] = "direct"
    """How the vector finds the handler: compare and call, or look up and call."""
    count: int = Field(ge=1, le=MOST_STIMULI)
    """Stimuli of each line; a run is defined by count, never by duration."""
    samples: Annotated[Samples, _parsed(Samples), PlainSerializer(str)] = Samples.parse("all")
    """Stimuli that are kept one by one: all, first N, tail N (the longest) or none."""
    repeats: int = Field(default=1, ge=1, le=1000)
    """Runs, each with the next seed and a folder of its own."""
    seed: int = Field(default=1, ge=0, le=LARGEST_SEED)
    """Seed of dither and random loads."""
    further: Further | None = None
    """Further interrupts of the measured core."""
    load: Load | None = None
    """Memory accesses that disturb."""
    timer_tick: TimerTick | None = None
    """Timer interrupt of low priority."""
    stretch: Stretch | None = None
    """Code that is interrupted, each time a step later (placement)."""
    loss: Loss | None = None
    """Widths and spacings of pairs of pulses: a map of what is served, coalesced, lost."""
    device: Device | None = None
    """External device: what is measured by its pins."""
    wire: Wire | None = None
    """From an output to an input, measured by each run's calibration."""
    pins: tuple[Pin, ...] = Field(default=(), max_length=PINS, strict=False)
    """Signals of an external device."""
    lines: tuple[Line, ...] = Field(default=(), max_length=LINES, strict=False)
    """Pattern lines; the first one drives the measured interrupt."""
    channels: tuple[Channel, ...] = Field(min_length=1, max_length=CHANNELS, strict=False)
    """Latency channels."""

    @model_validator(mode="before")
    @classmethod
    def _of_a_device(cls, table: Any) -> Any:
        """What an external device's file need not say: it is the carrying processor's."""
        if isinstance(table, dict) and table.get("machine") == "external":
            plain = {"case": "external", "caches": "on", "trigger": "rising edge", "lead_in": 0}
            return plain | table
        return table

    @model_validator(mode="after")
    def _fill_in(self) -> Self:
        """Gives lines and channels without an index their place in the file, a stack its own."""
        for name in ("lines", "channels"):
            numbered = tuple(
                item.model_copy(update={"index": place}) if item.index < 0 else item
                for place, item in enumerate(getattr(self, name))
            )
            object.__setattr__(self, name, numbered)
        codes = dict(zip(self.symbols, WATCHED, strict=False))

        pins = {pin.name: place for place, pin in enumerate(self.pins)}

        def coded(event: Event) -> Event:
            if event.pin in pins:
                source, code = pin_marker(pins[event.pin])
                return event.model_copy(update={"core": source, "marker": code})
            if event.symbol not in codes:
                return event
            return event.model_copy(update={"marker": codes[event.symbol]})

        watching = tuple(
            channel.model_copy(update={"start": coded(channel.start), "stop": coded(channel.stop)})
            for channel in self.channels
        )
        object.__setattr__(self, "channels", watching)
        acknowledged = tuple(
            line.model_copy(update={"acknowledge": coded(line.acknowledge)}) for line in self.lines
        )
        object.__setattr__(self, "lines", acknowledged)
        if self.stack == "freertos" and self.timer_tick is None:
            object.__setattr__(
                self, "timer_tick", TimerTick(period=Duration.parse(FREERTOS_TIMER_TICK))
            )
        if self.stack == "standalone" and "dispatcher" not in self.model_fields_set:
            object.__setattr__(self, "dispatcher", "table")
        return self

    @property
    def external(self) -> bool:
        """A device at the pins is measured, and no software of the target."""
        return self.machine == "external"

    @property
    def symbols(self) -> tuple[str, ...]:
        """Symbols of a soft core's firmware whose instructions are markers, in the file's order."""
        events = (event for channel in self.channels for event in (channel.stop, channel.start))
        return tuple(dict.fromkeys(event.symbol for event in events if event.symbol is not None))

    @property
    def watches(self) -> tuple[tuple[str, int], ...]:
        """The symbols that are watched, each with its marker's code."""
        return tuple(zip(self.symbols, map(int, WATCHED), strict=False))

    @property
    def kind(self) -> InterruptKind | Literal["none"] | None:
        """Kind of the measured interrupt. None: no machine has it."""
        return "none" if self.interrupt == "none" else kind_of(self.interrupt)

    @property
    def second_stamp(self) -> bool:
        """The STM stamps the measured line and the handler, too."""
        return "stm" in self.markers.split("+")

    @property
    def by_software(self) -> bool:
        """The measured core begins each stimulus itself; there are no lines."""
        return self.kind in ("none", "software")


def pin_marker(place: int) -> tuple[int, Marker]:
    """Source and code of the marker of a file's pin. Edges of one source must not meet in a tick:
    so the first pins have a source each.
    """
    return place % CORES, Marker(1 + place // CORES)
