"""Columns of the kinds of Parquet file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from irqscope.link.codec import Values
from irqscope.results.stimuli import Batch, State, Stimulus

#: No time of a sample and no number of a histogram is larger: then each in ns fits 64 bits.
LONGEST = 1 << 53
#: The histogram, in the folder of its run.
HISTOGRAM_FILE = "histogram.parquet"
#: The foreign program that was measured, in the folder of its run.
PROGRAM_FILE = "program.elf"
STAGES = ("vector", "handler", "done", "task")
#: Key of the schema's metadata that bears the number of the flush.
FLUSH = b"irqscope.flush"

SAMPLES: Any = pa.schema(
    [
        pa.field("channel", pa.uint8(), nullable=False),
        pa.field("batch", pa.uint32(), nullable=False),
        pa.field("place", pa.uint32()),  # in its batch and channel; null where not known
        pa.field("sequence", pa.uint64()),  # of the stimulus in its channel; null where not known
        pa.field("edge_ticks", pa.int64(), nullable=False),  # from the batch's start tick
        pa.field("latency_ticks", pa.uint32()),  # null unless served
        pa.field("state", pa.dictionary(pa.int8(), pa.string()), nullable=False),
        pa.field("core", pa.uint8()),  # whose marker served it; null unless served
        *(pa.field(f"{stage}_ticks", pa.int64()) for stage in STAGES),  # from the edge
        pa.field("timer_tick_phase_ticks", pa.uint32()),  # of the edge in the timer tick
    ]
)
BATCHES: Any = pa.schema(
    [
        pa.field("batch", pa.uint32(), nullable=False),
        pa.field("first", pa.uint64(), nullable=False),  # its first stimulus
        pa.field("count", pa.uint64(), nullable=False),  # of stimuli
        pa.field("since_ticks", pa.int64(), nullable=False),  # from the run's start to its own
        pa.field("start_tick", pa.uint64(), nullable=False),  # of the gateware's clock
        pa.field("end_tick", pa.uint64(), nullable=False),
        pa.field("first_timer_tick", pa.uint64()),  # when one was due; null without one
        pa.field("errors", pa.uint32()),  # the gateware's register after it; null: was not kept
        # Settings that were sent: JSON, values of the messages' fields.
        *(
            pa.field(name, pa.string(), nullable=False)
            for name in ("case", "lines", "channels", "recorder")
        ),
    ]
)
HISTOGRAM: Any = pa.schema(
    [
        pa.field("channel", pa.uint8(), nullable=False),
        pa.field("lower_ticks", pa.uint64(), nullable=False),
        pa.field("upper_ticks", pa.uint64()),  # first tick above the bin; null: overflow
        pa.field("count", pa.uint64(), nullable=False),
    ]
)
#: One row for each edge that the STM stamped.
STM: Any = pa.schema(
    [
        pa.field("batch", pa.uint32(), nullable=False),
        pa.field("edge_stamps", pa.int64(), nullable=False),  # from the batch's first stamp
        pa.field("latency_stamps", pa.uint32()),  # to the handler's store; null: none was stamped
        pa.field("edge_ticks", pa.int64()),  # of the sample, by the gateware; null: no such sample
        pa.field("latency_ticks", pa.uint32()),  # the same
    ]
)
#: One row for each placement that was measured.
PLACES: Any = pa.schema(
    [
        pa.field("batch", pa.uint32(), nullable=False),
        pa.field("sequence", pa.uint64(), nullable=False),  # of the stimulus
        pa.field("delay_ticks", pa.uint32(), nullable=False),  # from the marker's stamp
        pa.field("latency_ticks", pa.uint32()),  # of the first channel; null unless served
        pa.field("address", pa.uint64()),  # of the next instruction; null: no interrupt was taken
    ]
)
#: One row for each channel and batch of a run that does not keep all samples.
DRIFT: Any = pa.schema(
    [
        pa.field("channel", pa.uint8(), nullable=False),
        pa.field("batch", pa.uint32(), nullable=False),
        pa.field("since_ticks", pa.int64(), nullable=False),  # from the run's start to its own
        pa.field("until_ticks", pa.int64(), nullable=False),  # to its end
        *(
            pa.field(name, pa.uint64(), nullable=False)
            for name in ("starts", "served", "coalesced", "timed_out", "unmatched")
        ),
        pa.field("min_ticks", pa.int64()),  # null unless a stimulus was served
        pa.field("max_ticks", pa.int64()),
        # Ends of the sample quantile, equal unless a bin is wider; null: no stimulus, or open.
        *(
            pa.field(f"{name}_{end}_ticks", pa.int64())
            for name in ("p50", "p99")
            for end in ("lower", "upper")
        ),
    ]
)

#: Columns of each kind of part, by the name of its folder.
PARTS: dict[str, Any] = {
    "samples": SAMPLES,
    "batches": BATCHES,
    "stm": STM,
    "places": PLACES,
    "drift": DRIFT,
}


def sample_rows(
    channel: int,
    batch: int,
    first: int,
    places: Sequence[int | None],
    stimuli: Sequence[Stimulus],
    phases: npt.NDArray[np.int64] | None = None,
) -> Any:
    """Table of the stimuli of one channel in one batch.

    ``first``: sequence number of the batch's first stimulus. ``places``: of each in the batch,
    where it is known. ``phases``: of each edge in the timer tick, ticks; None without one.
    """
    n = len(stimuli)
    numbers = [None if place is None else first + place for place in places]
    names = [state.name.lower() for state in State]
    columns: list[Any] = [
        pa.array([channel] * n, pa.uint8()),
        pa.array([batch] * n, pa.uint32()),
        pa.array(places, pa.uint32()),
        pa.array(numbers, pa.uint64()),
        pa.array([s.edge_ticks for s in stimuli], pa.int64()),
        pa.array([s.latency_ticks for s in stimuli], pa.uint32()),
        pa.DictionaryArray.from_arrays(pa.array([s.state for s in stimuli], pa.int8()), names),
        pa.array([s.core for s in stimuli], pa.uint8()),
        *(
            pa.array([getattr(s, f"{stage}_ticks") for s in stimuli], pa.int64())
            for stage in STAGES
        ),
        pa.nulls(n, pa.uint32()) if phases is None else pa.array(phases, pa.uint32()),
    ]
    return pa.table(columns, schema=SAMPLES)


def batch_row(
    batch: Batch, since_ticks: int, reply: Mapping[str, int], sent: Mapping[str, object]
) -> Any:
    """Table of one row. ``sent``: by column, values of the messages."""
    row = {
        "batch": batch.number,
        "first": batch.first,
        "count": batch.count,
        "since_ticks": since_ticks,
        "start_tick": reply["start_tick"],
        "end_tick": reply["end_tick"],
        "first_timer_tick": reply["first_timer_tick"] if reply["timer_ticks"] else None,
        "errors": reply["errors"],
        **{name: json.dumps(values, separators=(",", ":")) for name, values in sent.items()},
    }
    return pa.Table.from_pylist([row], schema=BATCHES)


def histogram_rows(
    channel: Values, counts: npt.NDArray[np.uint64], *, underflow: int, overflow: int
) -> Any:
    """Table of the bins of one channel that counted something.

    ``channel``: values of its CHANNEL message; ``counts``: shape (bins,).
    """
    index, origin, width = channel["index"], channel["hist_origin"], 1 << channel["hist_shift"]
    rows: list[tuple[int, int, int | None, int]] = []
    if underflow:
        rows.append((index, 0, origin, underflow))
    for bin_ in np.flatnonzero(counts).tolist():
        lower = origin + bin_ * width
        rows.append((index, lower, lower + width, int(counts[bin_])))
    if overflow:
        rows.append((index, origin + len(counts) * width, None, overflow))
    columns = zip(*rows, strict=True) if rows else [[], [], [], []]
    arrays = [pa.array(list(c), f.type) for c, f in zip(columns, HISTOGRAM, strict=True)]
    return pa.table(arrays, schema=HISTOGRAM)


def histogram_file(flush: int) -> str:
    """Name of the histogram of a flush until ``run.json`` refers to that flush."""
    return f"histogram-{flush:05}.parquet"
