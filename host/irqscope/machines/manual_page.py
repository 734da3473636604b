"""The page of the manual that describes all machines."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.constants import CHANNELS, LINES
from irqscope.machines.interrupts import choices, name_of
from irqscope.machines.model import Machine
from irqscope.machines.names import WORDS
from irqscope.machines.table import outputs_of, summary
from irqscope.machines.unsupported import words


def manual_page(machines: list[Machine], digest: str, by: str) -> Iterator[str]:
    """Lines of ``machines.md``. ``digest``: sha256 of the descriptions; ``by``: who writes it."""
    yield f"<!-- sha256 of the descriptions: {digest} -->"
    yield "# Machines"
    yield ""
    yield by
    yield ""
    yield "A machine is the processor system whose software is measured;"
    yield "a board is a machine on a circuit board; a twin is a machine simulated."
    yield "The target says which one it is: `hello` names it, and nothing else chooses."
    yield "`irqscope machines` prints the first table."
    yield ""
    yield from _table(summary(machines))
    for machine in machines:
        yield ""
        yield from _page(machine)


def _page(machine: Machine) -> Iterator[str]:
    i = machine.interrupts
    yield f"## {machine.title}: `{machine.name}`"
    yield ""
    yield "### What the instrument's outputs reach"
    yield ""
    yield from _table(outputs_of(machine))
    yield ""
    yield f"Controller: {i.controller}, IDs below {i.ids}, of which {i.ids - len(i.absent)} exist."
    yield f"{name_of(machine, i.finished)} says that a batch has finished."
    yield f"ID {i.link} is the link's UART, ID {i.timer_tick} the timer that makes the timer tick."
    yield f"A case has at most {i.background} background interrupts."
    yield ""
    yield f"Markers go by {machine.markers}."
    yield f"Registers are reached by {machine.port}."
    yield from _sampling_grid(machine)
    yield ""
    yield "### What an experiment may say"
    yield ""
    yield from _table([("key", "values"), *_words(machine)])
    yield ""
    if machine.memory.arrays_kib >> 10:
        yield f"Arrays of loads have at most {machine.memory.arrays_kib >> 10} MB."
    for key, reasons in machine.unsupported.items():
        for reason in dict.fromkeys(reasons.values()):
            alike = ", no ".join(f"`{word}`" for word in reasons if reasons[word] == reason)
            yield ""
            yield f"`{key}`: there is no {alike}, because {reason}."
    yield ""
    yield from _boards(machine) if machine.boards else _simulated(machine)


def _sampling_grid(machine: Machine) -> Iterator[str]:
    grid = machine.sampling_grid
    if grid.ns == 0:
        yield f"Sampling grid of the markers' times: {grid.cause}."
        return
    hz = machine.boards[0].tick_hz
    yield f"Markers come on a sampling grid of {grid.ns} ns ({grid.cause})."
    yield f"It meets the ticks anew every {grid.phases} of them ({grid.phases * 1e9 / hz:.0f} ns)."


def _simulated(machine: Machine) -> Iterator[str]:
    yield "### Cores"
    yield ""
    rows = [(core.title, f"`rtl:{core.name}`") for core in machine.simulated]
    yield from _table([("core in RTL simulation", "target"), *rows])
    yield ""
    yield "[Soft cores](cores.md) says how they are built and what is exact."


def _boards(machine: Machine) -> Iterator[str]:
    yield "### Boards"
    yield ""
    clock = "clock" if machine.rtl else "PL clock"
    head = ("board", "part", "free Vivado", clock, "cores", "UART", "lines for a scope")
    rows = [
        (
            f"{board.title} (`{board.name}`)",
            board.part,
            {True: "yes", False: "no", None: "not needed"}[board.free],
            f"{board.tick_hz / 1e6:.6f} MHz",
            f"{board.cpu_mhz} MHz",
            f"UART{board.uart}",
            f"{board.pmod}, {min(board.pins, machine.pins.pmod)} pins",
        )
        for board in machine.boards
    ]
    yield from _table([head, *rows])
    yield ""
    for board in machine.boards:
        if (board.lines, board.channels) != (LINES, CHANNELS):
            yield (
                f"{board.title} has {board.lines} lines and {board.channels} channels, "
                f"in the place of {LINES} and {CHANNELS}."
            )
            yield ""
    if machine.rtl:
        targets = ", ".join(f"`rtl:{board.name}`" for board in machine.boards)
        yield f"Simulated whole, RTL and firmware, as targets: {targets}."
        yield ""
    yield "No board has seen any of this yet: [what has not been verified](board.md)."


def _words(machine: Machine) -> Iterator[tuple[str, str]]:
    stacks = ", ".join(f"`{word}`" for word in words(machine, "stack"))
    yield "`stack`", f"{stacks}; [one of your own](stacks.md#your-own-stack)"
    for key in ("case", *WORDS):
        if key == "clock_divisor":
            yield f"`{key}`", f"1 to {machine.has.clock_divisor}"
        elif key == "interrupt":
            yield f"`{key}`", choices(machine).replace('"', "`")
        else:
            yield f"`{key}`", ", ".join(f"`{word}`" for word in words(machine, key))


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    for n, row in enumerate(rows):
        yield f"| {' | '.join(row)} |"
        if n == 0:
            yield "|---" * len(row) + "|"
