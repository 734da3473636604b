"""The path that the article on the Cortex-A9's cache states measured, as far as it can be known.

    python twin/tests/a9_article.py [--sources-alone] [--set KEY=VALUE ...]

The article prints times in 32 states, of a path that it does not print. What the path has follows
from nine of the rows (TAKEN): 5 lines of instructions, 7 lines of data that depend on each other, 6
branches, 2 sections of translation. The program here has that and nothing else; it reads the global
timer, raises an interrupt by software, and reads the timer again in a handler behind two indirect
calls. The other 23 rows are prediction. Prints all of it in Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import board
from board import Kit
from scipy import stats

from irqscope.card.published import A9

KIT = Kit(board.ZYNQ7000.programs, board.ZYNQ7000.target, "a9")
ROUNDS = 100
#: Of the profile's table before any row of the article was looked at.
SOURCES_ALONE = {
    "branch.mispredict": 10, "l2.load": 28, "ddr.load": 124, "ddr.instruction_fill": 120,
    "ddr.uncached": 120, "ocm.load": 28, "ocm.uncached": 28, "tlb.main_miss": 7,
}  # fmt: skip
#: Rows that constants and the shape of the path were taken from, by column.
TAKEN = {
    ("ddr", "on"): [(), ("tlb",), ("bp",), ("l1i",), ("l1d",), ("l1d", "l1i", "l2")],
    ("ocm", "on"): [(), ("l1d",)],
    ("ddr", "off"): [()],
    ("ocm", "off"): [],
}
#: By placement and whether its memory is marked cacheable: the article has no other "uncached".
COLUMNS = {
    ("ddr", "on"): "DDR cached",
    ("ocm", "on"): "OCM cached",
    ("ddr", "off"): "DDR uncached",
    ("ocm", "off"): "OCM uncached",
}
BITS = {"tlb": 1, "bp": 2, "l1i": 4, "l1d": 8, "l2": 16}

SOURCE = r"""
#include "translation.h"

/* What the path did besides, of which nothing is known but that all of it takes 242 cycles: it
 * waits for what was loaded before it, and does not fit beside anything. */
#define PAD " mcr p15, 0, r0, c13, c0, 4\n"

/* The measured part, the vectors and the handlers, each where it starts a line. It is copied to
 * where it runs. r8: data, r9: private region, r10: distributor, r11: what raises SGI 0. */
__asm__(".arm\n .balign 32\n .global part\n part:\n"
        " push {r4-r11, lr}\n mov r8, r0\n mov r9, r1\n add r10, r9, #0x1000\n"
        " mov r11, #0x02000000\n mov r5, #0\n cpsie i\n b 1f\n .balign 32\n"
        "1: ldr r4, [r9, #0x200]\n" PAD " str r11, [r10, #0xF00]\n"
        "2: b 2b\n"
        " cpsid i\n sub r0, r5, r4\n pop {r4-r11, pc}\n .balign 32\n part_end:\n .global part_end\n"

        " .balign 32\n .global path\n path:\n"
        " b .\n b .\n b .\n b .\n b .\n b .\n b entry\n b .\n"
        "entry: push {r0-r3, r12, lr}\n ldr r0, [r8]\n" PAD PAD PAD PAD PAD
        " bl dispatch\n .balign 32\n"
        "dispatch: ldr r1, [r9, #0x10C]\n ldr r0, [r0]\n b 3f\n nop\n"
        "3:" PAD " ldr r0, [r0]\n ldr r2, [r0]\n blx r2\n .balign 32\n"
        "first: ldr r0, [r0, #4]\n ldr r0, [r0]\n" PAD PAD PAD PAD " ldr r2, [r0]\n blx r2\n"
        " .balign 32\n"
        "second: ldr r0, [r0, #4]\n ldr r3, [r0]\n b 4f\n nop\n"
        "4:" PAD PAD " ldr r5, [r3, #0x200]\n b 5f\n .balign 32\n"
        "5: str r1, [r9, #0x110]\n pop {r0-r3, r12, lr}\n movs pc, lr\n"
        " .balign 32\n path_end:\n .global path_end\n .global first\n .global second\n");
extern char part[], part_end[], path[], path_end[], first[], second[];

static void copy(u32 to, const char *from, const char *end) {
    for (u32 i = 0; i < (u32)(end - from); i += 4)
        REG(to + i) = *(const u32 *)(from + i);
}

static void empty(u32 what) {
    if (what & 8)
        empty_l1d();
    if (what & 16)
        empty_l2();
    if (what & 4)
        MCR(c7, 0, c5, 0, 0);
    if (what & 2)
        MCR(c7, 0, c5, 6, 0);
    if (what & 1)
        MCR(c8, 0, c7, 0, 0);
    ASM("dsb\n isb");
}

