"""``irqscope ports``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click
from rich.table import Table

from irqscope.acquire import ports as serial_ports
from irqscope.cli import options, show


@click.command()
@options.JSON
@click.option("--hello", is_flag=True, help="Say hello on each port and show who answers.")
def ports(as_json: bool, hello: bool) -> None:
    """List serial ports. A ZCU102 shows four; the firmware answers on one of them."""
    found: list[dict[str, Any]] = []
    for port in serial_ports.ports():
        words = asdict(port)
        found.append(words | ({"answer": serial_ports.ask(port.port).text} if hello else {}))
    if as_json:
        show.print_json(found)
    elif not found:
        show.out.print("no serial port; connect a board, or take --target twin")
    else:
        table = Table(*found[0])
        for words in found:
            table.add_row(*(str(value) if value else "-" for value in words.values()))
        show.out.print(table)
