"""Reads files with columns: CSV of any form, and Parquet.

A file has one of these forms, told by its columns:

- levels: a time and the level of each signal, a row for each change (Saleae, sigrok);
- samples: levels without a time, a row for each sample, with the rate in a comment (sigrok);
- edges: a time, the name of a signal, and its new level;
- latencies: one number for each stimulus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from irqscope.files import require_regular
from irqscope.kinds.capture import clock
from irqscope.kinds.capture.levels import Known, LevelRows, backwards
from irqscope.kinds.capture.model import UNKNOWN, Advance, CaptureError, Changes, Clock, Ticks
from irqscope.kinds.capture.sniff import Layout, digits, is_iso, sniff

_BLOCK = 1 << 22
#: Signals that a file may have.
_MOST_SIGNALS = 1024
_UNITS = {
    "s": 0, "sec": 0, "second": 0, "seconds": 0,
    "ms": 3, "millisecond": 3, "milliseconds": 3,
    "us": 6, "µs": 6, "\N{GREEK SMALL LETTER MU}s": 6, "microsecond": 6, "microseconds": 6,
    "ns": 9, "nanosecond": 9, "nanoseconds": 9,
    "ps": 12, "picosecond": 12, "picoseconds": 12,
    "fs": 15, "femtosecond": 15, "femtoseconds": 15,
}  # fmt: skip
_TIME = re.compile(
    r"(?:start[ _]?)?(?:time|timestamp|time[ _]?stamp|zeit|t)(?:[ _]?(?:at|of)?[ _]?start)?",
    re.IGNORECASE,
)
_LATENCY = re.compile(
    r"(?:.*[ _])?(?:latency|latencies|response|delay|jitter|duration|value)(?:[ _].*)?",
    re.IGNORECASE,
)
_SIGNAL = {"channel", "signal", "pin", "name", "line"}
_LEVEL = {"level", "value", "state", "edge"}
_WORDS = {"rise": 1, "rising": 1, "high": 1, "true": 1, "1": 1, "fall": 0, "falling": 0, "low": 0,
          "false": 0, "0": 0}  # fmt: skip


@dataclass(frozen=True)
class Head:
    """Header of a column: its name without a unit, and the power of ten of its unit, if any."""

    name: str
    power: int | None

    @classmethod
    def of(cls, text: str) -> Head:
        """Returns the parts of a header such as "Time [s]", "latency_us" or "nanoseconds"."""
        bare = text.strip().strip('"').strip()
        if bare.lower() in _UNITS and len(bare) > 2:
            return cls("time", _UNITS[bare.lower()])
        match = re.fullmatch(r"(.*?)[ _]?[\[(]([^\])]*)[\])]|(.*?)[ _,]+([A-Za-zµμ]+)", bare)
        if match is not None:
            unit = (match[2] or match[4] or "").strip().lower()
            if unit in _UNITS:
                return cls((match[1] or match[3] or "").strip() or "time", _UNITS[unit])
        return cls(bare, None)


class Columns:
    """An open table: blocks of rows, column by column, whatever the file's form."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = require_regular(path)
        with path.open("rb") as file:
            self.parquet = file.read(4) == b"PAR1"
        self.cut = 0  #: rows of this pass with another number of columns than the header
        self.cut_text = ""  #: the last of them
        self.layout: Layout | None = None
        if self.parquet:
            try:
                with pq.ParquetFile(path) as whole:
                    self.names = tuple(whole.schema_arrow.names)
                    self.types = list(whole.schema_arrow.types)
                    self.tool = str(whole.metadata.created_by or "another instrument")
                    metadata = whole.schema_arrow.metadata or {}
                    self.some = next(whole.iter_batches(1000), None)
            except (pa.ArrowException, OSError) as error:
                raise CaptureError(f"{path} is damaged ({_line(error)})") from error
            self.metadata = {k.decode("utf-8", "replace"): v for k, v in metadata.items()}
            self.comments: tuple[str, ...] = ()
            return
        self.layout = sniff(path)
        self.metadata = {}
        self.comments = self.layout.comments
        self.tool = ""
        self.names = self.layout.header or tuple(f"column {n + 1}" for n in range(self.width))

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names) if self.layout is None else self.layout.width

    @property
    def headed(self) -> bool:
        """Whether the columns have names."""
        return self.parquet or bool(self.layout and self.layout.header)

    def is_last(self, row: str) -> bool:
        """Whether a row is at the end of the file."""
        assert self.layout is not None
        with self.path.open("rb") as file:
            file.seek(max(0, self.size - (1 << 16)))
            end = file.read()
        text = end[len(end) % 2 :] if self.layout.encoding == "utf-16" else end
        if self.layout.encoding == "utf-16":
            return row.encode("utf-16-le") in text[-4 * len(row) - 16 :]
        return text.decode(self.layout.encoding, "replace").rstrip().endswith(row.strip())

    def first(self, place: int) -> list[str]:
        """Returns the first values of a column as texts."""
        if self.layout is not None:
            return [row[place] for row in self.layout.rows if len(row) == self.width]
        return [] if self.some is None else [str(v) for v in self.some.column(place).to_pylist()]

    def blocks(self, types: dict[int, Any], advance: Advance) -> Iterator[dict[int, Any]]:
        """Yields blocks of rows: the columns at some places, each of its type.

        Raises:
            CaptureError: A cell is not of its column's type, or the file is damaged.
        """
        try:
            if self.parquet:
                yield from self._of_parquet(types, advance)
            else:
                yield from self._of_csv(types, advance)
        except (pa.ArrowException, OSError, UnicodeError) as error:
            raise CaptureError(f"{self.path} is damaged: {_line(error)}") from error

    def _of_parquet(self, types: dict[int, Any], advance: Advance) -> Iterator[dict[int, Any]]:
        with pq.ParquetFile(self.path) as whole:
            rows_read, total = 0, whole.metadata.num_rows
            names = [whole.schema_arrow.names[place] for place in types]
            for batch in whole.iter_batches(1 << 18, columns=names):
                rows_read += batch.num_rows
                yield {
                    place: batch.column(name).cast(type_)
                    for (place, type_), name in zip(types.items(), names, strict=True)
                }
                advance(rows_read, total)

    def _of_csv(self, types: dict[int, Any], advance: Advance) -> Iterator[dict[int, Any]]:
        layout = self.layout
        assert layout is not None
        self.cut = 0
        names = [str(place) for place in range(self.width)]
        labels = [str(place) for place in types]

        def cut(row: Any) -> str:
            self.cut += 1
            self.cut_text = str(row.text)
            return "skip"

        reader = pyarrow.csv.open_csv(
            self.path,
            pyarrow.csv.ReadOptions(
                block_size=_BLOCK,
                skip_rows=layout.skip,
                column_names=names,
                encoding=layout.encoding,
                use_threads=False,
            ),
            pyarrow.csv.ParseOptions(
                delimiter=layout.delimiter, invalid_row_handler=cut, ignore_empty_lines=True
            ),
            pyarrow.csv.ConvertOptions(
                column_types={str(place): type_ for place, type_ in types.items()},
                include_columns=labels,
                decimal_point=layout.decimal,
                strings_can_be_null=False,
                null_values=[],
            ),
        )
        bytes_read = 0
        for batch in reader:
            bytes_read = min(self.size, bytes_read + _BLOCK)
            yield {place: batch.column(str(place)) for place in types}
            advance(bytes_read, self.size)


