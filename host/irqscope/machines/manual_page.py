"""The page of the manual that describes all machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from irqscope.constants import CHANNELS, LINES
from irqscope.machines.interrupts import choices, name_of
from irqscope.machines.model import Machine
from irqscope.machines.names import WORDS
from irqscope.machines.table import outputs_of, summary
from irqscope.machines.unsupported import words


def manual_page(machines: list[Machine], digest: str, by: str) -> Iterator[str]:
    """Yield the lines of ``machines.md``.

    Args:
        machines: the described machines.
        digest: sha256 of the descriptions.
        by: the sentence that names the generator.
    """
    yield f"<!-- sha256 of the descriptions: {digest} -->"
    yield "# Machines"
    yield ""
    yield by
    yield ""
    yield "A machine is the processor system whose software is measured."
    yield "A board is a machine on a circuit board; a twin simulates one."
    yield "The target identifies its machine in `hello`."
    yield "`irqscope machines` prints the first table."
    yield "No board has run it: [the list](board.md#what-has-not-been-verified-on-silicon)."
    yield ""
    yield from _table(summary(machines))
    yield ""
    yield "## Stacks"
    yield ""
    yield "Or [one of your own](stacks.md#your-own-stack)."
    yield ""
    yield from _table([("stack", "machines", "reason that others lack it"), *_stacks(machines)])
    yield ""
    yield "## Values of an experiment's keys"
    yield ""
    yield from _table([("key", "values", "machines"), *_shared(machines, _words)])
    yield ""
    for machine in machines:
        if megabytes := machine.memory.arrays_kib >> 10:
            yield f"Arrays of loads have at most {megabytes} MB on `{machine.name}`."
    yield ""
    yield "## Unavailable values"
    yield ""
    yield from _table([("values", "reason", "machines"), *_shared(machines, _unavailable)])
    earlier: dict[tuple[str, ...], str] = {}
    for machine in machines:
        yield ""
        yield f"## {machine.title}: `{machine.name}`"
        for part in map(tuple, (_interrupts(machine), _paths(machine), _boards(machine))):
            if part:
                yield ""
                other = earlier.setdefault(part, machine.name)
                yield from part if other == machine.name else [f"{part[0]} As on `{other}`."]
    yield ""
    yield "## Cores in RTL simulation"
    yield ""
    yield from _table([("core", "target", "machines"), *_shared(machines, _simulated)])
    yield ""
    yield "[Soft cores](cores.md): how they are built, and which of their results are exact."


def _interrupts(machine: Machine) -> Iterator[str]:
    i = machine.interrupts
    yield "**Interrupts.**"
    yield ""
    yield from _table(outputs_of(machine))
    yield ""
    yield f"IDs are below {i.ids}, of which {i.ids - len(i.absent)} exist."
    yield f"{name_of(machine, i.finished)} signals the end of a batch."
    yield f"ID {i.link} is the link's UART, ID {i.timer_tick} the timer of the timer tick."
    yield f"A case has at most {i.background} background interrupts."


def _paths(machine: Machine) -> Iterator[str]:
    yield "**Markers and registers.**"
    yield f"Path of the markers: {machine.markers}."
    yield f"Path to the registers: {machine.port}."
    yield from _sampling_grid(machine)


def _shared(
    machines: list[Machine], rows_of: Callable[[Machine], Iterator[tuple[str, str]]]
) -> Iterator[tuple[str, ...]]:
    """Yield each row of any machine once, with the names of the machines that have it."""
    on: dict[tuple[str, str], list[str]] = {}
    for machine in machines:
        for row in rows_of(machine):
            on.setdefault(row, []).append(machine.name)
    keys = list(dict.fromkeys(first for first, _ in on))
    for row in sorted(on, key=lambda row: keys.index(row[0])):
        yield *row, "all" if len(on[row]) == len(machines) else _code(on[row])


def _sampling_grid(machine: Machine) -> Iterator[str]:
    grid = machine.sampling_grid
    if grid.ns == 0:
        yield f"The markers' times have no sampling grid: {grid.cause.removeprefix('none: ')}."
        return
    hz = machine.boards[0].tick_hz
    yield f"Markers come on a sampling grid of {grid.ns} ns ({grid.cause})."
    period = grid.phases * 1e9 / hz
    yield f"Its phase to the ticks repeats every {grid.phases} ticks ({period:.0f} ns)."


def _simulated(machine: Machine) -> Iterator[tuple[str, str]]:
    for core in machine.simulated:
        yield core.title, f"`rtl:{core.name}`"


def _boards(machine: Machine) -> Iterator[str]:
    if not machine.boards:
        return
    yield "**Boards.**"
    yield ""
    clock = "clock" if machine.rtl else "PL clock"
    head = ("board", "part", "free Vivado", clock, "cores", "UART", "lines for a scope")
    rows = [
        (
            f"{board.title} (`{board.name}`)",
            board.part,
            "not needed" if board.vivado is None else "yes" if board.vivado.free else "no",
            f"{board.tick_hz / 1e6:.6f} MHz",
            f"{board.cpu_mhz} MHz",
            f"UART{board.uart}",
            f"{board.pmod}, {min(board.pins, machine.pins.pmod)} pins",
        )
        for board in machine.boards
    ]
    yield from _table([head, *rows])
    for board in machine.boards:
        if (board.lines, board.channels) != (LINES, CHANNELS):
            yield ""
            yield (
                f"{board.title} has {board.lines} lines and {board.channels} channels, "
                f"instead of {LINES} and {CHANNELS}."
            )
    if machine.rtl:
        targets = ", ".join(f"`rtl:{board.name}`" for board in machine.boards)
        yield ""
        yield f"Simulated whole, RTL and firmware, as targets: {targets}."


def _words(machine: Machine) -> Iterator[tuple[str, str]]:
    for key in ("case", *WORDS):
        if key == "clock_divisor":
            yield f"`{key}`", f"1 to {machine.has.clock_divisor}"
        elif key == "interrupt":
            yield f"`{key}`", choices(machine).replace('"', "`")
        elif values := words(machine, key):
            yield f"`{key}`", _code(values)


def _stacks(machines: list[Machine]) -> Iterator[tuple[str, str, str]]:
    for stack in sorted({stack for machine in machines for stack in words(machine, "stack")}):
        on = [machine.name for machine in machines if stack in words(machine, "stack")]
        reasons = {m.unsupported["stack"][stack] for m in machines if m.name not in on}
        yield f"`{stack}`", _code(on), "; ".join(reasons)


def _unavailable(machine: Machine) -> Iterator[tuple[str, str]]:
    """Values that the machine lacks, a row for each reason; stacks have a table of their own."""
    lacking = {key: reasons for key, reasons in machine.unsupported.items() if key != "stack"}
    for reason in dict.fromkeys(why for reasons in lacking.values() for why in reasons.values()):
        of_keys = {
            key: _code(word for word in reasons if reasons[word] == reason)
            for key, reasons in sorted(lacking.items())
        }
        yield "; ".join(f"`{key}` {values}" for key, values in of_keys.items() if values), reason


def _code(values: Iterable[str]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    for n, row in enumerate(rows):
        yield f"| {' | '.join(row)} |"
        if n == 0:
            yield "|---" * len(row) + "|"
