"""Registers that a synthesis tool makes one of.

Two registers with the same input, in whatever modules, always hold the same. Tools keep one of them
where modules are flattened, as yosys and Vivado do. Where registers are in the way so that no
wire is long, the one that is left has the wires of both.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import yosys

#: yosys's own pass, which reports each cell that it drops; cells have the names of their outputs.
SCRIPT = (
    "hierarchy -top {top}; proc; rename -wire; flatten; opt_expr; opt_clean; "
    "tee -q -o merged.log debug opt_merge"
)
REGISTER = r"`\\(\S+)\$\w*dff\w*'"
MERGED = re.compile(f"Cell {REGISTER} is identical to cell {REGISTER}")


def merged(sources: Sequence[Path], top: str) -> Iterator[tuple[str, str]]:
    """Names of each dropped register, and of the one that replaces it.

    RuntimeError with yosys's message if it refuses the sources.
    """
    log = yosys.run(sources, SCRIPT.format(top=top), "merged.log")
    for pair in MERGED.finditer(log):
        yield pair[1], pair[2]
