"""What the link went through. Kept beside the books, never part of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from irqscope.protocol.frames import Damage


@dataclass
class LinkStatistics:
    """Counts since the link was opened."""

    baud: int = 0
    requests: int = 0
    retries: int = 0  #: requests sent once more
    timeouts: int = 0  #: waits for a reply that ended without one
    stale: int = 0  #: undamaged frames that answered an earlier request
    bytes_out: int = 0
    bytes_in: int = 0
    rejected: Counter[Damage] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, int | dict[str, int]]:
        """For ``run.json``."""
        return {
            "baud": self.baud,
            "requests": self.requests,
            "retries": self.retries,
            "timeouts": self.timeouts,
            "stale": self.stale,
            "bytes_out": self.bytes_out,
            "bytes_in": self.bytes_in,
            "rejected": {damage.name.lower(): n for damage, n in sorted_items(self.rejected)},
        }


def sorted_items(counter: Counter[Damage]) -> list[tuple[Damage, int]]:
    """Items by name, so that equal counts give equal files."""
    return sorted(counter.items(), key=lambda item: item[0].name)
