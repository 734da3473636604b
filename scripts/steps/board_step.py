"""One step towards a board that measures: ``make bitstream``, ``smoke``, ``program``, ``sdcard``.

Usage: ``python scripts/steps/board_step.py STEP BOARD [NAME=VALUE ...]``; the Makefile says which
names. Which tools make a board's steps is the business of a flow: a module with ``boards()`` and
``STEPS``. Exit codes: 0; 1: a step failed; 2: no such step or board, or a tool is missing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import amd_flow
import ecp5_flow
from vendor import Asked, MissingError, StepError

#: Each flow knows other boards.
FLOWS = (amd_flow, ecp5_flow)


def carry_out(step: str, board: str, words: Sequence[str]) -> None:
    """Has the board's flow do the step. Raises StepError, MissingError."""
    boards = [name for flow in FLOWS for name in flow.boards()]
    if board not in boards:
        raise MissingError(f"BOARD={board}: there is none; there are {', '.join(boards)}")
    flow = next(flow for flow in FLOWS if board in flow.boards())
    if step not in flow.STEPS:
        raise MissingError(f"{board} has no step {step}; it has {', '.join(flow.STEPS)}")
    values = dict(word.split("=", 1) for word in words)
    flow.STEPS[step](Asked(step, board, {name: value for name, value in values.items() if value}))


def main() -> int:
    """The command."""
    step, board, *words = sys.argv[1:]
    try:
        carry_out(step, board, words)
    except MissingError as error:
        print(f"make {step}: {error}", file=sys.stderr)
        return 2
    except StepError as error:
        print(f"make {step}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
