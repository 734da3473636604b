"""The software stack that a firmware runs on its measured core, as it says itself."""

from __future__ import annotations

from irqscope.errors import TargetError
from irqscope.link.codec import Reply
from irqscope.machines.firmware_file import DEFAULT_STACK, program
from irqscope.units import Strict


def on_core(stack: str, core: int | None) -> str:
    """The stack whose handler a core runs where core 0 has ``stack`` (fw/stacks/stack.h)."""
    return DEFAULT_STACK if core else stack


class Stack(Strict):
    """``name``: as experiments call it.

    ``configuration``: what another build could have otherwise. ``nests``: it says that the measured
    interrupt can interrupt the timer tick's handler.

    Two stacks that are equal were built alike.
    """

    name: str
    version: str
    configuration: str
    nests: bool = False

    @classmethod
    def of(cls, reply: Reply) -> Stack:
        """The stack that the reply to STACK describes. Raises TargetError."""
        text = reply.tail["character"].tobytes().decode("ascii", "replace")
        lines = text.split("\n")
        if len(text) != reply.length or len(lines) != 3 or not all(lines):
            raise TargetError(
                f"the firmware names its stack {text!r}, not by name, version and configuration; "
                "install the firmware that belongs to this irqscope"
            )
        name, version, configuration = lines
        return cls(name=name, version=version, configuration=configuration, nests=bool(reply.nests))

    def require(self, name: str) -> None:
        """Checks that an experiment for the stack ``name`` can be run on it. Raises TargetError."""
        if self.name != name:
            raise TargetError(
                f'the experiment has stack = "{name}", the target runs "{self.name}"; '
                f"load {program(name)} or change the key"
            )
