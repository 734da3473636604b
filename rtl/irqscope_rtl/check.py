"""Checks how a core is attached, before any firmware: ``make cores-check CORES=./mycore``.

Small programs run on the core alone (rtl/check), and every access that it makes is compared with
the one that it ought to make. The first difference of each check is told with both values. At the
end it prints RVMODEL_INTERRUPT_LATENCY of the RISC-V certification tests.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from irqscope.machines.elf import ProgramError, read_elf
from irqscope.machines.program_file import Program
from irqscope.resources import resource
from irqscope_twin.toolchain import BuildError

from . import build, cores
from .assignments import mixed
from .cores import Core, CoreError

CHECKS = resource("rtl/check/checks.S")
DATA, RESULTS, END = 0x180000, 0x180100, 0xFFFFF87C
_CYCLES = 20_000
#: Cycles that a core has for the first two instructions.
_START = 2_000
#: Causes of inputs of a core whose lines have a cause each: timer, UART, the instrument's.
OWN_CAUSES = (7, 11, *range(16, 24))
#: Waits of memory that each check of the bus is repeated with: least, most and seed.
_WAITS = ((1, 1, 1), (0, 3, 1), (0, 3, 2), (0, 7, 3))
#: Cycles from an input to the fall of asleep, at most: wakes_within of rtl/system/sleep.h.
_WAKES = 8
#: Instructions that are interrupted, and cycles in which the input rises.
_SWEEP = 120
#: Cycles over which the certification tests' loops are swept.
_LOOPS = 40
#: What the handler stores: mcause, mepc, where it was entered, how often; offsets from RESULTS.
_CAUSE, _MEPC, _ENTRY, _COUNT = 0x40, 0x44, 0x48, 0x4C
#: Results of `anywhere`, by offset.
_ANYWHERE = {16: 0x91A3B7C, 20: 0x37}


class Access(NamedTuple):
    """An access, or another event, as the simulation tells it."""

    kind: str
    cycle: int
    address: int
    bytes: int
    data: int


@dataclass
class Trace:
    """What a core did in a job: ``ended`` unless it was late; ``pc`` of its last instruction."""

    events: list[Access] = field(default_factory=list)
    ended: bool = False
    cycle: int = 0
    pc: int = 0

    def of(self, *kinds: str) -> list[Access]:
        """Events of these kinds."""
        return [event for event in self.events if event.kind in kinds]

    @property
    def results(self) -> dict[int, int]:
        """What was stored to RESULTS, by offset; the first store of each word."""
        stored: dict[int, int] = {}
        for store in self.of("store"):
            if RESULTS <= store.address < RESULTS + 0x100:
                stored.setdefault(store.address - RESULTS, store.data)
        return stored


class Failure(Exception):
    """A check failed; the text names what was expected and what was seen."""


@dataclass(frozen=True)
class Job:
    """A run of one program: ``cause``: the input that rises ``after`` cycles after the mark."""

    check: str
    wait: tuple[int, int, int] = (0, 0, 1)
    cause: int = 0
    after: int = 0
    cycles: int = _CYCLES
    watched: tuple[str, ...] = ()


class Bench:
    """A compiled core and the programs that check it. Raises BuildError, CoreError."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.causes = (core.first_cause,) if core.shares_cause else OWN_CAUSES
        self._program = build.build_check(core, CHECKS, self.causes, vectored=self.vectored)
        self._places = Program(read_elf(self._program.elf))

    @property
    def vectored(self) -> bool:
        """Whether our firmware uses mtvec in vectored mode on this core."""
        return not self.core.shares_cause

    def address(self, symbol: str) -> int:
        """Address of a label."""
        return self._places.place(symbol)[0]

    def run(self, jobs: Sequence[Job]) -> list[Trace]:
        """Runs programs. Raises CoreError if the simulation ends early."""
        lines = []
        for job in jobs:
            words = [self.address(f"check_{job.check}"), *job.wait, job.cause, job.after]
            words += [job.cycles, *map(self.address, job.watched)]
            lines.append(" ".join(map(str, words)))
        process = self._simulate("\n".join(lines))
        traces = list(_traces(process.stdout))
        if len(traces) != len(jobs):
            errors = process.stderr.strip().splitlines() or [f"exit code {process.returncode}"]
            raise CoreError(f"the check's simulation ended: {errors[-1]}")
        return traces

    def pins(self, job: str) -> list[str]:
        """Runs a job of rtl/check/main.cpp and returns the levels of the handshakes by cycle."""
        rows = (line.split() for line in self._simulate(job, "pins").stdout.splitlines())
        return [words[2] for words in rows if words[0] == "pins"]

    def _simulate(self, jobs: str, *more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self._program.executable), str(self._program.elf), *more],
            input=f"{jobs}\n", capture_output=True, text=True, check=False,
        )  # fmt: skip


