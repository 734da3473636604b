"""Plans the runs of a sensitivity: one constant at a time, one layout at a time, and all
jointly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np
import pydantic
from pydantic_core import to_json

from irqscope.errors import ExperimentError, TargetError
from irqscope.experiment import Experiment
from irqscope.experiment.load import check as fits
from irqscope.machines.firmware_file import DEFAULT_MACHINE, layouts
from irqscope.results.sensitivity_record import Parameter
from irqscope.targets import open_target
from irqscope.targets.twin import TwinSettings, parameters

#: Marks of values that no source gives: derived from a relative, and general knowledge.
ASSUMED = ("A", "G")
#: Name of the placement of code and data among the names of constants.
LAYOUT = "layout"


@dataclass(frozen=True)
class Point:
    """One run: constants that have another value, and the layout of the firmware; 0: as built."""

    values: tuple[tuple[str, int], ...] = ()
    layout: int = 0

    def on(self, settings: TwinSettings) -> TwinSettings:
        """The twin of these settings, here."""
        values = (*settings.values, *((name, str(value)) for name, value in self.values))
        return replace(settings, values=values, layout=self.layout)


BASE = Point()


@dataclass(frozen=True)
class Planned:
    """All runs of one experiment. ``ends``: for each constant its low and its high end.

    An end that is the value itself is BASE. ``joint``: the draws; each gives all constants and the
    layout a value.
    """

    experiment: Experiment
    ends: tuple[tuple[Parameter, Point, Point], ...]
    layouts: tuple[Point, ...]
    joint: tuple[Point, ...]

    @property
    def points(self) -> list[Point]:
        """Each run once, in the order in which they are taken."""
        ends = [end for _, *both in self.ends for end in both]
        return list(dict.fromkeys([BASE, *ends, *self.layouts, *self.joint]))


def assumptions(target: str, only: Sequence[str] = ()) -> list[Parameter]:
    """Parameters of a twin's profile that are assumed and not fixed; ``only``: names, with ``*``.

    Raises ExperimentError for a target other than a twin or an unknown name, TargetError.
    """
    scheme, _, rest = target.partition(":")
    if scheme != "twin":
        raise ExperimentError(f"{target} has no timing profile; name a twin, as in twin:a53")
    settings = TwinSettings.parse(rest)
    if settings.layout:
        raise ExperimentError(f"{target}: the layout is varied; leave it out")
    profile, own = settings.profile, {name for name, _ in settings.values}
    rows = [row for row in _table(profile) if row.mark in ASSUMED and row.range[0] < row.range[1]]
    if not rows:
        raise ExperimentError(f"profile {profile} has no assumption to vary; name another one")
    allowed = [*(row.name for row in rows), LAYOUT]
    for pattern in only:
        if not any(fnmatchcase(name, pattern) for name in allowed):
            names = ", ".join(allowed)
            raise ExperimentError(f'profile {profile} assumes no "{pattern}"; it does: {names}')
    return [row for row in rows if row.name not in own and _chosen(row.name, only)]


def check(experiments: Sequence[Experiment], target: str) -> None:
    """Checks, before any is run, whether the twin's machine can run the experiments, and that no
    two of them have one name. Raises ExperimentError; TargetError where the twin does not start.
    """
    names = [experiment.name for experiment in experiments]
    for name in names:
        if names.count(name) > 1:
            raise ExperimentError(f'two experiments are called "{name}"; give one another name')
    machine = TwinSettings.parse(target.partition(":")[2]).machine
    for experiment in experiments:
        fits(experiment, machine, machine.tick_hz)
    starts = {
        (experiment.watches, experiment.leads, True) if experiment.of_program else ((), (), False)
        for experiment in experiments
    }
    for watches, leads, of_program in starts:  # one that does not start would fail every run
        open_target(target, watches=watches, leads=leads, of_program=of_program).close()


def planned(
    experiments: Sequence[Experiment],
    target: str,
    assumed: Sequence[Parameter],
    *,
    draws: int,
    seed: int,
    only: Sequence[str] = (),
) -> list[Planned]:
    """All runs, in the order of the result. ``draws``: so many joint ones."""
    machine = TwinSettings.parse(target.partition(":")[2]).machine.name
    return [
        _of_one(
            experiment,
            assumed,
            _layouts(experiment, machine) if _chosen(LAYOUT, only) else [],
            draws,
            seed,
        )
        for experiment in experiments
    ]


def unplaced(of: Iterable[Planned], target: str) -> list[str]:
    """The commands that build the layouts of those stacks that have none."""
    machine = TwinSettings.parse(target.partition(":")[2]).machine.name
    of_machine = "" if machine == DEFAULT_MACHINE else f" MACHINE={machine}"
    own = (one for one in of if not one.experiment.of_program)
    stacks = dict.fromkeys(one.experiment.stack for one in own if not one.layouts)
    return [f"make layouts STACKS={stack}{of_machine}" for stack in stacks]


def _layouts(experiment: Experiment, machine: str) -> Sequence[int]:
    """Layouts of the measured software; a foreign program is a file, and has none."""
    return [] if experiment.of_program else layouts(machine, experiment.stack)


def _of_one(
    experiment: Experiment,
    assumed: Sequence[Parameter],
    placed: Sequence[int],
    draws: int,
    seed: int,
) -> Planned:
    def end(row: Parameter, value: int) -> Point:
        return BASE if value == row.value else Point(((row.name, value),))

    return Planned(
        experiment,
        tuple((row, end(row, row.range[0]), end(row, row.range[1])) for row in assumed),
        tuple(Point(layout=number) for number in placed),
        _joint(assumed, placed, draws, seed),
    )


def _joint(
    assumed: Sequence[Parameter], placed: Sequence[int], draws: int, seed: int
) -> tuple[Point, ...]:
    """A Latin hypercube over all constants and the layouts, including the one as built.

    Of each dimension's range, cut into as many equal parts as there are draws, each part is drawn
    from once (McKay, Beckman, Conover 1979).
    """
    if draws == 0 or not (assumed or placed):
        return ()
    generator = np.random.default_rng(seed)
    from scipy.stats import qmc  # here: it takes two seconds to load

    shares = qmc.LatinHypercube(len(assumed) + 1, rng=generator).random(draws)
    return tuple(
        Point(
            tuple(
                (row.name, _at(row.admitted, share))
                for row, share in zip(assumed, of_draw, strict=False)
            ),
            _at([0, *placed], of_draw[-1]),
        )
        for of_draw in shares.tolist()
    )


def _at(values: Sequence[int], share: float) -> int:
    return values[min(int(share * len(values)), len(values) - 1)]


def _chosen(name: str, only: Sequence[str]) -> bool:
    return not only or any(fnmatchcase(name, pattern) for pattern in only)


def _table(profile: str) -> list[Parameter]:
    try:
        return [Parameter.model_validate_json(to_json(row)) for row in parameters(profile)]
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        raise TargetError(
            f"the twin's table of {profile}: {'.'.join(map(str, first['loc']))}: {first['msg']}; "
            "host and twin are of different versions"
        ) from error
