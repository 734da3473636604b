"""Values that experiment files write as text: times, sizes, kept samples, and events.

A time is a whole number of ticks or a text with a unit, such as ``"1 ms"`` or ``"40 ns"``; the
target's own clock turns it into ticks.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, ConfigDict, PlainSerializer

from irqscope.constants import Marker, StartKind
from irqscope.units import Duration, Size, Strict

MARKER_NAMES = {marker.name.lower().replace("_", " "): marker for marker in Marker}
#: Sources of markers of a soft core, in the places of further cores: stages of its pipeline, in
#: which instructions are watched, and the bus of a program's (rtl/system/subject.h).
STAGES = {"pc": 1, "id": 2, "store": 3, "pin": 4}
_SYMBOL = r"(?:[A-Za-z_$.][\w$.]*|<[\w$.:<> ]+>)(?:::[\w$.<>{}]+)*"
_NAMED = rf"{_SYMBOL}(?:\+(?:0x[0-9A-Fa-f]+|[0-9]+))?"
_ADDRESS = "0x[0-9A-Fa-f]+"
_LINE = r"[\w./-]+\.[A-Za-z]+:[0-9]+"
_ONE = rf"(?:{_NAMED}|{_ADDRESS}|{_LINE})"
#: A place of a program: a symbol, with an offset or not; an address, or a range of them; a line.
PLACE = rf"{_NAMED}|{_ADDRESS}(?:\.\.{_ADDRESS})?|{_LINE}"
#: Code of a program: a function, or all from one place up to another.
CODE = rf"{_ONE}(?:\.\.{_ONE})?"
#: An edge of a signal of a capture, by the name that the file has for it.
_SIGNAL_EDGE = r"(\S.*) (rise|fall|change)"
#: A stamp that other software made itself.
_STAMP = r"stamp:(\S.*)"
#: A pin of the chip that runs a program, and the level that it takes.
CHIP_PIN = "P[A-K](?:1[0-5]|[0-9])"
#: Valid names of a pin.
PIN_NAME = r"[a-z][a-z0-9_-]*"


class Table(Strict):
    """A table of an experiment file."""

    model_config = ConfigDict(
        arbitrary_types_allowed=True,
        use_attribute_docstrings=True,  # a key's meaning follows it, also for the app
    )


class Samples(Table):
    """Which stimuli are kept one by one; the histogram always holds them all."""

    which: Literal["all", "first", "tail", "none"]
    number: int = 0  #: of ``first`` and ``tail``

    @classmethod
    def parse(cls, text: object) -> Samples:
        """Parses ``"all"``, ``"first 100"``, ``"tail 100"`` (the longest 100) or ``"none"``.

        Raises ValueError for another text.
        """
        match = re.fullmatch(r"(all|none)|(first|tail) ([1-9][0-9]{0,12})", str(text))
        if match is None:
            raise ValueError('give "all", "first N", "tail N" or "none"')
        if match[1]:
            return cls(which="all" if match[1] == "all" else "none")
        return cls(which="first" if match[2] == "first" else "tail", number=int(match[3]))

    def __str__(self) -> str:
        return f"{self.which} {self.number}" if self.number else self.which


class Event(Table):
    """What opens or serves a stimulus."""

    kind: StartKind
    line: int = 0
    marker: Marker = Marker.DUMMY
    #: None for the measured core. "any": each core that handles the interrupt.
    core: int | Literal["any"] | None = None
    #: Place in a soft core's program: the marker is the instruction there, in the stage that
    #: ``core`` names, or a store to it.
    symbol: str | None = None
    #: For an external device: the marker is an edge of the pin of that name.
    pin: str | None = None
    #: In a capture: the signal that has the edge, or the stamp of other software, without an edge.
    signal: str | None = None
    edge: Literal["rise", "fall", "change"] | None = None

    @classmethod
    def parse(cls, text: object) -> Event:
        """The event that a text means.

        ``"line 0"``, ``"handler"``, ``"handler core 1"``, ``"handler any core"``; of a soft core
        ``"pc:PLACE"`` (the instruction at a symbol, address or line of a source executes),
        ``"id:PLACE"`` (is decoded), ``"store:PLACE"`` (a store meets it); or ``"pin:NAME"`` (an
        edge of an external device's pin); ``"pin:PG0 rise"`` (an output pin of the chip that runs
        a program takes that level).

        Raises ValueError for another text.
        """
        if match := re.fullmatch(r"line ([0-9])", str(text)):
            return cls(kind=StartKind.LINE, line=int(match[1]))
        if match := re.fullmatch(rf"(pc|id|store):({PLACE})", str(text)):
            return cls(kind=StartKind.MARKER, core=STAGES[match[1]], symbol=match[2])
        if match := re.fullmatch(rf"pin:({CHIP_PIN}) +(rise|fall)", str(text)):
            symbol = f"{match[1]} {match[2]}"
            return cls(kind=StartKind.MARKER, core=STAGES["pin"], symbol=symbol)
        if match := re.fullmatch(rf"pin:({PIN_NAME})", str(text)):
            return cls(kind=StartKind.MARKER, pin=match[1])
        if match := re.fullmatch(_STAMP, str(text)):
            return cls(kind=StartKind.MARKER, signal=match[1])
        if match := re.fullmatch(_SIGNAL_EDGE, str(text)):
            edge = cast('Literal["rise", "fall", "change"]', match[2])
            return cls(kind=StartKind.MARKER, signal=match[1], edge=edge)
        match = re.fullmatch(r"([a-z ]+?)(?: core ([0-3])|( any core))?", str(text))
        if match is None or match[1] not in MARKER_NAMES or match[1] == "dummy":
            names = ", ".join(name for name in MARKER_NAMES if name != "dummy")
            raise ValueError(
                f'give "line N" or a marker, with or without "core N" or "any core": {names}; '
                'of a soft core "pc:PLACE", "id:PLACE" or "store:PLACE", of an external device '
                '"pin:NAME", of a chip that runs a program "pin:PG0 rise", of a capture '
                '"NAME rise" or "NAME fall"'
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
        if self.signal is not None:
            return f"{self.signal} {self.edge}" if self.edge else f"stamp:{self.signal}"
        if self.symbol is not None:
            stage = next(stage for stage, source in STAGES.items() if source == self.core)
            return f"{stage}:{self.symbol}"
        name = self.marker.name.lower().replace("_", " ")
        if self.core is None:
            return name
        return f"{name} any core" if self.core == "any" else f"{name} core {self.core}"


def _parsed(kind: Any) -> Any:
    return BeforeValidator(lambda value: value if isinstance(value, kind) else kind.parse(value))


#: Types of keys: each takes the value itself, or its text, as which it is written.
Time = Annotated[Duration, _parsed(Duration), PlainSerializer(str)]
Memory = Annotated[Size, _parsed(Size), PlainSerializer(str)]
SamplesText = Annotated[Samples, _parsed(Samples), PlainSerializer(str)]
EventText = Annotated[Event, _parsed(Event), PlainSerializer(str)]