def _traces(text: str) -> Iterator[Trace]:
    trace = Trace()
    for line in text.splitlines():
        kind, *words = line.split()
        numbers = [int(word, 0) for word in words]
        if kind in ("end", "late"):
            trace.ended, (trace.cycle, trace.pc) = kind == "end", numbers
            yield trace
            trace = Trace()
        else:
            trace.events.append(Access(kind, *numbers))


def _expect(what: str, expected: object, seen: object) -> None:
    if expected != seen:
        raise Failure(f"{what}: expected {expected}, seen {seen}")


def _ends(trace: Trace, what: str) -> None:
    """Raises Failure if the program did not end, or a trap came that is not an interrupt."""
    cause = trace.results.get(_CAUSE, 0)
    if _COUNT in trace.results and not cause >> 31:
        raise Failure(
            f"{what}: the core took exception {cause} at {trace.results[_MEPC]:#x}, "
            "whose instruction it ought to execute"
        )
    if not trace.ended:
        raise Failure(f"{what}: not finished after {trace.cycle} cycles, now PC {trace.pc:#x}")


def _value(trace: Trace, offset: int, expected: int, what: str, mask: int = 0xFFFFFFFF) -> None:
    """Compares a result. Raises Failure."""
    value = trace.results.get(offset)
    description = "no store of it" if value is None else f"{value & mask:#x}"
    _expect(what, f"{expected:#x}", description)


def check_start(bench: Bench) -> None:
    """The core begins at 0x100000 or 0xFFF80."""
    (trace,) = bench.run([Job("start", cycles=_START)])
    fetches = trace.of("fetch")
    if not fetches:
        raise Failure(f"no fetch in {trace.cycle} cycles after reset; is rst_n active low?")
    if not trace.ended:
        raise Failure(
            "expected a start at 0x100000 or 0xfff80, seen first fetch "
            f"{fetches[0].address:#x}, now PC {trace.pc:#x}"
        )
    if not any(event.kind == "execute" for event in _executed(bench)):
        raise Failure("execute, execute_pc: expected the address of check_start, seen none")


def check_arrays(bench: Bench) -> None:
    """No array has blocking and non-blocking assignments, of which Verilator loses words."""
    if mixed_arrays := mixed(*build.tree_of_core(bench.core)):
        raise Failure(
            f"{'; '.join(mixed_arrays)}: expected one kind of assignment, seen "
            "blocking and non-blocking ones, of which Verilator can lose words; make a "
            "variable of its own for one kind"
        )


def _executed(bench: Bench) -> list[Access]:
    (trace,) = bench.run([Job("start", cycles=_START, watched=("check_start",))])
    return trace.events


def _word(kind: str, address: int, data: int, lanes: int = 0xF) -> tuple[str, int, int, int]:
    mask = sum(0xFF << 8 * lane for lane in range(4) if lanes >> lane & 1)
    return kind, address, lanes, data & mask


