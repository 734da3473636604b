"""Requirements and limits of an experiment with an external device or a foreign program."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.constants import StartKind
from irqscope.experiment.machine import OF_SOFTWARE
from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Path, Problem
from irqscope.experiment.tables import PINS
from irqscope.experiment.values import Event
from irqscope.machines.model import Machine

#: The largest value of a pin's filter.
LONGEST_FILTER = (1 << 16) - 1


def problems_of_external(
    experiment: Experiment, machine: Machine, tick_hz: int
) -> Iterator[Problem]:
    """All that is wrong with the pins and what concerns them. ``machine``: that carries them."""
    if not experiment.external:
        yield from _not_external(experiment)
        return
    if experiment.case != "external":
        text = 'a device has one case; leave the key out, or drop machine = "external"'
        yield Problem(("case",), text)
    for key, plain in OF_SOFTWARE.items():
        if getattr(experiment, key) != plain:
            text = "it is said of software that the instrument knows; of a device, leave it out"
            yield Problem((key,), text)
    if experiment.device is None:
        yield Problem(("device",), "name what is measured: add the table, with a name")
    yield from _pins(experiment, tick_hz)
    yield from _outputs(experiment)
    for place, channel in enumerate(experiment.channels):
        for key in ("start", "stop"):
            yield from _event(("channels", place, key), getattr(channel, key), experiment)
    for place, line in enumerate(experiment.lines):
        if line.mode == "acknowledged":
            yield from _event(("lines", place, "acknowledge"), line.acknowledge, experiment)


def _not_external(experiment: Experiment) -> Iterator[Problem]:
    if experiment.case == "external":
        yield Problem(("case",), 'a device at the pins is a machine; write machine = "external"')
    for key in ("device", "wire", "pins"):
        if getattr(experiment, key):
            yield Problem((key,), 'it belongs to machine = "external"; add that, or drop it')
    for place, channel in enumerate(experiment.channels):
        for key in ("start", "stop"):
            if getattr(channel, key).pin is not None:
                text = 'an edge of a pin is a marker of machine = "external" only; add that'
                yield Problem(("channels", place, key), text)


def _pins(experiment: Experiment, tick_hz: int) -> Iterator[Problem]:
    if not experiment.pins:
        yield Problem(("pins",), "a device answers by its pins; describe one")
    first_places: dict[object, int] = {}
    for place, pin in enumerate(experiment.pins):
        for key in ("name", "pin"):
            value = getattr(pin, key)
            if first_places.setdefault((key, value), place) != place:
                first = first_places[key, value] + 1
                yield Problem(
                    ("pins", place, key), f"{value} is that of the pin {first}, too; give another"
                )
        ticks = pin.filter.ticks(tick_hz)
        if ticks > LONGEST_FILTER:
            text = f"{ticks} ticks; at most {LONGEST_FILTER}"
            yield Problem(("pins", place, "filter"), text)
    wire = experiment.wire
    if wire is not None and wire.input in [pin.pin for pin in experiment.pins]:
        yield Problem(("wire", "input"), f"pin {wire.input} is one of the device's; give another")


def _outputs(experiment: Experiment) -> Iterator[Problem]:
    if not experiment.lines:
        yield Problem(("lines",), "a device is interrupted by a line; describe one")
    elif not experiment.lines[0].pmod:
        text = f"the device is wired to an output; write pmod = [0], of 0 to {PINS - 1}"
        yield Problem(("lines", 0, "pmod"), text)
    wire = experiment.wire
    for place, line in enumerate(experiment.lines):
        if line.interrupt not in (None, "none"):
            text = "a device is interrupted by an output; leave the key out, and write pmod"
            yield Problem(("lines", place, "interrupt"), text)
        if line.stm:
            yield Problem(
                ("lines", place, "stm"),
                "a device has no trace unit of the instrument's; leave the key out",
            )
        if wire is not None and wire.output in line.pmod:
            text = f"output {wire.output} is that of the wire for calibration; give another"
            yield Problem(("lines", place, "pmod"), text)


def _event(path: Path, event: Event, experiment: Experiment) -> Iterator[Problem]:
    if event.kind is StartKind.LINE:
        return
    if event.pin is None:
        yield Problem(path, 'a device\'s markers are edges of its pins; write "pin:NAME"')
    elif event.pin not in [pin.name for pin in experiment.pins]:
        yield Problem(
            path, f'there is no pin "{event.pin}" in [[pins]]; add it, or name one of these'
        )
