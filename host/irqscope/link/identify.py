"""Checks whether this host was built for the target that answers the hello.

Each refusal names both sides.
"""

from __future__ import annotations

import math

from irqscope import constants
from irqscope.errors import TargetError
from irqscope.link.codec import Reply
from irqscope.link.failures import version_error
from irqscope.link.identity import Identity, numbered
from irqscope.link.messages import BUILT_ON_CHIP, PROTOCOL_VERSION
from irqscope.machines.known import MACHINES
from irqscope.machines.model import Board, Machine
from irqscope.machines.names import PlacementName
from irqscope.units import SLOWEST_HZ

#: Major version of the firmware that this host was built for.
FIRMWARE_MAJOR = 0
#: How far a firmware may be off that knows one board's crystal only: others differ by 100 ppm.
CRYSTALS = 1e-3


def identify(hello: Reply, deviation: str = "", replay: str = "") -> Identity:
    """The identity, if this host can work with it; else TargetError with both sides."""
    if hello.protocol != PROTOCOL_VERSION:
        raise version_error(hello.protocol)
    same = "install the bitstream and the firmware that belong to this irqscope"
    for clock in ("tick_hz", "counter_hz", "cpu_hz"):
        if (hz := hello.values[clock]) < SLOWEST_HZ:
            raise TargetError(f"the target names a clock of {hz} Hz, {clock}; {same}")
    reported = {**hello.values, "built_for": hello.built_for & ~BUILT_ON_CHIP}
    memory: PlacementName = "ocm" if hello.built_for & BUILT_ON_CHIP else "ddr"
    identity = Identity(**reported, memory=memory, deviation=deviation, replay=replay)
    _equal("magic", identity.magic, constants.MAGIC, "load irqscope's bitstream")
    major = constants.VERSION_MAJOR
    _equal("register map", major.of(identity.version), major.of(constants.VERSION), same)
    _equal("firmware major version", identity.firmware_version >> 16, FIRMWARE_MAJOR, same)
    if constants.SOURCE_MACHINE.of(identity.source) != identity.built_for:
        gateware = constants.SOURCE_MACHINE.of(identity.source)
        raise TargetError(
            f"machine: the gateware is of {_named(gateware)}, the firmware of "
            f"{_named(identity.built_for)}; {same}"
        )
    numbers = {
        "machine": constants.SOURCE_MACHINE,
        "board": constants.SOURCE_BOARD,
        "profile": constants.SOURCE_SIMULATION,
    }
    for name, bits in numbers.items():
        try:
            getattr(identity, name)
        except LookupError:
            number = bits.of(identity.source)
            raise TargetError(
                f"the target says that it is {name} {number}, unknown here; {same}"
            ) from None
    _equal("sizes", identity.sizes, _sizes(identity.machine), same)
    _equal("geometry", identity.geometry, _geometry(identity), same)
    return _of_one_crystal(identity)


def _of_one_crystal(hello: Identity) -> Identity:
    """Returns the identity with the rates that follow from that of the PL clock.

    The gateware has that rate of its board.

    The core's clock was measured by the counter. Raises TargetError if no crystal explains the
    counter's rate that the firmware reports.
    """
    if hello.machine.counter.ratio is None:
        return hello
    counts, ticks = hello.machine.counter.ratio
    hz = hello.tick_hz * counts // ticks
    if not math.isclose(hz, hello.counter_hz, rel_tol=CRYSTALS):
        raise TargetError(
            f"counter_hz: beside a PL clock of {hello.tick_hz} Hz, as the gateware names it, the "
            f"counter has {hz} Hz, the firmware says {hello.counter_hz}; load the bitstream and "
            "run the start-up of one design"
        )
    cpu_hz = round(hello.cpu_hz * hz / hello.counter_hz)
    return hello.model_copy(update={"counter_hz": hz, "cpu_hz": cpu_hz})


def _geometry(identity: Identity) -> int:
    """Geometry of the gateware that this host is built for; a board may have fewer lines."""
    if not isinstance(identity.place, Board):
        return constants.GEOMETRY
    values = {
        constants.GEOMETRY_LINES: identity.place.lines,
        constants.GEOMETRY_CHANNELS: identity.place.channels,
        constants.GEOMETRY_CORES: constants.CORES,
        constants.GEOMETRY_LEAD: constants.LEAD,
    }
    return sum(value << bits.lsb for bits, value in values.items())


def _sizes(machine: Machine) -> int:
    """Sizes of the gateware that this host is built for; a soft core synchronises no markers."""
    soft = bool(machine.simulated) or machine.rtl
    values = {
        constants.SIZES_HIST_BINS_LOG2: machine.sizes.hist_bins_log2,
        constants.SIZES_FIFO_DEPTH_LOG2: machine.sizes.fifo_depth_log2,
        constants.SIZES_MARKER_DELAY: 0 if soft else constants.MARKER_DELAY,
        constants.SIZES_SHORTEST_PHASE: constants.SHORTEST_PHASE,
    }
    return sum(value << bits.lsb for bits, value in values.items())


def _named(number: int) -> str:
    """A machine's name and number, as far as known."""
    try:
        return f"{numbered(MACHINES, number).name} ({number})"
    except LookupError:
        return f"number {number}"


def wrong_gateware(magic: int, version: int) -> TargetError:
    """The firmware met gateware that it was not built for; both sides."""
    return TargetError(
        f"gateware: the firmware found magic {magic:#x} version {version:#x}, this irqscope is "
        f"built for magic {constants.MAGIC:#x} version {constants.VERSION:#x}; "
        "load the bitstream that belongs to this irqscope"
    )


def wrong_board(source: int, uart: int) -> TargetError:
    """The gateware names a board whose link is another UART; both sides.

    ``source``: the gateware's register. ``uart``: the one that carried the request.
    """
    machine, number = constants.SOURCE_MACHINE.of(source), constants.SOURCE_BOARD.of(source)
    boards = next((candidate.boards for candidate in MACHINES if candidate.number == machine), ())
    named = next((f"{each.name} ({number})" for each in boards if each.number == number), number)
    fitting = " or ".join(each.name for each in boards if each.uart == uart) or "none of these"
    return TargetError(
        f"board: the gateware is of {named}, whose link is another UART; the firmware answers by "
        f"UART{uart}, as on {fitting}; load the bitstream of this board"
    )


def wrong_protocol() -> TargetError:
    """The firmware refused our version of the protocol without telling its own."""
    return TargetError(
        f"the firmware refuses protocol version {PROTOCOL_VERSION}, that of this irqscope; "
        "install the firmware that belongs to this irqscope"
    )


def _equal(name: str, target_value: int, host_value: int, remedy: str) -> None:
    if target_value != host_value:
        raise TargetError(
            f"{name}: target {target_value:#x}, this irqscope {host_value:#x}; {remedy}"
        )
