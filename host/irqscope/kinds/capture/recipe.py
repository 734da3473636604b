"""Says which files are read, and which edges begin and answer a stimulus."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator

from irqscope.errors import ExperimentError
from irqscope.experiment.load import changed
from irqscope.experiment.model import MOST_STIMULI, Experiment
from irqscope.experiment.tables import LIST, MOST_CHANNELS, Channel
from irqscope.experiment.tomlfile import read, validated
from irqscope.experiment.values import Event, Samples, SamplesText, Table
from irqscope.units import Duration

#: A timeout that is found from the starts: the file's own text for it is longer than none.
AUTOMATIC = Duration.parse("0 ticks")


class Pair(Table):
    """A start, its stop, and how long one is waited for."""

    start: str
    """Edge that begins a stimulus: "Channel 0 rise"."""
    stop: str
    """Edge that answers it."""
    timeout: str | None = None
    """A stimulus that is not answered by then has no answer; left out: nine tenths of the shortest
    usual time between two starts."""


class Recipe(Table):
    """How files become a run: what the options of `irqscope import` say, as a TOML file."""

    machine: Literal["capture"] = "capture"
    name: str = ""
    """Names the run folder; left out: the first file's name."""
    description: str = ""
    """Is in the report."""
    files: Annotated[tuple[str, ...], LIST] = ()
    """Files to read, from the folder of the TOML file on."""
    count: int = Field(default=1000, ge=1, le=MOST_STIMULI)
    """Stimuli after which a live measurement ends; of files, all are read."""
    sample_rate: str | None = None
    """Sample rate of the analyser, where the files do not state it: "24 MHz"."""
    unit: Literal["s", "ms", "us", "ns", "ps"] | None = None
    """Unit of times or latencies, where the files do not state it."""
    column: str | None = None
    """Column with the latencies."""
    samples: SamplesText = Samples.parse("all")
    """Stimuli that are kept one by one: all or none; without them, figures of each 10 s."""
    channels: tuple[Pair, ...] = Field(default=(), max_length=MOST_CHANNELS, strict=False)
    """Starts and stops; left out for latencies and histograms."""

    @field_validator("samples")
    @classmethod
    def _all_or_none(cls, samples: Samples) -> Samples:
        if samples.number:
            raise ValueError('a capture keeps "all" or "none"')
        return samples


def is_recipe(path: Path) -> bool:
    """Whether a TOML file is the recipe of an import. Raises ExperimentError if it is not TOML."""
    return read(path)[1].get("machine") == "capture"


def load(path: Path, /, **overrides: object) -> Recipe:
    """Returns the recipe in a TOML file, with its files as paths and with keys overridden.

    Raises ExperimentError.
    """
    text, table = read(path)
    for key, value in overrides.items():
        table = changed(table, key, value)
    recipe = validated(path, text, table, Recipe)
    files = tuple(str(path.parent / name) for name in recipe.files)
    return recipe.model_copy(update={"files": files, "name": recipe.name or name_of(path)})


def of_file(path: Path) -> Recipe:
    """Returns what to import of one file: a recipe, or a file whose latencies need no options.

    Raises ExperimentError.
    """
    if path.suffix != ".toml":
        return Recipe(name=name_of(path), files=(str(path),))
    recipe = load(path)
    if not recipe.files:
        raise ExperimentError(f"{path}: files: name at least one")
    return recipe


def name_of(path: Path) -> str:
    """Returns a name for an experiment from that of a file."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).strip("-._")[:64]
    return plain or "capture"


def experiment_of(recipe: Recipe, channels: tuple[Channel, ...], count: int) -> Experiment:
    """Returns the experiment that ``run.json`` has."""
    return Experiment.model_validate(
        {
            "name": recipe.name,
            "description": recipe.description,
            "machine": "capture",
            "count": max(1, count),
            "samples": str(recipe.samples),
            "channels": [channel.model_dump() for channel in channels],
        }
    )


def parse_event(text: str, option: str) -> Event:
    """Returns the edge of a signal that a text names. Raises ExperimentError."""
    bare = text.strip()
    for word, edge in (("rising", "rise"), ("falling", "fall"), ("both", "change")):
        bare = re.sub(rf" {word}(?: edge)?$", f" {edge}", bare)
    event: Event | None
    try:
        event = Event.parse(bare)
    except ValueError:
        event = None
    if event is None or event.signal is None or event.edge is None:
        raise ExperimentError(
            f'{option} "{text}": write a signal and its edge: "NAME rise", "NAME fall" or '
            '"NAME change"'
        )
    return event
