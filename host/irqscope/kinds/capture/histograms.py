"""Reads histograms of other tools: bins with counts, and nothing of single stimuli."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from irqscope.files import read_bytes
from irqscope.kinds.capture.model import CaptureError
from irqscope.results.tables import LONGEST

#: No histogram is longer, bytes.
_LONGEST = 1 << 28
_POWER = {"s": 0, "ms": 3, "us": 6, "ns": 9}


@dataclass
class Histogram:
    """Latencies of one thread, CPU or stage.

    Attributes:
        name: What the tool calls its subject, such as a thread.
        bins: (lower, upper) in ticks with their counts; upper is exclusive, None if open.
        least, greatest, total: As the tool states them, ticks; None if it does not.
    """

    name: str
    bins: dict[tuple[int, int | None], int] = field(default_factory=dict)
    least: int | None = None
    greatest: int | None = None
    stated_count: int | None = None

    @property
    def n(self) -> int:
        """Number of latencies."""
        return sum(self.bins.values())

    def add(self, lower: int, upper: int | None, count: int) -> None:
        """Counts latencies of a bin."""
        if count:
            self.bins[lower, upper] = self.bins.get((lower, upper), 0) + count


@dataclass
class Histograms:
    """What a file holds.

    Attributes:
        tool: Tool that wrote it.
        form: Its format.
        tick_hz: Rate of the ticks.
        remarks: What must stand with the result, a line each.
    """

    path: Path
    tool: str
    form: str
    tick_hz: int
    channels: list[Histogram]
    remarks: list[str] = field(default_factory=list)


def read_histograms(path: Path, unit: str | None = None) -> Histograms | None:
    """Reads a histogram of cyclictest, rtla, jitterdebugger, oslat, or an .hgrm file.

    Args:
        path: The file.
        unit: Unit of the values where the file does not state it: ns, us, ms or s.

    Returns:
        The histograms, or None if the file has another format.

    Raises:
        CaptureError: The file is damaged, or its unit is not known.
    """
    reader = _reader(path)
    if reader is None:
        return None
    try:
        text = _decoded(read_bytes(path, _LONGEST))
    except OSError as error:
        raise CaptureError(f"cannot read {path}: {error.strerror}") from error
    histograms = reader(path, text, unit)
    histograms.channels = [channel for channel in histograms.channels if channel.n]
    if not histograms.channels:
        raise CaptureError(f"{path}: the histogram of {histograms.tool} counts nothing")
    for channel in histograms.channels:
        ends = (channel.least or 0, channel.greatest or 0, channel.n)
        if max(*ends, *(upper or lower for lower, upper in channel.bins)) >= LONGEST:
            raise CaptureError(
                f"{path}: {channel.name}: a latency or count is too great for any run; the file is "
                "damaged"
            )
        if channel.stated_count is not None and channel.stated_count != channel.n:
            raise CaptureError(
                f"{path}: {channel.name}: the bins count {channel.n}, {histograms.tool} states "
                f"{channel.stated_count}; the file is cut short or damaged"
            )
    return histograms


def _decoded(data: bytes) -> str:
    """Text of a file; PowerShell writes what a program prints in UTF-16."""
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = data.decode("utf-16" if wide else "utf-8", "replace")
    return text.lstrip("\N{ZERO WIDTH NO-BREAK SPACE}")


_Reader = Callable[[Path, str, str | None], Histograms]


def _reader(path: Path) -> _Reader | None:
    """Returns what reads the file, by how it begins."""
    with path.open("rb") as file:
        head = _decoded(file.read(1 << 16))
    if head.lstrip().startswith("{"):
        return _json
    if re.search(r"^\s*# RTLA ", head, re.MULTILINE):
        return _rtla
    if re.search(r'^\s*"?Value"?[\s,]+"?Percentile"?[\s,]+"?TotalCount', head, re.MULTILINE):
        return _hgrm
    if re.search(r"^# Histogram\b", head, re.MULTILINE):
        return _cyclictest
    if re.search(r"^\s*(?:Core|CPU Freq|Counter Freq|Preheat for|Workload):", head, re.MULTILINE):
        return _oslat
    return None


def _whole(path: Path, text: str, where: str) -> int:
    """A count or bin. Raises CaptureError for another text."""
    if not re.fullmatch("[0-9]{1,18}", text):
        raise CaptureError(f"{path}: {where}: {text[:30]!r} is no whole number")
    return int(text)


def _cyclictest(path: Path, text: str, unit: str | None) -> Histograms:
    """``-h`` and ``-H``: microseconds, or nanoseconds with ``-N``."""
    rows, stated = list[tuple[int, list[int]]](), dict[str, list[str]]()
    for number, line in enumerate(text.splitlines(), 1):
        match = re.fullmatch(r"# (Total|Min Latencies|Avg Latencies|Max Latencies|"
                             r"Histogram Overflows): *(.*)", line.strip())  # fmt: skip
        if match:
            stated[match[1]] = match[2].split()
        elif re.match(r"\s*[0-9]", line):
            cells = [_whole(path, cell, f"line {number}") for cell in line.split()]
            if rows and len(cells) != len(rows[0][1]) + 1 or len(cells) < 2:
                raise CaptureError(f"{path}: line {number} has {len(cells)} columns, others more")
            rows.append((cells[0], cells[1:]))
    remarks = list[str]()
    if not rows:
        raise CaptureError(f"{path}: the histogram of cyclictest has no rows")
    if "Min Latencies" not in stated or "Max Latencies" not in stated:
        raise CaptureError(f"{path} is cut short: # Min or # Max Latencies is missing")
    threads = len(stated["Min Latencies"])
    columns = len(rows[0][1])
    if columns == threads + 1:  # -H: the sum of all
        remarks.append("the column with the sum of all threads is left out")
    elif columns != threads:
        raise CaptureError(f"{path}: {columns} columns of {threads} threads")
    power = _power(unit) if unit else 6
    size = 10 ** (9 - power)
    histograms = []
    for place in range(threads):
        one = Histogram(f"thread {place}" if threads > 1 else "thread")
        for value, counts in rows:
            one.add(value * size, (value + 1) * size, counts[place])
        lost = stated.get("Histogram Overflows", [])
        over = _whole(path, lost[place], "Histogram Overflows") if place < len(lost) else 0
        if place < len(totals := stated.get("Total", [])):
            total = _whole(path, totals[place], "Total")
            # Some versions count overflows in the total, some do not.
            one.stated_count = one.n + over if total in (one.n, one.n + over) else total
        one.add((rows[-1][0] + 1) * size, None, over)
        one.least = _stated(stated, "Min Latencies", place, size)
        one.greatest = _stated(stated, "Max Latencies", place, size)
        if over:
            remarks.append(f"{one.name}: {over} are longer than the last bin and have no value")
        histograms.append(one)
    return Histograms(path, "cyclictest", "histogram of cyclictest", 10**9, histograms, remarks)


def _stated(stated: dict[str, list[str]], name: str, place: int, size: int) -> int | None:
    values = stated.get(name, [])
    return int(values[place]) * size if place < len(values) and values[place].isdigit() else None


def _rtla(path: Path, text: str, unit: str | None) -> Histograms:
    """``rtla timerlat hist`` and ``rtla osnoise hist``: a column for each CPU and stage."""
    unit_line = re.search(r"# Time unit is (\w+)", text)
    power = {"microseconds": 6, "nanoseconds": 9}.get(unit_line[1] if unit_line else "")
    if power is None and unit is None:
        raise CaptureError(f"{path}: rtla states no time unit; give --unit us or --unit ns")
    power = power or _power(unit or "us")
    size = 10 ** (9 - power)
    lines = text.splitlines()
    begin = next((n for n, line in enumerate(lines) if line.split()[:1] == ["Index"]), None)
    if begin is None:
        raise CaptureError(f"{path}: rtla's histogram has no line that begins with Index")
    names = lines[begin].split()[1:]
    histograms = [Histogram(_stage(name)) for name in names]
    rows, over, counts = list[tuple[int, list[int]]](), [0] * len(names), [0] * len(names)
    ended = False
    for number, line in enumerate(lines[begin + 1 :], begin + 2):
        cells = line.split()
        if not cells:
            continue
        if cells[0].startswith("ALL"):
            break  # sums of what was read
        label, values = cells[0].rstrip(":"), cells[1:]
        if label in ("over", "count", "min", "avg", "max"):
            if len(values) != len(names):
                continue
            if label == "over":
                over = [_whole(path, value, f"line {number}") for value in values]
            elif label == "count":
                counts = [_whole(path, value, f"line {number}") for value in values]
                ended = True
            elif label in ("min", "max"):
                for one, text_ in zip(histograms, values, strict=True):
                    ticks = int(text_) * size if text_.isdigit() else None
                    setattr(one, "least" if label == "min" else "greatest", ticks)
        elif label.isdigit():
            if len(values) != len(names):
                raise CaptureError(
                    f"{path}: line {number} has {len(values)} of {len(names)} values"
                )
            row = [0 if v == "-" else _whole(path, v, f"line {number}") for v in values]
            rows.append((int(label), row))
    if not ended:
        raise CaptureError(f"{path} is cut short: the line with count: is missing")
    width = _bin_width(text, [value for value, _ in rows])
    for value, row in rows:
        for one, count in zip(histograms, row, strict=True):
            one.add(value * size, (value + width) * size, count)
    last, entries = rows[-1][0] + width if rows else 0, _entries(text) * width
    stated = [one.greatest for one, more in zip(histograms, over, strict=True) if more]
    # Rows without a count are left out, so the last bin is only known by the usual number of them.
    if all(greatest is None or greatest >= entries * size for greatest in stated):
        last = max(last, entries)
    remarks = []
    for one, more, counted in zip(histograms, over, counts, strict=True):
        one.stated_count = counted if counted == one.n + more else counted
        if counted == one.n and more:  # overflows are not in this version's count
            one.stated_count = counted + more
        one.add(last * size, None, more)
        if more:
            remarks.append(f"{one.name}: {more} are longer than the last bin and have no value")
    kind = re.search(r"# RTLA (\w+)", text)
    tool = f"rtla {kind[1] if kind else ''}".strip()
    return Histograms(path, tool, f"histogram of {tool}", 10**9, histograms, remarks)


def _stage(name: str) -> str:
    match = re.fullmatch(r"(IRQ|Thr|Usr|CPU)-([0-9]+)", name)
    if match is None:
        return name
    titles = {"IRQ": "IRQ handler", "Thr": "thread", "Usr": "return to user", "CPU": "noise"}
    return f"{titles[match[1]]}, CPU {int(match[2])}"


def _bin_width(text: str, values: list[int]) -> int:
    """Width of rtla's bins: rows without a count are left out, so it is their common step."""
    match = re.search(r"(?:--bucket-size|-b)[ =]([0-9]+)", text)
    if match:
        return int(match[1])
    from math import gcd

    return gcd(*values) or 1 if values else 1


