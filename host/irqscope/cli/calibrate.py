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
    chosen_experiment = T2 if experiment is None else experiments.load(experiment)
    on = playing(target, chosen_experiment)
    with (
        Bar() as bar,
        open_target(
            on,
            stack=chosen_experiment.stack,
            watches=chosen_experiment.watches,
            leads=chosen_experiment.leads,
            of_program=chosen_experiment.of_program,
            say=bar.step,
        ) as opened,
    ):
        session = Session(opened.link, opened.deviation)
        if experiment is not None and not chosen_experiment.of_others:
            session.stack.require(chosen_experiment.stack)
        identity = session.identity
        chosen_experiment = placed(chosen_experiment, identity.machine)
        check(chosen_experiment, identity.machine, identity.tick_hz)
        session.raise_baud()
        plan = Plan(chosen_experiment, identity.machine, identity.tick_hz)
        calibration = of_plan(plan, opened).calibrate(session, bar.step)
    recorded = calibration.record()
    values = {
        "source": {"target": identity.target, "profile": identity.profile, "label": identity.label},
        "identity": identity.model_dump(mode="json"),
        calibration.key: recorded.model_dump(mode="json"),
        "validity_errors": calibration.validity_errors(),
    }
    if as_json:
        show.print_json(values)
    else:
        show.print_line(f"calibration of {identity.label}", style="bold")
        for name, text in calibration_text.rows(recorded, identity.tick_hz):
            show.print_line(f"{name}: {text}")
    return ExitCode.INVALID if calibration.validity_errors() else ExitCode.VALID
