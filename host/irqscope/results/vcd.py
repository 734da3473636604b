"""Stimuli as a Value Change Dump (IEEE 1364-2005, 18.2), which every wave viewer reads."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import IO, Any

import irqscope
from irqscope.errors import StorageError
from irqscope.files import as_text
from irqscope.results.record import RunRecord
from irqscope.results.samples import INDEXED
from irqscope.results.signals import signals

#: The file's time runs in ps: a tick is not a whole number of ns.
_PER_S = 10**12
#: Numbers that are beside the signals of a channel, and their bits.
_LATENCY = "latency_ticks"
_NUMBERS = {"index": 64, _LATENCY: 32}

#: Time in ticks, identifier of the variable, value as the file writes it.
_Change = tuple[int, str, str]


def write_vcd(run: RunRecord, tables: Iterable[Any], label: str, out: IO[bytes]) -> int:
    """Writes tables of samples (columns as INDEXED) that follow each other; returns how many rows.

    Time is target time since the first batch began, the talks between batches left out. ``label``:
    where the numbers come from. A marker is a pulse of one tick; ``index`` changes with the edge,
    ``latency_ticks`` with the answer.
    """
    hz = run.tick_hz
    scopes = _scopes(run)
    rows = 0

    def counted() -> Iterator[Any]:
        nonlocal rows
        for table in tables:
            rows += table.num_rows
            yield table

    with as_text(out) as file:
        file.write(f"$version irqscope {irqscope.__version__} $end\n")
        comment = label.replace("$end", "$ end")
        file.write(f"$comment {run.experiment.name}: {comment} $end\n$timescale 1 ps $end\n")
        for channel, names in scopes.items():
            file.write(f"$scope module channel_{channel} $end\n")
            for name, identifier in names.items():
                bits = _NUMBERS.get(name, 1)
                kind = "reg" if name in _NUMBERS else "wire"
                file.write(f"$var {kind} {bits} {identifier} {name} $end\n")
            file.write("$upscope $end\n")
        file.write("$enddefinitions $end\n")
        now = -1
        for ticks, identifier, value in _in_order(run, counted(), scopes):
            if ticks != now:
                file.write(f"#{(2 * ticks * _PER_S + hz) // (2 * hz)}\n")
                now = ticks
            file.write(f"{value}{identifier}\n")
    return rows


def _scopes(run: RunRecord) -> dict[int, dict[str, str]]:
    """Identifier of each variable, by channel and name."""
    identifiers = (f"v{number}" for number in itertools.count())
    scopes: dict[int, dict[str, str]] = {}
    for signal in signals(run, INDEXED.empty_table()):
        scopes.setdefault(signal.channel, {})[_plain(signal.name)] = next(identifiers)
    for names in scopes.values():
        names.update(zip(_NUMBERS, identifiers, strict=False))
    return scopes


def _in_order(
    run: RunRecord, tables: Iterable[Any], scopes: dict[int, dict[str, str]]
) -> Iterator[_Change]:
    """All changes by time, the state before the first edge in front."""
    waiting: list[_Change] = []  # what a table holds may reach beyond the begin of the next
    begin = None
    for table in tables:
        if begin is None:
            begin = int(table["time_ticks"][0].as_py())
            for names in scopes.values():
                for name, identifier in names.items():
                    yield begin, identifier, "b0 " if name in _NUMBERS else "0"
        begin = int(table["time_ticks"][0].as_py())
        yield from (change for change in waiting if change[0] < begin)
        waiting = [change for change in waiting if change[0] >= begin]
        waiting.extend(_changes(run, table, scopes))
        # In one tick falls come first: what ends there and what begins there are two stimuli.
        waiting.sort(key=lambda change: (change[0], change[2] != "0"))
    yield from waiting


def _changes(run: RunRecord, table: Any, scopes: dict[int, dict[str, str]]) -> Iterator[_Change]:
    for signal in signals(run, table):
        identifier = scopes[signal.channel][_plain(signal.name)]
        for rise, fall in zip(signal.rises.tolist(), signal.falls.tolist(), strict=True):
            yield rise, identifier, "1"
            yield fall, identifier, "0"
    columns = [table[name].to_pylist() for name in ("channel", "index", "time_ticks", _LATENCY)]
    for channel, index, time, latency in zip(*columns, strict=True):
        names = scopes.get(channel)
        if names is None:
            raise StorageError(f"samples of channel {channel}, which the experiment does not have")
        yield time, names["index"], f"b{index:b} "
        if latency is not None:
            yield time + latency, names[_LATENCY], f"b{latency:b} "


def _plain(name: str) -> str:
    return name.replace(" ", "_")
