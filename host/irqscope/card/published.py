"""What the papers print. A number stands here only if it is printed there.

Horst et al. 2020: "Quantifying the Latency and Possible Throughput of External Interrupts on
Cyber-Physical Systems", CPS-IoTBench 2020; its data are in figures, in print there is one average.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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


_T2 = Printed("average", 232, "ns", "Horst et al. 2020, section 4.2")
#: By name of the run. B-Lmin is T2.
HORST = {"t2": _T2, "b-lmin": _T2}


@dataclass(frozen=True)
class Figures:
    """Of one run: ns of a latency case, Hz of a throughput case."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Statement:
    """What Horst et al. say in words.

    ``names``: the runs that it compares, whose medians (``ranges``: whose Figures) ``holds`` gets.
    """

    text: str
    names: tuple[str, ...]
    holds: Callable[..., bool]
    ranges: bool = False

    def verdict(self, figures: dict[str, Figures]) -> str:
        """``holds``, ``does not hold``, or what is missing to tell. ``figures``: by run."""
        missing = [name for name in self.names if name not in figures]
        if missing:
            return "cannot be told: no valid run of " + ", ".join(missing)
        found = [figures[name] for name in self.names]
        values = found if self.ranges else [one.median for one in found]
        return "holds" if self.holds(*values) else "does not hold"

    def on(self, stack: str) -> Statement:
        """The same of the runs on another stack."""
        names = tuple(f"{name}-{stack}" for name in self.names)
        return replace(self, text=f"{self.text} ({stack})", names=names)


def _rising(*medians: float) -> bool:
    return all(a < b for a, b in zip(medians, medians[1:], strict=False))


def _falling(*medians: float) -> bool:
    return _rising(*medians[::-1])


_T4 = tuple(f"t4-{n}" for n in (180, 1, 36, 72, 108, 144))
_OTHERS = ("t1", "t3", "t4-180", "t5", "t6-4", "t7")
#: Of each stack, by medians; the paper gives no test of significance.
_OF_EACH = (
    Statement("T2 has by far the shortest latency", ("t2", *_OTHERS), lambda t2, *o: t2 < min(o)),
    Statement(
        "the cases with caches (T2, T3) and without (T1, T4 to T7) differ considerably: with them "
        "latency is shorter",
        ("t2", "t3", "t1", "t4-180", "t5", "t6-4", "t7"),
        lambda t2, t3, *off: max(t2, t3) < min(off),
    ),
    Statement(
        "T4-180 provokes the highest latency of the T4 variants", _T4, lambda a, *o: a >= max(o)
    ),
    Statement("the more cores, the higher the latency of T6", ("t6-2", "t6-3", "t6-4"), _rising),
    Statement(
        "B-Lmax, T4-36 with T6, has the highest latency",
        ("b-lmax", "t2", *_OTHERS),
        lambda b, *o: b > max(o),
    ),
    Statement(
        "the more cores, the lower the throughput of T6",
        ("t6-2-throughput", "t6-3-throughput", "t6-4-throughput"),
        _falling,
    ),
)
_OF_BARE_METAL = (
    Statement(
        "B-Tmax lags a little behind T2 alone on bare metal",
        ("b-tmax", "t2-throughput"),
        lambda both, alone: 0.5 * alone < both < alone,
    ),
)


def _narrower(one: Figures, other: Figures) -> bool:
    return one.high - one.low < other.high - other.low


#: Of FreeRTOS, by medians, and beside bare metal, by the least and the greatest value.
_OF_FREERTOS = (
    Statement(
        "B-Tmax has a higher throughput than T2 alone by far on FreeRTOS",
        ("b-tmax-freertos", "t2-throughput-freertos"),
        lambda both, alone: both > 1.2 * alone,
    ),
    *(
        Statement(
            f"{name.upper()}: on FreeRTOS the least latency is smaller, and the range narrower",
            (f"{name}-freertos", name),
            lambda kernel, bare: kernel.low < bare.low and _narrower(kernel, bare),
            ranges=True,
        )
        for name in ("t2", "t6-4")
    ),
    Statement(
        "T6-2: on FreeRTOS the range of the throughput is narrower",
        ("t6-2-throughput-freertos", "t6-2-throughput"),
        _narrower,
        ranges=True,
    ),
)


