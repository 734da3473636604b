"""Latency from 32 states of caches, TLB and predictors, next to the article on the Cortex-A9.

    python twin/tests/a9_article.py [--sources-alone] [--set KEY=VALUE ...]

The path (a9_path) was shaped after nine of the article's rows (TAKEN); the other 23 are prediction.
Prints all of it in Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from a9_path import KIT, PATH
from scipy import stats

import board
from irqscope_papers.a9.printed import A9

ROUNDS = 100
#: Values of the profile's table before any row of the article was looked at.
SOURCES_ALONE = {
    "branch.mispredict": 10, "l2.load": 28, "ddr.load": 124, "ddr.instruction_fill": 120,
    "ddr.uncached": 120, "ocm.load": 28, "ocm.uncached": 28, "tlb.main_miss": 7,
}  # fmt: skip
#: Rows that constants and the shape of the path were taken from, by column.
TAKEN = {
    ("ddr", "cacheable"): [(), ("tlb",), ("bp",), ("l1i",), ("l1d",), ("l1d", "l1i", "l2")],
    ("ocm", "cacheable"): [(), ("l1d",)],
    ("ddr", "non-cacheable"): [()],
    ("ocm", "non-cacheable"): [],
}
#: Columns by placement, and as what its memory is marked in the translation.
COLUMNS = {
    ("ddr", "cacheable"): "DDR cached",
    ("ocm", "cacheable"): "OCM cached",
    ("ddr", "non-cacheable"): "DDR uncached",
    ("ocm", "non-cacheable"): "OCM uncached",
}
BITS = {"tlb": 1, "bp": 2, "l1i": 4, "l1d": 8, "l2": 16}

SOURCE = (
    PATH
    + r"""
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
    path_start(code, handlers, data, CACHED_MEMORY);
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
)


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
    def off(self) -> tuple[float, float]:
        """Errors of the least and of the greatest latency, as parts of them."""
        (minimum, greatest, _), (their_least, their_greatest, _) = self.found, self.published
        return minimum / their_least - 1, greatest / their_greatest - 1


def rows(*options: str) -> list[Row]:
    """All 32 rows, on a twin with these options."""
    result = []
    for column in COLUMNS:
        placement, memory = column
        printed = {state: row[column] for state, row in A9.items() if column in row}
        words = [sum(BITS[word] for word in state) for state in printed]
        source = SOURCE.replace("STATES", ", ".join(map(str, words)))
        numbers = board.values(
            source, *options, kit=KIT,
            IN_OCM=int(placement == "ocm"), CACHED_MEMORY=int(memory == "cacheable"), ROUNDS=ROUNDS,
        )  # fmt: skip
        for n, (state, published) in enumerate(printed.items()):
            minimum, maximum, average = numbers[3 * n : 3 * n + 3]
            result.append(Row(column, state, published, (minimum, maximum, average)))
    return result


def table(found: list[Row]) -> Iterator[str]:
    """Formats least / average / greatest as Markdown, with ratios to the first row."""
    yield "| column | emptied | model | article | off: least, greatest | times normal | article |"
    yield "|---|---|---|---|---|---|---|"
    for row in found:
        (normal,) = (r for r in found if r.column == row.column and not r.state)
        cells = [
            COLUMNS[row.column],
            ", ".join(row.state) or "nothing",
            *(f"{low} / {average} / {high}" for low, high, average in (row.found, row.published)),
            ", ".join([*(f"{off:+.1%}" for off in row.off), *["taken"] * row.taken]),
            *(
                f"{own / first:.2f}"
                for own, first in (
                    (row.found[0], normal.found[0]),
                    (row.published[0], normal.published[0]),
                )
            ),
        ]
        yield f"| {' | '.join(cells)} |"


def summary(found: list[Row]) -> Iterator[str]:
    """Prints the errors of the predicted rows, and the ranks of each column."""
    for place, which in enumerate(("least", "greatest")):
        off = [row.off[place] for row in found if not row.taken]
        within = (
            f"{sum(abs(o) <= share / 100 for o in off)} within {share} %" for share in (5, 15)
        )
        yield (
            f"{len(off)} rows that nothing was taken from, the {which}: {', '.join(within)}, "
            f"the furthest {max(off, key=abs):+.0%} off; "
            f"of all {len(found)} {max((row.off[place] for row in found), key=abs):+.0%}."
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
    requested = parser.parse_args()
    settings = [f"{key}={value}" for key, value in SOURCES_ALONE.items() if requested.sources_alone]
    options = [word for setting in settings + requested.settings for word in ("--set", setting)]
    actual = rows(*options)
    print("\n".join([*table(actual), "", *summary(actual)]))


if __name__ == "__main__":
    main()
