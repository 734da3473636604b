"""What a description of a machine says, and what follows from it for an experiment.

``machines/NAME.toml`` is such a description. The host reads its generated form, never the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from irqscope.constants import SOURCE_BOARD, SOURCE_MACHINE, SOURCE_SIMULATION
from irqscope.machines.words import (
    WORDS,
    CaseName,
    IdleName,
    InterruptKind,
    LockdownName,
    MarkerSet,
    MemoryName,
    PageSize,
    PlacementName,
    Sense,
    StackName,
    StateName,
)
from irqscope.strict import Hertz, Strict

_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*$")]
_Text = Annotated[str, Field(min_length=1, pattern=r"^[^\n]*$")]
_Id = Annotated[int, Field(ge=0, lt=1020)]
_Positive = Annotated[int, Field(gt=0)]
_Address = Annotated[int, Field(ge=0, lt=1 << 40)]
#: As wide as their fields in the register ``source``.
_Number = Annotated[int, Field(ge=1, lt=1 << SOURCE_MACHINE.width)]
_BoardNumber = Annotated[int, Field(ge=1, lt=1 << SOURCE_BOARD.width)]
_TwinNumber = Annotated[int, Field(ge=1, lt=1 << SOURCE_SIMULATION.width)]
_List = Field(strict=False)


class Cores(Strict):
    """``mode``: what the firmware runs in."""

    count: Annotated[int, Field(ge=1, le=4)]
    name: _Text
    mode: _Text


class Comb(Strict):
    """Markers move on a grid of ``ns``. ``phases``: ticks after which grid and ticks meet again.

    ``ns`` 0: there is none, they have the gateware's clock.
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
    """Outputs of the instrument that reach IDs in a row."""

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
        """In the order of the outputs."""
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
    """``further``: how many there are besides the measured one and those that are named here.

    ``absent``: IDs below ``ids`` that no source has. ``uarts``: by number, where
    the link may be another than ``link``.
    """

    controller: _Text
    ids: Annotated[int, Field(gt=0, le=1020)]
    link: _Id
    uarts: Annotated[tuple[_Id, ...], _List] = ()
    tick: _Id
    finished: _Id
    further: _Positive
    absent: Annotated[tuple[_Id, ...], _List] = ()
    shared: Shared
    private: Private | None = None
    software: Software | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        used = [*self.shared.ids, self.link, self.tick]
        used += [] if self.private is None else [self.private.id]
        if self.software is not None:
            used += range(self.software.first, self.software.first + self.software.count)
        if len(set(used)) != len(used):
            raise ValueError("an ID stands twice")
        if max(used) >= self.ids:
            raise ValueError(f"{max(used)} is not below ids = {self.ids}")
        if self.uarts and self.link not in self.uarts:
            raise ValueError("link is one of the uarts")
        if both := sorted({*used} & {*self.absent}):
            raise ValueError(f"{both[0]} is absent")
        if self.finished not in self.shared.ids or self.finished == self.shared.ids[0]:
            raise ValueError("finished is one of the shared outputs, and not the first")
        return self


class Placement(Strict):
    """Memory in which code and data can stand."""

    name: PlacementName
    title: _Text
    base: _Address
    size: _Positive


class Memory(Strict):
    """Room for the arrays of loads; a way of the last cache of the cores."""

    arrays_base: _Address
    arrays_kib: _Positive
    way_kib: _Positive


class Has(Strict):
    """Words of an experiment that hold on the machine.

    ``pages``: the usual size first; ``clock_divisor``: the largest.
    """

    case: Annotated[tuple[CaseName, ...], _List]
    stack: Annotated[tuple[StackName, ...], _List] = get_args(StackName)
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


class Board(Strict):
    """The machine on a circuit board.

    ``number``: what its gateware says that it is. ``tick_hz``: the PL clock by the board's preset.
    ``uart``: the one that the USB cable reaches. ``free``: the free edition of Vivado has the part.
    """

    name: _Name
    number: _BoardNumber
    title: _Text
    part: _Text
    vivado: _Text
    free: bool
    tick_hz: Hertz
    cpu_mhz: _Positive
    uart: Literal[0, 1]
    pmod: _Text


class Twin(Strict):
    """The machine simulated with a timing profile. ``number``: what its gateware says of that."""

    profile: _Name
    number: _TwinNumber


class Simulated(Strict):
    """A core in RTL simulation. ``number``: what its gateware says, in the place of a board."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
    number: _BoardNumber
    title: _Text


@dataclass(frozen=True)
class Interrupt:
    """One interrupt of a machine. ``output``: of a shared one, the instrument's; else None."""

    kind: InterruptKind
    id: int
    name: str
    output: int | None
    senses: tuple[str, ...]


