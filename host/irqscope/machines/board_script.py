"""Boards for the Tcl scripts of Vivado and XSDB."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.machines.model import Board, Machine, Vivado

_HEAD = """\
# What differs between the boards; what differs between their processor systems is in zynqmp.tcl and
# zynq7000.tcl, and everything else in build.tcl, design.tcl and checks.tcl.
#
# part, board  names in Vivado; the newest board file that matches is taken
# number       what the core says that it is: register source, field board (hw/regs/irqscope.rdl)
# free         1 if the free edition of Vivado has the part
# machine      processor system
# carrier      connector of a module, board file of its carrier, and the carrier's connector
# leds         1 if the PL has LEDs whose pins are known
# own          1 if its firmware is another program than its machine's others have
# outputs      pins that lines are copied to, and
# inputs       pins whose edges can be markers: from 0 on, of the core's eight each
# settings     of the processor system, which it has anyway where the carrier's preset reaches it
# crystal      MHz of the reference, on a Zynq-7000; the board's preset has to give it, as well as
# cpu, uart    MHz of the cores, and the number of the console's UART"""


def board_script(machines: list[Machine], digest: str, by: str) -> Iterator[str]:
    """Yield the lines of ``boards.tcl``: a dictionary by the names of boards that Vivado builds.

    Args:
        machines: All descriptions.
        digest: Their sha256.
        by: Who writes the file.
    """
    yield f"# sha256 of the descriptions: {digest}"
    yield f"# {by}"
    yield _HEAD
    yield ""
    yield "set boards {"
    for machine in sorted(machines, key=lambda machine: machine.number):
        for board in machine.boards:
            if board.vivado is not None:
                yield f"  {board.name} {{"
                yield from _facts(machine, board, board.vivado)
                yield "  }"
    yield "}"


def _facts(machine: Machine, board: Board, vivado: Vivado) -> Iterator[str]:
    yield f"    part    {board.part}"
    yield f"    board   {vivado.board}"
    yield f"    number  {board.number}"
    yield f"    free    {vivado.free:d}"
    yield f"    machine {machine.name}"
    yield f"    carrier {{{' '.join(vivado.carrier or ())}}}"
    yield f"    leds    {vivado.leds:d}"
    yield f"    outputs {board.pins}"
    yield f"    inputs  {board.pins}"
    if vivado.own_firmware:
        yield "    own     1"
    if vivado.settings:
        yield "    settings {"
        for name, value in vivado.settings.items():
            yield f"      CONFIG.{name} {f'{{{value}}}' if ' ' in value else value}"
        yield "    }"
    if vivado.preset is not None:
        yield f"    crystal {vivado.preset.crystal_mhz:.9g}"
        yield f"    cpu     {vivado.preset.cpu_mhz:.9g}"
        yield f"    uart    {board.uart}"