class _Times:
    """The column with the times: numbers of a unit, or times of day."""

    def __init__(self, columns: Columns, place: int, unit: int | None, hz: int | None) -> None:
        head = Head.of(columns.names[place]) if columns.headed else Head("time", None)
        first = columns.first(place)
        self._path = columns.path
        self.remarks: list[str] = []
        self._origin: int | None = None
        whole = columns.parquet and pa.types.is_timestamp(columns.types[place])
        self.iso = whole or bool(first) and all(is_iso(cell) for cell in first)
        if self.iso:
            self.type = pa.timestamp("ns", tz=_zone(columns, place, first))
            self._unit, stamps = Fraction(1, 10**9), self._some(columns, place)
        else:
            self.type = pa.float64()
            if columns.parquet and pa.types.is_integer(columns.types[place]):
                self.type = pa.int64()
            power = next((p for p in (unit, head.power, 0) if p is not None), 0)
            if unit is None and head.power is None:
                self.remarks = [
                    "the times state no unit and are taken as seconds; --unit states it"
                ]
            self._power = Fraction(1, 10**power)
            self._digits = min(digits(first, least=True), 15 - min(power, 15))
            self._unit = self._power / 10**self._digits
            stamps = self._some(columns, place)
        self.scale = (
            clock.found(self._unit, stamps)
            if hz is None
            else clock.stated(hz, self._unit, "given", stamps)
        )
        self._origin = None

    def ticks(self, column: Any, row: int) -> Ticks:
        """Returns the times of a block in ticks. Raises CaptureError for one that is missing."""
        if column.null_count:
            at = row + int(np.flatnonzero(~pc.is_valid(column).to_numpy(zero_copy_only=False))[0])
            raise CaptureError(f"{self._path}: row {at + 1} of the values has no time")
        return self.scale.ticks(self._stamps(column, row))

    def _stamps(self, column: Any, row: int) -> Ticks:
        """Times in the unit of the file."""
        if self.iso:
            numbers = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
            if self._origin is None and len(numbers):
                self._origin = int(numbers[0])
            return np.asarray(numbers - (self._origin or 0), np.int64)
        values = column.to_numpy(zero_copy_only=False)
        if values.dtype != np.int64 and not np.isfinite(values).all():
            at = row + int(np.flatnonzero(~np.isfinite(values))[0])
            raise CaptureError(f"{self._path}: row {at + 1} of the values has no time")
        if np.abs(values).max(initial=0) * 10.0**self._digits > 2.0**62:
            raise CaptureError(f"{self._path}: a time is {np.abs(values).max():g}, out of range")
        if values.dtype == np.int64:
            return np.asarray(values * 10**self._digits, np.int64)
        return np.asarray(np.rint(values.astype(np.longdouble) * 10**self._digits), np.int64)

    def _some(self, columns: Columns, place: int) -> Ticks:
        """Times of the first block, in the unit of the file."""
        try:
            for block in columns.blocks({place: self.type}, lambda done, of: None):
                column = block[place]
                if column.null_count:
                    column = column.drop_null()
                return self._stamps(column, 0)
        except CaptureError:
            raise
        return np.empty(0, np.int64)


