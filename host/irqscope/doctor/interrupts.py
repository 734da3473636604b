"""Steps from the PL's interrupt lines to a handler."""

from __future__ import annotations

from irqscope.doctor import by_hand
from irqscope.doctor.device_under_test import PULSES, DeviceUnderTest
from irqscope.doctor.markers import marker_fact
from irqscope.doctor.step import Notes, told
from irqscope.link.codec import Values
from irqscope.link.messages import Trigger
from irqscope.machines.cases import CaseId
from irqscope.machines.interrupts import interrupt_of, name_of

FINISH = "the interrupt that ends a batch"
EDGE = "a shared interrupt answered by edge"


def first(dut: DeviceUnderTest) -> str:
    """Name of the first shared interrupt."""
    return shared_name(dut, 0)


def shared_name(dut: DeviceUnderTest, output: int) -> str:
    """Name of the shared interrupt that an output of the instrument reaches."""
    return name_of(dut.machine, dut.machine.interrupts.shared.ids[output])


def private_name(dut: DeviceUnderTest, core: int) -> str:
    """Name of a core's own interrupt."""
    return f"{name_of(dut.machine, interrupt_of(dut.machine, 'private').id)} of core {core}"


def _shared(dut: DeviceUnderTest, mask: int) -> list[str]:
    """Names of the shared interrupts in a mask of outputs."""
    return [shared_name(dut, bit) for bit in range(mask.bit_length()) if mask >> bit & 1]


def _private(dut: DeviceUnderTest, mask: int) -> list[str]:
    """Names of private interrupts in a mask of cores."""
    return [private_name(dut, core) for core in range(mask.bit_length()) if mask >> core & 1]


def _outputs(dut: DeviceUnderTest) -> range:
    return range(len(dut.machine.interrupts.shared.ids))


def at_rest(name: str) -> str:
    """Name of the fact that an input is low while no line is high."""
    return f"{name} at rest"


# ---- inputs at rest, end of a batch --------------------------------------------------------------


def inputs(dut: DeviceUnderTest, notes: Notes) -> None:
    """Expects that no input is high while nothing drives it, enabled or not."""
    dut.set_up_cores(1)
    privately = [] if dut.machine.interrupts.private is None else dut.cores
    if privately:
        notes.leave_out(*dut.missing_cores())
    reply = dut.watch([], cores=privately)
    high = _shared(dut, reply.shared_at_rest) + _private(dut, reply.private_at_rest)
    notes.see(f"high at rest: {told(high)}")
    for bit in _outputs(dut):
        _rests(
            dut,
            notes,
            shared_name(dut, bit),
            bool(reply.shared_at_rest >> bit & 1),
            shared=1 << bit,
        )
    for core in privately:
        _rests(
            dut,
            notes,
            private_name(dut, core),
            bool(reply.private_at_rest >> core & 1),
            private=1 << core,
        )


def _rests(dut: DeviceUnderTest, notes: Notes, name: str, high: bool, **route: int) -> None:
    if not high:
        dut.facts.add(at_rest(name))
        return
    # The gateware's own output is not a line's to drive.
    driven = {key: mask for key, mask in route.items() if mask != 1 << dut.machine.finished_output}
    moved = dut.watch([by_hand.line(**driven)], cores=dut.cores) if driven else None
    if moved is not None and (
        moved.shared_low & route.get("shared", 0) or moved.private_low & route.get("private", 0)
    ):
        notes.fail(
            f"{name} is inverted: high at rest, low while its line is high", _wires(dut, route)
        )
    else:
        notes.fail(f"{name} is high at rest and stays high", _wires(dut, route))


def _wires(dut: DeviceUnderTest, route: dict[str, int]) -> str:
    return dut.wiring.private if "private" in route else dut.wiring.shared


