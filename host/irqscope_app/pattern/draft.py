"""The experiment being edited: a TOML table, its text, and its problems."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pydantic

from irqscope.acquire.plan import Plan
from irqscope.errors import ExperimentError
from irqscope.experiment.advice import advice
from irqscope.experiment.checks import longest_period, problems
from irqscope.experiment.edit import edited, with_item, without_item
from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Problem
from irqscope.experiment.save import document
from irqscope.experiment.tomlfile import problems_of, read, said
from irqscope.files import replace
from irqscope.link.messages import BAUD_RATES
from irqscope.machines import known
from irqscope.results.again import experiment_of
from irqscope.results.record import RunRecord
from irqscope.units import NS_PER_S, ticks_to_ns

#: The first experiment, used until a file is opened.
FIRST = """\
name = "first-look"
case = "t2"
caches = "on"
trigger = "rising edge"
count = 2400

[[lines]]
high = "1 ms"
low = "4 ms"

[[channels]]
timeout = "4 ms"
"""
#: The first experiment for a foreign program. The user replaces PLACE.
FIRST_OF_PROGRAM = """\
name = "first-look"
machine = "program"
count = 1000

[[lines]]
high = "10 us"
low = "10 us"
dither_bits = 3
# On a Cortex-M add pin = "PC13" or irq = 40; there a stop may be "pin:PG0 rise"