class LevelColumns:
    """A file with levels over time. Raises CaptureError if it is damaged."""

    def __init__(
        self, columns: Columns, time: int, places: Sequence[int], unit: int | None, hz: int | None
    ) -> None:
        self._columns = columns
        self._time = time
        self._places = list(places)
        self.paths = (columns.path,)
        self.remarks: list[str] = []
        self.signals = _named(columns, self._places)
        self.form, self.tool = _form(columns, self.signals)
        self._times = _Times(columns, time, unit, hz)
        self.remarks += self._times.remarks
        self.clock: Clock = self._times.scale.clock

    def changes(self, selected: Sequence[int], advance: Advance) -> Iterator[Changes]:
        """Yields the changes of the signals at these places."""
        places = [self._places[place] for place in selected]
        types = {self._time: self._times.type} | dict.fromkeys(places, _level_type(self._columns))
        rows, row, before, back = LevelRows(len(places)), 0, None, _Backwards()
        gap_filter = Known()
        for block in self._columns.blocks(types, advance):
            ticks = self._times.ticks(block[self._time], row)
            levels = np.stack([_levels(self._columns, block, p, row) for p in places], axis=1)
            row += len(ticks)
            for part, gap in back.parts(ticks, before):
                of_part, at = levels[part], ticks[part]
                for piece, last, lost in gap_filter.parts(at, of_part):
                    yield rows.changes(at[piece], of_part[piece], last, gap or lost)
                    gap = ""
            before = int(ticks[-1]) if len(ticks) else before
        _remark_cut(self._columns, self.remarks)


