"""What can be measured: each target yields an open link, and nothing above knows which it is."""

from __future__ import annotations

from pathlib import Path

from irqscope.errors import TargetError
from irqscope.targets.base import Target
from irqscope.targets.board import BoardTarget
from irqscope.targets.replay import ReplayTarget
from irqscope.targets.twin import TwinTarget

__all__ = ["Target", "open_target"]


def open_target(name: str, record: Path | None = None) -> Target:
    """Opens ``twin``, ``twin:PROFILE``, ``replay:FILE`` or any port or URL of pyserial.

    ``twin:PROFILE:no-skip`` evaluates every tick: slow, for those who doubt the skipping.
    ``record``: file that receives every byte of the link, for ``replay:``. Raises TargetError,
    LinkError.
    """
    scheme, _, rest = name.partition(":")
    if scheme == "twin":
        profile, _, option = rest.partition(":")
        if option not in ("", "no-skip"):
            raise TargetError(f'a twin has no option "{option}"; say twin:PROFILE:no-skip or twin')
        return TwinTarget(profile or "functional", record, skipping=not option)
    if scheme == "replay":
        return ReplayTarget(Path(rest))
    return BoardTarget(name, record)
