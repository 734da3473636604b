"""Reads Value Change Dumps (IEEE 1364).

pyvcd reads the declarations. Its tokens of changes take half a minute for ten megabytes, so
changes are read here.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import IO

import numpy as np
from vcd.reader import TokenKind, VCDParseError, tokenize

from irqscope.files import require_regular
from irqscope.kinds.capture import clock
from irqscope.kinds.capture.model import ROWS, UNKNOWN, Advance, CaptureError, Changes, Clock, Ticks

_BLOCK = 1 << 22
#: No declarations are longer, bytes.
_LONGEST = 1 << 26
_SECONDS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15}
_LEVELS = {"0": 0, "1": 1}
#: Variables that have no levels.
_NO_LEVELS = {"real", "realtime", "string", "parameter", "event"}
#: A variable or scope. Names may have blanks, as sigrok writes those of channels.
_NAMED = re.compile(rb"(\$(?:var\s+\S+\s+\d+\s+\S+|scope\s+\S+)\s+)(.*?)(\s*\$end)", re.DOTALL)
#: A byte of a name that pyvcd does not take, in hexadecimal.
_ESCAPED = re.compile(rb"~([0-9a-f]{2})~")
_RATE = re.compile(r"\bat ([0-9.]+ ?[kMG]?Hz)\b")


class ValueChangeDump:
    """An open .vcd file. Raises CaptureError if it is damaged."""

    form = "VCD"

    def __init__(self, path: Path, hz: int | None = None) -> None:
        """Args: path: The file. hz: Sample rate, if it was given."""
        self.paths = (path,)
        self.remarks: list[str] = []
        self._size = require_regular(path)
        with path.open("rb") as file:
            self._begin, head = _declarations(file, path)
        self._unit, self.tool, comments, self._bits = _declared(head, path)
        if self.tool.startswith("irqscope "):
            self.tool = f"irqscope, from {' '.join(comments.split())}"
        self.signals = tuple(self._bits)
        if not self.signals:
            raise CaptureError(f"{path} declares no signal with levels")
        basis = "given"
        if hz is None and (rate := _RATE.search(comments)):
            hz, basis = clock.parse_rate(rate[1]), "stated in the file"
        some = self._some_stamps()
        if hz is not None:
            self._scale = clock.stated(hz, self._unit, basis, some)
        else:
            self._scale = clock.found(self._unit, some)
        self.clock: Clock = self._scale.clock

    def changes(self, selected: Sequence[int], advance: Advance) -> Iterator[Changes]:
        """Yields the changes of the signals at these places."""
        names = [self.signals[place] for place in selected]
        reading = _Reading([self._bits[name] for name in names], self.paths[0])
        tail = None
        for block in self._blocks(reading, advance):
            tail = block
            yield Changes(
                self._scale.ticks(block.ticks),
                block.signals,
                block.levels,
                int(self._scale.ticks(np.array([block.last_tick], np.int64))[0]),
                block.gap,
            )
        if tail is None:
            raise CaptureError(f"{self.paths[0]} holds no change; capture longer")
        if reading.undefined:
            self.remarks.append(
                f"{reading.undefined} levels are x or z: an edge is where the next known level "
                "differs from the last"
            )

    def _blocks(self, reading: _Reading, advance: Advance) -> Iterator[Changes]:
        position, rest = self._begin, b""
        with self.paths[0].open("rb") as file:
            file.seek(self._begin)
            while data := file.read(_BLOCK):
                position += len(data)
                data = rest + data
                # A token, and a vector with its identifier, may go on in the next block.
                end = max(data.rfind(b"\n"), data.rfind(b" "))
                rest = data[end + 1 :]
                if len(rest) > _LONGEST:
                    raise CaptureError(f"{self.paths[0]} is damaged: one word fills {_LONGEST} B")
                yield from reading.blocks(data[: end + 1].split())
                advance(position, self._size)
        yield from reading.blocks(rest.split())
        yield from reading.end()

    def _some_stamps(self) -> Ticks:
        """Returns the first time stamps of the file, in its unit."""
        with self.paths[0].open("rb") as file:
            file.seek(self._begin)
            data = file.read(_BLOCK)
        matches = re.findall(rb"(?:^|\s)#([0-9]{1,18})(?=\s)", data)
        # The last time only ends the dump; it need not be a sample.
        return np.array(matches if len(data) == _BLOCK else matches[:-1], np.int64)


#: A bit of a variable: its identifier and place from the right, None for a scalar.
_Bit = tuple[str, int | None]


class _Reading:
    """Goes through the tokens of the changes. ``undefined``: levels that were x or z."""

    def __init__(self, bits: Sequence[_Bit], path: Path) -> None:
        self.undefined = 0
        self._path = path
        self._time: int | None = None
        self._scalars: dict[bytes, list[tuple[int, int]]] = {}
        self._vectors: dict[bytes, list[tuple[int, int]]] = {}
        for place, (code, bit) in enumerate(bits):
            for text, level in (("0", 0), ("1", 1), *((x, UNKNOWN) for x in "xXzZ")):
                self._scalars.setdefault((text + code).encode("latin-1"), []).append((place, level))
            self._vectors.setdefault(code.encode("latin-1"), []).append((place, bit or 0))
        self._ticks: list[int] = []
        self._signals: list[int] = []
        self._levels: list[int] = []
        self._vector: bytes | None = None
        self._skip = False
        self._off = False
        self._gap = ""

    def blocks(self, tokens: list[bytes]) -> Iterator[Changes]:
        """Yields the changes in some tokens, as soon as there are many."""
        scalars, ticks, signals, levels = (
            self._scalars, self._ticks, self._signals, self._levels
        )  # fmt: skip
        time = self._time
        for token in tokens:
            if self._vector is not None:
                self._set_vector(token, time)
                continue
            if self._skip:
                self._skip = token != b"$end"
                continue
            bit = scalars.get(token)
            if bit is not None:
                if self._off:
                    continue
                if time is None:
                    time = self._time = 0
                for place, level in bit:
                    ticks.append(time)
                    signals.append(place)
                    levels.append(level)
                    self.undefined += level < 0
                continue
            first = token[0]
            if first == 35:  # "#"
                before = time
                time = self._stamp(token)
                if before is not None and time < before:
                    self._time = before
                    if len(ticks):
                        yield self._block()
                        ticks, signals, levels = self._ticks, self._signals, self._levels
                    self._gap = f"time runs backwards, from {before} to {time}"
                self._time = time
                if len(ticks) > ROWS:
                    yield self._block()
                    ticks, signals, levels = self._ticks, self._signals, self._levels
            elif first in b"bBrRsS":
                self._vector = token
            elif first == 36:  # "$"
                if token == b"$comment":
                    self._skip = True
                elif token == b"$dumpoff":
                    if len(ticks):
                        yield self._block()
                        ticks, signals, levels = self._ticks, self._signals, self._levels
                    self._off = True
                elif token == b"$dumpon":
                    self._off, self._gap = False, "the dump was off"
            elif first not in b"01xXzZuUwWlLhH-":
                text = token[:20].decode("latin-1")
                raise CaptureError(f"{self._path} is damaged at {text!r}, after time {time}")
        self._time = time

    def end(self) -> Iterator[Changes]:
        """Yields the last changes."""
        if self._time is not None:
            yield self._block()

    def _block(self) -> Changes:
        assert self._time is not None
        block = Changes(
            np.array(self._ticks, np.int64),
            np.array(self._signals, np.int16),
            np.array(self._levels, np.int8),
            self._time,
            self._gap,
        )
        self._ticks, self._signals, self._levels, self._gap = [], [], [], ""
        return block

    def _stamp(self, token: bytes) -> int:
        if not token[1:].isdigit() or len(token) > 19:
            raise CaptureError(
                f"{self._path} is damaged: {token[:30].decode('latin-1')!r} is no time stamp"
            )
        return int(token[1:])

    def _set_vector(self, code: bytes, time: int | None) -> None:
        assert self._vector is not None
        value, self._vector = self._vector.decode("latin-1"), None
        vector = self._vectors.get(code)
        if vector is None or value[0] not in "bB" or self._off:
            return
        digits = value[1:]
        # The left bit goes on to the left, except that 1 is followed by 0.
        fill = "0" if digits[:1] == "1" else digits[:1]
        for place, bit in vector:
            text = digits[-1 - bit] if bit < len(digits) else fill
            level = _LEVELS.get(text, UNKNOWN)
            self._ticks.append(time or 0)
            self._signals.append(place)
            self._levels.append(level)
            self.undefined += level < 0


def _declarations(file: IO[bytes], path: Path) -> tuple[int, bytes]:
    """Returns where the changes begin, and the declarations."""
    head, mark = b"", b"$enddefinitions"
    while mark not in head:
        more = file.read(1 << 16)
        if not more or len(head) > _LONGEST:
            raise CaptureError(f"{path} is no VCD file, or is cut short: it has no $enddefinitions")
        head += more
    end = head.find(b"$end", head.find(mark) + len(mark))
    if end < 0:
        head += file.read(64)
        end = head.find(b"$end", head.find(mark) + len(mark))
    if end < 0:
        raise CaptureError(f"{path} is cut short in its declarations")
    return end + 4, head[: end + 4].removeprefix(codecs.BOM_UTF8)


def _declared(head: bytes, path: Path) -> tuple[Fraction, str, str, dict[str, _Bit]]:
    """Returns unit of time (s), tool, comments, and the bit of each signal by its name."""
    import io

    # Extensions of other tools, such as $attrbegin of GHDL's and FST's converters.
    head = re.sub(rb"\$attr(?:begin|end)\b.*?\$end", b"", head, flags=re.DOTALL)
    head = _NAMED.sub(lambda one: one[1] + _escaped(one[2]) + one[3], head)
    unit, tool, comments = Fraction(0), "", list[str]()
    scopes, found = list[str](), list[tuple[tuple[str, ...], str, _Bit]]()
    try:
        for token in tokenize(io.BytesIO(head)):
            if token.kind is TokenKind.TIMESCALE:
                scale = token.timescale
                power = _SECONDS[scale.unit.value]
                unit = Fraction(scale.magnitude.value, 10**power)
            elif token.kind is TokenKind.VERSION:
                tool = " ".join(token.version.split())
            elif token.kind is TokenKind.COMMENT:
                comments.append(token.comment)
            elif token.kind is TokenKind.SCOPE:
                scopes.append(token.scope.ident)
            elif token.kind is TokenKind.UPSCOPE and scopes:
                scopes.pop()
            elif token.kind is TokenKind.VAR and token.var.type_.value not in _NO_LEVELS:
                found += _bits(tuple(scopes), token.var)
    except (VCDParseError, UnicodeDecodeError, ValueError) as error:
        cause = " ".join(str(error).split())
        raise CaptureError(f"{path}: the declarations are damaged: {cause}") from error
    if not unit:
        raise CaptureError(f"{path} states no $timescale, so its times have no unit")
    plain = [name for _, name, _ in found]
    bits: dict[str, _Bit] = {}
    for inside, name, bit in found:
        # A name stands alone where it is the only one, else with its scopes.
        whole = name if plain.count(name) == 1 else ".".join((*inside, name))
        whole = _ESCAPED.sub(lambda one: bytes.fromhex(one[1].decode()), whole.encode()).decode(
            "utf-8", "replace"
        )
        names = (whole, *(f"{whole} ({n})" for n in range(2, len(found) + 1)))
        bits.setdefault(next(one for one in names if bits.get(one, bit) == bit), bit)
    return unit, tool or "another instrument", " ".join(comments), bits


def _escaped(name: bytes) -> bytes:
    """Escapes the blanks and letters in a name that pyvcd does not take.

    A blank in front of the bits in brackets is not part of the name.
    """
    bits = re.search(rb"\s*\[[-0-9:\s]*\]$", name)
    end = bits.start() if bits else len(name)
    bare = re.sub(rb"\s+", b" ", name[:end])
    return re.sub(rb"[^!-~]", lambda one: b"~%02x~" % one[0][0], bare) + name[end:]


def _bits(scopes: tuple[str, ...], var: object) -> Iterator[tuple[tuple[str, ...], str, _Bit]]:
    """Yields scopes, name and bit of each bit of a variable."""
    code, name, size = var.id_code, var.reference, var.size  # type: ignore[attr-defined]
    index = var.bit_index  # type: ignore[attr-defined]
    if size == 1:
        yield scopes, name if not isinstance(index, int) else f"{name}[{index}]", (code, None)
        return
    high, low = index if isinstance(index, tuple) else (size - 1, 0)
    step = 1 if high >= low else -1
    for bit in range(min(size, 64)):
        yield scopes, f"{name}[{low + step * bit}]", (code, bit)
