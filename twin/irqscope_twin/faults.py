"""Faults that a board may have, to be injected into the twin one at a time.

Each acts in the engine's model of the part that has it (faults.h of twin/engine's boards), so that
firmware and host meet it as they would on a board. Results of such a twin name the fault wherever
they appear.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

_BOTH = ("zynqmp", "zynq7000")
_ZYNQ7000 = ("zynq7000",)
#: Bits of the interrupt lines between PL and GIC: shared ones from 0 on, private ones from 16 on.
_SPI_121, _SPI_122, _SPI_125, _SPI_143 = 0, 1, 4, 15
_SPI_61, _SPI_62, _SPI_65, _SPI_91 = 0, 1, 4, 15
_PPI = 16
#: IDs of the cores' timers that give the timer tick: 29, and 27 of a Zynq-7000.
_TIMERS = 1 << 27 | 1 << 29

#: Word addresses of the register space (hw/regs/irqscope.rdl).
_VERSION, _BUILD_HASH, _SOURCE, _CAPTURE, _CHANNEL_5 = 0x01, 0x02, 0x06, 0x13, 0x1A0
#: Between the numbers of ZedBoard and PYNQ-Z2 in that register.
_BOARD_1_OR_2 = (1 ^ 2) << 8


class FaultError(Exception):
    """An unknown fault; the text is one line."""


@dataclass(frozen=True)
class Fault:
    """``settings``: members of the engine's Faults with their values."""

    name: str
    place: str
    does: str
    settings: dict[str, int]
    #: Only these machines have what it names, an interrupt or a core.
    machines: tuple[str, ...] = ("zynqmp",)
    #: The setting that a number after the name sets, and its valid values.
    number: tuple[str, range] | None = None

    def source_hash(self, of_profile: int) -> int:
        """The identity's source_hash of a profile with this fault."""
        rows = [f"{of_profile:#x}", *(f"{key}={value}" for key, value in self.settings.items())]
        digest = hashlib.sha256("\n".join(rows).encode()).digest()
        return int.from_bytes(digest[:4], "big")