def _entries(text: str) -> int:
    match = re.search(r"(?:--entries|-E)[ =]([0-9]+)", text)
    return int(match[1]) if match else 256 if "# RTLA" in text else 0


def _hgrm(path: Path, text: str, unit: str | None) -> Histograms:
    """HdrHistogram's percentiles: between two rows lie as many as their counts differ by."""
    if unit is None:
        told = re.search(r"unit[ =:]+(ns|us|ms|s)\b", text)
        if told is None:
            raise CaptureError(f"{path}: an .hgrm file does not state its unit; give --unit us")
        unit = told[1]
    power = _power(unit)
    rows, places, stated = list[tuple[Fraction, int]](), 0, None
    # The form with commas has no last line with the count, but ends with percentile 1.
    commas = re.search(r'^\s*"?Value"?,', text, re.MULTILINE) is not None
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.search(r"Total count *= *([0-9]+)", line):
            stated = int(match[1])
        cells = line.split(",") if commas else line.split()
        if len(cells) < 3 or not re.fullmatch(r"[0-9]+(?:[.,][0-9]+)?", cells[0]):
            continue
        if commas and re.fullmatch(r"1(?:\.0*)?", cells[1]):
            stated = _whole(path, cells[2], f"line {number}")
        text_ = cells[0].replace(",", ".")
        rows.append((Fraction(text_), _whole(path, cells[2], f"line {number}")))
        places = max(places, len(text_.partition(".")[2]))
    if not rows:
        raise CaptureError(f"{path}: no rows with value, percentile and count")
    if stated is None:
        raise CaptureError(f"{path} is cut short: its last line, with Total count, is missing")
    places = min(places, 12 - power)
    size = 10**places
    one, before, last = Histogram("all"), 0, None
    for value, total in rows:
        at = round(value * size)
        if total < before or (last is not None and at < last):
            raise CaptureError(f"{path} is damaged: values or counts decrease at {float(value):g}")
        lower = at if last is None else last + 1 if at > last else at
        one.add(lower, at + 1, total - before)
        before, last = total, at
    one.stated_count = stated
    one.least = round(rows[0][0] * size)
    one.greatest = last
    tick_hz = 10 ** (power + places)
    remarks = ["bins are the steps of the percentiles that the file lists"]
    return Histograms(path, "HdrHistogram", "HdrHistogram percentiles", tick_hz, [one], remarks)


