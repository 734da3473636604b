"""Measures the speed-up of a suite on two cores: ``python -m tools.suite_bench [SUITE]``.

Carries the quick preset of a suite out as a user does, with its reports and its card: once in
series and once with ``--jobs 2``. Prints both times and their ratio. The exit code is 1 above
LIMIT, or if any run of one has other samples, bins or counters than that of the other. It wants a
machine with two cores and nothing else to do.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from irqscope.results.reader import read
from irqscope.results.suite_record import read as read_suite

LIMIT = 0.6
JOBS = 2
SUITE = Path("experiments/horst2020")


def seconds(suite: Path, out: Path, options: Sequence[str]) -> float:
    """Wall time of ``irqscope suite``. Ends the program if that does not end well."""
    words = ["suite", str(suite), "--counts", "quick", "--out", str(out), *options]
    began = time.monotonic()
    process = subprocess.run(
        [sys.executable, "-c", "from irqscope.cli.main import main; main()", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if process.returncode:
        sys.exit(f"bench: {' '.join(words)}: {process.stderr.strip()}")
    return time.monotonic() - began


def differing(one: Path, other: Path) -> list[str]:
    """Runs that are not the same in both folders of the suite."""
    unequal = []
    for name in read_suite(one).order:
        runs = read(one / name), read(other / name)
        first, second = ((r.samples(), r.histogram(), r.run.counters) for r in runs)
        if first != second:
            unequal.append(name)
    return unequal


def main() -> int:
    """Measures, prints, and compares with the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("suite", nargs="?", type=Path, default=SUITE, help="folder or file")
    parser.add_argument("--target", default="twin")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="irqscope-bench-") as name:
        folders = Path(name, "series"), Path(name, "jobs")
        target = ["--target", args.target]
        series = seconds(args.suite, folders[0], target)
        jobs = seconds(args.suite, folders[1], [*target, "--jobs", str(JOBS)])
        count = len(read_suite(folders[0]).order)
        others = differing(*folders)
    print(f"{args.suite}, quick, {count} runs on {args.target}: {series:.0f} s in series,", end=" ")
    print(f"{jobs:.0f} s with --jobs {JOBS}: {jobs / series:.2f} of it, limit {LIMIT}")
    for one in others:
        print(f"bench: {one} is not the same with --jobs {JOBS}", file=sys.stderr)
    return 1 if others or jobs > LIMIT * series else 0


if __name__ == "__main__":
    sys.exit(main())