class EdgeColumns:
    """A file with a row for each edge: time, signal, level."""

    def __init__(
        self, columns: Columns, places: tuple[int, int, int], unit: int | None, hz: int | None
    ) -> None:
        self._columns = columns
        self._time, self._signal, self._level = places
        self.paths = (columns.path,)
        self.remarks: list[str] = []
        self.form = f"{'Parquet' if columns.parquet else 'CSV'} of edges"
        self.tool = _tool(columns)
        self._times = _Times(columns, self._time, unit, hz)
        self.remarks += self._times.remarks
        self.clock: Clock = self._times.scale.clock
        names: dict[str, None] = {}
        for block in columns.blocks({self._signal: pa.string()}, lambda done, of: None):
            names |= dict.fromkeys(
                str(n).strip() for n in pc.unique(block[self._signal]).to_pylist()
            )
            if len(names) > _MOST_SIGNALS:
                raise CaptureError(f"{columns.path} has more than {_MOST_SIGNALS} signals")
        columns.cut = 0
        self.signals = tuple(sorted(names))

    def changes(self, selected: Sequence[int], advance: Advance) -> Iterator[Changes]:
        """Yields the changes of the signals at these places.

        A row states an edge, so a signal's level before its first one is the other level.
        """
        names = [self.signals[place] for place in selected]
        types = {self._time: self._times.type, self._signal: pa.string(), self._level: pa.string()}
        row, before, back, stamped = 0, None, _Backwards(), set[int]()
        for block in self._columns.blocks(types, advance):
            ticks = self._times.ticks(block[self._time], row)
            texts = pc.utf8_trim_whitespace(block[self._signal])
            signals = pc.fill_null(pc.index_in(texts, pa.array(names)), -1).to_numpy(
                zero_copy_only=False
            )
            levels = self._words(block[self._level], row)
            row += len(ticks)
            for part, gap in back.parts(ticks, before):
                stamped = set() if gap else stamped
                changed = np.flatnonzero(signals[part] >= 0)
                of_part = ticks[part][changed], signals[part][changed], levels[part][changed]
                fresh = [n for n in range(len(names)) if n not in stamped and n in of_part[1]]
                firsts = [int(np.flatnonzero(of_part[1] == n)[0]) for n in fresh]
                yield Changes(
                    np.concatenate((of_part[0][firsts], of_part[0])),
                    np.concatenate((np.array(fresh), of_part[1])).astype(np.int16),
                    np.concatenate((1 - of_part[2][firsts], of_part[2])).astype(np.int8),
                    int(ticks[part][-1]),
                    gap,
                )
                stamped |= set(fresh)
            before = int(ticks[-1]) if len(ticks) else before
        _remark_cut(self._columns, self.remarks)

    def _words(self, column: Any, row: int) -> npt.NDArray[np.int8]:
        words = pc.utf8_lower(pc.utf8_trim_whitespace(column))
        place = pc.index_in(words, pa.array(list(_WORDS)))
        if place.null_count:
            at = int(np.flatnonzero(~pc.is_valid(place).to_numpy(zero_copy_only=False))[0])
            raise CaptureError(
                f"{self._columns.path}: row {row + at + 1} of the values: {column[at]} is no "
                "level; levels are 0 and 1, or rise and fall"
            )
        levels = np.array(list(_WORDS.values()), np.int8)
        return np.asarray(levels[place.to_numpy(zero_copy_only=False)], np.int8)


class SampleColumns:
    """A file with a row for each sample and the rate in a comment."""

    def __init__(self, columns: Columns, places: Sequence[int], hz: int) -> None:
        self._columns = columns
        self._places = list(places)
        self.paths = (columns.path,)
        self.remarks: list[str] = []
        self.signals = _named(columns, self._places)
        self.form, self.tool = _form(columns, self.signals)
        self.clock = Clock(hz, sampled=True, basis="stated in the file")

    def changes(self, selected: Sequence[int], advance: Advance) -> Iterator[Changes]:
        """Yields the changes of the signals at these places."""
        places = [self._places[place] for place in selected]
        rows, row = LevelRows(len(places)), 0
        types = dict.fromkeys(places, _level_type(self._columns))
        for block in self._columns.blocks(types, advance):
            levels = np.stack([_levels(self._columns, block, p, row) for p in places], axis=1)
            ticks = np.arange(row, row + len(levels), dtype=np.int64)
            row += len(levels)
            yield rows.changes(ticks, levels, row - 1)
        _remark_cut(self._columns, self.remarks)