LANES = (
    _word("store", DATA, 0x11223344),
    *(_word("store", DATA + 4, 0xA5A5A5A5, 1 << lane) for lane in range(4)),
    _word("store", DATA + 8, 0x87658765, 0b0011),
    _word("store", DATA + 8, 0x87658765, 0b1100),
    _word("load", DATA, 0x11223344),
    _word("store", RESULTS, 0x11223344),
    _word("load", DATA, 0x44, 0b0001),
    _word("store", RESULTS + 4, 0x44),
    _word("load", DATA, 0x3300, 0b0010),
    _word("store", RESULTS + 8, 0x33),
    _word("load", DATA, 0x220000, 0b0100),
    _word("store", RESULTS + 12, 0x22),
    _word("load", DATA + 4, 0xA5000000, 0b1000),
    _word("store", RESULTS + 16, 0xFFFFFFA5),
    _word("load", DATA, 0x11220000, 0b1100),
    _word("store", RESULTS + 20, 0x1122),
    _word("load", DATA + 8, 0x87650000, 0b1100),
    _word("store", RESULTS + 24, 0xFFFF8765),
)
ORDER = (
    _word("store", DATA, 1),
    _word("load", DATA, 1),
    _word("store", DATA, 2),
    _word("store", DATA + 4, 3),
    _word("load", DATA, 2),
    _word("load", DATA + 4, 3),
    _word("store", RESULTS, 1),
    _word("store", RESULTS + 4, 2),
    _word("store", RESULTS + 8, 3),
    _word("load", RESULTS + 4, 2),
    _word("store", RESULTS + 12, 4),
)


def _shown(access: tuple[str, int, int, int]) -> str:
    kind, address, lanes, data = access
    return f"{kind} of {data:#x} at {address:#x}, bytes {lanes:#06b}"


def _fills_lines(trace: Trace) -> bool:
    """Whether all loads are those of a data cache: whole words of lines, and each word once."""
    loads = [load for load in trace.of("load") if load.address < END]
    places = {load.address for load in loads}
    return (
        len(places) == len(loads)
        and all(load.bytes == 0xF for load in loads)
        and all({place ^ 4, place ^ 8, place ^ 12} <= places for place in places)
    )


def compare_accesses(
    trace: Trace, expected: Sequence[tuple[str, int, int, int]], what: str
) -> None:
    """Compares all accesses to memory. A load may name more bytes than it needs.

    Of a core with a data cache only the stores are compared; they show what it loaded.

    Raises:
        Failure: An access differs.
    """
    kinds: tuple[str, ...] = ("load", "store")
    if trace.of("load") and _fills_lines(trace):
        kinds = ("store",)
        expected = [one for one in expected if one[0] == "store"]
    accesses = [access for access in trace.of(*kinds) if access.address < END]
    for number, one in enumerate(expected, 1):
        if number > len(accesses):
            _ends(trace, what)
            raise Failure(f"{what}, access {number}: expected {_shown(one)}, seen none")
        kind, _, address, lanes, data = accesses[number - 1]
        actual = (kind, address, lanes, data)
        if kind == "load" == one[0] and one[2] != 0xF:
            actual = _word(kind, address, data, one[2])
        if actual != one:
            raise Failure(
                f"{what}, access {number}: expected {_shown(one)}, seen {_shown(actual)}, "
                f"cycle {accesses[number - 1].cycle}"
            )
    _ends(trace, what)
    if len(accesses) > len(expected):
        _, _, address, lanes, data = extra = accesses[len(expected)]
        actual = (extra.kind, address, lanes, data)
        raise Failure(f"{what}: expected no further access, seen {_shown(actual)}")


def _bus(check: str, expected: Sequence[tuple[str, int, int, int]]) -> Callable[[Bench], None]:
    def judge(bench: Bench) -> None:
        (trace,) = bench.run([Job(check)])
        compare_accesses(trace, expected, "no wait states")

    return judge


