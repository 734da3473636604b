"""The one TOML schema of experiments, used by command line and library alike."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from irqscope.constants import CHANNELS, CORES, LINES, Marker
from irqscope.experiment.tables import (
    LIST,
    MOST_CHANNELS,
    OWN_INTERRUPT,
    PINS,
    Background,
    Channel,
    CodeUnderTest,
    Device,
    Line,
    Load,
    Pin,
    TimerTick,
    Wire,
)
from irqscope.experiment.values import Event, Samples, SamplesText, Table, Time
from irqscope.machines.cases import CaseName
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.machines.known import kind_of
from irqscope.machines.names import (
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
from irqscope.units import Duration, Extensible

MOST_STIMULI = 10**12
LARGEST_SEED = (1 << 63) - 1
#: Codes of watched instructions, in the order in which a file names them.
WATCHED = (Marker.HANDLER, Marker.DONE, Marker.TASK, Marker.START)
#: Period of the kernel tick unless an experiment has another.
FREERTOS_TIMER_TICK = "1 ms"


class Experiment(Table, Extensible):
    """Target-independent description of one measurement."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)
    """Names the run folder; letters, digits, points, dashes."""
    description: str = ""
    """Is in the report."""
    machine: Literal["external", "program", "capture"] | None = None
    """External: a device at the pins; program: a foreign one, run by the target beside the
    instrument; capture: files of another instrument, for `irqscope import`; else the machine that
    the target says it is."""
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
    """Where vector, handler, their data and call stack are: DDR or on-chip memory."""
    pages: PageSize | None = None
    """Page size of normal memory; none: the machine's usual size."""
    memory: MemoryName = "cacheable"
    """What the translation says of normal memory, beside caches that are on."""
    state: Annotated[tuple[StateName, ...], LIST] = ()
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
    warm_up: int = Field(default=8, ge=0, lt=1 << 16)
    """Rounds in front of each batch that warm the path and are not measured; 0: none."""
    markers: MarkerSet = "paper"
    """paper: the handler alone; stages: vector, handler, done, task. paper+stm: the handler stores
    to the STM, too, after its marker; stm+paper: before it."""
    dispatcher: Literal["direct", "table"] = "direct"
    """How the vector finds the handler: compare and call, or look up and call."""
    count: int = Field(ge=1, le=MOST_STIMULI)
    """Stimuli of each line; a run is defined by count, never by duration."""
    samples: SamplesText = Samples.parse("all")
    """Stimuli that are kept one by one: all, first N, tail N (the longest) or none."""
    repeats: int = Field(default=1, ge=1, le=1000)
    """Runs, each with the next seed and a folder of its own."""
    seed: int = Field(default=1, ge=0, le=LARGEST_SEED)
    """Seed of dither and random loads."""
    background: Background | None = None
    """Background interrupts of the measured core."""
    load: Load | None = None
    """Memory accesses that disturb."""
    timer_tick: TimerTick | None = None
    """Timer interrupt of low priority."""
    code_under_test: CodeUnderTest | None = None
    """Code that is interrupted, each time a step later (placement)."""
    device: Device | None = None
    """External device: what is measured by its pins."""
    wire: Wire | None = None
    """From an output to an input, measured by each run's calibration."""
    pins: tuple[Pin, ...] = Field(default=(), max_length=PINS, strict=False)
    """Signals of an external device."""
    masked: bool = False
    """Of a foreign program: list when line 0 could not interrupt it, by function."""
    lines: tuple[Line, ...] = Field(default=(), max_length=LINES, strict=False)
    """Pattern lines; the first one raises the measured interrupt."""
    channels: tuple[Channel, ...] = Field(min_length=1, max_length=MOST_CHANNELS, strict=False)
    """Latency channels: of the gateware at most 8, of files of another instrument 256."""

    @field_validator("channels")
    @classmethod
    def _of_the_gateware(
        cls, channels: tuple[Channel, ...], info: ValidationInfo
    ) -> tuple[Channel, ...]:
        """Refuses more channels than the gateware has, unless another instrument measured."""
        if info.data.get("machine") != "capture":
            if len(channels) > CHANNELS:
                raise ValueError(
                    f"{len(channels)} channels, the gateware has {CHANNELS}; remove some"
                )
            for channel in channels:
                if channel.index >= CHANNELS:
                    raise ValueError(
                        f"index {channel.index} is no channel of the gateware; give 0 to "
                        f"{CHANNELS - 1}"
                    )
        return channels

    @model_validator(mode="before")
    @classmethod
    def _of_a_device(cls, table: Any) -> Any:
        """What an external device's file need not say: it is the carrying processor's."""
        if isinstance(table, dict) and table.get("machine") == "external":
            plain = {"case": "external", "caches": "on", "trigger": "rising edge", "warm_up": 0}
            return plain | table
        if isinstance(table, dict) and table.get("machine") == "capture":
            plain = {"case": "external", "caches": "on", "trigger": "rising edge", "warm_up": 0}
            return plain | {"count": 1} | table
        if isinstance(table, dict) and table.get("machine") == "program":
            plain = {"case": "program", "caches": "off", "trigger": "level", "warm_up": 0}
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
        if self.code_under_test is not None:
            after = coded(self.code_under_test.after)
            placed = self.code_under_test.model_copy(update={"after": after})
            object.__setattr__(self, "code_under_test", placed)
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
    def of_capture(self) -> bool:
        """Another instrument measures, or has measured."""
        return self.machine == "capture"

    @property
    def of_program(self) -> bool:
        """A program is measured that does not know of the instrument."""
        return self.machine == "program"

    @property
    def of_others(self) -> bool:
        """Whether the measured software is not the instrument's own."""
        return self.machine is not None

    @property
    def symbols(self) -> tuple[str, ...]:
        """Places in a soft core's program that give markers, in the file's order."""
        return tuple(dict.fromkeys(str(event.symbol) for event in self._watched))

    @property
    def watches(self) -> tuple[tuple[str, int], ...]:
        """The stages and places that are watched, as ``"pc:SYMBOL"``, with their markers' codes."""
        codes = dict(zip(self.symbols, map(int, WATCHED), strict=False))
        sources = {str(event): codes.get(str(event.symbol), 0) for event in self._watched}
        return tuple(sources.items())

    @property
    def leads(self) -> tuple[str, ...]:
        """Returns where each line leads on the chip that runs a program.

        As ``"0=pin:PC13"``, ``"0=irq:40"``, or ``"0="`` if the file does not say.
        """
        return tuple(f"{line.index}={line.lead}" for line in self.lines)

    @property
    def _watched(self) -> list[Event]:
        events = [event for channel in self.channels for event in (channel.stop, channel.start)]
        events += [line.acknowledge for line in self.lines if line.mode == "acknowledged"]
        events += [] if self.code_under_test is None else [self.code_under_test.after]
        return [event for event in events if event.symbol is not None]

    @property
    def kind(self) -> InterruptKind | Literal["none"] | None:
        """Kind of the measured interrupt. None if no machine has it."""
        return "none" if self.interrupt == "none" else kind_of(self.interrupt)

    @property
    def second_stamp(self) -> bool:
        """Whether the STM also stamps the measured line and the handler."""
        return "stm" in self.markers.split("+")

    @property
    def raising(self) -> tuple[Line, ...]:
        """The lines that raise the interrupt that our software answers."""
        if self.of_others:
            return ()
        return tuple(
            line
            for place, line in enumerate(self.lines)
            if (
                line.interrupt != "none"
                if place == 0
                else line.interrupt not in (None, "none", OWN_INTERRUPT)
            )
        )

    @property
    def by_software(self) -> bool:
        """Whether the measured core begins each stimulus itself, without lines."""
        return self.kind in ("none", "software")


def pin_marker(place: int) -> tuple[int, Marker]:
    """Source and code of the marker of a file's pin.

    Edges of one source must not meet in a tick: so the first pins have a source each.
    """
    return place % CORES, Marker(1 + place // CORES)
