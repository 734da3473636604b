"""Options that mean the same in every command."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from irqscope.acquire.plan import BATCH_S
from irqscope.cli import complete, defaults, show
from irqscope.experiment.model import LARGEST_SEED, MOST_STIMULI
from irqscope.results.stimuli import LONGEST_BATCH_S


class Whole(click.IntRange):
    """A whole number in ASCII digits and nothing else, where Python takes "1_0" and others' digits.

    It fits 64 bits, so that whatever is made of it does.
    """

    def __init__(self, minimum: int, maximum: int | None = None) -> None:
        super().__init__(min=minimum, max=maximum)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The whole number that is written in digits; anything else is a usage error."""
        if isinstance(value, str) and not re.fullmatch(r"-?[0-9]{1,60}", value):
            self.fail(
                f"{value!r} is not a whole number; write it in digits, as in 2400", param, ctx
            )
        number = super().convert(value, param, ctx)
        if number >= 1 << 63:
            self.fail(f"{number} does not fit 64 bits; write a smaller number", param, ctx)
        return number


class Seconds(click.FloatRange):
    """A time in s, as "0.05"."""

    def __init__(self, maximum: float) -> None:
        super().__init__(min=0, max=maximum, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The time in seconds that is written in digits; anything else is a usage error."""
        if isinstance(value, str) and not re.fullmatch(r"-?[0-9]{1,60}(\.[0-9]{1,60})?", value):
            self.fail(f"{value!r} is not a time; write seconds, as in 0.05", param, ctx)
        return super().convert(value, param, ctx)


DEFAULT_TARGET = "twin"


def tell_default(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """The value of an option; one from a file of defaults is announced."""
    name = parameter.name
    if name is not None and context.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
        defaults.announce(name, value)
    return value


def _quiet(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    show.quiet(value)


QUIET = click.option(
    "--quiet",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_quiet,
    help="Print one line for each result and no progress; with --json the JSON alone.",
)
TARGET = click.option(
    "--target",
    default=DEFAULT_TARGET,
    callback=tell_default,
    shell_complete=complete.targets,
    show_default=True,
    metavar="twin|PORT|URL",
    help=(
        "twin[:MACHINE][:PROFILE][:no-skip][:fault=NAME][:variant=NAME][:KEY=VALUE ...], as "
        "`irqscope machines` names them; twin:external[:device=NAME][:wiring=NAME]; rtl:CORE; "
        "linux:HOST:PORT[:token=FILE]; linux:simulated[:hook][:background=NAME=COMMAND]; "
        "replay:FILE; a serial port; socket://HOST:PORT; or rfc2217://HOST:PORT."
    ),
)
COUNT = click.option(
    "--count", type=Whole(1, MOST_STIMULI), metavar="N", help="Stimuli, in place of the file's."
)
SEED = click.option(
    "--seed", type=Whole(0, LARGEST_SEED), metavar="N", help="Seed, in place of the file's."
)
BATCH = click.option(
    "--batch",
    "batch_s",
    type=Seconds(LONGEST_BATCH_S),
    metavar="SECONDS",
    help=f"Target time between two talks on the link.  [default: {BATCH_S}, or that of DIR]",
)
OUT = click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Run folder to write, new or empty.  [default: runs/NAME-TIME]",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
EXPERIMENT = click.argument(
    "experiment",
    type=click.Path(path_type=Path),
    metavar="EXPERIMENT.toml",
    shell_complete=complete.experiments,
)
DIR = click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
