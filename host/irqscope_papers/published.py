"""What the papers print. A number is here only if it is printed there.

Horst et al. 2020: "Quantifying the Latency and Possible Throughput of External Interrupts on
Cyber-Physical Systems", CPS-IoTBench 2020; its data are in figures, in print there is one average.
"""

from __future__ import annotations

from dataclasses import dataclass

#: End of the linear zone of figure 4 a, of figure 4 b (ns), and of figure 5 b (Hz).
LINEAR_NS, LINEAR_LMIN_NS, LINEAR_HZ = 2496.0, 240.0, 1.0
#: Width of figure 5 b around the median.
RANGE_HZ = 500e3

NOT_PRINTED = "not printed"
HORST_LATENCY = (
    "Horst et al.: rising edge of the PL-to-PS line, stamped by the system trace macrocell, to the "
    "trace event of an 8-bit store, the first statement of the handler; 4 ns a tick"
)
HORST_THROUGHPUT = (
    "Horst et al.: trace events of the handlers of all cores between two rises of the line, "
    "divided by the length of one high phase (9.75 s)"
)


@dataclass(frozen=True)
class Printed:
    """A number in print. ``quantity``: of the distribution that it is."""

    quantity: str
    value: float
    unit: str
    where: str


T2 = Printed("average", 232, "ns", "Horst et al. 2020, section 4.2")
#: The stack with the paper's way on bare metal: the vendor's vector and dispatcher.
LIKE = "standalone"
#: Figures by name of the run that has both ends where the paper has them, on the stack with a way
#: like the paper's.
HORST = {f"t2-stm-{LIKE}": T2}
HORST_ENDS = (
    "The printed number is beside the run that stamps both ends by the system trace macrocell, "
    "as the paper did; all other latencies end at a pin of the PL. The paper ran the vendor's "
    "dispatcher on bare metal; the stack standalone has its shape, baremetal is a shorter way of "
    "our own."
)


# ---- cache states, Cortex-A9 at 667 MHz ----------------------------------------------------------

A9_SOURCE = (
    "ARM Cortex-A Interrupt Latency, jblopen.com (Zynq-7000, 667 MHz), software-generated interrupt"
)
#: What is emptied; (placement, what the translation says of memory); (min, max, average) in CPU
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

# ---- random load, Cortex-A9 ----------------------------------------------------------------------

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
#: Names by what an experiment locks.
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

# ---- wake-up, Cortex-M4 --------------------------------------------------------------------------

TICKLESS_SOURCE = "the article on tickless sleep (STM32F411)"
#: (what, time in us, remark)
TICKLESS = (
    ("tick on, to the task", 8.0, "about; SysTick handler below 5, PendSV 3.5"),
    ("tickless, to the task", 807.0, "about; 80 wake-up, 720 oscillator, 6.6 switch"),
)
TICKLESS_NOTE = (
    "The article's 807 µs are an oscillator that starts. Here the core sleeps in WFI, at most with "
    "its clock divided; powering it down needs the PMU's firmware and is not measured."
)