def check_waits(bench: Bench) -> None:
    """The same accesses when memory answers later, instructions and data alike."""
    if bench.core.saves:  # over a port that has no wait states
        return
    for check, expected in (("lanes", LANES), ("order", ORDER)):
        jobs = [Job(check, wait) for wait in _WAITS]
        for job, trace in zip(jobs, bench.run(jobs), strict=True):
            shortest, longest, seed = job.wait
            compare_accesses(
                trace, expected, f"{check}, waits of {shortest} to {longest}, seed {seed}"
            )


def _reads(csr: str) -> Callable[[Bench], None]:
    def judge(bench: Bench) -> None:
        (trace,) = bench.run([Job(csr)])
        _ends(trace, f"csrr {csr}")

    return judge


def _keeps(csr: str, value: Callable[[Bench], int], mask: int) -> Callable[[Bench], None]:
    def judge(bench: Bench) -> None:
        (trace,) = bench.run([Job(csr)])
        _ends(trace, f"csrw {csr}")
        _value(trace, 0, value(bench) & mask, f"{csr} after csrw", mask)

    return judge


def _all_causes(bench: Bench) -> int:
    return sum(1 << cause for cause in bench.causes)


def check_mstatus(bench: Bench) -> None:
    """MIE is set and cleared."""
    (trace,) = bench.run([Job("mstatus")])
    _ends(trace, "mstatus")
    for offset, expected, action in ((0, 0, "cleared"), (4, 8, "set"), (8, 0, "cleared again")):
        _value(trace, offset, expected, f"mstatus.MIE {action}")


def check_mret(bench: Bench) -> None:
    """It goes to mepc, and MIE becomes MPIE."""
    (trace,) = bench.run([Job("mret")])
    _ends(trace, "mret")
    if 0 in trace.results:
        raise Failure("mret: expected a jump to mepc, seen the instruction after mret")
    _value(trace, 4, 8, "mstatus.MIE after mret, with MPIE set")


def check_masked(bench: Bench) -> None:
    """An input that is not enabled interrupts nothing."""
    jobs = [Job("masked", cause=cause, after=3) for cause in bench.causes]
    for job, trace in zip(jobs, bench.run(jobs), strict=True):
        _ends(trace, f"cause {job.cause}")
        if _COUNT in trace.results:
            raise Failure(
                f"cause {job.cause}: expected no interrupt with mie = 0, seen one with mcause "
                f"{trace.results[_CAUSE]:#x}"
            )


def check_wfi(bench: Bench) -> None:
    """A sleeping core wakes by each input, with interrupts off; asleep, it asks for nothing."""
    jobs = [Job("wfi", cause=cause, after=after) for cause in bench.causes for after in (0, 5, 200)]
    if not bench.core.saves:
        jobs.append(Job("wfi", _WAITS[-1], bench.causes[-1], 200))
    for job, trace in zip(jobs, bench.run(jobs), strict=True):
        condition = f"cause {job.cause}, {job.after} cycles after the store before wfi"
        if not trace.ended:
            raise Failure(f"{condition}: expected to wake, asleep after {trace.cycle} cycles")
        _ends(trace, condition)
        if _COUNT in trace.results:
            raise Failure(f"{condition}: expected no interrupt with mstatus.MIE = 0, seen one")
        if trace.of("idle"):
            raise Failure(
                f"{condition}: expected asleep high while the core waits in wfi, seen low; our "
                "firmware gets bytes of the host only when it sleeps"
            )
        for event in trace.of("asleep"):
            raise Failure(
                f"{condition}: expected no access while asleep is high, seen one of "
                f"{event.address:#x} in cycle {event.cycle}"
            )
        for event in trace.of("unanswered"):
            raise Failure(
                f"{condition}: expected asleep high only after all answers, seen it high with one "
                f"due, in cycle {event.cycle}"
            )
        for event in trace.of("still"):
            raise Failure(
                f"{condition}: expected asleep low {_WAKES} cycles after the input, seen high in "
                f"cycle {event.cycle}"
            )


