"""Statistics of the link. Kept next to the counters, never part of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from irqscope.link.frames import Damage


@dataclass
class LinkStatistics:
    """Counts since the link was opened."""

    baud: int = 0
    requests: int = 0
    retries: int = 0  #: requests sent once more
    timeouts: int = 0  #: waits for a reply that ended without one
    stale: int = 0  #: answers to an earlier request, or to this one once more
    bytes_out: int = 0
    bytes_in: int = 0
    rejected: Counter[Damage] = field(default_factory=Counter)

    @property
    def by_damage(self) -> dict[str, int]:
        """Rejected frames by their damage, sorted by name."""
        return dict(sorted((damage.name.lower(), n) for damage, n in self.rejected.items()))