_ALL = (
    Fault("uart-mute", "UART", "nothing that the board sends arrives", {"mute": 1}, _BOTH),
    Fault(
        "bytes-swallowed", "USB bridge", "bytes 0x10 and 0x12 from the board are lost",
        {"swallowed": 1 << 0x10 | 1 << 0x12}, _BOTH,
    ),
    Fault("no-bitstream", "PL", "the PL is not configured", {"bitstream_absent": 1}, _BOTH),
    Fault("isolation", "PL", "the PL is still isolated from the PS", {"isolated": 1}, _BOTH),
    Fault("clock-off", "PL clock", "the PL's clock is still", {"clock_stopped": 1}, _BOTH),
    Fault("reset-held", "PL reset", "the PL's reset is still held", {"reset_held": 1}, _BOTH),
    Fault("clock-slow", "PL clock", "pl_clk0 is 1 % slow", {"pl_period": 2424}),
    Fault("port-bit", "register port", "bit 4 of what is read stays 0", {"in_low": 1 << 4}, _BOTH),
    Fault(
        "wrong-version", "gateware", "a register map of another major version",
        {"changed_word": _VERSION, "change": 3 << 16}, _BOTH,
    ),
    Fault(
        "wrong-build", "gateware", "built from other sources: another build hash",
        {"changed_word": _BUILD_HASH, "change": 0xFFFFFFFF}, _BOTH,
    ),
    Fault(
        "no-loopback", "gateware", "the loop-back cannot be closed",
        {"unwritable_word": _CAPTURE}, _BOTH,
    ),
    Fault(
        "channel-dead", "gateware", "channel 5 cannot be switched on",
        {"unwritable_word": _CHANNEL_5}, _BOTH,
    ),
    Fault("core-3-dead", "reset", "core 3 does not start", {"dead_cores": 1 << 3}),
    Fault("marker-bit", "EMIO", "bit 1 of core 2's marker code stays 0", {"out_low": 1 << 9}),
    Fault("marker-toggle", "EMIO", "core 1's marker toggle stays 0", {"out_low": 1 << 7}, _BOTH),
    Fault("spi-high", "GIC input", "SPI 125 is always high", {"stuck_high": 1 << _SPI_125}),
    Fault("spi-dead", "GIC input", "SPI 121 is always low", {"stuck_low": 1 << _SPI_121}),
    Fault("finish-high", "GIC input", "SPI 143 is always high", {"stuck_high": 1 << _SPI_143}),
    Fault("finish-dead", "GIC input", "SPI 143 is always low", {"stuck_low": 1 << _SPI_143}),
    Fault("edge-as-level", "GIC", "SPI 121 is level-sensitive only", {"level_only": 121}),
    Fault("level-as-edge", "GIC", "SPI 121 is edge-sensitive only", {"edge_only": 121}),
    Fault(
        "timer-dead", "GIC input", "interrupts of the cores' timers never come",
        {"dead_private": _TIMERS}, _BOTH,
    ),
    Fault("spi-swapped", "PL to PS", "SPI 122 and 123 are swapped", {"swapped": _SPI_122}),
    Fault("ppi-inverted", "PL to PS", "PPI 31 of core 2 is inverted", {"inverted": 4 << _PPI}),
    Fault(
        "ppi-dead", "PL to PS", "PPI 31 of core 1 is always low", {"stuck_low": 2 << _PPI}, _BOTH,
    ),
    Fault(
        "baud-off", "UART", "bits are 5 % too long at 921600 baud",
        {"slow_rate": 921_600}, _BOTH,
    ),
    Fault(
        "baud-lossy", "USB bridge", "one byte in 251 to the board is lost from 1000000 baud on",
        {"lossy_from": 1_000_000}, _BOTH,
    ),
    Fault(
        "bus-slow", "PS bus", "the GPIO controller is 1 us further away",
        {"gpio_delay": 6000}, _BOTH,
    ),
    Fault(
        "wrong-board", "gateware", "built for PYNQ-Z2, on a ZedBoard",
        {"changed_word": _SOURCE, "change": _BOARD_1_OR_2}, _ZYNQ7000,
    ),
    Fault("fclk-slow", "PL clock", "FCLK_CLK0 is 1 % slow", {"pl_period": 4848}, _ZYNQ7000),
    Fault("core-1-dead", "reset", "core 1 does not start", {"dead_cores": 1 << 1}, _ZYNQ7000),
    Fault(
        "marker-1-bit", "EMIO", "bit 1 of core 1's marker code stays 0",
        {"out_low": 1 << 5}, _ZYNQ7000,
    ),
    Fault(
        "spi-65-high", "GIC input", "SPI 65 is always high", {"stuck_high": 1 << _SPI_65}, _ZYNQ7000
    ),
    Fault(
        "spi-61-dead", "GIC input", "SPI 61 is always low", {"stuck_low": 1 << _SPI_61}, _ZYNQ7000
    ),
    Fault(
        "spi-91-dead", "GIC input", "SPI 91 is always low", {"stuck_low": 1 << _SPI_91}, _ZYNQ7000
    ),
    Fault("spi-61-level", "GIC", "SPI 61 is level-sensitive only", {"level_only": 61}, _ZYNQ7000),
    Fault("spi-61-edge", "GIC", "SPI 61 is edge-sensitive only", {"edge_only": 61}, _ZYNQ7000),
    Fault(
        "spi-62-swapped", "PL to PS", "SPI 62 and 63 are swapped", {"swapped": _SPI_62}, _ZYNQ7000
    ),
    Fault(
        "ppi-1-inverted", "PL to PS", "PPI 31 of core 1 is inverted",
        {"inverted": 2 << _PPI}, _ZYNQ7000,
    ),
    Fault(
        "ddr-alias", "DDR",
        "an address line reaches no chip (14, or ddr-alias=12 to 16): the program folds",
        {"ddr_alias": 14}, number=("ddr_alias", range(12, 17)),
    ),
    Fault("stm-clock-off", "debug clock", "the STM's clock is still", {"debug_clock_off": 1}),
    Fault("stm-untraced", "STM", "what secure software stores is not traced", {"stm_untraced": 1}),
)  # fmt: skip
FAULTS = {fault.name: fault for fault in _ALL}


def find(name: str, machine: str) -> Fault:
    """The fault of that name, ``NAME`` or ``NAME=NUMBER``.

    Raises FaultError if it does not exist, or not on this machine.
    """
    bare, equals, number = name.partition("=")
    try:
        fault = FAULTS[bare]
    except KeyError:
        raise FaultError(f"there is no fault {bare!r}; --faults lists them") from None
    if equals:
        fault = _numbered(fault, number)
    if machine not in fault.machines:
        raise FaultError(f"fault {name!r} is one of {', '.join(fault.machines)}, not of {machine}")
    return fault


def _numbered(fault: Fault, number: str) -> Fault:
    if fault.number is None:
        raise FaultError(f"fault {fault.name!r} takes no number")
    from irqscope.units import whole  # here: it loads pydantic, and most twins have no fault

    setting, allowed = fault.number
    value = whole(number)
    if value is None or value not in allowed:
        raise FaultError(
            f"fault {fault.name!r}: {number!r} is none of {allowed.start} to {allowed.stop - 1}"
        )
    return replace(fault, settings={setting: value})


def table() -> str:
    """All faults, a line each."""
    name = max(map(len, FAULTS))
    place = max(len(fault.place) for fault in FAULTS.values())
    return "\n".join(f"{f.name:<{name}}  {f.place:<{place}}  {f.does}" for f in FAULTS.values())
