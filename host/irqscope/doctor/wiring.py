"""Names of a machine's parts, for the observations and causes of the steps."""

from __future__ import annotations

from dataclasses import dataclass

from irqscope_papers.printed import Printed


@dataclass(frozen=True)
class Wiring:
    """Names of the parts of one machine. Unless said otherwise: what to check when that fails.

    ``port``: bits of the register port; ``markers``: a core's nibble, with ``{high}`` and ``{low}``
    for its bits; ``shared``, ``private``: interrupt lines; ``sense``: edge or level of the first
    shared one; ``answering``: how often an interrupt is answered; ``raw``: name of the register
    that shows a private line's level; ``enable``: a core's own side of its private interrupt;
    ``start``, ``number``: a core that does not start, or reports another number;
    ``number_register``: the register that holds it; ``rate``: the UART's; ``clock``: the PL clock;
    ``level``: the machine's name of a privilege level; ``privilege``: the firmware's,
    ``privileged``: another one; ``core_register``, ``core_part``: where and as what the core
    identifies itself; ``chip``: the expected one; ``t2``: a published number that T2 comes near;
    ``pl_register``: one of those that only this machine's firmware reads for the PL's state.
    """

    port: str
    markers: str
    shared: str
    private: str
    sense: str
    answering: str
    raw: str
    enable: str
    start: str
    number: str
    number_register: str
    rate: str
    clock: str
    level: str
    privilege: int
    privileged: str
    core_register: str
    core_part: int
    chip: str
    t2: Printed
    pl_register: str
