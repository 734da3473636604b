"""``irqscope ports``."""

from __future__ import annotations

import click
from rich.table import Table
from serial.tools import list_ports

from irqscope.cli import options, show
from irqscope.errors import IrqscopeError
from irqscope.session import Session
from irqscope.targets import open_target


@click.command()
@options.JSON
@click.option("--hello", is_flag=True, help="Say hello on each port and show who answers.")
def ports(as_json: bool, hello: bool) -> None:
    """List serial ports. A ZCU102 shows four; the firmware answers on one of them."""
    found = [
        {
            "port": port.device,
            "description": port.description,
            "serial_number": port.serial_number,
            **({"answer": _hello(port.device)} if hello else {}),
        }
        for port in sorted(list_ports.comports())
    ]
    if as_json:
        show.print_json(found)
    elif not found:
        show.out.print("no serial port; connect a board, or take --target twin")
    else:
        table = Table(*found[0])
        for port in found:
            table.add_row(*(str(value) if value else "-" for value in port.values()))
        show.out.print(table)


def _hello(port: str) -> str:
    try:
        with open_target(port) as target:
            return Session(target.link).identity.label
    except IrqscopeError as error:
        return str(error)