def finish(dut: DeviceUnderTest, notes: Notes) -> None:
    """Expects the gateware's own interrupt, without which a batch would never end."""
    mask = 1 << dut.machine.finished_output
    dut.set_up_cores(1)
    reply = dut.watch([], finished=mask)
    notes.see(f"rose when the gateware had finished: {told(_shared(dut, reply.shared_high))}")
    others = reply.shared_high & ~reply.shared_at_rest & ~mask
    if notes.expect(
        bool(reply.shared_high & mask),
        f"{shared_name(dut, dut.machine.finished_output)} does not rise"
        + (f", {told(_shared(dut, others))} does" if others else ""),
        dut.wiring.shared,
    ):
        dut.facts.add(FINISH)


# ---- the first shared interrupt ------------------------------------------------------------------


def shared_edge(dut: DeviceUnderTest, notes: Notes) -> None:
    """Expects one answer to each rise of a shared interrupt."""
    if not _arrives(dut, notes):
        return
    line = by_hand.line(count=PULSES, shared=1)
    good = _senses(dut, notes, Trigger.RISING_EDGE)
    answers = _answers(dut, notes, _case(dut, Trigger.RISING_EDGE), line)
    good &= _once_each(notes, answers, dut, "by edge")
    if good:
        dut.facts.add(EDGE)


def shared_level(dut: DeviceUnderTest, notes: Notes) -> None:
    """Expects one answer to each level that is taken back, more than one to each that is held."""
    if not _arrives(dut, notes):
        return
    _senses(dut, notes, Trigger.LEVEL)
    case = _case(dut, Trigger.LEVEL)
    taken_back = by_hand.line(count=PULSES, shared=1, **by_hand.acknowledged())
    answers = _answers(dut, notes, case, taken_back)
    _once_each(notes, answers, dut, "by a level that is taken back")
    held = _answers(dut, notes, case, by_hand.line(count=PULSES, shared=1))
    notes.expect(
        held[0] > PULSES,
        f"{PULSES} levels that were held gave {held[0]} answers: they are sensed by edge",
        dut.wiring.sense,
    )


def _case(dut: DeviceUnderTest, trigger: Trigger) -> Values:
    return dut.case(CaseId.T1, dut.machine.interrupts.shared.ids[0], trigger)


def _senses(dut: DeviceUnderTest, notes: Notes, trigger: Trigger) -> bool:
    trigger_read = dut.session.prepare(_case(dut, trigger)).trigger
    return notes.expect(
        trigger_read == trigger,
        f"{first(dut)} set to {_trigger_name(trigger)} reads back as {_trigger_name(trigger_read)}",
        dut.wiring.sense,
    )


def _trigger_name(trigger: int) -> str:
    return Trigger(trigger).name.lower().replace("_", " ")


def _answers(
    dut: DeviceUnderTest, notes: Notes, case: Values, line: Values, core: int = 0
) -> tuple[int, int, int]:
    """Runs of the handler on ``core``, markers seen, pulses served."""
    outcome = dut.answer(case, line, core)
    counters = outcome.counters[0]
    handled = outcome.reply.values[f"handled_{core}"]
    notes.see(
        f"{line['count']} pulses: core {core} handled {handled}, {counters.stops} markers, "
        f"{counters.served} served, {outcome.reply.spurious} spurious"
    )
    return handled, counters.stops, counters.served


def _once_each(notes: Notes, answers: tuple[int, int, int], dut: DeviceUnderTest, how: str) -> bool:
    handled, stops, served = answers
    return notes.expect(
        (handled, stops, served) == (PULSES,) * 3,
        f"{PULSES} interrupts {how}: handled {handled}, markers {stops}, served {served}",
        dut.wiring.answering,
    )


def _arrives(dut: DeviceUnderTest, notes: Notes) -> bool:
    """Whether the input of the first shared interrupt, and no other, follows line 0."""
    dut.set_up_cores(1)
    reply = dut.watch([by_hand.line(shared=1)])
    rose = reply.shared_high & ~reply.shared_at_rest
    return notes.expect(
        rose == 1,
        f"line 0 routed to {first(dut)} raises {told(_shared(dut, rose))}",
        dut.wiring.shared,
    )


# ---- routes --------------------------------------------------------------------------------------


