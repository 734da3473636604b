"""Steps from the PL's interrupt lines to a handler."""

from __future__ import annotations

from irqscope.constants import LINES
from irqscope.doctor import by_hand
from irqscope.doctor.markers import marker_fact
from irqscope.doctor.patient import PULSES, Patient
from irqscope.doctor.step import Notes, told
from irqscope.machines.interrupts import interrupt_of, name_of
from irqscope.protocol.codec import Values
from irqscope.protocol.messages import CaseId, Trigger

FINISH = "the interrupt that ends a batch"
EDGE = "a shared interrupt answered by edge"


def first(patient: Patient) -> str:
    """Name of the first shared interrupt."""
    return shared_name(patient, 0)


def shared_name(patient: Patient, output: int) -> str:
    """Name of the shared interrupt that an output of the instrument reaches."""
    return name_of(patient.machine, patient.machine.interrupts.shared.ids[output])


def private_name(patient: Patient, core: int) -> str:
    """Name of a core's own interrupt."""
    return f"{name_of(patient.machine, interrupt_of(patient.machine, 'private').id)} of core {core}"


def _shared(patient: Patient, mask: int) -> list[str]:
    """Names of the shared interrupts in a mask of outputs."""
    return [shared_name(patient, bit) for bit in range(mask.bit_length()) if mask >> bit & 1]


def _private(patient: Patient, mask: int) -> list[str]:
    """Names of private interrupts in a mask of cores."""
    return [private_name(patient, core) for core in range(mask.bit_length()) if mask >> core & 1]


def _outputs(patient: Patient) -> range:
    return range(len(patient.machine.interrupts.shared.ids))


def at_rest(name: str) -> str:
    """Name of the fact that an input is low while no line is high."""
    return f"{name} at rest"


# ---- inputs at rest, end of a batch --------------------------------------------------------------


def inputs(patient: Patient, notes: Notes) -> None:
    """Expects that no input is high while nothing drives it, enabled or not."""
    patient.set_up_cores(1)
    notes.leave_out(*patient.missing_cores())
    seen = patient.watch([], cores=patient.cores)
    high = _shared(patient, seen.shared_at_rest) + _private(patient, seen.private_at_rest)
    notes.see(f"high at rest: {told(high)}")
    for bit in _outputs(patient):
        _rests(
            patient,
            notes,
            shared_name(patient, bit),
            bool(seen.shared_at_rest >> bit & 1),
            shared=1 << bit,
        )
    for core in patient.cores:
        _rests(
            patient,
            notes,
            private_name(patient, core),
            bool(seen.private_at_rest >> core & 1),
            private=1 << core,
        )


def _rests(patient: Patient, notes: Notes, name: str, high: bool, **route: int) -> None:
    if not high:
        patient.facts.add(at_rest(name))
        return
    # The gateware's own output is not a line's to drive.
    driven = {
        key: mask for key, mask in route.items() if mask != 1 << patient.machine.finished_output
    }
    moved = patient.watch([by_hand.line(**driven)], cores=patient.cores) if driven else None
    if moved is not None and (
        moved.shared_low & route.get("shared", 0) or moved.private_low & route.get("private", 0)
    ):
        notes.fail(
            f"{name} is inverted: high at rest, low while its line is high", _wires(patient, route)
        )
    else:
        notes.fail(f"{name} is high at rest and stays high", _wires(patient, route))


def _wires(patient: Patient, route: dict[str, int]) -> str:
    return patient.wiring.private if "private" in route else patient.wiring.shared


def finish(patient: Patient, notes: Notes) -> None:
    """Expects the gateware's own interrupt, without which a batch would never end."""
    wanted = 1 << patient.machine.finished_output
    patient.set_up_cores(1)
    seen = patient.watch([], finished=wanted)
    notes.see(f"rose when the gateware had finished: {told(_shared(patient, seen.shared_high))}")
    others = seen.shared_high & ~seen.shared_at_rest & ~wanted
    if notes.expect(
        bool(seen.shared_high & wanted),
        f"{shared_name(patient, patient.machine.finished_output)} does not rise"
        + (f", {told(_shared(patient, others))} does" if others else ""),
        patient.wiring.shared,
    ):
        patient.facts.add(FINISH)


# ---- the first shared interrupt ------------------------------------------------------------------


def shared_edge(patient: Patient, notes: Notes) -> None:
    """Expects one answer to each rise of a shared interrupt."""
    if not _arrives(patient, notes):
        return
    line = by_hand.line(count=PULSES, shared=1)
    good = _senses(patient, notes, Trigger.RISING_EDGE)
    answers = _answers(patient, notes, _case(patient, Trigger.RISING_EDGE), line)
    good &= _once_each(notes, answers, patient, "by edge")
    if good:
        patient.facts.add(EDGE)


def shared_level(patient: Patient, notes: Notes) -> None:
    """Expects one answer to each level that is taken back, more than one to each that is held."""
    if not _arrives(patient, notes):
        return
    _senses(patient, notes, Trigger.LEVEL)
    case = _case(patient, Trigger.LEVEL)
    taken_back = by_hand.line(count=PULSES, shared=1, **by_hand.acknowledged())
    answers = _answers(patient, notes, case, taken_back)
    _once_each(notes, answers, patient, "by a level that is taken back")
    held = _answers(patient, notes, case, by_hand.line(count=PULSES, shared=1))
    notes.expect(
        held[0] > PULSES,
        f"{PULSES} levels that were held gave {held[0]} answers: they are sensed by edge",
        patient.wiring.sense,
    )


def _case(patient: Patient, trigger: Trigger) -> Values:
    return patient.case(CaseId.T1, patient.machine.interrupts.shared.ids[0], trigger)


