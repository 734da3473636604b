"""Measurements of other Cortex-A53 that no constant of profile a53 rests on, next to the model.

    python twin/tests/a53_witnesses.py [--set KEY=VALUE ...]

Each repeats the published benchmark with our program. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from a53_board import run

#: A figure that is outside what was published by no more than this part of it is a hit.
TOLERANCE = 0.05
CYCLES_PER_NS = 1.2

#: TexasInstruments/processor-sdk-doc, commit a34a7d93: Linux_Performance_Guide.rst of AM62X, for
#: two boards of 1.4 GHz and one of 1.25 GHz, and of AM62AX, 1.4 GHz by its row cpu_clock. Cycles:
#: printed ns by that clock, from the least to the greatest. L2 has 512 KB there.
LMBENCH = "lmbench, three AM62x and an AM62A"
#: ThomasKaiser/sbc-bench, commit 53f79517, results/4bee (S905X, 1414 MHz), 1iFx (RK3328, 1382 MHz),
#: 1lCe (Armada 3720, 1191 MHz), 1tJg (A64, 1052 MHz). Constants are from other boards of it.
TINYMEMBENCH = "tinymembench, S905X, RK3328, Armada 3720 and A64"
#: seL4 pull request 1107: cycles of an interrupt's path less those without one read of the
#: distributor. The clock is not printed; that of an S905 is 1.5 GHz.
SEL4 = "seL4, one read less on an S905"


START = """
void test(void) {
    counters_start();
    write_tables(BLOCKS_1G, WRITE_BACK);
    mmu_on();
    caches_on();
    BODY
}
"""
#: A ring at one stride through memory, as lat_mem_rd makes it; cycles of a load by 100.
STRIDE = """
    make_ring(0x10000000, LINES, 128, 1);
    chase(0x10000000, 3 * LINES);
    print(100 * chase(0x10000000, 8 * LINES) / (8 * LINES));
"""
#: Reads of single bytes at random, each place dependent on the byte before it.
RANDOM = """
static u64 state = 12345;
static u64 reads(u64 mask, u64 count) {
    u64 x = state, begin = CYCLES();
    for (u64 n = 0; n < count; n++)
        x = x * 6364136223846793005ul + 1442695040888963407ul +
            *(volatile unsigned char *)(0x10000000 + (x >> 33 & mask));
    u64 end = CYCLES();
    state = x;
    return end - begin;
}
"""
RANDOM_BODY = """
    for (u64 i = 0; i < SIZE; i += 64)
        *(volatile u64 *)(0x10000000 + i) = 0;
    reads(SIZE - 1, WARMING);
    u64 in_memory = reads(SIZE - 1, 20000);
    reads(4095, 1000);
    print((in_memory - reads(4095, 20000)) / 200);
"""
#: An operation again and again on its own result.
OPERATIONS = """
    u64 begin, end, count = 100, result = FIRST;
    for (int i = 0; i < 2; i++) {
        count = 100;
        __asm__ volatile("mov x2, %3\\n mov x3, %4\\n dsb sy\\n isb\\n mrs %0, pmccntr_el0\\n"
                         "1: .rept 2\\n .rept 10\\n OPERATION\\n .endr\\n LAST\\n .endr\\n"
                         "subs %2, %2, #1\\n b.ne 1b\\n mrs %1, pmccntr_el0"
                         : "=&r"(begin), "=&r"(end), "+r"(count)
                         : "r"(result), "r"(SECOND)
                         : "x2", "x3", "cc");
    }
    print((end - begin) / 20);
"""
DISTRIBUTOR = """
    u32 sum = 0;
    u64 begin = CYCLES();
    for (int i = 0; i < 100; i++)
        sum += REG(GICD + 0xC08);
    print(CYCLES() - begin + (sum & 0));
"""

#: The whole of 4 MB, 16 bytes at a time; hundredths of a GB/s.
THROUGH = """
    u64 begin = CYCLES();
    for (u64 at = 0x20000000; at < 0x20400000; at += 16)
        __asm__ volatile(INSTRUCTIONS ::"r"(at), "r"(at + 0x1000000) : "x2", "x3", "memory");
    ASM("dsb sy");
    print(120ul * 0x400000 / (CYCLES() - begin));
