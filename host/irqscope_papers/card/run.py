"""Figures of one run of a suite, for its card."""

from __future__ import annotations

import hashlib
import json
import math
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from irqscope.analysis.stats import OPEN, Distribution
from irqscope.experiment.stack import on_core
from irqscope.machines.cases import CASES
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.report import kinds, wording
from irqscope.results.reader import Run, read
from irqscope.results.record import RunRecord
from irqscope.results.statistics import Stats
from irqscope.results.suite_record import ItemRecord
from irqscope.results.tables import STAGES
from irqscope.units import NS_PER_S, ticks_to_ns
from irqscope_papers.horst2020.printed import HORST


def of_run(folder: Path, name: str, item: ItemRecord) -> dict[str, Any]:
    """Figures of one run; empty if the run has no result or is invalid."""
    data: dict[str, Any] = {
        "name": name,
        "state": item.state,
        "cell": item.cell,
        "stack": item.cell.get("stack", DEFAULT_STACK),
        "latency": None,
        "throughput": None,
        "stages": [],
        "shares": [],
        "median": None,
        "printed": None,
        "by_stm": None,
        "reasons": list(item.reasons),
        "notes": [],
        "experiment": None,
        "experiment_sha256": None,
        "firmware_hash": None,
    }
    if item.state not in ("valid", "invalid"):
        return data
    run = read(folder / name)
    values = run.run
    experiment = values.experiment.model_dump(mode="json")
    canonical = json.dumps(experiment, sort_keys=True, separators=(",", ":"))
    data |= {
        "experiment": experiment,
        "interrupt": wording.interrupt(values).lower(),
        "stack": values.experiment.stack,
        "firmware_hash": f"{values.identified.firmware_hash:#010x}",
        "experiment_sha256": hashlib.sha256(canonical.encode()).hexdigest(),
        "notes": list(values.notes),
    }
    if run.doubts and item.state == "valid":
        data |= {"state": "invalid", "reasons": list(values.reasons)}
    if data["state"] != "valid":
        return data
    if values.experiment.measure == "throughput":
        data["throughput"] = throughput = _throughput(values)
        data["median"] = throughput["median_hz"]
    elif grid := wording.grid(values):
        headline = kinds.of_run(values).headline()
        data["notes"] += [*([headline] if headline else []), f"no latency: {grid}"]
    elif CASES[values.experiment.case].chance:
        data["shares"] = _shares(values)  # the first core to answer takes it: no latency
    else:
        data["latency"] = latency = _latency(run)
        low, high = latency["median_ns"]
        data["median"] = None if high is None else (low + high) / 2
        data["stages"] = _stages(run, latency["channel"])
    data["by_stm"] = _by_stm(values)
    if name in HORST:
        printed = HORST[name]
        data["printed"] = {
            "quantity": printed.quantity,
            "value": printed.value,
            "unit": printed.unit,
            "where": printed.where,
        }
    return data


def answered(run: Run, channel: int) -> Distribution:
    """Latencies of the stimuli that were served, in ticks.

    The gateware reports the maximum of the longest latencies, which share a bin without an upper
    end.
    """
    distribution = run.answered(channel)
    stats = next(s for s in run.run.stats if s.channel == channel)
    upper = np.where(distribution.upper == OPEN, stats.max_ticks or 0, distribution.upper)
    return Distribution(distribution.lower, upper, distribution.counts)


def _latency(run: Run) -> dict[str, Any]:
    """Latency of the first channel, that of the measured core."""
    values = run.run
    stats, hz = values.stats[0], values.tick_hz
    cycles_a_tick: float = values.identified.cpu_hz / hz
    channel = values.experiment.channels[0]
    assert stats.min_ticks is not None and stats.max_ticks is not None  # a valid run served some
    distribution = run.distribution(stats.channel)
    # Those that timed out took longer than the timeout, the coalesced may have taken no time.
    mean_ticks = (stats.sum_ticks + stats.timed_out * (stats.timeout_ticks + 1)) / stats.n
    trusted = not wording.failing(stats)

    def ns(ticks: int | None) -> int | None:
        return None if ticks is None else ticks_to_ns(ticks, hz)

    def cycles(ticks: float) -> float:
        return round(ticks * cycles_a_tick, 1)

    median = distribution.quantile(0.5)
    return {
        "channel": stats.channel,
        "start": str(channel.start),
        "stop": str(channel.stop),
        "n": stats.n,
        "unanswered": wording.unanswered(stats),
        "timeout_ns": ns(stats.timeout_ticks) if stats.timed_out else None,
        "min_ns": ns(stats.min_ticks),
        "mean_ns": round(mean_ticks * NS_PER_S / hz, 1),
        "max_ns": ns(stats.max_ticks),
        "median_ns": [ns(end) for end in median.value],
        "median_interval_ns": [ns(median.lower), ns(median.upper)] if trusted else None,
        "longer": wording.longer(stats),
        "independence": wording.independence(stats, hz),
        "independent": trusted,
        "assumed": wording.assumed(values.model.assumptions)
        if values.model and values.model.assumptions
        else None,
        "quantiles": [
            {
                "p": q.p,
                "ns": ns(q.value_ticks),
                "interval_ns": [ns(q.lower_ticks), ns(q.upper_ticks)] if trusted else None,
                "note": q.note,
            }
            for q in stats.quantiles
        ],
        "cycles": {
            "min": cycles(stats.min_ticks),
            "mean": cycles(mean_ticks),
            "max": cycles(stats.timeout_ticks if stats.timed_out else stats.max_ticks),
        },
        "placed_ns": placed_ns(values),
        "one_way_bound_ns": values.calibration.one_way.bound_ns if values.calibration else None,
        "uncertainty_ns": _uncertainty_ns(values),
        "box": _box(answered(run, stats.channel), stats, hz),
    }


