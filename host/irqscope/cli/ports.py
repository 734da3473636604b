"""``irqscope ports``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from irqscope.acquire import ports as serial_ports
from irqscope.cli import options, show
from irqscope.doctor.silence import causes, told

#: What only the causes look at.
_OF_USB = ("usb", "interface")


@click.command()
@options.JSON
@click.option("--hello", is_flag=True, help="Say hello on each port and show who answers.")
def ports(as_json: bool, hello: bool) -> None:
    """List serial ports. A ZCU102 shows four; the firmware answers on one of them."""
    rows: list[dict[str, Any]] = []
    advice: list[str] = []
    answered = False
    for port in serial_ports.ports():
        words = {key: value for key, value in asdict(port).items() if key not in _OF_USB}
        if hello:
            answer = serial_ports.ask(port.port)
            answered = answered or answer.ours
            words["answer"] = answer.text
            if answer.error is not None and (likely := causes(answer.error, port)):
                words["likely"] = told(likely)
                advice.append(f"{port.port}: {told(likely)}")
        rows.append(words)
    if as_json:
        show.print_json(rows)
    elif not rows:
        show.out.print("no serial port; connect a board, or take --target twin")
    else:
        columns = [key for key in rows[0] if key != "likely"]
        show.print_table(
            columns,
            [[str(words[key]) if words[key] else "-" for key in columns] for words in rows],
        )
        if hello and not answered:
            show.print_line(
                "no irqscope answers. What is likely to have failed, the likeliest first:"
            )
            for line in advice:
                show.print_line(line)
