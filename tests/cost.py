"""A pytest plugin that measures the cost of each test, loaded by the top conftest.py.

``pytest --cost FILE`` writes CPU seconds (the process itself, and children that have ended) and
wall seconds of each test, with sums by folder and the most expensive tests, and warns of test files
that exceed tests/budgets.tsv. ``python tests/cost.py FILE`` writes new budgets from such a file.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BUDGETS = Path(__file__).parent / "budgets.tsv"
#: CPU seconds of a file that has no line in BUDGETS.
DEFAULT_S = 3
#: A new budget as a multiple of the recorded cost, since another machine may be slower.
ROOM = 1.5
MOST = 40
COLLECTION = "collection"

Cost = tuple[float, float, float]


def now() -> Cost:
    """CPU seconds of this process, those of its ended children, and wall seconds."""
    own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    used = (each.ru_utime + each.ru_stime for each in (own, children))
    return (*used, time.monotonic())  # type: ignore[return-value]


class Costs:
    """Gathers what the tests cost, in the process that reports and in those that run them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._last = now()
        self._tests: dict[str, Cost] = defaultdict(lambda: (0.0, 0.0, 0.0))

    def _since(self) -> Cost:
        last, self._last = self._last, now()
        return tuple(b - a for a, b in zip(last, self._last, strict=True))  # type: ignore[return-value]

    def _add(self, name: str, cost: Cost) -> None:
        self._tests[name] = tuple(a + b for a, b in zip(self._tests[name], cost, strict=True))  # type: ignore[assignment]

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        """Notes the cost of imports and collection; a worker sends it to the reporting process."""
        try:
            return (yield)
        finally:
            cost = self._since()
            if hasattr(self._config, "workeroutput"):
                self._config.workeroutput[COLLECTION] = cost
            else:
                self._add(COLLECTION, cost)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Takes what the collection of a worker cost."""
        if cost := getattr(node, "workeroutput", {}).get(COLLECTION):
            self._add(COLLECTION, cost)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        """Writes into the report of each phase what was used since the one before."""
        report: Any = yield
        report.cost = self._since()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Adds up the phases."""
        self._add(report.nodeid, report.cost)  # type: ignore[attr-defined]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Writes the file and warns of test files over their budget."""
        if not self._tests:
            return
        path = Path(self._config.getoption("cost"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(table(self._tests), encoding="utf-8")
        total = sum(own + children for own, children, _ in self._tests.values())
        terminalreporter.section("CPU seconds")
        terminalreporter.line(f"{total:.0f} in all; by folder, file and test: {path}")
        for line in over(by_file(self._tests), budgets()):
            terminalreporter.line(f"WARNING: {line}", yellow=True)


def by_file(tests: dict[str, Cost]) -> dict[str, float]:
    """CPU seconds of each file of tests."""
    sums: dict[str, float] = defaultdict(float)
    for name, (own, children, _) in tests.items():
        sums[name.partition("::")[0]] += own + children
    return sums


def budgets() -> dict[str, float]:
    """CPU seconds that each file may need."""
    rows = (line.split("\t") for line in BUDGETS.read_text(encoding="utf-8").splitlines())
    return {row[0]: float(row[1]) for row in rows if not row[0].startswith("#")}


def over(files: dict[str, float], allowed: dict[str, float]) -> list[str]:
    """A line for each file that needs more than it may."""
    return [
        f"{file} used {used:.1f} CPU s, of {allowed.get(file, DEFAULT_S):g} (tests/budgets.tsv)"
        for file, used in sorted(files.items(), key=lambda item: -item[1])
        if used > allowed.get(file, DEFAULT_S)
    ]


def table(tests: dict[str, Cost]) -> str:
    """Sums by folder, the most expensive tests, then all: CPU own and of children, wall, name."""
    rows = sorted(tests.items(), key=lambda item: -item[1][0] - item[1][1])
    folders: dict[str, Cost] = defaultdict(lambda: (0.0, 0.0, 0.0))
    for name, cost in rows:
        folder = str(Path(name.partition("::")[0]).parent) if "::" in name else name
        folders[folder] = tuple(a + b for a, b in zip(folders[folder], cost, strict=True))  # type: ignore[assignment]
    sums = sorted(folders.items(), key=lambda item: -item[1][0] - item[1][1])
    parts = (("by folder", sums), (f"{MOST} most expensive", rows[:MOST]), ("tests", rows))
    return "".join(
        f"# {title}: CPU s, of children, wall s\n" + "".join(map(_row, part))
        for title, part in parts
    )


def _row(named: tuple[str, Cost]) -> str:
    name, (own, children, wall) = named
    return f"{own + children:.2f}\t{children:.2f}\t{wall:.2f}\t{name}\n"


def write_budgets(recorded: Path) -> None:
    """Write BUDGETS from a file of :func:`table`; of a file that it lacks the old line stays."""
    _, _, tests = recorded.read_text(encoding="utf-8").rpartition("# tests:")
    files: dict[str, float] = defaultdict(float)
    for line in tests.splitlines()[1:]:
        used, _, _, name = line.split("\t")
        files[name.partition("::")[0]] += float(used)
    new = budgets() | {file: math.ceil(ROOM * used) for file, used in files.items()}
    rows = [
        f"{file}\t{allowed:g}\n" for file, allowed in sorted(new.items()) if allowed > DEFAULT_S
    ]
    head = "# CPU seconds that a file of tests may need; `python tests/cost.py FILE` writes them.\n"
    BUDGETS.write_text(head + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    write_budgets(Path(sys.argv[1]))
