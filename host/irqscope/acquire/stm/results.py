"""Results of a run from the STM: counters, latencies in its time, differences to the gateware's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from irqscope.acquire.stm.stamps import Stamps, Trace, nearest, stamps
from irqscope.results.stamps import StmCounters, StmDifference, StmSpread, StmStamps
from irqscope.results.tables import STM
from irqscope.units import ticks_to_ns

#: Two clocks were read one after the other: a sample's edge lies within this of where the STM's
#: clock expects it, ticks (40 us).
WITHIN_TICKS = 10_000
_LONGEST = (1 << 32) - 1


class StmResults:
    """All batches so far. ``set_up``: the firmware's findings, for ``run.json``."""

    def __init__(self, set_up: dict[str, int], tick_hz: int) -> None:
        self.set_up = set_up
        self._tick_hz = tick_hz
        self._counters: Counter[str] = Counter()
        self._stamps = self._ticks = 0  # between the readings of the two clocks
        self._latencies: Counter[int] = Counter()  # stamps
        self._pairs: Counter[tuple[int, int]] = Counter()  # stamps, ticks of the same stimulus

    def add(
        self, batch: int, trace: Trace, edges: int, stores: int, start_tick: int, samples: Any
    ) -> Any:
        """Takes a batch in; returns its rows, as STM.

        ``edges``, ``stores``: how many the line and the handler made; ``samples``: rows of the
        measured channel, their edges from ``start_tick`` on.
        """
        trace_stamps = stamps(trace)
        self._count(trace_stamps, trace, edges, stores)
        self._stamps += trace.last_stamp - trace.first_stamp
        self._ticks += trace.last_tick - trace.first_tick
        answered = trace_stamps.answers >= 0
        latencies = np.minimum(trace_stamps.answers - trace_stamps.edges, _LONGEST)
        self._latencies.update(latencies[answered].tolist())
        sampled = self._samples_of(trace_stamps.edges, trace, start_tick, samples)
        ticks = sampled["latency_ticks"]
        both = answered & ~np.asarray(pc.is_null(ticks))
        of_both = np.asarray(pc.fill_null(ticks, 0)).astype(np.int64)
        self._pairs.update(zip(latencies[both].tolist(), of_both[both].tolist(), strict=True))
        return pa.table(
            [
                pa.array([batch] * len(trace_stamps.edges), pa.uint32()),
                pa.array(trace_stamps.edges, pa.int64()),
                pa.array(latencies, pa.uint32(), mask=~answered),
                sampled["edge_ticks"],
                ticks,
            ],
            schema=STM,
        )

    def record(self) -> StmStamps:
        """The stamps as ``run.json`` keeps them."""
        hz = self.stamp_hz
        own, same = Counter(self._latencies), Counter[int]()
        for (_, ticks), n in self._pairs.items():
            same[ticks] += n
        return StmStamps(
            set_up=self.set_up,
            stamp_hz=hz,
            counters=StmCounters(**self._counters),
            latency=_spread(own, hz),
            same_by_markers=_spread(same, self._tick_hz),
            difference_ns=self._differences(),
        )

    @property
    def stamp_hz(self) -> int | None:
        """The timestamp counter's, by the gateware's clock; None before a batch."""
        return round(self._stamps * self._tick_hz / self._ticks) if self._ticks > 0 else None

    def validity_errors(self) -> Iterator[str]:
        """Why the trace makes the run invalid, a line each."""
        b = self._counters
        if b["stuck"]:
            yield f"the ETF did not stop after {b['stuck']} batches"
        for end in ("edges", "stores"):
            lost = b[f"{end}_made"] - b[f"{end}_stamped"]
            if lost < 0:
                yield f"STM: {b[f'{end}_stamped']} {end} stamped, {b[f'{end}_made']} were made"
            elif lost:
                yield (
                    f"STM: {b[f'{end}_made']} {end} = {b[f'{end}_stamped']} stamped + {lost} "
                    f"lost; {self._why()}"
                )
        whole = all(b[f"{end}_made"] == b[f"{end}_stamped"] for end in ("edges", "stores"))
        if whole and b["edges_stamped"] != b["answered"]:
            yield f"STM: {b['edges_stamped']} edges, {b['answered']} of them answered by a store"

    def notes(self) -> Iterator[str]:
        """Yields remarks that must accompany the STM's numbers."""
        for name, text in (
            ("others", "packets of other ports"),
            ("unread", "nibbles of the STM's trace could not be read"),
        ):
            if self._counters[name]:
                yield f"{self._counters[name]} {text}"

    def _why(self) -> str:
        """Explains lost stamps from the trace itself."""
        b = self._counters
        reasons = [
            (b["wrapped"], f"the ETF overflowed in {b['wrapped']} batches"),
            (b["errors"], f"the STM tells of drops in {b['errors']} packets"),
            (b["unstamped"], f"{b['unstamped']} packets had no timestamp"),
        ]
        reasons_given = [text for count, text in reasons if count]
        return ", ".join(reasons_given) or "the trace does not say why: see docs/stm.md"

    def _count(self, trace_stamps: Stamps, trace: Trace, edges: int, stores: int) -> None:
        self._counters.update(
            edges_made=edges,
            edges_stamped=len(trace_stamps.edges),
            stores_made=stores,
            stores_stamped=trace_stamps.stores,
            answered=int(np.count_nonzero(trace_stamps.answers >= 0)),
            unstamped=trace_stamps.unstamped,
            others=trace_stamps.others,
            errors=trace_stamps.errors,
            unread=trace_stamps.unread,
            wrapped=int(trace.wrapped),
            stuck=int(trace.stuck),
        )

    def _samples_of(
        self, edges: npt.NDArray[np.int64], trace: Trace, start_tick: int, samples: Any
    ) -> Any:
        """Rows of the samples of these edges, with nulls where a sample is missing."""
        ratio = self._ticks / self._stamps if self._stamps > 0 else 1.0
        expected = np.rint(edges * ratio).astype(np.int64) + trace.first_tick - start_tick
        short = samples.select(["edge_ticks", "latency_ticks"]).sort_by("edge_ticks")
        places = nearest(expected, short["edge_ticks"].to_numpy(), WITHIN_TICKS)
        return short.take(pa.array(places, mask=places < 0)).combine_chunks()

    def _differences(self) -> StmDifference | None:
        """STM's latency less the gateware's, of the same stimuli, in ns."""
        hz = self.stamp_hz
        if hz is None or not self._pairs:
            return None
        differences: Counter[int] = Counter()
        for (own, ticks), n in self._pairs.items():
            differences[ticks_to_ns(own, hz) - ticks_to_ns(ticks, self._tick_hz)] += n
        return StmDifference(**_middle(differences))


def _spread(counts: Counter[int], hz: int | None) -> StmSpread | None:
    """Spread of latencies in counts of a clock."""
    if not counts or not hz:
        return None
    spread = _middle(counts)
    ns = {f"{name}_ns": ticks_to_ns(spread[name], hz) for name in ("min", "median", "max")}
    return StmSpread(**spread, **ns)


def _middle(counts: Counter[int]) -> dict[str, int]:
    """N, least, lower median and greatest."""
    n = sum(counts.values())
    values = np.array(sorted(counts), np.int64)
    below = np.cumsum([counts[int(value)] for value in values])
    middle = int(values[np.searchsorted(below, (n + 1) // 2)])
    return {"n": n, "min": int(values[0]), "median": middle, "max": int(values[-1])}
