"""Variants of the board: registers on whose behaviour two sources disagree.

The timing profile's board follows one source, a variant the other; only a board can say which is
right. So software has to work on all of them. Each acts in the engine's model of the part
(boards/zynqmp/variants.h in twin/engine). Results of such a twin name the variant wherever they
appear.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

#: Whose variants they are.
MACHINE = "zynqmp"


class VariantError(Exception):
    """An unknown variant; the text is one line."""


@dataclass(frozen=True)
class Variant:
    """A register about which two sources disagree.

    ``register``: the register that the sources describe differently; ``does``: its behaviour here.
    ``source``: of the board without this variant; ``other_source``: of the variant. ``settings``:
    of the engine's Variants.
    """

    name: str
    register: str
    does: str
    source: str
    other_source: str
    settings: dict[str, int]

    def source_hash(self, of_profile: int) -> int:
        """The identity's source_hash of a profile with this variant."""
        rows = [f"{of_profile:#x}", "variant"]
        rows += [f"{key}={value}" for key, value in self.settings.items()]
        digest = hashlib.sha256("\n".join(rows).encode()).digest()
        return int.from_bytes(digest[:4], "big")


_ALL = (
    Variant(
        "ppisr-pin", "GICD_PPISR", "shows pins: 1 while a line that is active low is at rest",
        "GIC-500 TRM (Arm DDI 0516), GICR_PPISR: 1 while the input is high",
        "Cortex-A15 TRM (Arm DDI 0438), GICD_PPISR, and Cortex-A9 MPCore TRM (100486), table 3-6: "
        "the actual state; nIRQ is active low",
        {"ppisr": 1},
    ),
    Variant(
        "ppisr-zero", "GICD_PPISR", "reads 0",
        "GIC-400 TRM (Arm DDI 0471), register summary: it is there",
        "UG1087: reset value 0, no fields; QEMU 7.2 arm_gic.c: bad offset, reads 0",
        {"ppisr": 2},
    ),
    Variant(
        "sgi-enable", "GICD_ISENABLER0", "SGIs are disabled until they are enabled",
        "Cortex-A15 TRM, GICD_ISENABLERn: reset value 0x0000FFFF, SGIs are always enabled",
        "GICv2 (Arm IHI 0048B) 4.3.5: whether SGIs can be disabled is implementation defined",
        {"sgi_enables": 1},
    ),
    Variant(
        "icfgr-even", "GICD_ICFGR1 to 11", "the lower bit of each pair reads 0",
        "UG1087: reset value 0x55555555",
        "GICv2 (Arm IHI 0048B) 4.3.13: Int_config[0] is reserved where there is no 1-N model",
        {"icfgr_even_zero": 1},
    ),
    Variant(
        "pl-powered", "PMU_GLOBAL.PWR_STATE.PL", "is 1 whether the PL is isolated or not",
        "psu_init: the PL leaves isolation by a request for its power, REQ_PWRUP.PL",
        "UG1087: state of the PL's internal supply; FSBL, xfsbl_partition_load.c: the PL has power "
        "before it is configured, but is isolated",
        {"pl_power": 1},
    ),
    Variant(
        "pl-unpowered", "PMU_GLOBAL.PWR_STATE.PL", "is 0 whether the PL is isolated or not",
        "psu_init: the PL leaves isolation by a request for its power, REQ_PWRUP.PL",
        "UG1087, LOC_PWR_STATE: the PMU's own register has no bit for the PL",
        {"pl_power": 2},
    ),
    Variant(
        "cores-parked", "PMU_GLOBAL.PWR_STATE, APU.PWRCTL",
        "cores 1 to 3 have no power, and lose it again at their next WFI",
        "UG1087, LOC_PWR_STATE: every core has power after power-on (0x003FFCBF)",
        "UG1087, LOC_PWR_STATE: kept over a system reset; UG1085, Direct Power Down: what a system "
        "that put them to sleep leaves behind",
        {"parked": 1},
    ),
    Variant(
        "after-fsbl", "CPUACTLR_EL1 of core 0", "begins as AMD's start-up leaves it",
        "crash dumps of TF-A on other Cortex-A53 r0p4: 0x090CA000 and what TF-A sets",
        "embeddedsw, boot.S of the FSBL: 0x80CA000, with bit 44 for erratum 855873",
        {"cpuactlr_0": 0x1000_080C_A000},
    ),
    Variant(
        "uart-fifo-32", "UART0.FIFO", "holds 32 bytes each way",
        "UG1087: trigger levels of 6 bits; QEMU cadence_uart.h: 64",
        "embeddedsw, xuartps.h: 32",
        {"uart_fifo": 32},
    ),
    Variant(
        "cycles-in-wfi", "PMCCNTR_EL0", "counts while the core waits for an interrupt",
        "Cortex-A53 TRM (Arm DDI 0500) 2.4.2: most of the core's clocks are stopped in WFI",
        "Arm ARM (DDI 0487), PMCCNTR_EL0: whether it goes on in WFI is constrained unpredictable",
        {"cycles_in_wfi": 1},
    ),
)  # fmt: skip
VARIANTS = {variant.name: variant for variant in _ALL}


def find(name: str, machine: str) -> Variant:
    """The variant of that name.

    Raises VariantError if it does not exist, or not on this machine.
    """
    try:
        variant = VARIANTS[name]
    except KeyError:
        raise VariantError(f"there is no variant {name!r}; --variants lists them") from None
    if machine != MACHINE:
        raise VariantError(f"variant {name!r} is one of {MACHINE}, not of {machine}")
    return variant


def table() -> str:
    """All variants, a line each."""
    name = max(map(len, VARIANTS))
    register = max(len(variant.register) for variant in _ALL)
    return "\n".join(f"{v.name:<{name}}  {v.register:<{register}}  {v.does}" for v in _ALL)
