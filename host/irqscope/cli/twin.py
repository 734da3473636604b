"""``irqscope twin``."""

from __future__ import annotations

import signal

import click

from irqscope.cli import options, show
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.targets.twin import DEFAULT_PROFILE, TwinProcess, TwinSettings


@click.command()
@click.option(
    "--profile",
    default=DEFAULT_PROFILE,
    show_default=True,
    help="Timing profile; MACHINE:PROFILE, or MACHINE for its own.",
)
@click.option("--stack", default=DEFAULT_STACK, show_default=True, help="Software stack.")
@options.JSON
def twin(profile: str, stack: str, as_json: bool) -> None:
    """Start a twin and print its port; it runs until Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with show.err.status("start the twin") as status:
        process = TwinProcess(TwinSettings(profile, stack=stack), status.update)
    try:
        if as_json:
            show.print_json({"port": process.port, "profile": process.name})
        else:
            show.out.print(process.port)
        show.err.print(f"twin, {process.name} timing; Ctrl-C ends it")
        process.wait()
    except KeyboardInterrupt:
        show.err.print("twin ended")
    finally:
        process.close()
