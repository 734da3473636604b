"""Steps from the PL's interrupt lines to a handler."""

from __future__ import annotations

from irqscope.constants import LINES
from irqscope.doctor import bench as benches
from irqscope.doctor.bench import PULSES, Bench, told
from irqscope.doctor.step import Notes
from irqscope.doctor.zynqmp.markers import marker_fact
from irqscope.doctor.zynqmp.names import (
    FINISHED,
    PPI_ID,
    SPI_IDS,
    ppi_name,
    ppis,
    spi_name,
    spis,
)
from irqscope.machines.generated import ZYNQMP
from irqscope.plan import Values
from irqscope.protocol.messages import CaseId, Trigger

FINISH = f"{FINISHED}, which ends a batch"
EDGE = "SPI 121 answered by edge"
_FINISHED_BIT = ZYNQMP.finished_output
#: Outputs that lines may drive.
_LINE_SPIS = [bit for bit in range(len(SPI_IDS)) if bit != _FINISHED_BIT]
_SPI_WIRES = (
    "pl_ps_irq0 and pl_ps_irq1 in the block design; is the bitstream of this design loaded?"
)
_PPI_WIRES = (
    "PSU__USE__APU_LEGACY_INTERRUPT and pl_ps_apugic_irq in the block design: active high at the "
    "PL (no public design that uses it is known)"
)


def at_rest(name: str) -> str:
    """The input is low while no line is high."""
    return f"{name} at rest"


# ---- inputs at rest, end of a batch --------------------------------------------------------------


def inputs(bench: Bench, notes: Notes) -> None:
    """Nothing is high while nothing drives it; enabled or not."""
    bench.set_up_cores(1)
    notes.leave_out(*bench.missing_cores())
    seen = bench.watch([], cores=bench.cores)
    notes.see(f"high at rest: {told(spis(seen.shared_at_rest) + ppis(seen.private_at_rest))}")
    for bit in range(len(SPI_IDS)):
        _rests(bench, notes, spi_name(bit), bool(seen.shared_at_rest >> bit & 1), shared=1 << bit)
    for core in bench.cores:
        _rests(
            bench, notes, ppi_name(core), bool(seen.private_at_rest >> core & 1), private=1 << core
        )


def _rests(bench: Bench, notes: Notes, name: str, high: bool, **route: int) -> None:
    if not high:
        bench.facts.add(at_rest(name))
        return
    # The gateware's own output is not a line's to drive.
    driven = {key: mask for key, mask in route.items() if mask != 1 << _FINISHED_BIT}
    moved = bench.watch([benches.line(**driven)], cores=bench.cores) if driven else None
    if moved is not None and (
        moved.shared_low & route.get("shared", 0) or moved.private_low & route.get("private", 0)
    ):
        notes.fail(f"{name} is inverted: high at rest, low while its line is high", _wires(route))
    else:
        notes.fail(f"{name} is high at rest and stays high", _wires(route))


def _wires(route: dict[str, int]) -> str:
    return _PPI_WIRES if "private" in route else _SPI_WIRES


def finish(bench: Bench, notes: Notes) -> None:
    """The gateware's own interrupt, without which a batch would never end."""
    wanted = 1 << _FINISHED_BIT
    bench.set_up_cores(1)
    seen = bench.watch([], finished=wanted)
    notes.see(f"rose when the gateware had finished: {told(spis(seen.shared_high))}")
    others = seen.shared_high & ~seen.shared_at_rest & ~wanted
    if notes.expect(
        bool(seen.shared_high & wanted),
        f"{FINISHED} does not rise" + (f", {told(spis(others))} does" if others else ""),
        _SPI_WIRES,
    ):
        bench.facts.add(FINISH)


# ---- SPI 121 -------------------------------------------------------------------------------------


def spi_edge(bench: Bench, notes: Notes) -> None:
    """One answer to each rise."""
    if not _arrives(bench, notes):
        return
    line = benches.line(count=PULSES, shared=1)
    good = _senses(bench, notes, Trigger.RISING_EDGE)
    answers = _answers(bench, notes, _spi_case(Trigger.RISING_EDGE), line)
    good &= _once_each(notes, answers, "by edge")
    if good:
        bench.facts.add(EDGE)


def spi_level(bench: Bench, notes: Notes) -> None:
    """One answer to each level that is taken back, more than one to each that is held."""
    if not _arrives(bench, notes):
        return
    _senses(bench, notes, Trigger.LEVEL)
    case = _spi_case(Trigger.LEVEL)
    taken_back = benches.line(count=PULSES, shared=1, **benches.acknowledged())
    _once_each(notes, _answers(bench, notes, case, taken_back), "by a level that is taken back")
    held = _answers(bench, notes, case, benches.line(count=PULSES, shared=1))
    notes.expect(
        held[0] > PULSES,
        f"{PULSES} levels that were held gave {held[0]} answers: they are sensed by edge",
        _TRIGGER,
    )


_TRIGGER = "GICD_ICFGR7 bits 19:18 (SPI 121); does other software set up this GIC?"


