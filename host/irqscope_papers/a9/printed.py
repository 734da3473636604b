"""Values printed in two articles on the Cortex-A9: on states of its caches, and on lockdown."""

from __future__ import annotations

A9_SOURCE = (
    "ARM Cortex-A Interrupt Latency, jblopen.com (Zynq-7000, 667 MHz), software-generated interrupt"
)
#: Emptied parts; (placement, memory type in the translation); (min, max, average) in CPU
#: cycles. All 32 rows, as printed: caches are on in each.
A9: dict[tuple[str, ...], dict[tuple[str, str], tuple[int, int, int]]] = {
    (): {
        ("ddr", "cacheable"): (242, 242, 242),
        ("ocm", "cacheable"): (240, 240, 240),
        ("ddr", "non-cacheable"): (2076, 3182, 2186),
        ("ocm", "non-cacheable"): (686, 700, 690),
    },
    ("tlb",): {
        ("ddr", "cacheable"): (326, 496, 328),
        ("ocm", "cacheable"): (242, 242, 242),
        ("ddr", "non-cacheable"): (2100, 3204, 2210),
        ("ocm", "non-cacheable"): (692, 694, 692),
    },
    ("bp",): {
        ("ddr", "cacheable"): (298, 298, 298),
        ("ocm", "cacheable"): (298, 298, 298),
        ("ddr", "non-cacheable"): (2846, 4010, 2984),
        ("ocm", "non-cacheable"): (822, 822, 822),
    },
    ("bp", "tlb"): {
        ("ddr", "cacheable"): (384, 478, 396),
        ("ocm", "cacheable"): (298, 298, 298),
        ("ddr", "non-cacheable"): (2874, 4052, 2996),
        ("ocm", "non-cacheable"): (822, 822, 822),
    },
    ("l1i",): {
        ("ddr", "cacheable"): (400, 414, 404),
        ("ocm", "cacheable"): (402, 424, 410),
        ("ddr", "non-cacheable"): (2818, 4062, 2980),
        ("ocm", "non-cacheable"): (822, 822, 822),
    },
    ("bp", "l1i", "tlb"): {
        ("ddr", "non-cacheable"): (2880, 3996, 2986),
        ("ocm", "non-cacheable"): (822, 822, 822),
    },
    ("l1d",): {("ddr", "cacheable"): (396, 420, 408), ("ocm", "cacheable"): (424, 462, 448)},
    ("l1d", "l1i"): {
        ("ddr", "cacheable"): (532, 580, 546),
        ("ocm", "cacheable"): (588, 620, 600),
    },
    ("l2",): {("ddr", "cacheable"): (242, 242, 242), ("ocm", "cacheable"): (240, 240, 240)},
    ("l1d", "l1i", "l2"): {
        ("ddr", "cacheable"): (1582, 2978, 1844),
        ("ocm", "cacheable"): (592, 620, 594),
    },
    ("bp", "l1d", "l1i", "l2", "tlb"): {
        ("ddr", "cacheable"): (1746, 2896, 1892),
        ("ocm", "cacheable"): (580, 626, 596),
    },
}
A9_NOTES = (
    "The article switches no cache off: its uncached memory is marked so in the translation table.",
    "Article: counter of the core around a software-generated interrupt. Here: raw, from the edge "
    "of the PL line, or from the marker before the store that raises one, to the handler's "
    "marker; cycles of this target's own clock.",
    "The article does not print its program. The path here is another, so cycles differ; ratios "
    "and ranks say whether the states act alike.",
)

LOCKDOWN_SOURCE = (
    "Improving Interrupt Latency on the ARM Cortex-A9, jblopen.com (Zynq-7000, 667 MHz), 2 million "
    "iterations under random load"
)
#: (min, average, max) in CPU cycles.
LOCKDOWN = {
    "no lockdown": (154, 876, 1778),
    "TLB lockdown": (138, 802, 1454),
    "TLB and L2 lockdown": (142, 416, 726),
}
#: Names by the locked parts of an experiment.
LOCKED = {None: "no lockdown", "tlb": "TLB lockdown", "tlb+l2": "TLB and L2 lockdown"}
LOCKDOWN_NOTES = (
    "The article prints neither its program nor its load: a random number of random accesses to "
    "data and instructions. Here the load is aimed at the cache sets of the path, and the path is "
    "our own.",
    "It translates by sections of 1 MB and has 4 entries of the TLB locked. Since this helps, "
    "its load must have reached over more than the 128 sections that the TLB holds besides.",
    "It says that locking hardly matters with sections of 16 MB, and that on-chip memory helps, "
    "but has no figures.",
)
LOCKDOWN_NOTE = (
    "The Cortex-A53 locks neither TLB nor L2. Comparable means here: large pages for the TLB, "
    "handler and data in OCM, and a way kept warm; no row is a row of the article."
)
