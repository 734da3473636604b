"""Latency under random load with TLB and L2 locked, next to the article on lockdown.

    python twin/tests/a9_lockdown.py [--rounds N] [--mean N ...] [--set KEY=VALUE ...]

The path is a9_path's, which nothing of this article shaped. The article's load: a random number of
random accesses to data and instructions, by sections of 1 MB. It does not give the number, so that
is a column of the table, not a fitted constant. Uniform accesses fall into the cache sets of the
path, and of the descriptors of its translations, only by chance; here all of them do, so each
counts for some 100: the sets of L2 over those. Prints Markdown.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from a9_path import KIT, PATH

import board
from irqscope_papers.a9.printed import LOCKDOWN, LOCKED

ROUNDS = 2000
#: Accesses before an interrupt, on average: about half an access into each set, 2, 8, 32.
MEANS = (8, 32, 128, 512)
#: Sets of L2.
SETS = 2048
#: Bits by what an experiment locks.
BITS = {None: 0, "tlb": 1, "tlb+l2": 3}
#: Cycles of a bin, as in the program.
BIN = 16
#: Shares of the interrupts.
QUANTILES = (0.05, 0.5, 0.95)

SOURCE = (
    PATH
    + r"""
#define CODE 0x8000000u
#define HANDLERS 0xA001000u /* in other sets than code and data: one way shall hold all of it */
#define DATA 0x9002000u
#define LINE 32u
#define WAY 0x10000u
#define ARRAY 0xB000000u /* to where memory is not cached: 208 sections */
#define PLACES ((0x18000000u - ARRAY) / WAY)

/* The last bin has all that is longer. */
#define BIN 16u
#define BINS 256u

/* Those of the path, then those of its translations' descriptors. */
static u32 lines[32], locked, count;
static u32 state = 1, bins[BINS];

#define SECTIONS 4
static const u32 sections[SECTIONS] = {CODE, HANDLERS, DATA, MPCORE};

/* xorshift of 32 bits (Marsaglia 2003: 13, 17, 5). */
static u32 random(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static u32 below(u32 bound) { return (u64)random() * bound >> 32; }

static void add(u32 from, u32 bytes) {
    for (u32 at = from & -LINE; at < from + bytes; at += LINE)
        lines[count++] = at;
}

/* The first word of each line is a return, the second is data. */
static void fill(void) {
    for (u32 place = 0; place < PLACES; place++)
        for (u32 i = 0; i < count; i++)
            REG(ARRAY + place * WAY + lines[i] % WAY) = 0xE12FFF1E;
    empty_l1d();
    empty_l2();
    MCR(c7, 0, c5, 0, 0);
}

static void load(u32 accesses) {
    for (; accesses; accesses--) {
        u32 at = ARRAY + below(PLACES) * WAY + lines[below(count)] % WAY;
        u32 kind = random() >> 30;
        if (kind == 0)
            REG(at + 4) = kind;
        else if (kind == 1)
            (void)REG(at + 4);
        else
            ((void (*)(void))at)();
    }
}

static void lock_tlb(void) {
    for (u32 entry = 0; entry < SECTIONS; entry++) {
        MCR(c8, 0, c7, 1, sections[entry]);
        ASM("dsb\n isb");
        MCR(c10, 0, c0, 0, entry << 28 | 1);
        ASM("isb");
        (void)REG(sections[entry]);
        MCR(c10, 0, c0, 0, entry << 28);
        ASM("isb");
    }
}

static void keep_out_of(u32 ways) {
    for (u32 master = 0; master < 8; master++)
        REG(L2 + 0x900 + 8 * master) = REG(L2 + 0x904 + 8 * master) = ways;
    ASM("dsb");
}

static void lock_l2(void) {
    keep_out_of(0xFE);
    for (u32 i = 0; i < locked; i++)
        (void)REG(lines[i]);
    ASM("dsb");
    keep_out_of(1);
}

void test(void) {
    translation_start();
    table[0x100] = 0x10000000 | CACHED;
    path_start(CODE, HANDLERS, DATA, 1);
    add(CODE, (u32)(part_end - part));
    add(HANDLERS, (u32)(path_end - path));
    for (u32 i = 0; i < 7; i++)
        add(DATA + 64 * i, 4);
    add(DATA + CALL_STACK_TOP - 24, 24);
    locked = count;
    for (u32 i = 0; i < SECTIONS; i++)
        add((u32)&table[sections[i] >> 20], 4);
    fill();
    if (LOCK & 2)
        lock_l2();
    if (LOCK & 1)
        lock_tlb();
    u32 (*measure)(u32, u32) = (u32(*)(u32, u32))CODE;
    for (u32 i = 0; i < 16; i++)
        measure(DATA, MPCORE);
    u32 least = ~0u, most = 0, sum = 0;
    for (u32 i = 0; i < ROUNDS; i++) {
        load(below(2 * MEAN + 1));
        u32 cycles = 2 * measure(DATA, MPCORE);
        least = cycles < least ? cycles : least;
        most = cycles > most ? cycles : most;
        sum += cycles;
        bins[cycles / BIN < BINS ? cycles / BIN : BINS - 1]++;
    }
    print(count);
    print(least);
    print(sum / ROUNDS);
    print(most);
    for (u32 i = 0; i < BINS; i++)
        print(bins[i]);
}
"""
)


@dataclass(frozen=True)
class Found:
    """One lockdown under one load.

    The lines that are aimed at; least, average and greatest in cycles; and how many took that of
    each bin.
    """

    locked: str | None
    mean: int
    lines: int
    figures: tuple[int, int, int]
    bins: tuple[int, ...]

    def quantile(self, p: float) -> int:
        """The upper end of the bin that the share p does not pass."""
        sums = itertools.accumulate(self.bins)
        return BIN * (1 + next(n for n, so_far in enumerate(sums) if so_far >= p * sum(self.bins)))


def find(locked: str | None, mean: int, rounds: int, *options: str) -> Found:
    """Runs one."""
    defines = {"LOCK": BITS[locked], "MEAN": mean, "ROUNDS": rounds}
    lines, low, average, high, *bins = board.values(SOURCE, *options, kit=KIT, **defines)
    return Found(locked, mean, lines, (low, average, high), tuple(bins))


def table(found: list[Found]) -> Iterator[str]:
    """In Markdown; the last columns are counted from the least of each side."""
    yield (
        "| locked | accesses | model | 5 %, median, 95 % | article "
        "| above the least | article | off |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for one in found:
        low, mean, high = one.figures
        printed = LOCKDOWN[LOCKED[one.locked]]
        above = (mean - low, high - low)
        existing = (printed[1] - printed[0], printed[2] - printed[0])
        cells = [
            one.locked or "nothing",
            f"{one.mean * SETS // one.lines:,}",
            f"{low} / {mean} / {high}",
            ", ".join(str(one.quantile(p)) for p in QUANTILES),
            " / ".join(map(str, printed)),
            " / ".join(map(str, above)),
            " / ".join(map(str, existing)),
            " / ".join(f"{a / b - 1:+.0%}" for a, b in zip(above, existing, strict=True)),
        ]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="lockdown on a Cortex-A9, beside the article")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--mean", type=int, nargs="+", default=MEANS)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    requested = parser.parse_args()
    options = [word for setting in requested.settings for word in ("--set", setting)]
    collected = [
        find(locked, mean, requested.rounds, *options) for locked in BITS for mean in requested.mean
    ]
    print("\n".join(table(collected)))


if __name__ == "__main__":
    main()
