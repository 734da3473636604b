"""The firmware's readback after set-up, in ``run.json``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from irqscope.link.messages import Placement
from irqscope.units import Core, Strict, Word

#: As the machine calls them: shown, and interpreted by nobody.
Registers = dict[Annotated[str, Field(pattern=r"^[ -~]{1,16}$")], Word]


class CoreState(Strict):
    """A running core's own registers; fields as in the message CORE."""

    core: Core
    running: Word
    handles: Word
    priority: Word
    caches: Word  #: of Caches
    vector: Word
    registers: Registers


class BackgroundState(Strict):
    """One background interrupt as read back; fields as in the message BACKGROUND."""

    id: Word
    priority: Word
    targets: Word
    trigger: Word
    enabled: Word
    raised: Word


class Readback(Strict):
    """The firmware's readback after set-up; fields as in the message CASE and its successors."""

    case_id: Word
    markers: Word
    idle: Word
    trigger: Word
    dispatcher: Word
    priority: Word
    targets: Word
    enabled: Word
    pending: Word
    core: Core
    caches: Word  #: of Caches
    interrupt: Word
    vector: Word
    handler: Word
    call_stack: Word
    placement: Annotated[Placement, Field(strict=False)]
    pages: Word
    memory: Word = 0  #: of Memory; a folder of an older firmware has no other
    aimed: Word = 0  #: of the random load; the same
    cores_running: Word
    raising_core: Word
    divisor: Word
    timer_tick_period: Word
    registers: Registers
    cores: tuple[CoreState, ...]
    background: tuple[BackgroundState, ...]