def statements(stacks: set[str]) -> tuple[Statement, ...]:
    """All that can be held against runs on these stacks."""
    if "freertos" not in stacks:
        return _OF_EACH + _OF_BARE_METAL
    kernel = tuple(statement.on("freertos") for statement in _OF_EACH)
    return _OF_EACH + _OF_BARE_METAL + kernel + _OF_FREERTOS


# ---- cache states, Cortex-A9 at 667 MHz ----------------------------------------------------------

A9_SOURCE = "the article on the Cortex-A9 (Zynq-7000, 667 MHz), software-generated interrupt"
#: State as a set of what is emptied; (placement, caches); (min, max, average) in CPU cycles.
A9: dict[tuple[str, ...], dict[tuple[str, str], tuple[int, int, int]]] = {
    (): {
        ("ddr", "on"): (242, 242, 242),
        ("ocm", "on"): (240, 240, 240),
        ("ddr", "off"): (2076, 3182, 2186),
        ("ocm", "off"): (686, 700, 690),
    },
    ("tlb",): {
        ("ddr", "on"): (326, 496, 328),
        ("ocm", "on"): (242, 242, 242),
        ("ddr", "off"): (2100, 3204, 2210),
        ("ocm", "off"): (692, 694, 692),
    },
    ("bp",): {
        ("ddr", "on"): (298, 298, 298),
        ("ocm", "on"): (298, 298, 298),
        ("ddr", "off"): (2846, 4010, 2984),
        ("ocm", "off"): (822, 822, 822),
    },
    ("bp", "tlb"): {
        ("ddr", "on"): (384, 478, 396),
        ("ocm", "on"): (298, 298, 298),
        ("ddr", "off"): (2874, 4052, 2996),
        ("ocm", "off"): (822, 822, 822),
    },
    ("l1i",): {
        ("ddr", "on"): (400, 414, 404),
        ("ocm", "on"): (402, 424, 410),
        ("ddr", "off"): (2818, 4062, 2980),
        ("ocm", "off"): (822, 822, 822),
    },
    ("l1d",): {("ddr", "on"): (396, 420, 408), ("ocm", "on"): (424, 462, 448)},
    ("l1d", "l1i"): {("ddr", "on"): (532, 580, 546), ("ocm", "on"): (588, 620, 600)},
    ("l2",): {("ddr", "on"): (242, 242, 242), ("ocm", "on"): (240, 240, 240)},
    ("l1d", "l1i", "l2"): {("ddr", "on"): (1582, 2978, 1844), ("ocm", "on"): (592, 620, 594)},
    ("bp", "l1d", "l1i", "l2", "tlb"): {
        ("ddr", "on"): (1746, 2896, 1892),
        ("ocm", "on"): (580, 626, 596),
        ("ddr", "off"): (2880, 3996, 2986),
        ("ocm", "off"): (822, 822, 822),
    },
}
A9_NOTES = (
    "The A9 clears its branch predictor by an instruction; AArch64 has none, so here the predictor "
    "is overwritten by a run of many branches.",
    "The A9's last row with caches off emptied L1I, predictor and TLB.",
    "Article: counter of the core around a software-generated interrupt. Here: raw, from the edge "
    "of the PL line, or from the marker before the store that raises an SGI, to the handler's "
    "marker; cycles of this target's own clock.",
)

# ---- random load, Cortex-A9 ----------------------------------------------------------------------

LOCKDOWN_SOURCE = "the article on lockdown (Cortex-A9), 2 million iterations under random load"
#: (min, average, max) in CPU cycles.
LOCKDOWN = {
    "no lockdown": (154, 876, 1778),
    "TLB lockdown": (138, 802, 1454),
    "TLB and L2 lockdown": (142, 416, 726),
}
LOCKDOWN_NOTE = (
    "The Cortex-A53 locks neither TLB nor L2. Comparable means here: large pages for the TLB, "
    "handler and data in OCM, and a way kept warm; no row stands for a row of the article."
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
