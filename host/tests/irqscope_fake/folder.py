"""Folders of suites with runs whose results are given, for tests of what reads them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from irqscope.acquire.plan import BATCH_S
from irqscope.analysis import stats
from irqscope.experiment import Experiment
from irqscope.link.identity import Identity
from irqscope.results.calibrated import Cycles
from irqscope.results.counters import ChannelCounters
from irqscope.results.folder import RunFolder, now
from irqscope.results.readback import CoreState, Readback
from irqscope.results.record import FORMAT, RunRecord, Source, loads
from irqscope.results.stimuli import Batch
from irqscope.results.sums import FILE as SUMS
from irqscope.results.tables import HISTOGRAM, SAMPLES, batch_row

TICK_HZ = 250_000_000
IDENTITY = {
    "protocol": 1,
    "magic": "0x49525153",
    "version": "0x00020000",
    "build_hash": "0x00001111",
    "tick_hz": TICK_HZ,
    "geometry": "0x03040808",
    "sizes": "0x0a020e0c",
    "source": 0x1_0101,
    "source_hash": "0x00003333",
    "firmware_hash": "0x00002222",
    "firmware_version": "0x00000001",
    "core_id": "0x410fd034",
    "counter_hz": 100_000_000,
    "cpu_hz": 1_200_000_000,
    "uart_ref_hz": 100_000_000,
    "baud": 115200,
    "max_baud": 2_000_000,
    "privilege": 3,
    "built_for": 1,
    "cores": 4,
    "max_payload": 1024,
}
LABEL = "twin, functional timing"
SOURCE = {
    "target": "twin",
    "profile": "functional",
    "profile_hash": "0x00003333",
    "label": LABEL,
}


def answered_by(source: int) -> dict[str, Any]:
    """``identity`` and ``source`` of a run whose target says the number ``source`` of itself."""
    identity = IDENTITY | {"source": source}
    reported = Source.of(Identity.model_validate_json(json.dumps(identity)))
    return {"identity": identity, "source": reported.model_dump(mode="json")}


#: Numbers that a board, twins with the profiles a53 and m4 and a soft core say.
ZCU102, A53, M4, IBEX = 0x0_0101, 0x2_0101, 0x3_0101, 0x1_0203
READBACK = dict.fromkeys(Readback.model_fields, 0) | {
    "registers": {},
    "cores": [],
    "background": [],
    "timer_tick_period": 100_000,
}
SPREAD = {"n": 1, "min_ticks": 2, "max_ticks": 2, "counts": [[2, 1]]}
CYCLES = dict.fromkeys(Cycles.model_fields, 1)
CALIBRATION = {
    "cores": 1,
    "loopback": SPREAD,
    "probe": SPREAD,
    "pending": SPREAD,
    "one_way": {"store": CYCLES, "echo": CYCLES, "bound_ticks": 40, "bound_ns": 160},
    "plausible_min_ticks": 5,
    "uncertainty": [],
}

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


def record(asked: Experiment, **values: Any) -> RunRecord:
    """A record without results, read as it would be from a file. ``values``: of run.json."""
    run = {
        "format": FORMAT,
        "program": {"name": "irqscope", "version": "0"},
        "host": {"python": "3", "system": "none"},
        "started": now(),
        "target": "twin",
        "source": SOURCE,
        "identity": IDENTITY,
        "experiment": asked.model_dump(mode="json"),
        "batch_s": BATCH_S,
        **values,
    }
    return loads(json.dumps(run).encode(), Path("run.json"))


def write_run(
    folder: Path,
    asked: Experiment,
    latencies: Any,
    stages: Any = None,
    places: Any = None,
    **values: Any,
) -> RunRecord:
    """A run folder with these latencies (ticks), and places if it is one of placements.

    ``values``: replacements in run.json, in the readback and in the firmware's counts.
    """
    latencies = np.asarray(latencies, np.int64)
    distribution = stats.of_samples(latencies)
    moments = stats.moments(distribution)
    n = len(latencies)
    readback = READBACK | values.pop("readback", {})
    blank = dict.fromkeys(CoreState.model_fields, 0) | {"registers": {}}
    readback["cores"] = [blank | core for core in readback["cores"]]
    counters = dict.fromkeys(ChannelCounters.model_fields, 0) | dict.fromkeys(
        ("starts", "served"), n
    )
    run = record(
        asked,
        **{
            "readback": readback,
            "counters": [counters | {"stops": n, "sum_ticks": int(latencies.sum())}],
            "records": {"stamped": n, "delivered": n, "lost": 0},
            "firmware": {"handled_0": n} | values.pop("firmware", {}),
            "stimuli": n,
            "stats": [
                {
                    "channel": 0,
                    "n": n,
                    "served": n,
                    "timed_out": 0,
                    "coalesced": 0,
                    "timeout_ticks": asked.channels[0].timeout.ticks(TICK_HZ),
                    "min_ticks": int(latencies.min()),
                    "max_ticks": int(latencies.max()),
                    "sum_ticks": int(latencies.sum()),
                    "deviation_ticks": moments.deviation if moments else None,
                    "rate_hz": None,
                    "confidence": stats.CONFIDENCE,
                    "quantiles": [_quantile(distribution.quantile(p)) for p in stats.QUANTILES],
                    "longer": {
                        "ticks": int(latencies.max()),
                        "at_least": 0.0,
                        "at_most": stats.share_longer(n)[1],
                    },
                    "phases": [n, 0, 0, 0, 0],
                    "stages": [],
                }
            ],
            "valid": True,
        }
        | values,
    )
    run_folder = RunFolder(folder, run)
    rows = {
        "channel": [0] * n,
        "batch": [0] * n,
        "place": range(n),
        "sequence": range(n),
        "edge_ticks": range(n),
        "latency_ticks": latencies,
        "state": ["served"] * n,
        **(stages or {}),
    }
    columns = [
        pa.array(rows[f.name] if f.name in rows else [None] * n).cast(f.type) for f in SAMPLES
    ]
    run_folder.add_samples(pa.table(columns, schema=SAMPLES))
    run_folder.add_batch(batch_table(0, count=n))
    if places is not None:
        run_folder.add_places(places)
    bins = [
        [0] * len(distribution.lower),
        distribution.lower,
        distribution.lower + 1,
        distribution.counts,
    ]
    run_folder.flush(
        pa.table([pa.array(c, f.type) for c, f in zip(bins, HISTOGRAM, strict=True)], HISTOGRAM)
    )
    run_folder.end("complete", "")
    return run


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes run.json as if it had been written so, sums included."""
    path = folder / "run.json"
    run = json.loads(path.read_text(encoding="utf-8"))
    change(run)
    path.write_text(json.dumps(run), encoding="utf-8")
    reseal(folder)