class LatencyColumn:
    """A file with one latency for each stimulus, in their order."""

    def __init__(self, columns: Columns, place: int, unit: int | None) -> None:
        """Reads a column of latencies.

        Args:
            columns: The table.
            place: Column with the latencies.
            unit: Power of ten of their unit, if it was given.
        """
        self._columns = columns
        self._place = place
        self.paths = (columns.path,)
        self.remarks: list[str] = []
        head = Head.of(columns.names[place]) if columns.headed else Head("", None)
        scale = unit if unit is not None else head.power
        if scale is None and (named := re.search(r"\b(ns|us|µs|ms)\b", " ".join(columns.comments))):
            scale = _UNITS[named[1]]
        if scale is None:
            raise CaptureError(
                f"{columns.path}: column {columns.names[place]!r} has no unit; give --unit us, or "
                "write it into the header as in latency_us"
            )
        self.form = f"{'Parquet' if columns.parquet else 'CSV'} of latencies"
        self.tool = _tool(columns)
        # An export of irqscope says in each row what measured it.
        own = {"source", "tick_hz", "channel", "latency_ns"} <= set(columns.names)
        self._channel = columns.names.index("channel") if own else None
        if own:
            self.tool = f"irqscope, from {columns.first(columns.names.index('source'))[0]}"
        elif source := columns.metadata.get("irqscope.source"):
            self.tool = f"irqscope, from {source.decode('utf-8', 'replace')}"
        more = 0 if columns.parquet else digits(columns.first(place))
        if columns.parquet and pa.types.is_floating(columns.types[place]):
            more = 3
        self._digits = min(max(more, 0), 12 - min(scale, 12))
        self._integer = columns.parquet and pa.types.is_integer(columns.types[place])
        self.clock = Clock(10 ** (scale + self._digits), sampled=False, basis="by its unit")

    def latencies(self, advance: Advance) -> Iterator[npt.NDArray[np.int64]]:
        """Yields blocks of latencies in ticks; -1 where a stimulus has none."""
        type_, row = (pa.int64() if self._integer else pa.string()), 0
        if self._columns.parquet and not self._integer:
            type_ = pa.float64()
        types = {self._place: type_}
        if self._channel is not None:
            types[self._channel] = pa.int64()
        for block in self._columns.blocks(types, advance):
            column = block[self._place]
            if self._channel is not None and len(pc.unique(block[self._channel])) > 1:
                raise CaptureError(
                    f"{self._columns.path} holds several channels of a run; keep the rows of one"
                )
            if pa.types.is_string(type_):
                column = self._numbers(column, row)
            missing = ~pc.is_valid(column).to_numpy(zero_copy_only=False)
            values = pc.fill_null(column, 0).to_numpy(zero_copy_only=False)
            missing = missing | ~np.isfinite(values)
            ticks = np.where(missing, 0, values).astype(np.longdouble) * 10**self._digits
            bad = np.flatnonzero((ticks < 0) | (ticks > clock.LONGEST_LATENCY))
            if len(bad):
                at = int(bad[0])
                raise CaptureError(
                    f"{self._columns.path}: row {row + at + 1} of the values: "
                    f"{values[at]:g} is no latency"
                )
            row += len(values)
            yield np.where(missing, -1, np.rint(ticks)).astype(np.int64)
        _remark_cut(self._columns, self.remarks)

    def _numbers(self, column: Any, row: int) -> Any:
        texts = pc.utf8_trim_whitespace(column)
        layout = self._columns.layout
        if layout is not None and layout.decimal == ",":
            texts = pc.replace_substring(texts, ",", ".")
        empty = pc.is_in(
            pc.utf8_lower(texts), pa.array(["", "nan", "none", "null", "-", "timeout"])
        )
        texts = pc.if_else(empty, pa.scalar(None, pa.string()), texts)
        try:
            return texts.cast(pa.float64())
        except pa.ArrowInvalid as error:
            text = _line(error)
            raise CaptureError(f"{self._columns.path}: {text}; a latency is a number") from error


