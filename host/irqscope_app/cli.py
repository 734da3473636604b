"""``irqscope app``."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from irqscope.errors import ExitCode, TargetError
from irqscope.resources import extra, remedy
from irqscope_app import PACKAGES


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="[DIR]", required=False)
@click.option("--check", is_flag=True, help="Open nothing; say whether this machine can show it.")
def app(folder: Path | None, check: bool) -> int:
    """Open the window, with the run folder DIR if one is named."""
    try:
        from irqscope_app.start import check_display, start
    except ImportError as error:
        raise TargetError(_missing(error)) from error
    if check:
        check_display(dict(os.environ))
        return ExitCode.VALID
    return start(folder)


def _missing(error: ImportError) -> str:
    """Explains which library to install if one is missing; re-raises other errors."""
    if re.match(r"\S*\.so[.0-9]*: ", str(error)):
        return f"the window lacks a system library ({error}); on Debian or Ubuntu: {PACKAGES}"
    to_do = remedy("make app", extra("app"))
    if error.name and error.name.partition(".")[0] in ("PyQt6", "pyqtgraph"):
        return f"the window needs {error.name}, which is not installed; {to_do}"
    raise error