void test(void) {
    static const u32 states[] = {STATES};
    u32 code = IN_OCM ? OCM : 0x8000000, handlers = IN_OCM ? OCM + 0x1000 : 0xA000000;
    u32 data = IN_OCM ? OCM + 0x2000 : 0x9000000;
    translation_start();
    copy(code, part, part_end);
    copy(handlers, path, path_end);
    for (u32 i = 0; i < 6; i++) /* each line has the address of the next */
        REG(data + 64 * i + (i == 3 || i == 5 ? 4 : 0)) = data + 64 * (i + 1);
    REG(data + 64 * 3) = handlers + (u32)(first - path);
    REG(data + 64 * 5) = handlers + (u32)(second - path);
    REG(data + 64 * 6) = MPCORE;
    empty_l1d();
    empty_l2();
    if (!CACHED_MEMORY) {
        for (u32 i = 0x80; i < 0xB0; i++)
            table[i] = i << 20 | UNCACHED;
        table[0xFFF] = 0xFFF << 20 | UNCACHED;
        empty_l1d();
        empty_l2();
    }
    MCR(c12, 0, c0, 0, handlers);
    MCR(c7, 0, c5, 0, 0);
    MCR(c8, 0, c7, 0, 0);
    __asm__ volatile("cps #0x12\n mov sp, %0\n cps #0x13" ::"r"(data + 0x800) : "memory");
    gic_start();
    REG(MPCORE + 0x208) = 1;
    ASM("dsb\n isb");
    u32 (*measure)(u32, u32) = (u32(*)(u32, u32))code;
    for (u32 s = 0; s < sizeof states / sizeof *states; s++) {
        u32 least = ~0u, most = 0, sum = 0;
        for (u32 i = 0; i < ROUNDS + 8; i++) {
            measure(data, MPCORE);
            empty(states[s]);
            u32 cycles = 2 * measure(data, MPCORE);
            if (i < 8)
                continue; /* of the same state, but for what came before */
            least = cycles < least ? cycles : least;
            most = cycles > most ? cycles : most;
            sum += cycles;
        }
        print(least);
        print(most);
        print(sum / ROUNDS);
    }
}
"""


@dataclass(frozen=True)
class Row:
    """A row of the article; least, greatest and average in cycles, there and here."""

    column: tuple[str, str]
    state: tuple[str, ...]
    published: tuple[int, int, int]
    found: tuple[int, int, int]

    @property
    def taken(self) -> bool:
        """Whether a constant, or the shape of the path, comes from it."""
        return self.state in TAKEN[self.column]

    @property
    def off(self) -> float:
        """Of the least latency, as a part of it."""
        return self.found[0] / self.published[0] - 1


def rows(*options: str) -> list[Row]:
    """All 32 rows, on a twin with these options."""
    result = []
    for column in COLUMNS:
        placement, caches = column
        printed = {state: row[column] for state, row in A9.items() if column in row}
        # The last row of an uncached column emptied L1I, predictor and TLB: there is nothing else.
        words = [sum(BITS[word] for word in state) for state in printed]
        source = SOURCE.replace("STATES", ", ".join(map(str, words)))
        numbers = board.values(
            source, *options, kit=KIT,
            IN_OCM=int(placement == "ocm"), CACHED_MEMORY=int(caches == "on"), ROUNDS=ROUNDS,
        )  # fmt: skip
        for n, (state, published) in enumerate(printed.items()):
            least, most, average = numbers[3 * n : 3 * n + 3]
            result.append(Row(column, state, published, (least, most, average)))
    return result


def table(found: list[Row]) -> Iterator[str]:
    """In Markdown: least / average / greatest, and the ratio to the first row of the column."""
    yield "| column | emptied | model | article | off | times normal | article |"
    yield "|---|---|---|---|---|---|---|"
    for row in found:
        (normal,) = (r for r in found if r.column == row.column and not r.state)
        cells = [
            COLUMNS[row.column],
            ", ".join(row.state) or "nothing",
            *(f"{low} / {average} / {high}" for low, high, average in (row.found, row.published)),
            f"{row.off:+.1%}" + (", taken" if row.taken else ""),
            *(
                f"{ours / first:.2f}"
                for ours, first in (
                    (row.found[0], normal.found[0]),
                    (row.published[0], normal.published[0]),
                )
            ),
        ]
        yield f"| {' | '.join(cells)} |"


def summary(found: list[Row]) -> Iterator[str]:
    """Of the rows that nothing was taken from: how far off; and the ranks of each column."""
    off = [abs(row.off) for row in found if not row.taken]
    yield (
        f"{len(off)} rows that nothing was taken from: {sum(o <= 0.05 for o in off)} within 5 %, "
        f"{sum(o <= 0.15 for o in off)} within 15 %, the furthest {max(off):.0%} off."
    )
    for column, name in COLUMNS.items():
        yield f"{name}: rank correlation of the averages {ranks(found, column):.2f}."


def ranks(found: list[Row], column: tuple[str, str]) -> float:
    """Spearman's correlation of the averages of a column."""
    pairs = [(row.found[2], row.published[2]) for row in found if row.column == column]
    return float(stats.spearmanr(*zip(*pairs, strict=True)).statistic)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="the Cortex-A9's cache states, beside the article")
    parser.add_argument("--sources-alone", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    asked = parser.parse_args()
    settings = [f"{key}={value}" for key, value in SOURCES_ALONE.items() if asked.sources_alone]
    options = [word for setting in settings + asked.settings for word in ("--set", setting)]
    found = rows(*options)
    print("\n".join([*table(found), "", *summary(found)]))


if __name__ == "__main__":
    main()