class _Backwards:
    """Cuts blocks where time runs backwards."""

    def parts(self, ticks: Ticks, before: int | None) -> Iterator[tuple[slice, str]]:
        """Yields the parts of a block, each with why it does not follow the part before."""
        if not len(ticks):
            return
        cuts = backwards(ticks, before).tolist()
        for first, last in zip(
            [0, *(c for c in cuts if c)], [*(c for c in cuts if c), len(ticks)], strict=True
        ):
            gap = ""
            if first in cuts:
                earlier = before if first == 0 else int(ticks[first - 1])
                gap = f"time runs backwards, by {(earlier or 0) - int(ticks[first])} ticks"
            yield slice(first, last), gap


def _level_type(columns: Columns) -> Any:
    return pa.int64() if columns.parquet else pa.string()


#: Levels in words, in small letters; without data: x.
_LOWS, _HIGHS, _NO_DATA = ("0", "0.0", "low", "false", "l"), ("1", "1.0", "high", "true", "h"), "x"


def _levels(columns: Columns, block: dict[int, Any], place: int, row: int) -> npt.NDArray[np.int8]:
    """Levels of a column, UNKNOWN without data. Raises CaptureError for another value."""
    column, none = block[place], False
    if pa.types.is_string(column.type):
        column = pc.utf8_lower(pc.utf8_trim_whitespace(column))
        high, low = pc.is_in(column, pa.array(_HIGHS)), pc.is_in(column, pa.array(_LOWS))
        none = pc.equal(column, _NO_DATA).to_numpy(zero_copy_only=False)
    else:
        high, low = pc.equal(column, 1), pc.equal(column, 0)
    high = pc.fill_null(high, fill_value=False).to_numpy(zero_copy_only=False)
    low = pc.fill_null(low, fill_value=False).to_numpy(zero_copy_only=False)
    invalid = np.flatnonzero(~(high | low | none))
    if len(invalid):
        at = int(invalid[0])
        raise CaptureError(
            f"{columns.path}: row {row + at + 1} of the values, {columns.names[place]}: "
            f"{column[at].as_py()!r} is no level; levels are 0 and 1"
        )
    return np.where(none, UNKNOWN, high).astype(np.int8)


def _named(columns: Columns, places: Sequence[int]) -> tuple[str, ...]:
    """Names of the signals; two of one name are told apart by their column."""
    match = re.search(r"^; *Channels \(\d+/\d+\): (.*)$", "\n".join(columns.comments), re.MULTILINE)
    names = match[1].split(", ") if match and set(columns.names) == {"logic"} else columns.names
    names = columns.names if len(names) != len(columns.names) else names
    plain = [names[place].strip() or f"column {place + 1}" for place in places]
    return tuple(
        name if plain.count(name) == 1 else f"{name} (column {place + 1})"
        for name, place in zip(plain, places, strict=True)
    )


def _form(columns: Columns, signals: Sequence[str]) -> tuple[str, str]:
    """Format, and the tool that wrote it, by its comments and headers."""
    if columns.parquet:
        return "Parquet of levels", columns.tool
    tool = _tool(columns)
    if tool == "sigrok":
        return "sigrok CSV", tool
    head = columns.names[0].lower()
    if head.startswith(("time [s]", "start time", "time[s]")) or any(
        re.fullmatch(r"Channel [0-9]+", name) for name in signals
    ):
        return "Saleae Logic 2 CSV", "Saleae Logic 2"
    return "CSV of levels", tool


def _tool(columns: Columns) -> str:
    if columns.parquet:
        return columns.tool
    return "sigrok" if "sigrok" in " ".join(columns.comments) else "another instrument"


def _zone(columns: Columns, place: int, first: list[str]) -> str | None:
    if columns.parquet:
        zone: str | None = columns.types[place].tz
        return zone
    return "UTC" if first and re.search(r"(?:Z|[+-][0-9]{2}:?[0-9]{2})$", first[0]) else None


