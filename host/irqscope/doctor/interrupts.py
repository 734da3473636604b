"""Steps from the PL's interrupt lines to a handler."""

from __future__ import annotations

from irqscope.constants import LINES
from irqscope.doctor import bench as benches
from irqscope.doctor.bench import PULSES, Bench, told
from irqscope.doctor.markers import marker_fact
from irqscope.doctor.step import Notes
from irqscope.plan import Values
from irqscope.protocol.messages import CaseId, Trigger

FINISH = "the interrupt that ends a batch"
EDGE = "a shared interrupt answered by edge"


def first(bench: Bench) -> str:
    """Name of the first shared interrupt."""
    return shared_name(bench, 0)


def shared_name(bench: Bench, output: int) -> str:
    """Name of the shared interrupt that an output of the instrument reaches."""
    return bench.machine.named(bench.machine.interrupts.shared.ids[output])


def private_name(bench: Bench, core: int) -> str:
    """Name of a core's own interrupt."""
    return f"{bench.machine.named(bench.machine.interrupt('private').id)} of core {core}"


def _shared(bench: Bench, mask: int) -> list[str]:
    """Names of the shared interrupts in a mask of outputs."""
    return [shared_name(bench, bit) for bit in range(mask.bit_length()) if mask >> bit & 1]


def _private(bench: Bench, mask: int) -> list[str]:
    """Names of private interrupts in a mask of cores."""
    return [private_name(bench, core) for core in range(mask.bit_length()) if mask >> core & 1]


def _outputs(bench: Bench) -> range:
    return range(len(bench.machine.interrupts.shared.ids))


def at_rest(name: str) -> str:
    """The input is low while no line is high."""
    return f"{name} at rest"


# ---- inputs at rest, end of a batch --------------------------------------------------------------


def inputs(bench: Bench, notes: Notes) -> None:
    """Nothing is high while nothing drives it; enabled or not."""
    bench.set_up_cores(1)
    notes.leave_out(*bench.missing_cores())
    seen = bench.watch([], cores=bench.cores)
    high = _shared(bench, seen.shared_at_rest) + _private(bench, seen.private_at_rest)
    notes.see(f"high at rest: {told(high)}")
    for bit in _outputs(bench):
        _rests(
            bench,
            notes,
            shared_name(bench, bit),
            bool(seen.shared_at_rest >> bit & 1),
            shared=1 << bit,
        )
    for core in bench.cores:
        _rests(
            bench,
            notes,
            private_name(bench, core),
            bool(seen.private_at_rest >> core & 1),
            private=1 << core,
        )


def _rests(bench: Bench, notes: Notes, name: str, high: bool, **route: int) -> None:
    if not high:
        bench.facts.add(at_rest(name))
        return
    # The gateware's own output is not a line's to drive.
    driven = {
        key: mask for key, mask in route.items() if mask != 1 << bench.machine.finished_output
    }
    moved = bench.watch([benches.line(**driven)], cores=bench.cores) if driven else None
    if moved is not None and (
        moved.shared_low & route.get("shared", 0) or moved.private_low & route.get("private", 0)
    ):
        notes.fail(
            f"{name} is inverted: high at rest, low while its line is high", _wires(bench, route)
        )
    else:
        notes.fail(f"{name} is high at rest and stays high", _wires(bench, route))


def _wires(bench: Bench, route: dict[str, int]) -> str:
    return bench.wiring.private if "private" in route else bench.wiring.shared


def finish(bench: Bench, notes: Notes) -> None:
    """The gateware's own interrupt, without which a batch would never end."""
    wanted = 1 << bench.machine.finished_output
    bench.set_up_cores(1)
    seen = bench.watch([], finished=wanted)
    notes.see(f"rose when the gateware had finished: {told(_shared(bench, seen.shared_high))}")
    others = seen.shared_high & ~seen.shared_at_rest & ~wanted
    if notes.expect(
        bool(seen.shared_high & wanted),
        f"{shared_name(bench, bench.machine.finished_output)} does not rise"
        + (f", {told(_shared(bench, others))} does" if others else ""),
        bench.wiring.shared,
    ):
        bench.facts.add(FINISH)


# ---- the first shared interrupt ------------------------------------------------------------------


def shared_edge(bench: Bench, notes: Notes) -> None:
    """One answer to each rise."""
    if not _arrives(bench, notes):
        return
    line = benches.line(count=PULSES, shared=1)
    good = _senses(bench, notes, Trigger.RISING_EDGE)
    answers = _answers(bench, notes, _case(bench, Trigger.RISING_EDGE), line)
    good &= _once_each(notes, answers, bench, "by edge")
    if good:
        bench.facts.add(EDGE)


def shared_level(bench: Bench, notes: Notes) -> None:
    """One answer to each level that is taken back, more than one to each that is held."""
    if not _arrives(bench, notes):
        return
    _senses(bench, notes, Trigger.LEVEL)
    case = _case(bench, Trigger.LEVEL)
    taken_back = benches.line(count=PULSES, shared=1, **benches.acknowledged())
    answers = _answers(bench, notes, case, taken_back)
    _once_each(notes, answers, bench, "by a level that is taken back")
    held = _answers(bench, notes, case, benches.line(count=PULSES, shared=1))
    notes.expect(
        held[0] > PULSES,
        f"{PULSES} levels that were held gave {held[0]} answers: they are sensed by edge",
        bench.wiring.sense,
    )


def _case(bench: Bench, trigger: Trigger) -> Values:
    return bench.case(CaseId.T1, bench.machine.interrupts.shared.ids[0], trigger)


