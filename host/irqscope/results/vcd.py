"""Stimuli as a Value Change Dump (IEEE 1364-2005, 18.2), which every wave viewer reads."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import IO, Any

from vcd.writer import Variable, VCDWriter

import irqscope
from irqscope.errors import StorageError
from irqscope.files import as_text
from irqscope.results.record import RunRecord
from irqscope.results.samples import INDEXED
from irqscope.results.signals import signals

#: The file's time runs in ps: a tick is not a whole number of ns.
_PER_S = 10**12
#: Numbers next to the signals of a channel, and their bits.
_LATENCY = "latency_ticks"
_NUMBERS = {"index": 64, _LATENCY: 32}

#: Time in ticks, variable, value.
_Change = tuple[int, Variable[Any], int]
#: By channel and name.
_Variables = dict[int, dict[str, Variable[Any]]]


def write_vcd(run: RunRecord, tables: Iterable[Any], label: str, out: IO[bytes]) -> int:
    """Writes tables of samples (columns as INDEXED) that follow each other; returns how many rows.

    Time is target time since the first batch began, the talks between batches left out. ``label``:
    where the numbers come from. A marker is a pulse of one tick; ``index`` changes with the edge,
    ``latency_ticks`` with the answer.
    """
    rows, begin = 0, 0
    rest = iter(tables)
    first = next(rest, None)
    if first is not None:
        # One tick before the first edge, so that a viewer has an edge to show.
        begin = max(int(first["time_ticks"][0].as_py()) - 1, 0)
        rest = itertools.chain([first], rest)

    def counted() -> Iterator[Any]:
        nonlocal rows
        for table in rest:
            rows += table.num_rows
            yield table

    def ps(ticks: int) -> int:
        return (2 * ticks * _PER_S + run.tick_hz) // (2 * run.tick_hz)

    version = f"irqscope {irqscope.__version__}"
    comment = f"{run.experiment.name}: {label}".replace("$end", "$ end")
    with (
        as_text(out) as file,
        VCDWriter(file, "1 ps", "", comment, version, init_timestamp=ps(begin)) as writer,
    ):
        variables = _variables(run, writer)
        for ticks, variable, value in _in_order(run, counted(), variables):
            writer.change(variable, ps(ticks), value)
    return rows


def _variables(run: RunRecord, writer: VCDWriter) -> _Variables:
    """Those of each channel, by name. A marker that starts a channel and is a stage is one."""
    variables: _Variables = {}
    for signal in signals(run, INDEXED.empty_table()):
        names = variables.setdefault(signal.channel, {})
        if (name := _plain(signal.name)) not in names:
            scope = f"channel_{signal.channel}"
            names[name] = writer.register_var(scope, name, "wire", 1, init=0)
    for channel, names in variables.items():
        for name, bits in _NUMBERS.items():
            names[name] = writer.register_var(f"channel_{channel}", name, "reg", bits, init=0)
    return variables


def _in_order(run: RunRecord, tables: Iterable[Any], variables: _Variables) -> Iterator[_Change]:
    """All changes by time."""
    waiting: list[_Change] = []  # rows of a table may reach beyond the begin of the next
    for table in tables:
        begin = int(table["time_ticks"][0].as_py())
        yield from (change for change in waiting if change[0] < begin)
        waiting = [change for change in waiting if change[0] >= begin]
        waiting.extend(_changes(run, table, variables))
        # In one tick falls come first: what ends there and what begins there are two stimuli.
        waiting.sort(key=lambda change: (change[0], change[2] != 0))
    yield from waiting


def _changes(run: RunRecord, table: Any, variables: _Variables) -> Iterator[_Change]:
    for signal in signals(run, table):
        variable = variables[signal.channel][_plain(signal.name)]
        for rise, fall in zip(signal.rises.tolist(), signal.falls.tolist(), strict=True):
            yield rise, variable, 1
            yield fall, variable, 0
    columns = [table[name].to_pylist() for name in ("channel", "index", "time_ticks", _LATENCY)]
    for channel, index, time, latency in zip(*columns, strict=True):
        names = variables.get(channel)
        if names is None:
            raise StorageError(f"samples of channel {channel}, which the experiment does not have")
        if index is not None:  # a tail does not always tell it
            yield time, names["index"], index
        if latency is not None:
            yield time + latency, names[_LATENCY], latency


def _plain(name: str) -> str:
    return name.replace(" ", "_")
