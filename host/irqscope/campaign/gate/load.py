"""Reads a gate file and the experiments that it names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from irqscope import experiment as experiments
from irqscope.campaign.gate.model import Gate, Item
from irqscope.campaign.suite.load import without_option
from irqscope.errors import ExperimentError
from irqscope.experiment import Experiment
from irqscope.experiment.problem import Problem
from irqscope.experiment.shipped import beside
from irqscope.experiment.tomlfile import located, read, validated
from irqscope.kinds.capture import recipe
from irqscope.kinds.capture.recipe import Recipe


@dataclass(frozen=True)
class Entry:
    """One experiment of a gate, or files of another instrument.

    ``baseline``: path of it, or None with limits only.
    """

    name: str
    experiment: Experiment | Recipe
    item: Item
    baseline: Path | None


@dataclass(frozen=True)
class Loaded:
    """A gate file with its experiments."""

    path: Path
    gate: Gate
    entries: tuple[Entry, ...]


def load(path: Path) -> Loaded:
    """The gate in a file, with its experiments.

    Raises ExperimentError with file, line, key, cause and what to do.
    """
    text, table = read(path)
    gate = validated(path, text, table, Gate)
    entries: dict[str, Entry] = {}
    for place, item in enumerate(gate.items):
        try:
            entry = _entry(path.parent, item)
            if entry.name in entries:
                raise ExperimentError(
                    f'there is a run "{entry.name}" already; give the experiment another name'
                )
        except ExperimentError as error:
            where = located(path, text, Problem(("items", place), ""))
            raise ExperimentError(f"{where}: {item.file}: {error}") from error
        entries[entry.name] = entry
    return Loaded(path, gate, tuple(entries.values()))


def _entry(folder: Path, item: Item) -> Entry:
    path = beside(folder, item.file)
    try:
        captured = path.suffix == ".toml" and recipe.is_recipe(path)
        one = (recipe if captured else experiments).load(path, **item.changes)
    except ExperimentError as error:
        raise without_option(error) from error
    if item.baseline is None and not item.limits and item.masked is None:
        raise ExperimentError("nothing to compare it with; give a baseline, limits, or both")
    if item.masked is not None and (isinstance(one, Recipe) or not one.of_program):
        raise ExperimentError("masked: it bounds a foreign program; leave it out")
    baseline = None if item.baseline is None else folder / item.baseline
    if isinstance(one, Recipe):
        return Entry(one.name, one, item, baseline)
    # Repeats are the gate's.
    return Entry(
        one.name,
        one.model_copy(update={"repeats": 1, "masked": one.masked or item.masked is not None}),
        item,
        baseline,
    )
