"""Timeouts of a link."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

#: How long hello is asked where no answer comes through.
HELLO_S = 5.0
#: How long a request is asked where no answer comes through: a line may be cut or noisy.
OUTAGE_S = 15.0
#: A simulation's time may run slower than the clock on the wall.
SIMULATION_SCALE = 1000.0
#: A simulation at work sends an empty frame each 0.1 s (twin/engine/core/pty.h).
SIMULATION_QUIET_S = 1.0


@dataclass(frozen=True)
class Timeouts:
    """Time limits of a target, s of wall time.

    ``scale``: wall time per target time that is still patient.

    ``hello_s``: how long hello is repeated, at each rate at least once, or 0 if no host can have
    left the target at another rate. ``attempts``: of the following requests, and ``outage_s``: how
    long these are
    repeated. ``quiet_s``: a working target sends something within this time, otherwise the request
    did not arrive. ``settle_s``: after this time at rest, a line has no more bytes of an older
    exchange.
    """

    reply_s: float = 0.5
    scale: float = 1.0
    attempts: int = 4
    hello_s: float = HELLO_S
    outage_s: float = OUTAGE_S
    quiet_s: float = math.inf
    settle_s: float = 0.05

    def hurried(self, reply_s: float, attempts: int) -> Timeouts:
        """This timeout, but with at most so long for a reply and so many attempts."""
        reply_s, attempts = min(reply_s, self.reply_s), min(attempts, self.attempts)
        hello_s = min(attempts * reply_s, self.hello_s)
        return replace(self, reply_s=reply_s, attempts=attempts, hello_s=hello_s, outage_s=0.0)

    def with_simulation(self) -> Timeouts:
        """Returns this timeout for a simulation: as long as it works, and not much longer."""
        quiet_s = max(SIMULATION_QUIET_S, self.reply_s)
        return replace(self, scale=SIMULATION_SCALE, quiet_s=quiet_s)