class Machine(Strict):
    """One machine. ``number``: what its gateware says it is. ``tick_hz``: the PL clock that the
    design asks for, by which limits are judged before a target has said its own. ``emptied``:
    states that a latency can be measured from, and by what they come about. ``lacks``: why, by key
    and word.
    """

    name: _Name
    number: _Number
    title: _Text
    tick_hz: Hertz
    markers: _Text
    port: _Text
    cores: Cores
    comb: Comb
    counter: Counter
    interrupts: Interrupts
    placements: Annotated[tuple[Placement, ...], Field(min_length=1, strict=False)]
    memory: Memory
    has: Has
    emptied: dict[StateName, _Text] = {}
    lacks: dict[str, dict[str, _Text]] = {}
    pins: Pins
    boards: Annotated[tuple[Board, ...], _List] = ()
    twins: Annotated[tuple[Twin, ...], _List] = ()
    simulated: Annotated[tuple[Simulated, ...], _List] = ()

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """What the machine lacks stands there with its reason, and nothing else does."""
        for key, words in WORDS.items():
            missing = {word for word in words if word not in self.words(key)}
            told = set(self.lacks.get(key, {}))
            if missing - told:
                raise ValueError(f"lacks.{key}: why is there no {min(missing - told)!r}?")
            if told - missing:
                raise ValueError(f"lacks.{key}: {min(told - missing)!r} is there, or is not a word")
        if unknown := set(self.lacks) - set(WORDS):
            raise ValueError(f"lacks.{min(unknown)}: no such key; give one of {', '.join(WORDS)}")
        boards: tuple[Board | Simulated, ...] = (*self.boards, *self.simulated)
        twins = self.twins
        if bool(self.boards) == bool(self.simulated):
            raise ValueError("it has boards, or is simulated")
        for what in (
            [board.name for board in boards],
            [board.number for board in boards],
            [twin.profile for twin in twins],
            [twin.number for twin in twins],
        ):
            if len(set(what)) != len(what):
                raise ValueError("two boards or twins have one name or number")
        return self

    @property
    def usual_pages(self) -> PageSize:
        """In which normal memory is translated unless an experiment says otherwise."""
        return self.has.pages[0]

    def words(self, key: str) -> tuple[str, ...]:
        """Words of WORDS that hold here under ``key``."""
        if key == "placement":
            return tuple(placement.name for placement in self.placements)
        if key == "interrupt":
            return tuple(kind for kind in WORDS[key] if getattr(self.interrupts, kind) is not None)
        if key == "clock_divisor":
            return WORDS[key] if self.has.clock_divisor > 1 else ()
        if key == "state":
            return tuple(self.emptied)
        return tuple(map(str, getattr(self.has, key)))

    def lack(self, key: str, word: str) -> str | None:
        """Why the machine has no such thing; None if it has."""
        reason = self.lacks.get(key, {}).get(word)
        return None if reason is None else f"{self.name} has no {word}: {reason}"

    # ---- interrupts -----------------------------------------------------------------------------

    @cached_property
    def usable(self) -> tuple[Interrupt, ...]:
        """All interrupts that an experiment can measure; of each kind its default comes first."""
        return tuple(self._usable())

    def _usable(self) -> Iterator[Interrupt]:
        i = self.interrupts
        for output, number in enumerate(i.shared.ids):
            if number != i.finished:
                yield self._interrupt("shared", i.shared, number, output)
        if i.private is not None:
            yield self._interrupt("private", i.private, i.private.id, None)
        if i.software is not None:
            for number in range(i.software.first, i.software.first + i.software.count):
                yield self._interrupt("software", i.software, number, None)

    def _interrupt(
        self, kind: InterruptKind, of: Shared | Private | Software, number: int, output: int | None
    ) -> Interrupt:
        return Interrupt(kind, number, f"{of.word} {number}", output, of.senses)

    def interrupt(self, text: str) -> Interrupt:
        """The interrupt that an experiment names, by its kind or as the machine calls it.

        Raises ValueError if there is none.
        """
        for found in self.usable:
            if text in (found.kind, found.name):
                return found
        if reason := self.lack("interrupt", text):
            raise ValueError(reason)
        raise ValueError(f'give {self.names}; a case of switches has "none"')

    def named(self, number: int) -> str:
        """How people call an interrupt ID, such as SPI 121."""
        for found in self.usable:
            if found.id == number:
                return found.name.upper()
        if number == self.interrupts.finished:
            return f"{self.interrupts.shared.word} {number}".upper()
        return f"interrupt {number}"

    def word(self, number: int) -> str:
        """How people call the kind of an interrupt ID, such as SPI."""
        i = self.interrupts
        if i.software is not None and number - i.software.first in range(i.software.count):
            return i.software.word.upper()
        if i.private is not None and number - i.private.first in range(i.private.count):
            return i.private.word.upper()
        return i.shared.word.upper()

    @property
    def names(self) -> str:
        """What an experiment may write as its interrupt."""
        kinds = [f'"{kind}"' for kind in self.words("interrupt")]
        rows = [f'"{first}" to "{last}"' if first != last else f'"{first}"' for first, last in
                self._rows()]  # fmt: skip
        return f"{', '.join(kinds)}, or {', '.join(rows)}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        """First and last name of interrupts whose IDs follow on each other."""
        row: list[Interrupt] = []
        for found in self.usable:
            if row and (found.kind != row[-1].kind or found.id != row[-1].id + 1):
                yield row[0].name, row[-1].name
                row = []
            row.append(found)
        yield row[0].name, row[-1].name

    @property
    def finished_output(self) -> int:
        """Output of the interrupt that says that a batch has finished."""
        return self.interrupts.shared.ids.index(self.interrupts.finished)
