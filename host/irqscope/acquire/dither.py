"""The dither of a line, as its generator in the gateware makes it."""

from __future__ import annotations

from collections.abc import Iterator

#: Feedback of a line's generator, 32-bit Galois form shifting right (hw/irqscope_hw/line.py).
LFSR_TAPS = 0x80200003


class Dither:
    """The ticks that a line adds to its low phases; the first is the one after its first pulse."""

    def __init__(self, seed: int, bits: int) -> None:
        self.state = seed
        self._mask = (1 << bits) - 1

    def take(self, count: int) -> Iterator[int]:
        """Yields the ticks added to the next ``count`` low phases."""
        for _ in range(count):
            yield self.state & self._mask
            self.state = self.state >> 1 ^ (LFSR_TAPS if self.state & 1 else 0)
