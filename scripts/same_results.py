"""Runs all experiments of the repository, and reports whether two states of it measure the same.

    python scripts/same_results.py record OUT.json [--target twin:a53] [--only GLOB ...] [--count N]
    python scripts/same_results.py compare A.json B.json [--only GLOB ...]

``record`` runs each experiment and each variant of the suites, a few stimuli of each, and writes
digests of its samples, column by column, of its histogram and of the STM's stamps, its counters and
its latencies. An experiment whose software stack is not built has a row that says so. ``compare``
prints a line for each experiment that differs and a last one with how many are the same; its exit
code is 1 on any difference.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irqscope import experiment as experiments
from irqscope.acquire.measure import measure
from irqscope.acquire.plan import Plan
from irqscope.campaign.suite.load import load
from irqscope.cli.bars import Bar
from irqscope.errors import TargetError
from irqscope.experiment import Experiment
from irqscope.machines import known
from irqscope.results.reader import Run, read
from irqscope.targets import open_target
from irqscope.units import Duration

ROOT = Path(__file__).resolve().parents[1]
FORMAT = "irqscope-same-results/1"
COUNT = 40
#: Several batches of the usual period of 5 ms.
BATCH_S = 0.08
#: Phases of throughput, and how each is shortened, so that cores answer some hundred times in it.
PHASES, PHASE = 3, {"high": Duration.parse("1 ms"), "low": Duration.parse("250 us")}
#: The count is divided by this where cores work between stimuli.
WORKING = 4
ALL = ("*",)
#: Stands for null: no column holds it.
NULL = -(1 << 62)

Row = dict[str, Any]


@dataclass(frozen=True)
class Held:
    """An experiment under the name ``folder/run``."""

    name: str
    experiment: Experiment


def all_experiments(count: int, only: Sequence[str] = ALL) -> Iterator[Held]:
    """Each run of each suite, and each file that no suite names, with few stimuli."""
    for folder in sorted(path for path in (ROOT / "experiments").iterdir() if path.is_dir()):
        suite = folder / "suite.toml"
        named = set()
        if suite.exists():
            loaded = load(suite, "quick")
            named = {item.file for item in loaded.suite.items}
            for entry in loaded.entries:
                if _matches(name := f"{folder.name}/{entry.name}", only):
                    yield Held(name, shortened(entry.experiment, count))
        for path in sorted(folder.glob("*.toml")):
            name = f"{folder.name}/{path.stem}"
            if path.name in named | {suite.name} or not _matches(name, only):
                continue
            if not (experiment := experiments.load(path)).symbols:  # else a soft core's
                yield Held(name, shortened(experiment, count))


def _matches(name: str, only: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in only)


def shortened(experiment: Experiment, count: int) -> Experiment:
    """The experiment with at most ``count`` stimuli.

    It has fewer where other cores work, which takes a twin long.
    """
    if experiment.measure == "throughput":
        lines = tuple(line.model_copy(update=PHASE) for line in experiment.lines)
        return experiment.model_copy(update={"count": PHASES, "lines": lines})
    loaders = Plan(experiment, known.DEFAULT, known.DEFAULT.tick_hz).loaders.bit_count() > 1
    few = max(1, count // WORKING) if loaders or experiment.idle == "spin" else count
    return experiment.model_copy(update={"count": min(few, experiment.count)})


def missing_stacks(held: list[Held], target: str) -> dict[str, str]:
    """Why a software stack cannot be run, by its name."""
    why = {}
    for stack in sorted({each.experiment.stack for each in held}):
        try:
            open_target(target, stack=stack).close()
        except TargetError as error:
            why[stack] = str(error)
    return why


def one(experiment: Experiment, target: str) -> Row:
    """Runs an experiment; returns its row with digests of the results."""
    with tempfile.TemporaryDirectory() as folder:
        result = measure(experiment, target, Path(folder) / "run", batch_s=BATCH_S)
        row: Row = {"state": result.state, "count": experiment.count}
        if result.run.reasons:
            row["reasons"] = list(result.run.reasons)
        # What the target refuses leaves no folder.
        return row | measured(read(result.folder)) if result.opened else row


def measured(run: Run) -> Row:
    """Digests, counters and latencies of a run."""
    samples = run.samples()
    return {
        "samples": digests(samples),
        "latencies": integers(samples["latency_ticks"]).tolist(),
        "histogram": digests(run.histogram()),
        "stm": digests(run.stm()),
        "counters": {
            str(counters.channel): counters.model_dump(mode="json") for counters in run.run.counters
        },
        "throughput": [[each.channel, each.core, *each.stops] for each in run.run.throughput],
    }


def digests(table: Any) -> dict[str, str]:
    """Half of the SHA-256 of each column of integers or names, in the order of its rows."""
    sums = {}
    for name in table.schema.names:
        column = table[name]
        if pa.types.is_dictionary(column.type):
            sums[name] = _digest("\0".join(map(str, column.to_pylist())).encode())
        elif pa.types.is_integer(column.type):
            sums[name] = _digest(integers(column).astype("<i8").tobytes())
    return sums


def integers(column: Any) -> np.ndarray:
    """A column as integers of 64 bits, with NULL where it is null."""
    return np.asarray(pc.fill_null(column.cast(pa.int64()), NULL).to_numpy())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def differences(a: Row, b: Row) -> list[str]:
    """Describes the differences of two rows of the same experiment."""
    absent = [_absent(row) for row in (a, b)]
    if all(absent):
        return [] if a == b or "skipped" in a.keys() & b.keys() else [", ".join(absent)]
    if any(absent):
        side = "A" if absent[0] else "B"
        return [f"{side}: {absent[0] or absent[1]}"]
    texts = [f"{key} {a[key]}, {b[key]}" for key in ("state", "count") if a[key] != b[key]]
    for table in ("samples", "histogram", "stm"):
        if columns := _unlike(a[table], b[table]):
            texts.append(f"{table}: {', '.join(columns)}")
    if a["latencies"] != b["latencies"]:
        texts.append(_latencies(np.array(a["latencies"]), np.array(b["latencies"])))
    for channel in sorted(a["counters"].keys() | b["counters"].keys()):
        counters = [row["counters"].get(channel, {}) for row in (a, b)]
        if unlike := _unlike(*counters):
            values = (f"{name} {counters[0].get(name)}, {counters[1].get(name)}" for name in unlike)
            texts.append(f"counters of channel {channel}: {'; '.join(values)}")
    if a["throughput"] != b["throughput"]:
        texts.append(f"throughput {a['throughput']}, {b['throughput']}")
    return texts


def _absent(row: Row) -> str:
    """Why a row has no results, or an empty string: it was skipped, or the target refused it."""
    if "skipped" in row:
        return f"skipped: {row['skipped']}"
    return "" if "samples" in row else f"refused: {'; '.join(row['reasons'])}"


def _unlike(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    return [name for name in dict.fromkeys([*a, *b]) if a.get(name) != b.get(name)]


def _latencies(a: np.ndarray, b: np.ndarray) -> str:
    if len(a) != len(b):
        return f"{len(a)} and {len(b)} rows"
    unlike = a != b
    both = unlike & (a != NULL) & (b != NULL)
    text = f"{unlike.sum()} of {len(a)} latencies"
    if both.any():
        text += f", the largest difference {np.abs(a - b)[both].max()} ticks"
    return text


def compare(
    a: dict[str, Any], b: dict[str, Any], only: Sequence[str] = ALL
) -> tuple[list[str], bool]:
    """A line for each experiment that differs or has no results, the sum, and whether all is well.

    It is if something was compared and nothing differs.
    """
    lines, same, skipped, unlike = [], 0, 0, 0
    if (a["target"], a["asked"]) != (b["target"], b["asked"]):
        raise SystemExit(
            f"these hold different things: {a['asked']} on {a['target']}, "
            f"{b['asked']} on {b['target']}"
        )
    for name in dict.fromkeys([*a["experiments"], *b["experiments"]]):
        if not _matches(name, only):
            continue
        rows = [held["experiments"].get(name) for held in (a, b)]
        if None in rows:
            unlike += 1
            lines.append(f"{name}: only in {'B' if rows[0] is None else 'A'}")
        elif unequal := differences(*rows):
            unlike += 1
            lines.append(f"{name}: {'; '.join(unequal)}")
        elif absent := _absent(rows[0]):
            skipped += 1
            lines.append(f"{name}: in both {absent}")
        else:
            same += 1
    lines.append(f"{same} the same, {unlike} differ, {skipped} without results")
    return lines, same > 0 and unlike == 0


def record(out: Path, target: str, only: Sequence[str], count: int, jobs: int) -> int:
    """Writes the file; exit code 1 if one experiment is not valid."""
    start_commit, held = commit(), list(all_experiments(count, only))
    if not held:
        raise SystemExit(f"no experiment is called {' or '.join(only)}")
    why = missing_stacks(held, target)
    rows: dict[str, Row] = {
        each.name: {"skipped": why[each.experiment.stack]}
        for each in held
        if each.experiment.stack in why
    }
    missing = [each for each in held if each.name not in rows]
    with Bar("experiments") as bar, ThreadPoolExecutor(jobs) as pool:
        pending = {pool.submit(one, each.experiment, target): each.name for each in missing}
        bar.advance(0, len(pending))
        try:
            for number, future in enumerate(as_completed(pending), 1):
                rows[pending[future]] = future.result()
                bar.step(pending[future].rpartition("/")[2])
                bar.advance(number, len(pending))
        finally:
            pool.shutdown(cancel_futures=True)
    text = dumps(start_commit, target, count, {each.name: rows[each.name] for each in held})
    out.write_text(text, encoding="utf-8")
    for reason in dict.fromkeys(why.values()):
        print(f"skipped: {reason}")
    states = [row["state"] for row in rows.values() if "state" in row]
    print(
        f"{len(rows)} experiments: {states.count('valid')} valid, {len(rows) - len(states)} skipped"
    )
    for name, row in rows.items():
        if row.get("state", "valid") != "valid":
            print(f"{name}: {row['state']}: {'; '.join(row['reasons'])}")
    return 0 if set(states) == {"valid"} else 1


def dumps(commit_hash: str, target: str, count: int, rows: dict[str, Row]) -> str:
    """JSON with a line an experiment."""
    head = {"format": FORMAT, "commit": commit_hash, "target": target, "asked": f"N {count}"}
    lines = (
        f" {json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}"
        for name, row in rows.items()
    )
    begin = json.dumps(head, indent=0).rstrip("}\n")
    return f'{begin},\n"experiments": {{\n' + ",\n".join(lines) + "\n}}\n"


def commit() -> str:
    """The state of the repository."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return process.stdout.strip() or "no repository"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parsers = parser.add_subparsers(dest="command", required=True)
    one_file = parsers.add_parser("record", help="run them all and write what they measured")
    one_file.add_argument("out", type=Path, metavar="OUT.json")
    one_file.add_argument("--target", default="twin:a53")
    one_file.add_argument("--count", type=int, default=COUNT, help="stimuli of each, at most")
    one_file.add_argument("--jobs", type=int, default=2, help="twins at a time")
    two_files = parsers.add_parser("compare", help="what differs between two such files")
    for name in "ab":
        two_files.add_argument(name, type=Path, metavar=f"{name.upper()}.json")
    for each in (one_file, two_files):
        each.add_argument(
            "--only", nargs="+", default=ALL, metavar="GLOB", help="such as 'horst2020/t6*'"
        )
    options = parser.parse_args()
    if options.command == "record":
        return record(options.out, options.target, options.only, options.count, options.jobs)
    a, b = (json.loads(path.read_text(encoding="utf-8")) for path in (options.a, options.b))
    lines, well = compare(a, b, options.only)
    print(f"A {a['commit']}, B {b['commit']}", *lines, sep="\n")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