[[channels]]
start = "line 0"
# PLACE: a function, 0xADDRESS or file.c:12; also store:VARIABLE (docs/programs.md)
stop = "pc:PLACE"
timeout = "15 us"
"""

#: Text, file and the content of that file.
_Moment = tuple[str, Path | None, dict[str, Any]]
#: Changes that can be undone.
_HISTORY = 200
#: Longest pause within one continued change, s.
_ONE_GO_S = 1.0


class Draft:
    """``table``: as in a file. ``experiment``: None while the draft has problems.

    Attributes:
        problems: errors, one line each.
        advice: warnings about valid but unusual settings, one line each.
        drawn: the experiment as far as it can be drawn.
        wrong_edges: place and key of the invalid times of its lines.
        path: file that the draft was read from.
        machine: machine whose limits apply.
        tick_hz: clock of the limits, Hz.
        baud: rate of the link, bit/s.
        of_program: whether the target runs a foreign program; None before the first target.
    """

    def __init__(self) -> None:
        self.machine = known.DEFAULT
        self.tick_hz = self.machine.tick_hz
        self.baud = BAUD_RATES[-1]
        self.of_program: bool | None = None
        self.path: Path | None = None
        self.text = FIRST
        self.table: dict[str, Any] = tomllib.loads(FIRST)
        self.experiment: Experiment | None = None
        self.drawn: Experiment | None = None
        self.wrong_edges: frozenset[tuple[int, str]] = frozenset()
        self.problems: tuple[str, ...] = ()
        self.advice: tuple[str, ...] = ()
        self._loaded: dict[str, Any] = {}
        self._of_program = False  # whether FIRST_OF_PROGRAM is shown instead of FIRST
        self._other: _Moment = (FIRST_OF_PROGRAM, None, {})
        self._past: list[_Moment] = []
        self._future: list[_Moment] = []
        self._change: object = None
        self._changed_at = 0.0
        self._judge()

    def load(self, path: Path) -> None:
        """Loads a file. Raises ExperimentError if it cannot be read or is not TOML."""
        text, table = read(path)
        if self.text != FIRST:
            self._keep("load")
        self.text, self.table = text, table
        self.path, self._loaded = path, deepcopy(self.table)
        self._judge()

    def take(self, run: RunRecord) -> None:
        """Loads the experiment of a run.json. Raises ExperimentError if its schema differs."""
        table = experiment_of(run).model_dump(mode="json", exclude_defaults=True)
        self._keep("take")
        self.path, self._loaded = None, {}
        self._rewrite(table)

    def write(self, text: str) -> None:
        """Sets the text as it is typed."""
        if text != self.text:
            self._keep("typed")
        self._write(text)

    def undo(self) -> None:
        """Undoes the last change; a continued edit is one change."""
        self._go(self._past, self._future)

    def redo(self) -> None:
        """Redoes the change that the last :meth:`undo` reverted."""
        self._go(self._future, self._past)

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether there is a change to redo."""
        return bool(self._future)

    def judge_anew(self) -> None:
        """Checks the draft against another target. An unchanged draft is replaced by the first
        experiment for that target.
        """
        if not self._past and not self._future and self._of_program != bool(self.of_program):
            self._of_program = not self._of_program
            now = self.text, self.path, self._loaded
            self.text, self.path, self._loaded = self._other
            self._other = now
        self._write(self.text)

    def _keep(self, change: object) -> None:
        """Saves the current state before ``change``; a continued one (a drag, typing) is saved
        once.
        """
        now = time.monotonic()
        if change != self._change or now - self._changed_at > _ONE_GO_S or not self._past:
            self._past.append((self.text, self.path, self._loaded))
            del self._past[:-_HISTORY]
        self._future.clear()
        self._change, self._changed_at = change, now

    def _go(self, source: list[_Moment], other: list[_Moment]) -> None:
        if source:
            other.append((self.text, self.path, self._loaded))
            text, self.path, self._loaded = source.pop()
            self._change = None
            self._write(text)

    def _write(self, text: str) -> None:
        self.text = text
        try:
            self.table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self.experiment = self.drawn = None
            self.problems, self.advice = (f"not TOML: {error}",), ()
            return
        self._judge()

    def set(self, path: tuple[str | int, ...], value: Any) -> None:
        """Changes the value of a key; None removes the key. Comments of the file stay."""
        self._keep(path)
        self.text, self.table = edited(self.text, self.table, path, value)
        self._judge()

    def set_line(self, index: int, wanted: bool) -> None:
        """Adds or removes the line with this index."""
        # Lines without an index use their position, which is about to change.
        lines = [{"index": place} | line for place, line in enumerate(self.lines())]
        others = [line for line in lines if line["index"] != index]
        text = self.text
        for place in reversed([n for n, line in enumerate(lines) if line["index"] == index]):
            text = without_item(text, "lines", place)
        if wanted:
            like = others[0] if others else {"high": "1 ms", "low": "4 ms"}
            added = {**{k: like[k] for k in ("high", "low")}, "index": index}
            others.append(added)
            text = with_item(text, "lines", added)
        self._keep("lines")
        table = self.table | {"lines": others}
        if _same(text, table):
            self._write(text)
        else:
            self._rewrite(table)

    def save(self, path: Path) -> None:
        """Writes the file. Raises StorageError."""
        replace(path, lambda file: file.write(self.text.encode()))
        self.path, self._loaded = path, deepcopy(self.table)

    def inside(self, path: tuple[str | int, ...]) -> dict[str, Any] | None:
        """The table that holds a key, or None if the draft has no such table."""
        found: Any = self.table
        for part in path[:-1]:
            if isinstance(part, int):
                found = found[part] if isinstance(found, list) and part < len(found) else None
            else:
                found = found.get(part) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else None

    def lines(self) -> list[dict[str, Any]]:
        """Tables of the lines, in the order of the file."""
        lines = self.table.get("lines", [])
        return lines if isinstance(lines, list) else []

    @property
    def source(self) -> Path | None:
        """File with the same experiment except for the count, or None."""
        same = self.table | {"count": 0} == self._loaded | {"count": 0}
        return self.path if same else None

    def facts(self) -> list[str]:
        """Derived values of the experiment as short texts: rate, duration, records."""
        experiment = self.experiment
        if experiment is None:
            return []
        plan = Plan(experiment, self.machine, self.tick_hz)
        period = plan.stimulus_s
        found = [f"{1 / period:.4g} stimuli/s", f"{_seconds(experiment.count * period)} for N"]
        if asked := plan.link_s(self.baud):
            lasting = experiment.count * period
            share = 100 * asked / (asked + lasting)
            found.append(f"link {share:.2g} % of the time, at {self.baud} baud")
        if experiment.lines:
            line = experiment.lines[0]
            longest = longest_period(line, self.tick_hz)
            duty = line.high.ticks(self.tick_hz) / longest
            found.insert(1, f"duty {100 * duty:.3g} %")
            dither = ticks_to_ns((1 << line.dither) - 1, self.tick_hz)
            found.append(f"dither up to {dither} ns" if line.dither else "no dither")
        return found

    def _rewrite(self, table: dict[str, Any]) -> None:
        self.table = table
        self.text = document(table)
        self._judge()

    def _judge(self) -> None:
        self.experiment, self.advice = None, ()
        self.drawn, self.wrong_edges = None, frozenset()
        try:
            experiment = self.drawn = Experiment.model_validate(self.table)
        except pydantic.ValidationError as error:
            self.problems = tuple(said(problem) for problem in problems_of(error, Experiment))
            return
        found = list(problems(experiment, self.machine, self.tick_hz, self.of_program))
        self.problems = tuple(map(said, found))
        self.wrong_edges = frozenset(
            (int(problem.path[1]), str(problem.path[2]))
            for problem in found
            if problem.path[0] == "lines" and len(problem.path) == 3
        )
        if not self.problems:
            self.experiment = experiment
            self.advice = tuple(said(problem) for problem in self._advice(experiment))

    def _advice(self, experiment: Experiment) -> Iterator[Problem]:
        return advice(experiment, self.machine, self.tick_hz)


def _same(text: str, table: dict[str, Any]) -> bool:
    """Whether two texts are equivalent once each line has its index."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    lines = [{"index": place} | line for place, line in enumerate(found.get("lines", []))]
    return found | {"lines": lines} == table


def checked(draft: Draft) -> Experiment:
    """The experiment. Raises ExperimentError with the first of its problems."""
    if draft.experiment is None:
        raise ExperimentError(f"{draft.problems[0]}; mend the pattern on the Scope screen")
    return draft.experiment


def written(ns: float) -> str:
    """Formats a time in ns as in a file, to four digits."""
    for unit, size in (("s", NS_PER_S), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{float(f'{ns / size:.4g}'):g} {unit}"
    return f"{round(ns)} ns"


def _seconds(seconds: float) -> str:
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