def _uncertainty_ns(values: RunRecord) -> float | None:
    """Uncertainty of one value: the known terms in quadrature, or None if not calibrated."""
    if values.calibration is None:
        return None
    return math.hypot(*(t.ns for t in values.calibration.uncertainty if t.ns is not None))


def _box(served: Distribution, stats: Stats, hz: int) -> dict[str, Any]:
    """Returns a box: quartiles, whiskers within 1.5 interquartile ranges, and outliers.

    A latency known only to a bin counts at the middle of it, a stimulus that timed out at the
    timeout; coalesced ones are left out.
    """
    ticks = np.append((served.lower + served.upper) / 2, stats.timeout_ticks)
    counts = np.append(served.counts, stats.timed_out)
    order = np.argsort(ticks[counts > 0])
    middle = ticks[counts > 0][order] * (NS_PER_S / hz)
    counts = counts[counts > 0][order]
    ranks = np.cumsum(counts)
    q1, median, q3 = (
        float(middle[np.searchsorted(ranks, max(1, np.ceil(p * ranks[-1])))])
        for p in (0.25, 0.5, 0.75)
    )
    reach = 1.5 * (q3 - q1)
    inside = middle[(middle >= q1 - reach) & (middle <= q3 + reach)]
    outside = (middle < q1 - reach) | (middle > q3 + reach)
    return {
        "low": float(inside[0]),
        "q1": q1,
        "median": median,
        "q3": q3,
        "high": float(inside[-1]),
        "outliers": middle[outside].tolist(),
        "outlying": int(counts[outside].sum()),
    }


def placed_ns(values: RunRecord) -> list[int] | None:
    """The smallest and greatest median over code layouts, ns, if stored for the twin."""
    assumed = values.model.assumptions if values.model else None
    return [assumed.layout.low_ns, assumed.layout.high_ns] if assumed and assumed.layout else None


def _by_stm(values: RunRecord) -> dict[str, Any] | None:
    """Latency by the second stamp, with the model's assumptions, or None without such a stamp."""
    if values.stm is None or values.stm.latency is None:
        return None
    assumed = values.model.assumptions if values.model else None
    joint = assumed.stm if assumed else None
    return {
        "ns": [getattr(values.stm.latency, f"{end}_ns") for end in ("min", "median", "max")],
        "n": values.stm.latency.n,
        "joint_ns": [joint.low_ns, joint.high_ns] if joint else None,
        "assumed": wording.assumed_by_stm(assumed) if assumed and joint else None,
    }


def _throughput(values: RunRecord) -> dict[str, Any]:
    """Throughput of all cores together, as the paper counts it, and of each."""
    hz, entries = values.tick_hz, values.throughput
    stops = np.array([entry.stops for entry in entries], np.int64)
    phases = (stops.sum(axis=0) * (hz / entries[0].high_ticks)).tolist()
    return {
        "n": len(phases),
        "high_s": entries[0].high_ticks / hz,
        "phases_hz": phases,
        "median_hz": statistics.median(phases),
        "min_hz": min(phases),
        "max_hz": max(phases),
        "repeats": all(wording.repeats(values, entry) for entry in entries),
        "cores": [
            {
                "core": entry.core,
                "stack": on_core(values.experiment.stack, entry.core),
                "median_hz": entry.median_hz,
                "min_hz": entry.min_hz,
                "max_hz": entry.max_hz,
            }
            for entry in entries
        ],
    }


def _shares(values: RunRecord) -> list[dict[str, Any]]:
    handled = values.firmware.handled
    whole = sum(handled)
    return [
        {"core": core, "handled": count, "share": count / whole}
        for core, count in enumerate(handled)
        if core < values.experiment.cores
    ]


def _stages(run: Run, channel: int) -> list[dict[str, Any]]:
    """Median of each stage since the edge, if stages were stamped."""
    if run.run.experiment.markers != "stages":
        return []
    samples = run.samples()
    mine = samples.filter(pc.equal(samples["channel"], channel))
    rows = []
    for stage in STAGES:
        ticks = np.sort(mine[f"{stage}_ticks"].drop_null().to_numpy())
        if len(ticks):
            hz = run.run.tick_hz
            ends = (ticks[0], ticks[(len(ticks) - 1) // 2], ticks[-1])
            low, median, high = (ticks_to_ns(int(t), hz) for t in ends)
            row = {"stage": stage, "n": len(ticks), "min_ns": low, "median_ns": median}
            rows.append(row | {"max_ns": high})
    return rows
