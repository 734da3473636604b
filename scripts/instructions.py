"""Counts the instructions between the markers of an experiment's channels, on the twin.

    python scripts/instructions.py experiments/context-switch/yield.toml [--count N]

Runs the experiment (latencies, one core that answers) and prints, for each channel that starts at a
marker, how many instructions the core executed from the store of the one marker to that of the
other, this one included. They do not depend on the timing profile, but what comes between, as a
tick, does.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from irqscope.acquire.measure import measure
from irqscope.constants import Marker, StartKind
from irqscope.errors import IrqscopeError
from irqscope.experiment import Experiment, load


def markers(experiment: Experiment, profile: str) -> list[tuple[Marker, int]]:
    """Runs it; (marker, instructions so far) of each store of the measured core, in order.

    Raises IrqscopeError.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "markers.csv"
        with subprocess.Popen(
            [sys.executable, "-m", "irqscope_twin", "--stack", experiment.stack]
            + ["--profile", profile, "--markers", str(log)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as twin:  # its standard input closed, it ends
            assert twin.stdout is not None
            ready = twin.stdout.readline()
            if not ready:
                raise IrqscopeError("the twin did not start; see above")
            result = measure(experiment, json.loads(ready)["port"], Path(folder) / "run")
        if result.error is not None:
            raise result.error
        with log.open() as lines:
            rows = [row for row in csv.DictReader(lines) if int(row["core"]) == experiment.core]
    return [(Marker(int(row["code"])), int(row["instructions"])) for row in rows]


def lengths(stores: list[tuple[Marker, int]], start: Marker, stop: Marker) -> Counter[int]:
    """How often each length occurs from a ``start`` to the ``stop`` that follows it.

    A start after which another one follows, as calibration makes them, counts nothing.
    """
    lengths_counted: Counter[int] = Counter()
    first: int | None = None
    for marker, instructions in stores:
        if marker is start:
            first = instructions
        elif marker is stop and first is not None:
            lengths_counted[instructions - first] += 1
            first = None
    return lengths_counted


def main() -> int:
    """Prints one line a channel."""
    parser = argparse.ArgumentParser(description="Instructions between an experiment's markers.")
    parser.add_argument("experiment", type=Path)
    parser.add_argument("--count", type=int, help="stimuli; without it, the experiment's")
    parser.add_argument("--profile", default="functional")
    arguments = parser.parse_args()
    try:
        changes = {} if arguments.count is None else {"count": arguments.count}
        experiment = load(arguments.experiment, **changes)
        stores = markers(experiment, arguments.profile)
    except IrqscopeError as error:
        print(f"instructions: {error}", file=sys.stderr)
        return int(error.exit_code)
    for channel in experiment.channels:
        start, stop = channel.start.marker, channel.stop.marker
        if channel.start.kind is not StartKind.MARKER:
            continue
        counts = lengths(stores, start, stop)
        n = counts.total()
        middle = sorted(counts.elements())[n // 2] if n else 0
        print(
            f"{start.name.lower()} to {stop.name.lower()}: "
            f"N {n}, min {min(counts, default=0)}, median {middle}, max {max(counts, default=0)}; "
            f"{counts[middle]} times {middle}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
