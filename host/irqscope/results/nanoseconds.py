"""Adds columns in ns to those in ticks, for programs that read a table and know no clock."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from irqscope.units import NS_PER_S

_TICKS, _NS = "_ticks", "_ns"


def beside(schema: Any) -> Any:
    """The schema with an int64 column ``X_ns`` after each ``X_ticks``."""
    fields = []
    for field in schema:
        fields.append(field)
        if field.name.endswith(_TICKS):
            name = field.name.removesuffix(_TICKS) + _NS
            fields.append(pa.field(name, pa.int64(), nullable=field.nullable))
    return pa.schema(fields)


def with_ns(table: Any, tick_hz: int) -> Any:
    """The table with those columns: each value rounded once, halves up, as everywhere."""
    schema = beside(table.schema)
    columns = []
    for field in schema:
        ticks = field.name.removesuffix(_NS) + _TICKS
        if field.name in table.column_names:
            columns.append(table[field.name])
        else:
            columns.append(_ns(table[ticks].combine_chunks(), tick_hz))
    return pa.table(columns, schema=schema)


def _ns(ticks: Any, hz: int) -> Any:
    missing = ticks.is_null().to_numpy(zero_copy_only=False)
    values = ticks.cast(pa.int64()).fill_null(0).to_numpy()
    # Whole seconds apart: ticks x 10^9 does not fit 64 bits.
    seconds, rest = np.divmod(values, hz)
    ns = seconds * NS_PER_S + (2 * rest * NS_PER_S + hz) // (2 * hz)
    return pa.array(ns, pa.int64(), mask=missing)
