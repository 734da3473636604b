"""The step that tries every rate of the UART."""

from __future__ import annotations

import contextlib

from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.step import Notes
from irqscope.errors import LinkError
from irqscope.link.codec import Reply
from irqscope.link.failures import FirmwareError
from irqscope.link.messages import BAUD_AT_RESET, BAUD_RATES, ECHO, ECHO_WORDS

RATES = "every baud rate"
#: Blocks a rate: 8 KB there and 8 KB back.
BLOCKS = 32
#: How often the firmware is looked for at a rate that does not carry.
_TRIES = 4


def uart(dut: DeviceUnderTest, notes: Notes) -> None:
    """Expects blocks that come back as they went, at each rate in turn."""
    identity = dut.identity
    limit = max(BAUD_RATES) if identity is None else identity.max_baud
    rates = [rate for rate in BAUD_RATES if rate <= limit]
    if not dut.link.sets_baud:
        rates = [dut.link.statistics.baud]
        notes.see("the rate of the line is set elsewhere: only one is tried")
    for rate in rates:
        dut.step(f"{rate} baud")
        _try(dut, notes, rate)
    if not notes.findings:
        dut.facts.add(RATES)


def _try(dut: DeviceUnderTest, notes: Notes, rate: int) -> None:
    before = _errors(_echo(dut, 0))
    try:
        failed = _blocks(dut) if dut.link.try_baud(rate) else "a hello does not come through"
    except FirmwareError as error:
        failed = str(error)
    except LinkError as error:
        failed = f"a block does not come back ({error.kind.value})"
    if failed:
        _go_back(dut)
    after = _errors(_echo(dut, 0))
    errors = {name: after[name] - before[name] for name in after}
    counted = ", ".join(f"{count} {name}" for name, count in errors.items())
    notes.see(
        f"{rate} baud: {failed or f'{BLOCKS} blocks good'}; the board's UART counts {counted}"
    )
    if failed:
        notes.fail(f"{rate} baud: {failed}; {counted}", _cause(errors, dut.wiring.rate))


def _go_back(dut: DeviceUnderTest) -> None:
    """Goes back to the rate at reset, over a line that may lose the request to do so."""
    for tries_left in reversed(range(_TRIES)):
        try:
            with contextlib.suppress(FirmwareError):
                dut.link.hello()  # finds the firmware again, at whatever rate
            if dut.link.try_baud(BAUD_AT_RESET):
                return
        except LinkError:
            if not tries_left:
                raise


def _cause(errors: dict[str, int], rate: str) -> str:
    if errors["framing errors"] or errors["parity errors"]:
        return f"the rates of both sides differ: {rate}, USB bridge"
    if errors["overruns"]:
        return "the firmware reads too slowly: is it built with optimisation?"
    return "bytes get lost on the way: cable, hub, USB bridge, driver; take a lower rate"


def _blocks(dut: DeviceUnderTest) -> str:
    """Returns the fault of the blocks at the present rate, or an empty string if they are good."""
    for number in range(BLOCKS):
        if not _is_good(_echo(dut, number), number):
            return f"block {number} comes back changed"
    return ""


def _pattern(block: int) -> dict[str, int]:
    """Words that hold every byte value, in an order of the block's own."""
    return {
        f"word_{n}": int.from_bytes(
            bytes((8 * n + i) * 11 + block & 0xFF for i in range(8)), "little"
        )
        for n in range(ECHO_WORDS)
    }


def _echo(dut: DeviceUnderTest, block: int) -> Reply:
    return dut.link.ask_once(ECHO, **_pattern(block))


def _is_good(reply: Reply, block: int) -> bool:
    return all(reply.values[name] == word for name, word in _pattern(block).items())


def _errors(reply: Reply) -> dict[str, int]:
    return {
        "framing errors": reply.framing_errors,
        "parity errors": reply.parity_errors,
        "overruns": reply.overruns,
    }