def check_taken(bench: Bench) -> None:
    """Each input is taken with its cause, arrives at its vector, and mret goes back."""
    jobs = [Job("taken", cause=cause, after=20) for cause in bench.causes]
    table = bench.address("table")
    for job, trace in zip(jobs, bench.run(jobs), strict=True):
        condition = f"cause {job.cause}"
        counts = [store for store in trace.of("store") if store.address == RESULTS + _COUNT]
        if not trace.ended and len(counts) != 1:
            raise Failure(
                f"{condition}: expected 1 interrupt, seen {len(counts) or 'none'} in {trace.cycle} "
                f"cycles, now PC {trace.pc:#x}"
            )
        _ends(trace, condition)
        _value(trace, _CAUSE, 1 << 31 | job.cause, f"{condition}: mcause", 1 << 31 | 0x3FF)
        entry = table + 4 * job.cause * bench.vectored
        _value(trace, _ENTRY, entry + 4, f"{condition}: end of the entry at mtvec")
        _value(trace, 16, 8, f"{condition}: mstatus.MIE after mret")


def check_window(bench: Bench) -> None:
    """An input that waits is taken as soon as interrupts are on, even for one instruction."""
    (trace,) = bench.run([Job("window", cause=bench.causes[-1])])
    _ends(trace, "interrupts on for one instruction")
    if _COUNT not in trace.results:
        raise Failure(
            "expected the interrupt that waits between csrsi mstatus, 8 and csrci mstatus, 8, "
            "seen none; RISC-V wants it evaluated right after the write, and so does our firmware"
        )


def check_anywhere(bench: Bench) -> None:
    """An interrupt in each cycle of thirty instructions changes nothing of their result."""
    cause = bench.causes[-1]
    jobs = [Job("anywhere", cause=cause, after=after) for after in range(_SWEEP)]
    traces = bench.run(jobs)
    first, last = bench.address("check_anywhere"), bench.address("anywhere_last")
    for job, trace in zip(jobs, traces, strict=True):
        condition = f"interrupt {job.after} cycles after the first instruction"
        _ends(trace, condition)
        _value(trace, _COUNT, 1, f"{condition}: interrupts taken")
        mepc = trace.results.get(_MEPC, 0)
        if not first <= mepc <= last:
            raise Failure(f"{condition}: expected mepc in {first:#x} to {last:#x}, seen {mepc:#x}")
        stores = [event for event in trace.of("store") if event.address == RESULTS + _COUNT]
        if len(stores) != 1:
            raise Failure(f"{condition}: expected 1 interrupt, seen {len(stores)}")
        for offset, value in _ANYWHERE.items():
            _value(trace, offset, value, f"{condition}: result at {RESULTS + offset:#x}")


#: In the order in which a person would attach a core.
ALL: tuple[tuple[str, Callable[[Bench], None]], ...] = (
    ("assignments to arrays", check_arrays),
    ("reset and first fetch", check_start),
    ("byte lanes", _bus("lanes", LANES)),
    ("loads after stores, in order", _bus("order", ORDER)),
    ("wait states", check_waits),
    ("csr mstatus", check_mstatus),
    ("csr mepc", _keeps("mepc", lambda bench: 0x180204, 0xFFFFFFFC)),
    ("csr mcause", _keeps("mcause", lambda bench: 0x8000000B, 0x8000000F)),
    ("csr mie", _keeps("mie", _all_causes, 0xFFFFFFFF)),
    ("csr mtvec", _keeps("mtvec", lambda bench: 0x180400 + bench.vectored, 0xFFFFFFFF)),
    *((f"csr {csr}", _reads(csr)) for csr in ("mtval", "misa", "marchid", "mimpid")),
    ("mret", check_mret),
    ("masked inputs", check_masked),
    ("wake from wfi", check_wfi),
    ("each cause", check_taken),
    ("interrupts on for one instruction", check_window),
    ("an interrupt at each of 30 instructions", check_anywhere),
)


