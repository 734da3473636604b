"""``irqscope calibrate``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope import experiment as experiments
from irqscope.acquire.kinds import of_plan
from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Session
from irqscope.cli import options, show
from irqscope.cli.bars import Bar
from irqscope.errors import ExitCode
from irqscope.experiment.baseline import T2
from irqscope.experiment.load import check
from irqscope.experiment.machine import placed
from irqscope.report import calibration_text
from irqscope.targets import open_target, playing


@click.command("calibrate")
@click.argument(
    "experiment", type=click.Path(path_type=Path), metavar="[EXPERIMENT.toml]", required=False
)
@options.TARGET
@options.JSON
def calibrate(experiment: Path | None, target: str, as_json: bool) -> int:
    """Calibrate and measure nothing.

    Core, caches and interrupt are those of EXPERIMENT.toml, else those of T2: core 0, caches on,
    a shared interrupt by rising edge. For an experiment with an external device it measures the way
    through the pins, and the wire of its table [wire].
    """
    wanted = T2 if experiment is None else experiments.load(experiment)
    on = playing(target, wanted)
    with (
        Bar() as bar,
        open_target(
            on,
            stack=wanted.stack,
            watches=wanted.watches,
            leads=wanted.leads,
            of_program=wanted.of_program,
            say=bar.step,
        ) as opened,
    ):
        session = Session(opened.link, opened.deviation)
        if experiment is not None and not wanted.of_others:
            session.stack.require(wanted.stack)
        identity = session.identity
        wanted = placed(wanted, identity.machine)
        check(wanted, identity.machine, identity.tick_hz)
        session.raise_baud()
        plan = Plan(wanted, identity.machine, identity.tick_hz)
        found = of_plan(plan, opened).calibrate(session, bar.step)
    recorded = found.record()
    values = {
        "source": {"target": identity.target, "profile": identity.profile, "label": identity.label},
        "identity": identity.model_dump(mode="json"),
        found.key: recorded.model_dump(mode="json"),
        "validity_errors": found.validity_errors(),
    }
    if as_json:
        show.print_json(values)
    else:
        show.print_line(f"calibration of {identity.label}", style="bold")
        for name, text in calibration_text.rows(recorded, identity.tick_hz):
            show.print_line(f"{name}: {text}")
    return ExitCode.INVALID if found.validity_errors() else ExitCode.VALID
