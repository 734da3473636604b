"""Steps from a line back into the PL, and from each core's store: loop-back, cores, markers."""

from __future__ import annotations

from collections.abc import Sequence

from irqscope.constants import CORES, RECORD_CODES, RECORD_CORES, Marker
from irqscope.doctor import by_hand
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.step import Notes, told
from irqscope.link import messages
from irqscope.link.records import decode

LOOPBACK = "a loop-back that comes back"


def core_fact(core: int) -> str:
    """Name of the fact that a core runs."""
    return f"core {core}"


def marker_fact(core: int) -> str:
    """Name of the fact that a core's markers arrive."""
    return f"markers of core {core}"


# ---- loop-back -----------------------------------------------------------------------------------


def loopback(dut: DeviceUnderTest, notes: Notes) -> None:
    """Expects markers of line 0, which is its own marker, all inside the PL."""
    dut.set_up_cores(1)
    pulses = 16
    watched = dut.watch([by_hand.line(count=pulses)], [by_hand.channel(0)], loopback=True)
    counters = dut.link.request(messages.COUNTERS, channel=0)
    notes.see(
        f"{counters.served} of {pulses} rises came back, after {counters.min_ticks} to "
        f"{counters.max_ticks} ticks"
        if counters.served
        else f"none of {counters.starts} rises came back"
    )
    check = "reset of the gateware, and the bitstream's timing report; nothing here leaves the PL"
    if not notes.expect(
        bool(watched.finished), f"the pattern never ended (errors {watched.errors:#x})", check
    ):
        return
    notes.expect(counters.starts == pulses, f"the line rose {counters.starts} times", check)
    if notes.expect(
        counters.served == pulses, f"{pulses - counters.served} rises did not come back", check
    ):
        # The line is sampled in the tick after its rise; then as any marker.
        expected = 1 + dut.marker_delay
        notes.expect(
            counters.min_ticks == counters.max_ticks == expected,
            f"the loop takes {counters.min_ticks} to {counters.max_ticks} ticks, not {expected}",
            check,
        )
    if not notes.findings:
        dut.facts.add(LOOPBACK)


# ---- cores ---------------------------------------------------------------------------------------


def cores(dut: DeviceUnderTest, notes: Notes) -> None:
    """Brings all cores out of reset and expects that each runs."""
    count = dut.session.identity.cores
    readback = dut.set_up_cores(count)
    states = {state.core: state for state in dut.session.cores((1 << count) - 1)}
    for core in range(count):
        state = states[core]
        number = state.registers.get(dut.wiring.number_register, 0) & 0xFF
        if notes.expect(
            bool(readback.cores_running >> core & 1 and state.running),
            f"core {core} does not start",
            dut.wiring.start,
        ) and notes.expect(
            number == core,
            f"what runs as core {core} says that it is core {number}",
            dut.wiring.number,
        ):
            dut.facts.add(core_fact(core))
    notes.see(f"running: {told([f'core {core}' for core in dut.cores])}")


# ---- markers -------------------------------------------------------------------------------------


def markers(dut: DeviceUnderTest, notes: Notes) -> None:
    """Expects each code in each core's nibble, with either level of the toggle."""
    every = (1 << 32) - 1  # bit 8 * core + code
    dut.request(messages.RECORDER, select_markers=every)
    notes.leave_out(*dut.missing_cores())
    for core in dut.cores:
        dut.link.request(messages.CLEAR)
        sent = dut.request(messages.SEND, core=core).sent
        codes = [*Marker, *reversed(Marker)]
        events = _recorded(dut)
        own = [RECORD_CODES.of(word) >> 3 * core & 7 for word in events if _cores(word) >> core & 1]
        others = {n for word in events for n in range(CORES) if n != core and _cores(word) >> n & 1}
        notes.see(f"core {core}: {len(own)} of {sent} markers arrived")
        wires = dut.wiring.markers.format(high=4 * core + 3, low=4 * core)
        good = _arrived(core, [code.value for code in codes], own, wires, notes)
        for other in sorted(others):
            good = notes.expect(False, f"markers of core {core} show as core {other}'s", wires)
        if good:
            dut.facts.add(marker_fact(core))
    dut.request(messages.RECORDER)


def _cores(events: int) -> int:
    return RECORD_CORES.of(events)


def _recorded(dut: DeviceUnderTest) -> list[int]:
    """The events of all records."""
    events: list[int] = []
    while True:
        reply = dut.link.request(messages.RECORDS, first_number=len(events), limit=64, whole=True)
        events += decode(reply.tail["word"], whole=True)["events"].tolist()
        if not reply.waiting or not len(reply.tail):
            return events


def _arrived(core: int, sent: Sequence[int], came: Sequence[int], wires: str, notes: Notes) -> bool:
    if not came:
        return notes.expect(
            False, f"no marker of core {core} arrives: its toggle does not move", wires
        )
    if len(came) != len(sent):
        return notes.expect(
            False, f"{len(came)} markers of core {core} arrive, {len(sent)} were sent", wires
        )
    good = True
    for bit in range(3):
        pairs = {
            (code >> bit & 1, other >> bit & 1) for code, other in zip(sent, came, strict=True)
        }
        if pairs == {(0, 0), (1, 1)}:
            continue
        levels = {level for _, level in pairs}
        how = f"stays {levels.pop()}" if len(levels) == 1 else "is not what was sent"
        good = notes.expect(False, f"bit {bit} of core {core}'s marker code {how}", wires)
    return good