def _remark_cut(columns: Columns, remarks: list[str]) -> None:
    """Notes a last row that is cut short. Raises CaptureError for another one."""
    if columns.cut > 1:
        raise CaptureError(f"{columns.path}: {columns.cut} rows lack columns or have too many")
    if columns.cut and not columns.is_last(columns.cut_text):
        raise CaptureError(
            f"{columns.path}: the row {columns.cut_text[:60]!r} lacks columns or has too many; "
            "export it again"
        )
    remark = "the last row was left out: it lacks columns or has too many"
    if columns.cut and remark not in remarks:  # a file may be read twice
        remarks.append(remark)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


Any_ = LevelColumns | EdgeColumns | SampleColumns | LatencyColumn


def open_columns(path: Path, unit: int | None, hz: int | None, column: str | None) -> Any_:
    """Opens a CSV or Parquet file, by the form that its columns tell.

    Args:
        path: The file.
        unit: Power of ten of the unit of times or latencies, if it was given.
        hz: Sample rate, if it was given.
        column: Name of the column with latencies, if it was given.

    Raises:
        CaptureError: The file is damaged or of no known form.
    """
    columns = Columns(path)
    heads = [Head.of(name) for name in columns.names]
    names = [head.name.lower() for head in heads]
    if column is not None:
        if column not in columns.names:
            raise CaptureError(
                f"{path} has no column {column!r}; it has {', '.join(map(repr, columns.names))}"
            )
        return LatencyColumn(columns, columns.names.index(column), unit)
    levels = [place for place in range(columns.width) if _are_levels(columns, place)]
    named = [n for n, head in enumerate(heads) if head.power is not None and "latency" in names[n]]
    if named:  # what else the rows say, flags among it, is beside that
        return LatencyColumn(columns, named[0], unit)
    if columns.headed:
        times = [n for n, name in enumerate(names) if _TIME.fullmatch(name) and n not in levels[1:]]
        signal = next((n for n, name in enumerate(names) if name in _SIGNAL), None)
        level = next((n for n, name in enumerate(names) if name in _LEVEL), None)
        if times and signal is not None and level is not None and signal not in levels:
            return EdgeColumns(columns, (times[0], signal, level), unit, hz)
        if times and (places := [n for n in levels if n != times[0]]):
            return LevelColumns(columns, times[0], places, unit, hz)
        latencies = [n for n, name in enumerate(names) if _LATENCY.fullmatch(name)]
        latencies = [n for n in latencies if heads[n].power is not None] or latencies
        if latencies:
            return LatencyColumn(columns, latencies[0], unit)
    if columns.width == 1 and not (levels and (rate := _told_rate(columns))):
        return LatencyColumn(columns, 0, unit)
    if (rate := hz or _told_rate(columns)) and len(levels) == columns.width:
        return SampleColumns(columns, levels, rate)
    if not columns.headed and columns.width == 3 and 2 in levels and 1 not in levels:
        return EdgeColumns(columns, (0, 1, 2), unit, hz)
    places = [place for place in levels if place != 0]
    if places and 0 not in levels[1:] and _are_times(columns, 0):
        return LevelColumns(columns, 0, places, unit, hz)
    raise CaptureError(
        f"{path}: no times and levels, edges or latencies among the columns "
        f"{', '.join(map(repr, columns.names[:12]))}; name one with latencies by --column"
    )


def _told_rate(columns: Columns) -> int | None:
    match = re.search(r"Samplerate: ([0-9.]+ ?[kMG]?Hz)", " ".join(columns.comments))
    return clock.parse_rate(match[1]) if match else None


def _are_levels(columns: Columns, place: int) -> bool:
    first = columns.first(place)
    return {cell.lower() for cell in first} <= {*_LOWS, *_HIGHS, _NO_DATA} and bool(first)


def _are_times(columns: Columns, place: int) -> bool:
    first = columns.first(place)
    try:
        return bool(first) and all(
            is_iso(c) or float(c.replace(",", ".")) is not None for c in first
        )
    except ValueError:
        return False
