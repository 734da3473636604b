"""Reads a suite file and the experiments that it names."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from irqscope import experiment as experiments
from irqscope.campaign.suite.model import Item, Suite
from irqscope.errors import ExperimentError, LinkError, TargetError
from irqscope.experiment import Experiment
from irqscope.experiment.problem import Problem
from irqscope.experiment.shipped import SUITE, beside, find_suite
from irqscope.experiment.tomlfile import located, read, said, validated
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.targets import playing

#: Runs that a suite has at most.
MOST_RUNS = 10_000
#: Characters of a run's name: of its folder, or of one that is moved aside.
_LONGEST_NAME = 200
_TOO_MANY = f"these are more than {MOST_RUNS} runs; give fewer values or repeats"
#: How an error of what changes a key begins.
_OPTION = re.compile(r"--([^:]*): ")


@dataclass(frozen=True)
class Entry:
    """One run of a suite. ``name``: of its folder and of its experiment."""

    name: str
    experiment: Experiment
    #: Values of the matrix, by key; empty outside a matrix.
    cell: dict[str, Any]
    #: None: that of the suite.
    target: str | None = None
    #: File, line and key of its own target.
    where: str = ""

    def on(self, target: str) -> str:
        """Target of the item, if the suite is on ``target``.

        Raises ExperimentError, TargetError.
        """
        with self.naming_its_target():
            return playing(self.target or target, self.experiment)

    @contextmanager
    def naming_its_target(self) -> Iterator[None]:
        """Adds the place in the file to errors about a target that the suite's file names."""
        try:
            yield
        except (ExperimentError, LinkError, TargetError) as error:
            if self.target is not None:
                error.args = (f"{self.where}: {error}",)
            raise


@dataclass(frozen=True)
class Loaded:
    """A suite file with its experiments.

    ``sha256``: of the file. ``counts``: the preset. ``entries``: all runs of the suite;
    ``chosen``: names of those that are wanted now.
    """

    path: Path
    sha256: str
    suite: Suite
    counts: str
    entries: tuple[Entry, ...]
    chosen: frozenset[str]


def load(path: Path | str, counts: str, only: tuple[str, ...] = ()) -> Loaded:
    """The suite in a file, in ``suite.toml`` of a folder or of that name, with a preset of counts.

    ``only``: names of the selected runs, where ``*`` matches anything; empty for all. Raises
    ExperimentError with file, line, key, cause and what to do.
    """
    path = find_suite(path)
    path = path / SUITE if path.is_dir() else path
    text, table = read(path)
    suite = validated(path, text, table, Suite)
    entries: dict[str, Entry] = {}
    for place, item in enumerate(suite.items):
        for problem in _problems(path.parent, item, counts):
            placed = Problem(("items", place, *problem.path), problem.text)
            raise ExperimentError(f"{located(path, text, placed)}: {said(placed)}")
        try:
            own = Problem(("items", place, "target"), "")
            where = f"{located(path, text, own)}: items[{place}].target"
            for entry in _entries(path.parent, item, counts, where):
                if entry.name in entries:
                    raise ExperimentError(
                        f'there is a run "{entry.name}" already; give the experiment another name, '
                        "or the matrix other values"
                    )
                if len(entries) == MOST_RUNS:
                    raise ExperimentError(_TOO_MANY)
                entries[entry.name] = entry
        except ExperimentError as error:
            key = _OPTION.match(str(error))
            changed = _changing(item, counts, key[1]) if key else ()
            where = located(path, text, Problem(("items", place, *changed), ""))
            raise ExperimentError(f"{where}: {item.file}: {without_option(error)}") from error
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    selected = _chosen(path, entries, only or ("*",))
    return Loaded(path, sha256, suite, counts, tuple(entries.values()), selected)


def _problems(folder: Path, item: Item, counts: str) -> Iterator[Problem]:
    """Yields an item's own problems, apart from its experiment; paths begin in the item."""
    try:
        read(beside(folder, item.file))
    except ExperimentError as error:
        yield Problem(("file",), str(error))
    for key, values in item.matrix.items():
        if not values:
            yield Problem(("matrix", key), "it has no value; give one, or remove the key")
        if key in item.changes(counts):
            yield Problem(("matrix", key), f"{counts} changes it as well; give it in one of them")
    if math.prod(map(len, item.matrix.values())) > MOST_RUNS:
        yield Problem(("matrix",), _TOO_MANY)


def _changing(item: Item, counts: str, key: str) -> tuple[str, ...]:
    """Path of an item's change to a key of its experiment."""
    return ("matrix" if key in item.matrix else counts, key)


def _entries(folder: Path, item: Item, counts: str, where: str) -> Iterator[Entry]:
    """All runs of one item: its matrix, and of each experiment its repeats."""
    for values in itertools.product(*item.matrix.values()):
        cell = dict(zip(item.matrix, values, strict=True))
        one = experiments.load(beside(folder, item.file), **item.changes(counts), **cell)
        of_target = {} if item.target is None else {"target": item.target.rpartition(":")[2]}
        suffixes = itertools.starmap(_suffix, (of_target | cell).items())
        name = "-".join((one.name, *filter(None, suffixes)))
        for repeat in range(one.repeats):
            called = name if one.repeats == 1 else f"{name}.{repeat + 1}"
            if len(called) > _LONGEST_NAME:
                raise ExperimentError(
                    f"the run would be called {called}, which no folder can be; "
                    f"give values of at most {_LONGEST_NAME} characters together"
                )
            changed = {"name": called, "repeats": 1, "seed": one.seed + repeat}
            yield Entry(called, one.model_copy(update=changed), cell, item.target, where)


def without_option(error: ExperimentError) -> ExperimentError:
    """Removes the command line's option from an error about a change that the file makes."""
    return ExperimentError(_OPTION.sub("", str(error)))


def _suffix(key: str, value: Any) -> str:
    """A value of a matrix as part of a name; empty for the stack that needs none."""
    if (key, value) == ("stack", DEFAULT_STACK):
        return ""
    if isinstance(value, list):
        return ".".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return key if value else f"not-{key}"
    if isinstance(value, int) or value in ("on", "off"):
        return f"{key}-{value}"
    return re.sub(r"[^A-Za-z0-9._-]+", "", str(value))


def _chosen(path: Path, entries: dict[str, Entry], only: tuple[str, ...]) -> frozenset[str]:
    selected: set[str] = set()
    for pattern in only:
        matches = {name for name in entries if fnmatchcase(name, pattern)}
        if not matches:
            raise ExperimentError(
                f'{path}: no run is called "{pattern}"; there are {", ".join(entries)}'
            )
        selected |= matches
    return frozenset(selected)