def as_board(run: dict[str, Any]) -> None:
    """Makes a run.json that of a board."""
    run["identity"]["source"] = 0x0101
    run["source"] = {"target": "zcu102", "profile": None, "profile_hash": None, "label": "zcu102"}


def deviate(run: dict[str, Any], deviation: str) -> None:
    """Makes a run.json that of a twin which deviates from its profile."""
    run["identity"]["deviation"] = deviation
    run["source"]["label"] = f"twin, functional with {deviation}"


def reseal(folder: Path) -> None:
    """Makes the sums those of the files as they are now."""
    names = [path.relative_to(folder) for path in folder.rglob("*.parquet")] + [Path("run.json")]
    lines = [f"{hashlib.sha256((folder / n).read_bytes()).hexdigest()}  {n}\n" for n in names]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def batch_table(number: int, since_ticks: int = 0, first: int = 0, count: int = 0) -> Any:
    """A row of the table of batches."""
    reply = {"start_tick": 0, "end_tick": 0, "timer_ticks": 0, "first_timer_tick": 0, "errors": 0}
    sent: dict[str, object] = {"case": {}, "lines": [], "channels": [], "recorder": {}}
    return batch_row(Batch(number, first, count, True, 1.0), since_ticks, reply, sent)


def write_suite(folder: Path, names: dict[str, str], **values: Any) -> None:
    """suite.json; ``names``: state by name."""
    record = {
        "format": "irqscope-suite/2",
        "suite": "suite",
        "description": "a suite",
        "card": None,
        "sha256": "ab" * 32,
        "counts": "quick",
        "shuffle": None,
        "target": "twin",
        "label": LABEL,
        "identity": IDENTITY,
        "stacks": {},
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
