"""The kinds of measurement that are registered, and which one an experiment is of.

A kind is a folder of :mod:`irqscope.kinds`, which nothing below knows: it registers itself here,
and brings what is its own in an experiment, in ``run.json``, in the acquisition and in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from irqscope.experiment.problem import Problem
from irqscope.experiment.values import Table
from irqscope.machines.model import Machine
from irqscope.units import Strict

if TYPE_CHECKING:
    from irqscope.experiment.model import Experiment


def _none(experiment: Experiment, machine: Machine, tick_hz: int) -> Iterator[Problem]:
    return iter(())


@dataclass(frozen=True)
class Kind:
    """A kind of measurement.

    Attributes:
        name: of its folder, and, with a capital, of its classes there.
        fits: whether an experiment is of this kind.
        problems: the faults of its keys, also in an experiment of another kind.
        grid: why its latencies are not a sample of a distribution, or empty if they may be one:
            others have no quantiles, mean or share that is longer, and independence cannot be
            tested.
        tables: its additions to an experiment file: tables by their keys.
        parts: its additions to ``run.json``: models by their keys.
        own_batches: whether it divides a run into batches itself, and reads what it counts from the
            edges in their records.
        further_lines: lines of the gateware that it takes beyond those of the file.
        at_pins: whether what answers is at the instrument's pins, so that its interrupt has no
            sense in the machine's controller, and its markers no sampling grid.
        direct_lines: whether lines reach what answers by their numbers.
        optional_channels: whether a channel without an answer is a result and no fault, if another
            channel has some.
    """

    name: str
    fits: Callable[[Experiment], bool]
    problems: Callable[[Experiment, Machine, int], Iterator[Problem]] = _none
    grid: str = ""
    tables: Mapping[str, type[Table]] = field(default_factory=dict)
    parts: Mapping[str, type[Strict]] = field(default_factory=dict)
    own_batches: bool = False
    further_lines: int = 0
    at_pins: bool = False
    direct_lines: bool = False
    optional_channels: bool = False

    def of(self, module: str) -> Any:
        """The kind's class in a module of its folder: ``acquisition`` or ``report``.

        It is loaded when it is first wanted, since it loads numpy or the plotting library.
        """
        loaded = import_module(f"irqscope.kinds.{self.name}.{module}")
        return getattr(loaded, self.name.capitalize())


#: In the order in which they were registered. The first that fits is an experiment's.
KINDS: list[Kind] = []


def kind_of(experiment: Experiment) -> Kind:
    """The kind of its measurement."""
    return next(kind for kind in KINDS if kind.fits(experiment))


def answering(experiment: Experiment) -> Kind:
    """Returns the kind without its grid: the one that answers."""
    return next(kind for kind in KINDS if not kind.grid and kind.fits(experiment))
