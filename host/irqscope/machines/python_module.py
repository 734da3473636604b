"""The descriptions of all machines as the Python module that the host imports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pydantic

from irqscope.machines import model
from irqscope.machines.model import Machine


def python_module(machines: list[Machine], digest: str, by: str) -> Iterator[str]:
    """Lines of ``generated.py``, not yet formatted.

    ``digest``: sha256 of the descriptions; ``by``: who writes it.
    """
    kinds = sorted(
        name
        for name, kind in vars(model).items()
        if isinstance(kind, type)
        and issubclass(kind, pydantic.BaseModel)
        and kind.__module__ == model.__name__
    )
    yield f"# sha256 of the descriptions: {digest}"
    yield f'"""All machines.\n\n{by.replace("`", "``")}\n"""'
    yield "from __future__ import annotations"
    yield ""
    yield f"from irqscope.machines.model import ({','.join(kinds)},)"
    for machine in machines:
        yield f"{machine.name.upper()} = {machine!r}"
    yield f"MACHINES = ({','.join(machine.name.upper() for machine in machines)},)"


def formatted(text: str, root: Path) -> str:
    """The module's text as ruff formats it by the rules of the tree below ``root``."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "generated.py", "-"]
    ran = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=root)
    return ran.stdout
