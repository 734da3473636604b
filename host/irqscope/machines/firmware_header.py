"""The firmware's constants of its machine, as a header for C and assembly."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.constants import CHANNELS, LINES
from irqscope.machines.model import Machine


def firmware_header(machine: Machine, digest: str, by: str) -> Iterator[str]:
    """Lines of ``description.h``. ``digest``: sha256 of the description; ``by``: who writes it."""
    yield f"/* sha256 of the description: {digest}"
    yield f" * {by}"
    yield " * Plain numbers: included by C and by assembly. */"
    yield "#ifndef IRQSCOPE_GENERATED_DESCRIPTION_H"
    yield "#define IRQSCOPE_GENERATED_DESCRIPTION_H"
    yield ""
    yield from _constants(machine)
    yield ""
    yield "#endif"


def _constants(machine: Machine) -> Iterator[str]:
    i = machine.interrupts
    yield f"/* {machine.title}. In HELLO: */"
    yield f"#define MACHINE_NUMBER {machine.number}"
    yield ""
    yield f"#define MACHINE_CORES {machine.cores.count}"
    yield f"#define MACHINE_COUNTER_HZ {machine.counter.hz} /* in which periods count */"
    yield ""
    yield f"/* Interrupts of the {i.controller}, by ID. */"
    yield f"#define MACHINE_IDS {i.ids}"
    yield f"#define MACHINE_LINK_ID {i.link}         /* the UART */"
    for n, number in enumerate(i.uarts):
        yield f"#define MACHINE_UART{n}_ID {number}"
    yield f"#define MACHINE_TIMER_TICK_ID {i.timer_tick}         /* its timer */"
    yield f"#define MACHINE_FINISHED_ID {i.finished}    /* the gateware's: a batch has finished */"
    yield f"#define MACHINE_FINISHED_OUTPUT {machine.finished_output}"
    yield f"#define MACHINE_BACKGROUND_MOST {i.background}   /* further ones of a case */"
    yield "/* Those that a source has, 32 to a word. */"
    yield f"#define MACHINE_EXISTING_IDS {', '.join(_existing(machine))}"
    yield "/* By output of the instrument; in rows, and each. */"
    ids = i.shared.ids
    yield f"#define MACHINE_SHARED_OUTPUTS {len(ids)}"
    for n, row in enumerate(i.shared.outputs):
        yield f"#define MACHINE_SHARED_{n}_FIRST {row.first} /* {row.port} */"
        yield f"#define MACHINE_SHARED_{n}_COUNT {row.count}"
    half = len(ids) // 2
    yield f"#define MACHINE_SHARED_IDS {', '.join(map(str, ids[:half]))}, \\"
    yield f"    {', '.join(map(str, ids[half:]))}"
    yield f"#define MACHINE_SHARED_BY_EDGE {int('rising edge' in i.shared.senses)}"
    yield f"#define MACHINE_SHARED_BY_LEVEL {int('level' in i.shared.senses)}"
    yield f"#define MACHINE_HAS_PRIVATE {int(i.private is not None)}"
    if i.private is not None:
        port = i.private.port
        yield f"#define MACHINE_PRIVATE_ID {i.private.id} /* {port}: output n on core n */"
        yield f"#define MACHINE_PRIVATE_BY_EDGE {int('rising edge' in i.private.senses)}"
        yield f"#define MACHINE_PRIVATE_BY_LEVEL {int('level' in i.private.senses)}"
    yield f"#define MACHINE_HAS_SOFTWARE {int(i.software is not None)}"
    if i.software is not None:
        yield f"#define MACHINE_SOFTWARE_FIRST {i.software.first}"
        yield f"#define MACHINE_SOFTWARE_COUNT {i.software.count}"
    yield ""
    yield "/* Memory. */"
    for placement in machine.placements:
        name = f"MACHINE_{placement.name.upper()}"
        yield f"#define {name}_BASE 0x{placement.base:08X}"
        yield f"#define {name}_SIZE 0x{placement.size:08X}"
    yield f"#define MACHINE_ARRAYS_BASE 0x{machine.memory.arrays_base:08X}"
    yield f"#define MACHINE_ARRAYS_KIB {machine.memory.arrays_kib}"
    yield f"#define MACHINE_HIST_BINS_LOG2 {machine.sizes.hist_bins_log2}"
    has_fewer = any((b.lines, b.channels) != (LINES, CHANNELS) for b in machine.boards)
    yield f"#define MACHINE_GEOMETRY_BY_BOARD {int(has_fewer)}"
    yield f"#define MACHINE_HAS_STM {int('paper+stm' in machine.has.markers)}"
    yield f"#define MACHINE_HAS_LOCKDOWN {int(bool(machine.has.lockdown))}"
    own = "line interrupts" not in machine.without
    yield f"#define MACHINE_HAS_LINE_INTERRUPTS {int(own)}"
    yield f"#define MACHINE_CLOCK_DIVISOR_MOST {machine.has.clock_divisor}"
    if machine.boards:
        yield ""
        yield "/* What the gateware says that it is. */"
    for board in machine.boards:
        yield f"#define MACHINE_BOARD_{board.name.upper().replace('-', '_')} {board.number}"
    yield ""
    reached = (
        sum(1 << board.number for board in machine.boards if board.uart == n) for n in (0, 1)
    )
    yield "/* By number, a bit each: the boards whose link is UART0, and UART1. */"
    yield "#define MACHINE_BOARDS_BY_UART " + ", ".join(f"0x{boards:X}" for boards in reached)


def _existing(machine: Machine) -> Iterator[str]:
    i = machine.interrupts
    for first in range(0, i.ids, 32):
        existing = (n for n in range(first, min(first + 32, i.ids)) if n not in i.absent)
        yield f"0x{sum(1 << n % 32 for n in existing):08X}"