def _oslat(path: Path, text: str, unit: str | None) -> Histograms:
    """``oslat``: rows ``001 (us): counts``, the last one with a ``+``."""
    histograms: list[Histogram] = []
    stated: dict[str, list[str]] = {}
    cores: list[str] = []
    cut = False
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.fullmatch(r"\s*([0-9]+)(\+?) *\(us\): *(.*)", line):
            cells = match[3].split()
            # The last row names what it holds: "(including overflows)".
            over = bool(match[2]) or "overflow" in match[3]
            counts = [_whole(path, c, f"line {number}") for c in cells if c.isdigit()]
            histograms = histograms or [Histogram("") for _ in counts]
            if len(counts) != len(histograms):
                raise CaptureError(
                    f"{path}: line {number} has {len(counts)} of {len(histograms)} values"
                )
            # oslat rounds up: bin 1 holds all up to 1 us.
            lower = (int(match[1]) - 1) * 1000 + 1
            for one, count in zip(histograms, counts, strict=True):
                one.add(lower, None if over else lower + 1000, count)
            cut = not over
        elif match := re.fullmatch(r"\s*(Core|Minimum|Maximum|Max)(?: \(us\))?: *(.*)", line):
            stated[match[1]] = match[2].split()
            cores = stated.get("Core", cores)
    if not histograms:
        raise CaptureError(f"{path}: the output of oslat has no bins")
    if "Maximum" not in stated and "Max" not in stated or cut and "Minimum" not in stated:
        raise CaptureError(f"{path} is cut short: the line Maximum is missing")
    maxima = stated.get("Maximum", stated.get("Max", []))
    for place, one in enumerate(histograms):
        one.name = f"core {cores[place]}" if place < len(cores) else f"core {place}"
        one.greatest = _micro(maxima, place)
        one.least = _micro(stated.get("Minimum", []), place)
    return Histograms(path, "oslat", "histogram of oslat", 10**9, histograms)


