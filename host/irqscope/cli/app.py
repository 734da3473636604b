"""``irqscope app``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.errors import TargetError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="[DIR]", required=False)
def app(folder: Path | None) -> int:
    """Open the window, with the run folder DIR if one is named."""
    try:
        from irqscope.gui.start import start
    except ImportError as error:
        raise TargetError(_missing(error)) from error
    return start(folder)


def _missing(error: ImportError) -> str:
    if error.name and error.name.partition(".")[0] in ("PyQt6", "pyqtgraph"):
        if "cannot open shared object" not in str(error):
            return f"the window needs {error.name}, which is not installed; use `make app`"
        return f"the window lacks a system library ({error}); on Debian or Ubuntu: {PACKAGES}"
    raise error


#: What Qt needs of the system.
PACKAGES = (
    "apt-get install libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libxcb-cursor0 libxcb-icccm4 "
    "libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xkb1"
)
