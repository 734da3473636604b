"""A small run folder of each kind that the Scope screen shows differently."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from app.test_captures import EDGES, without_samples
from app.test_masked import MAP
from irqscope_fake.folder import A53, IBEX, M4, answered_by, reseal, rewrite, write_run
from irqscope_fake.folder import experiment as described

from irqscope.acquire.callbacks import Untold
from irqscope.kinds.capture.importing import import_run
from irqscope.kinds.capture.recipe import Pair, Recipe
from irqscope.results.tables import PLACES

#: Latencies of channel 0, ticks; each kind adds its own number, so that no two folders agree.
_LATENCIES = np.array([60 + n % 40 for n in range(300)])
_BINS = "histogram.parquet"


def _change_table(path, change):
    table = change(pq.read_table(path))
    pq.write_table(table, path)


def _plain(folder, add, **values):
    write_run(folder, described(), _LATENCIES + add, **values)


def _latency(folder):
    _plain(folder, 0)


def _twin(folder):
    _plain(folder, 1, **answered_by(A53))


def _stages(folder):
    ends = {"vector": -8, "handler": 0, "done": 5, "task": 9}
    latencies = _LATENCIES + 2
    marks = {f"{name}_ticks": latencies + more for name, more in ends.items()}
    write_run(folder, described(markers="stages"), latencies, marks)
    spans = {name: (ticks.min(), np.median(ticks), ticks.max()) for name, ticks in marks.items()}
    steps = [
        {"stage": name.removesuffix("_ticks"), "n": 300}
        | dict(zip(("min_ticks", "p50_ticks", "max_ticks"), map(int, span), strict=True))
        for name, span in spans.items()
    ]
    rewrite(folder, lambda run: run["stats"][0].update(stages=steps))


def _channels(folder):
    """Two channels: samples are of the first, and the second has the greatest latency."""
    second = folder.parent / f".{folder.name}"
    write_run(second, described(), [150, 160, 400])
    line = {"high": "1 ms", "low": "4 ms"}
    stop = {"index": 1, "start": "line 1", "stop": "probe first", "timeout": "4 ms"}
    request = described(lines=[line, line | {"index": 1}], channels=[{"timeout": "4 ms"}, stop])
    write_run(folder, request, _LATENCIES + 3)
    of_second = json.loads((second / "run.json").read_text(encoding="utf-8"))
    more = pq.read_table(second / _BINS)
    channel = more.schema.field(0)
    more = more.set_column(0, channel, pa.array([1] * len(more), channel.type))
    _change_table(folder / _BINS, lambda own: pa.concat_tables([own, more]))

    def add(run):
        for key in ("stats", "counters"):
            run[key].append(of_second[key][0] | {"channel": 1})

    rewrite(folder, add)


def _throughput(folder):
    rates = [{"channel": 0, "core": None, "high_ticks": 250_000, "stops": [70, 71, 69],
              "median_hz": 70_000.0, "min_hz": 69_000.0, "max_hz": 71_000.0}]  # fmt: skip
    write_run(folder, described(measure="throughput"), _LATENCIES + 4, throughput=rates)


def _cell(width, spacing, served, coalesced=0, lost=0, spurious=0):
    return {
        "width_ticks": width, "spacing_ticks": spacing, "pairs": 10, "served": served,
        "coalesced": coalesced, "lost": lost, "spurious": spurious,
    }  # fmt: skip


def _instruction(address, text, latencies):
    return {
        "address": address,
        "where": "stretch" if address < 0x2000 else "run",
        "text": text,
        "taken": len(latencies),
        "min_ticks": min(latencies, default=None),
        "max_ticks": max(latencies, default=None),
    }


def loss(folder):
    cells = [_cell(10, 50, 10, coalesced=10), _cell(10, 5000, 20), _cell(20, 5000, 16, lost=4)]
    record = {"cells": [*cells, _cell(20, 50, 20, spurious=1)]}
    request = described(samples="none", loss={"widths": ["200 ns"], "spacings": ["1 us"]})
    write_run(folder, request, [60], counters=[], stats=[], stimuli=80, loss=record)


def placement(folder):
    latencies = (60, 64, 63, 61)
    columns = ([0] * 4, range(4), range(20, 24), latencies, (0x1000, 0x1008, 0x1008, 0x2000))
    places = pa.table(
        [pa.array(c, f.type) for c, f in zip(columns, PLACES, strict=True)], schema=PLACES
    )
    inside = ((0x1000, "nop", [60]), (0x1004, "div", []), (0x1008, "ret", [64, 63]))
    record = {
        "symbol": "stretch", "address": 0x1000, "size": 12, "firmware": "irqscope.elf",
        "first_ticks": 20, "step_ticks": 1, "last_ticks": 23, "accepted": 4, "ignored": 0,
        "alike": True, "instructions": [_instruction(*one) for one in inside],
        "elsewhere": [_instruction(0x2000, "wfi", [61])],
    }  # fmt: skip
    code = {"code": "stretch", "first": 20, "last": 23, "period": 4000}
    request = described(case="placement", caches="off", warm_up=0, code_under_test=code)
    write_run(folder, request, latencies, places=places, placements=record)


def _masked(folder):
    _plain(folder, 5, masked=MAP)


def _external(folder):
    request = described(machine="external")
    write_run(folder, request, _LATENCIES + 6)


def _capture(folder):
    source = folder.parent / f"{folder.name}.csv"
    source.write_text(EDGES)
    pair = Pair(start="A rise", stop="B rise", timeout="90 us")
    recipe = Recipe(name="elsewhere", files=(str(source),), channels=(pair,))
    import_run(recipe, folder, Untold())


def _drift(folder):
    source = folder.parent / f"{folder.name}.csv"
    times = [(n * 10**5, n // 50) for n in range(400)]
    rows = "".join(f"{t},1,0\n{t + 9 + more},1,1\n{t + 30},0,0\n" for t, more in times)
    source.write_text(f"time_us,A,B\n{rows}")
    import_run(without_samples(source), folder, Untold())


def _tail(folder):
    write_run(folder, described(samples="tail 40"), _LATENCIES + 7)
    longest = np.argsort(-_LATENCIES, kind="stable")[:40]
    (part,) = (folder / "samples").iterdir()
    _change_table(part, lambda rows: rows.take(np.sort(longest)))
    reseal(folder)


def _interrupted(folder):
    _plain(folder, 8)

    def stop(run):
        run["ended"] |= {"reason": "interrupted", "message": "stopped in the app"}
        run |= {"valid": False, "reasons": ["stopped in the app"]}

    rewrite(folder, stop)


def _unclosed(folder):
    _plain(folder, 9)
    rewrite(folder, lambda run: run.update(ended=None, valid=False))


def _cycles(folder):
    _plain(folder, 10, **answered_by(IBEX))


def _m4(folder):
    asked = described(machine="program", channels=[{"stop": "pc:0x1000", "timeout": "4 ms"}])
    write_run(folder, asked, _LATENCIES + 11, **answered_by(M4))


KINDS: dict[str, Callable[[Path], None]] = {
    "latency": _latency,
    "twin": _twin,
    "stages": _stages,
    "channels": _channels,
    "throughput": _throughput,
    "loss": loss,
    "placement": placement,
    "masked": _masked,
    "external": _external,
    "capture": _capture,
    "drift": _drift,
    "tail": _tail,
    "interrupted": _interrupted,
    "unclosed": _unclosed,
    "cycles": _cycles,
    "m4": _m4,
}