def _micro(values: list[str], place: int) -> int | None:
    ok = place < len(values) and re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", values[place])
    return round(float(values[place]) * 1000) if ok else None


def _json(path: Path, text: str, unit: str | None) -> Histograms:
    """Cyclictest --json, jitterdebugger, and oslat --json: ``{"us": count}`` for each thread."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CaptureError(f"{path} is damaged JSON ({error})") from error
    histograms = list(_histograms_of(path, whole, unit))
    if not histograms:
        raise CaptureError(f"{path} is JSON without a histogram for each thread or CPU")
    named = " ".join(
        str(whole.get(key, "")) for key in ("test_name", "cmdline:", "cmdline")
    ).lower()
    tool = next(
        (one for one in ("cyclictest", "oslat", "jitterdebugger") if one in named),
        "jitterdebugger" if "cpu" in whole else "another tool",
    )
    remarks = [
        f"{one.name}: {count} are longer than the last bin and have no value"
        for one in histograms
        for (_, upper), count in one.bins.items()
        if upper is None
    ]
    return Histograms(path, tool, f"JSON of {tool}", 10**9, histograms, remarks)


def _histograms_of(path: Path, whole: dict[str, Any], unit: str | None) -> Iterator[Histogram]:
    for kind in ("thread", "cpu"):
        threads = whole.get(kind)
        if not isinstance(threads, dict):
            continue
        size = 10 ** (9 - _power(unit or ("ns" if whole.get("resolution_in_ns") == 1 else "us")))
        for name, thread in threads.items():
            bins = thread.get("histogram") if isinstance(thread, dict) else None
            if not isinstance(bins, dict):
                continue
            one = Histogram(f"{kind} {name}")
            for key, count in sorted(bins.items(), key=lambda item: _key(path, item[0])):
                if not isinstance(count, int) or isinstance(count, bool) or count < 0:
                    raise CaptureError(f"{path}: {one.name}, bin {key}: {count!r} is no count")
                value = _key(path, key)
                one.add(value * size, (value + 1) * size, count)
            for key, field_ in (("min", "least"), ("max", "greatest")):
                value = thread.get(key)
                if isinstance(value, int | float) and 0 <= value < LONGEST:
                    setattr(one, field_, round(value * size))
            cycles = thread.get("cycles", thread.get("count"))
            if isinstance(cycles, int) and cycles > one.n:
                # What is longer than the last bin is counted as a cycle alone.
                last = max((_key(path, key) for key in bins), default=-1) + 1
                one.add(last * size, None, cycles - one.n)
            yield one


def _key(path: Path, text: str) -> int:
    return _whole(path, str(text).strip(), "histogram")


def _power(unit: str) -> int:
    plain = {"microseconds": "us", "nanoseconds": "ns", "µs": "us"}.get(unit, unit)
    if plain not in _POWER:
        raise CaptureError(f"--unit {unit}: give ns, us, ms or s")
    return _POWER[plain]