"""


def _hundredths(body: str, options: tuple[str, ...], before: str = "", **defines: int) -> float:
    return run(before + START.replace("BODY", body), *options, **defines).values[0] / 100


def _stride(kilobytes: int) -> Callable[..., float]:
    return lambda *options: _hundredths(STRIDE, options, LINES=kilobytes * 1024 // 128)


def _random(kilobytes: int) -> Callable[..., float]:
    size = kilobytes * 1024
    warming = min(size // 16, 20_000)
    return lambda *options: _hundredths(RANDOM_BODY, options, RANDOM, SIZE=size, WARMING=warming)


def _operation(text: str, first: int, second: int, last: str = "nop") -> Callable[..., float]:
    body = OPERATIONS.replace("OPERATION", text).replace("LAST", last)
    body = body.replace("FIRST", f"{first}ul").replace("SECOND", f"{second}ul")
    return lambda *options: _hundredths(body, options)


def _through(instructions: str) -> Callable[..., float]:
    body = THROUGH.replace("INSTRUCTIONS", f'"{instructions}"')
    return lambda *options: _hundredths(body, options)


def _ns(measure: Callable[..., float]) -> Callable[..., float]:
    return lambda *options: measure(*options) / CYCLES_PER_NS


@dataclass(frozen=True)
class Witness:
    """``published``: least and greatest, in ``unit``. ``measure``: the same on a twin."""

    what: str
    unit: str
    published: tuple[float, float]
    source: str
    measure: Callable[..., float]

    def hit(self, found: float) -> bool:
        """Whether the model's figure is a published one, within the tolerance."""
        low, high = self.published
        return low * (1 - TOLERANCE) <= found <= high * (1 + TOLERANCE)


_DIVIDED_64 = (37 + (37 << 33) + 17) << 13
WITNESSES = (
    Witness("loads at stride 128, in L1", "cycles", (3.0, 3.0), LMBENCH, _stride(16)),
    Witness("loads at stride 128 through 64 KB", "cycles", (6.3, 7.4), LMBENCH, _stride(64)),
    Witness("loads at stride 128 through 128 KB", "cycles", (7.7, 7.9), LMBENCH, _stride(128)),
    Witness("loads at stride 128 through 256 KB", "cycles", (8.2, 8.3), LMBENCH, _stride(256)),
    Witness(
        "loads at stride 128 through twice L2, other DDR",
        "ns",
        (29.7, 58.2),
        LMBENCH,
        _ns(_stride(2048)),
    ),
    Witness(
        "32-bit addition with a shift, by two",
        "cycles",
        (1.0, 1.0),
        LMBENCH,
        lambda *options: _operation("add w2, w3, w2, lsl 1", 94, 5)(*options) / 2,
    ),
    Witness(
        "32-bit multiplication",
        "cycles",
        (4.2, 4.4),
        LMBENCH,
        _operation("mul w2, w2, w3", 37432, 5, "sub w2, w2, w3"),
    ),
    Witness(
        "64-bit multiplication",
        "cycles",
        (4.9, 5.1),
        LMBENCH,
        _operation("mul x2, x2, x3", 37421, 5, "sub x2, x2, x3"),
    ),
    Witness(
        "32-bit division, of 2^25 by 37 and back",
        "cycles",
        (6.0, 6.1),
        LMBENCH,
        _operation("sdiv w2, w3, w2", 37, 38 << 20),
    ),
    Witness(
        "64-bit division, of 2^51 by 2^38 and back",
        "cycles",
        (9.5, 9.5),
        LMBENCH,
        _operation("sdiv x2, x3, x2", 37 + (37 << 33), _DIVIDED_64),
    ),
    Witness("random reads of 64 KB, above L1", "cycles", (5.8, 6.8), TINYMEMBENCH, _random(64)),
    Witness("random reads of 128 KB, above L1", "cycles", (8.9, 10.5), TINYMEMBENCH, _random(128)),
    Witness("random reads of 256 KB, above L1", "cycles", (11.2, 12.3), TINYMEMBENCH, _random(256)),
    Witness(
        "random reads of 16 MB, huge pages, above L1, other DDR",
        "ns",
        (112.8, 189.2),
        TINYMEMBENCH,
        _ns(_random(16384)),
    ),
    Witness(
        "memset of 4 MB, other DDR",
        "GB/s",
        (2.4, 7.5),
        TINYMEMBENCH,
        _through("stp xzr, xzr, [%1]"),
    ),
    Witness(
        "memcpy of 4 MB, other DDR",
        "GB/s",
        (1.0, 2.0),
        TINYMEMBENCH,
        _through("ldp x2, x3, [%0]\\n stp x2, x3, [%1]"),
    ),
    Witness(
        "read of a register of the GIC's distributor, other interconnect",
        "ns",
        (152.0, 152.0),
        SEL4,
        _ns(lambda *options: _hundredths(DISTRIBUTOR, options)),
    ),
)


def found(*options: str) -> list[tuple[Witness, float]]:
    """Measures all witnesses on a twin with these options."""
    return [(witness, witness.measure(*options)) for witness in WITNESSES]


def table(rows: list[tuple[Witness, float]]) -> Iterator[str]:
    """In Markdown."""
    yield "| the same thing | model | measured elsewhere | | by |"
    yield "|---|---|---|---|---|"
    for witness, value in rows:
        low, high = (f"{end:g}" for end in witness.published)
        cells = [
            witness.what,
            f"{value:.1f} {witness.unit}",
            low if low == high else f"{low} to {high}",
            "hit" if witness.hit(value) else "missed",
            witness.source,
        ]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="profile a53 beside measurements of other A53")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    settings = parser.parse_args().settings
    print("\n".join(table(found(*(word for setting in settings for word in ("--set", setting))))))


if __name__ == "__main__":
    main()
