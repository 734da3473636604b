"""``irqscope machines``."""

from __future__ import annotations

import click

from irqscope.cli import options, show
from irqscope.errors import ExitCode
from irqscope.machines.known import MACHINES
from irqscope.machines.table import summary


@click.command()
@options.JSON
def machines(as_json: bool) -> int:
    """List the machines that can be measured and their capabilities.

    The target says which one it is: a port answers with its board, a twin is started with a timing
    profile. `twin` is twin:zynqmp, and a machine alone, as in twin:zynq7000, its last profile.

    A device at the pins is measured by a board of such a machine, and says so in its experiment:
    machine = "external". twin:external simulates both.
    """
    head, *rows = summary(MACHINES)
    if as_json:
        show.print_json([machine.model_dump(mode="json") for machine in MACHINES])
        return ExitCode.VALID
    for title, *cells in rows:
        show.print_line(title.replace("`", ""), style="bold")
        for name, cell in zip(head[1:], cells, strict=True):
            show.print_line(f"{name}: {cell.replace('`', '')}")
        show.print_line("")
    return ExitCode.VALID