def _spi_case(trigger: Trigger) -> Values:
    return benches.case(CaseId.T1, SPI_IDS[0], trigger)


def _senses(bench: Bench, notes: Notes, trigger: Trigger) -> bool:
    found = bench.session.prepare(_spi_case(trigger)).trigger
    return notes.expect(
        found == trigger,
        f"SPI 121 set to {_trigger_name(trigger)} reads back as {_trigger_name(found)}",
        _TRIGGER,
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


def _once_each(notes: Notes, answers: tuple[int, int, int], how: str) -> bool:
    handled, stops, served = answers
    return notes.expect(
        (handled, stops, served) == (PULSES,) * 3,
        f"{PULSES} interrupts {how}: handled {handled}, markers {stops}, served {served}",
        "sensitivity (edge or level) of the interrupt; marker path; a second master of the GIC",
    )


def _arrives(bench: Bench, notes: Notes) -> bool:
    """Whether the input of SPI 121, and no other, follows line 0."""
    bench.set_up_cores(1)
    seen = bench.watch([benches.line(shared=1)])
    rose = seen.shared_high & ~seen.shared_at_rest
    return notes.expect(
        rose == 1, f"line 0 routed to SPI 121 raises {told(spis(rose))}", _SPI_WIRES
    )


# ---- routes --------------------------------------------------------------------------------------


def routes(bench: Bench, notes: Notes) -> None:
    """Every line to every SPI that it can drive."""
    bench.set_up_cores(1)
    wrong: dict[tuple[int, int], list[int]] = {}  # (routed to, what rose): lines
    tried = 0
    for index in range(LINES):
        bench.step(f"line {index}")
        for bit in _LINE_SPIS:
            if at_rest(spi_name(bit)) not in bench.facts:
                notes.leave_out(at_rest(spi_name(bit)))  # what is high already cannot rise
                continue
            seen = bench.watch([benches.line(index, shared=1 << bit)])
            rose = seen.shared_high & ~seen.shared_at_rest
            tried += 1
            if rose != 1 << bit:
                wrong.setdefault((bit, rose), []).append(index)
    notes.see(f"{tried} routes of {LINES} lines tried, {sum(map(len, wrong.values()))} wrong")
    for (bit, rose), lines in wrong.items():
        whose = "every line" if len(lines) == LINES else f"lines {told([str(n) for n in lines])}"
        notes.fail(f"{whose} routed to {spi_name(bit)} raises {told(spis(rose))}", _SPI_WIRES)


# ---- PPI 31 --------------------------------------------------------------------------------------


def ppi(bench: Bench, notes: Notes) -> None:
    """First whether it is pending on the core that it is routed to, then whether that answers."""
    bench.set_up_cores(1)
    arrives = []
    shown = set()
    notes.leave_out(*bench.missing_cores())
    for core in bench.cores:
        if at_rest(ppi_name(core)) not in bench.facts:
            notes.leave_out(at_rest(ppi_name(core)))
            continue
        seen = bench.watch([benches.line(private=1 << core)], cores=bench.cores)
        rose = seen.private_high & ~seen.private_at_rest
        if notes.expect(
            rose == 1 << core,
            f"line 0 routed to {ppi_name(core)} raises {told(ppis(rose))}",
            _PPI_WIRES,
        ):
            arrives.append(core)
            shown.add(_ppisr(bool(seen.shown_at_rest >> core & 1), seen.shown_changed >> core & 1))
    notes.see(f"pending on {told([f'core {core}' for core in arrives])}")
    notes.see(f"GICD_PPISR, on which nothing here depends, {told(sorted(shown))}")
    for core in arrives:
        _answered_privately(bench, notes, core)


def _ppisr(at_rest: bool, changed: int) -> str:
    """What the register makes of a line that rises: the manuals differ (docs/twin.md)."""
    if not changed:
        return f"stays {int(at_rest)}"
    return "shows the pin (1 at rest)" if at_rest else "shows the line (1 while it is high)"


def _answered_privately(bench: Bench, notes: Notes, core: int) -> None:
    # Every core up to this one has the interrupt enabled and shows its toggle first: with one that
    # never rests, or whose marker never comes, the batch would not end.
    cores = range(core + 1)
    needed = [*map(marker_fact, cores), *(at_rest(ppi_name(other)) for other in cores)]
    if missing := sorted(set(needed) - bench.facts):
        notes.leave_out(*missing)
        return
    case = benches.case(CaseId.T6 if core else CaseId.T1, PPI_ID, Trigger.LEVEL, cores=core + 1)
    line = benches.line(count=PULSES, private=1 << core, **benches.acknowledged(core))
    handled, _, served = _answers(bench, notes, case, line, core)
    # The line may still be on its way down when a core other than 0 ends the interrupt.
    notes.expect(
        served == PULSES and handled >= PULSES,
        f"core {core} handled {handled} of {PULSES} interrupts by PPI {PPI_ID}, {served} served",
        "the core's own GICD_ISENABLER0 bit 31 and priority; GICC_CTLR's bypass bits",
    )