def routes(dut: DeviceUnderTest, notes: Notes) -> None:
    """Drives every shared interrupt by every line that can."""
    dut.set_up_cores(1)
    misrouted: dict[tuple[int, int], list[int]] = {}  # (routed to, what rose): lines
    line_count = dut.session.identity.lines
    tried = 0
    for index in range(line_count):
        dut.step(f"line {index}")
        for bit in _outputs(dut):
            if bit == dut.machine.finished_output:
                continue  # the gateware's own
            if at_rest(shared_name(dut, bit)) not in dut.facts:
                notes.leave_out(at_rest(shared_name(dut, bit)))  # a high line cannot rise
                continue
            reply = dut.watch([by_hand.line(index, shared=1 << bit)])
            rose = reply.shared_high & ~reply.shared_at_rest
            tried += 1
            if rose != 1 << bit:
                misrouted.setdefault((bit, rose), []).append(index)
    notes.see(
        f"{tried} routes of {line_count} lines tried, {sum(map(len, misrouted.values()))} wrong"
    )
    for (bit, rose), lines in misrouted.items():
        whose = (
            "every line" if len(lines) == line_count else f"lines {told([str(n) for n in lines])}"
        )
        notes.fail(
            f"{whose} routed to {shared_name(dut, bit)} raises {told(_shared(dut, rose))}",
            dut.wiring.shared,
        )


# ---- private interrupts --------------------------------------------------------------------------


def private(dut: DeviceUnderTest, notes: Notes) -> None:
    """First whether it is pending on the core that it is routed to, then whether that answers."""
    dut.set_up_cores(1)
    arrives = []
    reported = set()
    notes.leave_out(*dut.missing_cores())
    for core in dut.cores:
        if at_rest(private_name(dut, core)) not in dut.facts:
            notes.leave_out(at_rest(private_name(dut, core)))
            continue
        reply = dut.watch([by_hand.line(private=1 << core)], cores=dut.cores)
        rose = reply.private_high & ~reply.private_at_rest
        raised = told(_private(dut, rose))
        if notes.expect(
            rose == 1 << core,
            f"line 0 routed to {private_name(dut, core)} raises {raised}",
            dut.wiring.private,
        ):
            arrives.append(core)
            reported.add(
                _raw(bool(reply.shown_at_rest >> core & 1), reply.shown_changed >> core & 1)
            )
    notes.see(f"pending on {told([f'core {core}' for core in arrives])}")
    notes.see(f"{dut.wiring.raw}, on which nothing here depends, {told(sorted(reported))}")
    for core in arrives:
        _answered_privately(dut, notes, core)


def _raw(at_rest: bool, changed: int) -> str:
    """Describes the register's reaction to a rising line: the manuals differ (docs/twin.md)."""
    if not changed:
        return f"stays {int(at_rest)}"
    return "shows the pin (1 at rest)" if at_rest else "shows the line (1 while it is high)"


def _answered_privately(dut: DeviceUnderTest, notes: Notes, core: int) -> None:
    # Every core up to this one has the interrupt enabled and shows its toggle first: with one that
    # never rests, or whose marker never comes, the batch would not end.
    cores = range(core + 1)
    needed = [*map(marker_fact, cores), *(at_rest(private_name(dut, other)) for other in cores)]
    if missing := sorted(set(needed) - dut.facts):
        notes.leave_out(*missing)
        return
    private = interrupt_of(dut.machine, "private").id
    case_id = CaseId.T6 if core else CaseId.T1
    case = dut.case(case_id, private, Trigger.LEVEL, cores=core + 1)
    line = by_hand.line(count=PULSES, private=1 << core, **by_hand.acknowledged(core))
    handled, _, served = _answers(dut, notes, case, line, core)
    # The line may still be on its way down when a core other than 0 ends the interrupt.
    notes.expect(
        served == PULSES and handled >= PULSES,
        f"core {core} handled {handled} of {PULSES} interrupts by "
        f"{name_of(dut.machine, private)}, {served} served",
        dut.wiring.enable,
    )