def _senses(bench: Bench, notes: Notes, trigger: Trigger) -> bool:
    found = bench.session.prepare(_case(bench, trigger)).trigger
    return notes.expect(
        found == trigger,
        f"{first(bench)} set to {_trigger_name(trigger)} reads back as {_trigger_name(found)}",
        bench.wiring.sense,
    )


def _trigger_name(trigger: int) -> str:
    return Trigger(trigger).name.lower().replace("_", " ")


def _answers(
    bench: Bench, notes: Notes, case: Values, line: Values, core: int = 0
) -> tuple[int, int, int]:
    """Runs of the handler on ``core``, markers seen, pulses served."""
    outcome = bench.answer(case, line, core)
    books = outcome.books[0]
    handled = outcome.reply.values[f"handled_{core}"]
    notes.see(
        f"{line['count']} pulses: core {core} handled {handled}, {books.stops} markers, "
        f"{books.served} served, {outcome.reply.spurious} spurious"
    )
    return handled, books.stops, books.served


def _once_each(notes: Notes, answers: tuple[int, int, int], bench: Bench, how: str) -> bool:
    handled, stops, served = answers
    return notes.expect(
        (handled, stops, served) == (PULSES,) * 3,
        f"{PULSES} interrupts {how}: handled {handled}, markers {stops}, served {served}",
        bench.wiring.answering,
    )


def _arrives(bench: Bench, notes: Notes) -> bool:
    """Whether the input of the first shared interrupt, and no other, follows line 0."""
    bench.set_up_cores(1)
    seen = bench.watch([benches.line(shared=1)])
    rose = seen.shared_high & ~seen.shared_at_rest
    return notes.expect(
        rose == 1,
        f"line 0 routed to {first(bench)} raises {told(_shared(bench, rose))}",
        bench.wiring.shared,
    )


# ---- routes --------------------------------------------------------------------------------------


def routes(bench: Bench, notes: Notes) -> None:
    """Every line to every shared interrupt that it can drive."""
    bench.set_up_cores(1)
    wrong: dict[tuple[int, int], list[int]] = {}  # (routed to, what rose): lines
    tried = 0
    for index in range(LINES):
        bench.step(f"line {index}")
        for bit in _outputs(bench):
            if bit == bench.machine.finished_output:
                continue  # the gateware's own
            if at_rest(shared_name(bench, bit)) not in bench.facts:
                notes.leave_out(at_rest(shared_name(bench, bit)))  # what is high cannot rise
                continue
            seen = bench.watch([benches.line(index, shared=1 << bit)])
            rose = seen.shared_high & ~seen.shared_at_rest
            tried += 1
            if rose != 1 << bit:
                wrong.setdefault((bit, rose), []).append(index)
    notes.see(f"{tried} routes of {LINES} lines tried, {sum(map(len, wrong.values()))} wrong")
    for (bit, rose), lines in wrong.items():
        whose = "every line" if len(lines) == LINES else f"lines {told([str(n) for n in lines])}"
        notes.fail(
            f"{whose} routed to {shared_name(bench, bit)} raises {told(_shared(bench, rose))}",
            bench.wiring.shared,
        )


# ---- private interrupts --------------------------------------------------------------------------


def private(bench: Bench, notes: Notes) -> None:
    """First whether it is pending on the core that it is routed to, then whether that answers."""
    bench.set_up_cores(1)
    arrives = []
    shown = set()
    notes.leave_out(*bench.missing_cores())
    for core in bench.cores:
        if at_rest(private_name(bench, core)) not in bench.facts:
            notes.leave_out(at_rest(private_name(bench, core)))
            continue
        seen = bench.watch([benches.line(private=1 << core)], cores=bench.cores)
        rose = seen.private_high & ~seen.private_at_rest
        if notes.expect(
            rose == 1 << core,
            f"line 0 routed to {private_name(bench, core)} raises {told(_private(bench, rose))}",
            bench.wiring.private,
        ):
            arrives.append(core)
            shown.add(_raw(bool(seen.shown_at_rest >> core & 1), seen.shown_changed >> core & 1))
    notes.see(f"pending on {told([f'core {core}' for core in arrives])}")
    notes.see(f"{bench.wiring.raw}, on which nothing here depends, {told(sorted(shown))}")
    for core in arrives:
        _answered_privately(bench, notes, core)


def _raw(at_rest: bool, changed: int) -> str:
    """What the register makes of a line that rises: the manuals differ (docs/twin.md)."""
    if not changed:
        return f"stays {int(at_rest)}"
    return "shows the pin (1 at rest)" if at_rest else "shows the line (1 while it is high)"


def _answered_privately(bench: Bench, notes: Notes, core: int) -> None:
    # Every core up to this one has the interrupt enabled and shows its toggle first: with one that
    # never rests, or whose marker never comes, the batch would not end.
    cores = range(core + 1)
    needed = [*map(marker_fact, cores), *(at_rest(private_name(bench, other)) for other in cores)]
    if missing := sorted(set(needed) - bench.facts):
        notes.leave_out(*missing)
        return
    interrupt = bench.machine.interrupt("private").id
    case_id = CaseId.T6 if core else CaseId.T1
    case = bench.case(case_id, interrupt, Trigger.LEVEL, cores=core + 1)
    line = benches.line(count=PULSES, private=1 << core, **benches.acknowledged(core))
    handled, _, served = _answers(bench, notes, case, line, core)
    # The line may still be on its way down when a core other than 0 ends the interrupt.
    notes.expect(
        served == PULSES and handled >= PULSES,
        f"core {core} handled {handled} of {PULSES} interrupts by "
        f"{bench.machine.named(interrupt)}, {served} served",
        bench.wiring.enable,
    )