def failures(bench: Bench) -> Iterator[tuple[str, str | None]]:
    """Runs all checks: name of each, and how it failed, or None."""
    for name, judge in ALL:
        try:
            judge(bench)
        except Failure as failure:
            yield name, str(failure)
            if judge is check_start:
                return
        else:
            yield name, None


@dataclass(frozen=True)
class Latency:
    """Cycles from a rise of the pin until software can see it, least and most.

    To the first read of mip that can show it and to the first instruction at mtvec; and how often
    the certification tests' loops had to run.
    """

    cause: int
    to_mip: int
    reads: int
    to_trap: tuple[int, int]
    turns: int

    @property
    def value(self) -> int:
        """The value of RVMODEL_INTERRUPT_LATENCY. Its idle loop has to outlast the trap."""
        return max(self.reads, self.turns + 1)

    def __str__(self) -> str:
        shortest, longest = self.to_trap
        return (
            f"#define RVMODEL_INTERRUPT_LATENCY {self.value}\n"
            f"  mip shows a pin to a read that executes {_count(self.to_mip, 'cycle')} later: "
            f"{_count(self.reads, 'read')} of the test's loop at most\n"
            f"  the trap's first instruction executes {shortest} to {longest} cycles after the "
            f"pin: {_count(self.turns, 'turn')} of the test's idle loop at most\n"
            f"  tried: cause {self.cause}, a rise in each of {_LOOPS} cycles of both loops, "
            "memory without wait states; a cache of the core is empty at the start"
        )


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}{'s' * (number != 1)}"


def latency(bench: Bench) -> Latency:
    """Measures a core that has passed its checks. Raises Failure."""
    cause = bench.causes[-1]
    entry = "table" if not bench.vectored else f"table+{4 * cause:#x}"
    afters = range(_LOOPS)
    reads = [Job("reads", cause=cause, after=n, watched=("reads_first",)) for n in afters]
    watched = (entry, "turns_first")
    turns = [Job("turns", cause=cause, after=n, watched=watched) for n in afters]
    to_mip, most_reads, to_trap, most_turns = [], 0, [], 0
    for trace in bench.run(reads):
        _ends(trace, "the loop of reads")
        rise = trace.of("rise")[0].cycle
        executed = [event.cycle for event in trace.of("execute")]
        to_mip.append(executed[-1] - rise)
        most_reads = max(most_reads, sum(cycle >= rise for cycle in executed))
    for trace in bench.run(turns):
        passed = trace.of("execute")
        entries = [event.cycle for event in passed if event.address == bench.address(entry)]
        if not entries:
            raise Failure("the idle loop: expected an interrupt, seen none")
        rise = trace.of("rise")[0].cycle
        to_trap.append(entries[0] - rise)
        attempts = sum(
            rise <= event.cycle < entries[0]
            for event in passed
            if event.address == bench.address("turns_first")
        )
        most_turns = max(most_turns, attempts)
    return Latency(cause, min(to_mip), most_reads, (min(to_trap), max(to_trap)), most_turns)


def check(core: Core) -> bool:
    """Checks a core and prints a line for each check. Returns whether all passed.

    Raises:
        BuildError, CoreError: One line.
    """
    if core.machine != cores.MACHINE:
        raise CoreError(
            f'{core.name} has machine = "{core.machine}"; the checks are for "{cores.MACHINE}"'
        )
    bench = Bench(core)
    good = True
    for name, failure in failures(bench):
        print(f"{core.name}: {name}: {'good' if failure is None else f'FAILED: {failure}'}")
        good = good and failure is None
    if good:
        print(latency(bench))
    return good


def main() -> int:
    """Command line: ``python -m irqscope_rtl.check CORE ...``; exit code 1 if a check failed."""
    try:
        return 0 if all([check(cores.find(name)) for name in sys.argv[1:]]) else 1
    except (BuildError, CoreError, Failure, ProgramError) as error:
        print(f"irqscope_rtl.check: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
