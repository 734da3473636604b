"""``irqscope calibrate``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from irqscope import calibrate as calibration
from irqscope import experiment as experiments
from irqscope import summary
from irqscope.cli import options, show
from irqscope.errors import ExitCode
from irqscope.experiment.baseline import T2
from irqscope.experiment.load import check
from irqscope.plan import Plan
from irqscope.session import Session
from irqscope.targets import open_target


@click.command("calibrate")
@click.argument(
    "experiment", type=click.Path(path_type=Path), metavar="[EXPERIMENT.toml]", required=False
)
@options.TARGET
@options.JSON
def calibrate(experiment: Path | None, target: str, as_json: bool) -> int:
    """Calibrate and measure nothing.

    Core, caches and interrupt are those of EXPERIMENT.toml, else those of T2: core 0, caches on,
    a shared interrupt by rising edge.
    """
    wanted = T2 if experiment is None else experiments.load(experiment)
    with show.Bar() as bar, open_target(target, stack=wanted.stack) as opened:
        session = Session(opened.link, opened.deviation)
        if experiment is not None:
            session.stack.require(wanted.stack)
        identity = session.identity
        check(wanted, identity.machine, identity.tick_hz)
        session.raise_baud()
        plan = Plan(wanted, identity.machine, identity.tick_hz)
        turn = opened.turn_cycles if plan.busy > 1 else None
        result = calibration.calibrate(session, plan, turn, bar.step)
        found = result.record()
    values = {
        "source": {"target": identity.target, "profile": identity.profile, "label": identity.label},
        "identity": identity.model_dump(mode="json"),
        "calibration": found.model_dump(mode="json"),
        "faults": result.faults(),
    }
    if as_json:
        show.print_json(values)
    else:
        table = Table(title=f"calibration of {identity.label}", title_justify="left")
        table.add_column("", no_wrap=True)
        table.add_column("")
        for row in summary.calibration_rows(found, identity.tick_hz):
            table.add_row(row.name, *row.cells)
        show.out.print(table)
    return ExitCode.INVALID if result.faults() else ExitCode.VALID
