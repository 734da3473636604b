"""Folders of suites with runs whose results are given, for tests of what reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from irqscope import stats
from irqscope.experiment import Experiment
from irqscope.plan import BATCH_S
from irqscope.results.folder import RunFolder, now
from irqscope.results.tables import HISTOGRAM, SAMPLES

TICK_HZ = 250_000_000
IDENTITY = {
    "tick_hz": TICK_HZ,
    "cpu_hz": 1_200_000_000,
    "cntfrq_hz": 100_000_000,
    "build_hash": "0x00001111",
    "firmware_hash": "0x00002222",
    "source_hash": "0x00003333",
}
LABEL = "twin, functional timing"
IN_FORCE = {"placement": 0, "cores": [], "further": [], "raising_core": 0, "tick_period": 100_000}
FIRMWARE = dict.fromkeys(
    (f"{name}_{core}" for name in ("handled", "loads") for core in range(4)), 0
) | {"spurious": 0, "others": 0, "raised": 0, "ticks": 0}

#: One of each kind; a test changes what it is about.
PLAIN = {
    "name": "t2",
    "case": "t2",
    "caches": "on",
    "trigger": "rising edge",
    "count": 100,
    "lines": [{"high": "1 ms", "low": "4 ms"}],
    "channels": [{"timeout": "4 ms"}],
}


def experiment(**changes: Any) -> Experiment:
    return Experiment.model_validate(PLAIN | changes)


def write_run(
    folder: Path, asked: Experiment, latencies: Any, stages: Any = None, **values: Any
) -> dict[str, Any]:
    """A run folder with these latencies (ticks).

    ``values``: of run.json, in place of ours; of what is in force and what the firmware counted,
    those that differ.
    """
    latencies = np.asarray(latencies, np.int64)
    distribution = stats.of_samples(latencies)
    n = len(latencies)
    run: dict[str, Any] = {
        "started": now(),
        "target": "twin",
        "source": {"target": "twin", "profile": "functional", "profile_hash": "", "label": LABEL},
        "identity": IDENTITY,
        "program": {},
        "host": {},
        "link": {},
        "experiment": asked.model_dump(mode="json"),
        "calibration": None,
        "batch_s": BATCH_S,
        "in_force": IN_FORCE | values.pop("in_force", {}),
        "books": [
            {
                "channel": 0, "pending": 0, "starts": n, "served": n, "coalesced": 0,
                "timed_out": 0, "stops": n, "unmatched": 0, "implausible": 0, "underflow": 0,
                "overflow": 0, "sum_ticks": int(latencies.sum()),
            }
        ],
        "records": {"stamped": n, "delivered": n, "lost": 0},
        "firmware": FIRMWARE | {"handled_0": n} | values.pop("firmware", {}),
        "stimuli": n,
        "stats": [
            {
                "channel": 0,
                "n": n,
                "censored": 0,
                "min_ticks": int(latencies.min()),
                "max_ticks": int(latencies.max()),
                "sum_ticks": int(latencies.sum()),
                "confidence": stats.CONFIDENCE,
                "quantiles": [_quantile(distribution.quantile(p)) for p in stats.QUANTILES],
                "exceedance_bound": stats.exceedance_bound(n),
                "phases_mod_5": [n, 0, 0, 0, 0],
            }
        ],
        "throughput": [],
        "valid": True,
        "reasons": [],
        "notes": [],
        **values,
    }  # fmt: skip
    made = RunFolder(folder, run)
    rows = {
        "channel": [0] * n,
        "batch": [0] * n,
        "sequence": range(n),
        "edge_ticks": range(n),
        "latency_ticks": latencies,
        "state": ["served"] * n,
        **(stages or {}),
    }
    columns = [
        pa.array(rows[f.name] if f.name in rows else [None] * n).cast(f.type) for f in SAMPLES
    ]
    made.add_samples(pa.table(columns, schema=SAMPLES))
    bins = [
        [0] * len(distribution.lower),
        distribution.lower,
        distribution.lower + 1,
        distribution.counts,
    ]
    made.flush(
        pa.table([pa.array(c, f.type) for c, f in zip(bins, HISTOGRAM, strict=True)], HISTOGRAM)
    )
    made.end("complete", "")
    return run


def write_suite(folder: Path, names: dict[str, str], **values: Any) -> None:
    """suite.json; ``names``: state by name."""
    record = {
        "format": "irqscope-suite/1",
        "suite": "suite",
        "description": "a suite",
        "card": None,
        "sha256": "ab" * 32,
        "counts": "quick",
        "shuffle": None,
        "target": "twin",
        "label": LABEL,
        "identity": IDENTITY,
        "started": now(),
        "ended": {"reason": "complete", "message": "", "time": now()},
        "order": list(names),
        "items": {
            name: {"state": state, "kept": False, "seconds": 1.0, "reasons": [], "cell": {}}
            for name, state in names.items()
        },
        **values,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suite.json").write_text(json.dumps(record), encoding="utf-8")


def _quantile(quantile: stats.Quantile) -> dict[str, Any]:
    return {
        "p": quantile.p,
        "value_ticks": quantile.exact,
        "lower_ticks": quantile.lower,
        "upper_ticks": quantile.upper,
        "sample_ticks": list(quantile.value),
        "note": stats.too_small(quantile, 0.005),
    }