def _senses(patient: Patient, notes: Notes, trigger: Trigger) -> bool:
    found = patient.session.prepare(_case(patient, trigger)).trigger
    return notes.expect(
        found == trigger,
        f"{first(patient)} set to {_trigger_name(trigger)} reads back as {_trigger_name(found)}",
        patient.wiring.sense,
    )


def _trigger_name(trigger: int) -> str:
    return Trigger(trigger).name.lower().replace("_", " ")


def _answers(
    patient: Patient, notes: Notes, case: Values, line: Values, core: int = 0
) -> tuple[int, int, int]:
    """Runs of the handler on ``core``, markers seen, pulses served."""
    outcome = patient.answer(case, line, core)
    books = outcome.books[0]
    handled = outcome.reply.values[f"handled_{core}"]
    notes.see(
        f"{line['count']} pulses: core {core} handled {handled}, {books.stops} markers, "
        f"{books.served} served, {outcome.reply.spurious} spurious"
    )
    return handled, books.stops, books.served


def _once_each(notes: Notes, answers: tuple[int, int, int], patient: Patient, how: str) -> bool:
    handled, stops, served = answers
    return notes.expect(
        (handled, stops, served) == (PULSES,) * 3,
        f"{PULSES} interrupts {how}: handled {handled}, markers {stops}, served {served}",
        patient.wiring.answering,
    )


def _arrives(patient: Patient, notes: Notes) -> bool:
    """Whether the input of the first shared interrupt, and no other, follows line 0."""
    patient.set_up_cores(1)
    seen = patient.watch([by_hand.line(shared=1)])
    rose = seen.shared_high & ~seen.shared_at_rest
    return notes.expect(
        rose == 1,
        f"line 0 routed to {first(patient)} raises {told(_shared(patient, rose))}",
        patient.wiring.shared,
    )


# ---- routes --------------------------------------------------------------------------------------


def routes(patient: Patient, notes: Notes) -> None:
    """Drives every shared interrupt by every line that can."""
    patient.set_up_cores(1)
    wrong: dict[tuple[int, int], list[int]] = {}  # (routed to, what rose): lines
    tried = 0
    for index in range(LINES):
        patient.step(f"line {index}")
        for bit in _outputs(patient):
            if bit == patient.machine.finished_output:
                continue  # the gateware's own
            if at_rest(shared_name(patient, bit)) not in patient.facts:
                notes.leave_out(at_rest(shared_name(patient, bit)))  # what is high cannot rise
                continue
            seen = patient.watch([by_hand.line(index, shared=1 << bit)])
            rose = seen.shared_high & ~seen.shared_at_rest
            tried += 1
            if rose != 1 << bit:
                wrong.setdefault((bit, rose), []).append(index)
    notes.see(f"{tried} routes of {LINES} lines tried, {sum(map(len, wrong.values()))} wrong")
    for (bit, rose), lines in wrong.items():
        whose = "every line" if len(lines) == LINES else f"lines {told([str(n) for n in lines])}"
        notes.fail(
            f"{whose} routed to {shared_name(patient, bit)} raises {told(_shared(patient, rose))}",
            patient.wiring.shared,
        )


# ---- private interrupts --------------------------------------------------------------------------


def private(patient: Patient, notes: Notes) -> None:
    """First whether it is pending on the core that it is routed to, then whether that answers."""
    patient.set_up_cores(1)
    arrives = []
    shown = set()
    notes.leave_out(*patient.missing_cores())
    for core in patient.cores:
        if at_rest(private_name(patient, core)) not in patient.facts:
            notes.leave_out(at_rest(private_name(patient, core)))
            continue
        seen = patient.watch([by_hand.line(private=1 << core)], cores=patient.cores)
        rose = seen.private_high & ~seen.private_at_rest
        raised = told(_private(patient, rose))
        if notes.expect(
            rose == 1 << core,
            f"line 0 routed to {private_name(patient, core)} raises {raised}",
            patient.wiring.private,
        ):
            arrives.append(core)
            shown.add(_raw(bool(seen.shown_at_rest >> core & 1), seen.shown_changed >> core & 1))
    notes.see(f"pending on {told([f'core {core}' for core in arrives])}")
    notes.see(f"{patient.wiring.raw}, on which nothing here depends, {told(sorted(shown))}")
    for core in arrives:
        _answered_privately(patient, notes, core)


def _raw(at_rest: bool, changed: int) -> str:
    """What the register makes of a line that rises: the manuals differ (docs/twin.md)."""
    if not changed:
        return f"stays {int(at_rest)}"
    return "shows the pin (1 at rest)" if at_rest else "shows the line (1 while it is high)"


def _answered_privately(patient: Patient, notes: Notes, core: int) -> None:
    # Every core up to this one has the interrupt enabled and shows its toggle first: with one that
    # never rests, or whose marker never comes, the batch would not end.
    cores = range(core + 1)
    needed = [*map(marker_fact, cores), *(at_rest(private_name(patient, other)) for other in cores)]
    if missing := sorted(set(needed) - patient.facts):
        notes.leave_out(*missing)
        return
    private = interrupt_of(patient.machine, "private").id
    case_id = CaseId.T6 if core else CaseId.T1
    case = patient.case(case_id, private, Trigger.LEVEL, cores=core + 1)
    line = by_hand.line(count=PULSES, private=1 << core, **by_hand.acknowledged(core))
    handled, _, served = _answers(patient, notes, case, line, core)
    # The line may still be on its way down when a core other than 0 ends the interrupt.
    notes.expect(
        served == PULSES and handled >= PULSES,
        f"core {core} handled {handled} of {PULSES} interrupts by "
        f"{name_of(patient.machine, private)}, {served} served",
        patient.wiring.enable,
    )
