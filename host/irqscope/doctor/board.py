"""Steps from the link to the clock: firmware, register port, identity."""

from __future__ import annotations

from irqscope import constants
from irqscope.acquire.ports import Port, ports
from irqscope.doctor import silence
from irqscope.doctor.adapter import REMEDY, lost_values
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.step import Notes
from irqscope.errors import LinkError, TargetError
from irqscope.link import messages
from irqscope.link.codec import Reply
from irqscope.link.export import messages_hash
from irqscope.link.failures import FirmwareError
from irqscope.link.identity import Identity
from irqscope.link.messages import ErrorCode
from irqscope.machines.firmware_file import DEFAULT_STACK, program

ANSWERS = "an answer to hello"
GATEWARE = "a gateware that acknowledges"
PORT = "a register port that carries every bit"
IDENTITY = "an identity that this irqscope works with"

# ---- hello ---------------------------------------------------------------------------------------


def hello(dut: DeviceUnderTest, notes: Notes) -> None:
    """The firmware may refuse for want of a gateware: that is an answer."""
    try:
        reply = dut.link.hello()
        if mismatch := dut.recognise(reply.built_for, in_user_space=reply.privilege == 0):
            notes.fail(mismatch, "is this a board? (`irqscope machines` says which there are)")
            return
        notes.see("the firmware answers")
    except FirmwareError as error:
        if error.code == ErrorCode.BAD_VALUE:
            notes.fail(str(error), "install the firmware that belongs to this irqscope")
            return
        notes.see(f"the firmware answers: {error}")
        for cause in silence.causes(error):
            notes.see(f"before the steps below look further, it may be {cause}")
        dut.recognise_by(dut.request(messages.PL_STATE).registers)
    except LinkError as error:
        notes.fail(
            str(error), silence.told(silence.causes(error, _port_of(dut.name))) or "the link"
        )
        return
    if lost := lost_values(dut.link):
        values = ", ".join(f"0x{value:02X}" for value in lost)
        notes.fail(f"bytes {values} from the board are lost", REMEDY)
        return
    dut.facts.add(ANSWERS)


def _port_of(target: str) -> Port | None:
    """The target as one of this computer's ports, or None if it is not a port."""
    return next((port for port in ports() if port.port == target), None)


# ---- register port ------------------------------------------------------------------------------


def port(dut: DeviceUnderTest, notes: Notes) -> None:
    """The scratch register, walked through by ones and zeros in the step before."""
    state = dut.pl_state
    assert state is not None  # or the gateware would not be known to acknowledge
    notes.see("64 words written to and read from scratch")
    for mask, level in ((state.never_1, 0), (state.never_0, 1)):
        if mask:
            bits = ", ".join(str(bit) for bit in range(32) if mask >> bit & 1)
            notes.fail(
                f"data bits of the register port stay {level}: {bits}",
                dut.wiring.port,
            )
    if not notes.findings:
        dut.facts.add(PORT)


# ---- identity ------------------------------------------------------------------------------------

_BELONG = "load the bitstream and the firmware that belong to this irqscope"
#: Boards differ in the crystal of their preset. The bitstream has the board's real value;
#: scripts/vivado/design.tcl checks it to the same margin.
_TICK_PPM = 1000


def identity(dut: DeviceUnderTest, notes: Notes) -> None:
    """Expects that gateware, firmware and host were made for each other."""
    try:
        answer = dut.begin_session()
    except TargetError as error:
        notes.fail(str(error), _BELONG)
        return
    if notes.expect(
        dut.session.stack.name == DEFAULT_STACK,
        f"the firmware runs the stack {dut.session.stack.name}",
        f"load {program(DEFAULT_STACK)}: the steps that follow are its own",
    ):
        dut.facts.add(IDENTITY)
    notes.see(
        f"{answer.label}: register map {answer.version:#x}, gateware {answer.build_hash:#010x}, "
        f"firmware {answer.firmware_hash:#010x}"
    )
    made_for_each_other(answer, dut.request(messages.BUILD), notes)
    wiring, machine = dut.wiring, dut.machine
    notes.expect(
        answer.privilege == wiring.privilege,
        f"the firmware runs at {wiring.level}{answer.privilege}",
        wiring.privileged,
    )
    notes.expect(
        answer.core_id >> 4 & 0xFFF == wiring.core_part,
        f"{wiring.core_register} {answer.core_id:#x} is no {machine.cores.name}",
        f"is this a {wiring.chip}?",
    )
    notes.expect(
        abs(answer.tick_hz / machine.tick_hz - 1) * 1e6 <= _TICK_PPM,
        f"the gateware names {answer.tick_hz} Hz, this irqscope is built for {machine.tick_hz}",
        _BELONG,
    )


def made_for_each_other(identity: Identity, build: Reply, notes: Notes) -> None:
    """Expects the gateware, messages and register map that this host was built with."""
    # The host does not know programs that were built separately.
    built = identity.build_hash if identity.machine.rtl else constants.BUILD_HASH
    for part, target_value, host_value in (
        ("the gateware is of another build", identity.build_hash, built),
        ("the firmware has other messages", build.messages_hash, messages_hash()),
        ("the firmware has another register map", build.registers_hash, constants.REGISTERS_HASH),
    ):
        notes.expect(
            target_value == host_value,
            f"{part}: {target_value:#010x}, this irqscope's is {host_value:#010x}",
            _BELONG,
        )


# ---- clock ---------------------------------------------------------------------------------------

#: How long the two clocks are compared, s: what one reading leaves open is then 20 ppm at most.
_CLOCK_S = 0.2
#: Counter and PL clock come from one crystal, which cancels. Another divider makes 14 %.
_CLOCK_PPM = 50.0


def clock(dut: DeviceUnderTest, notes: Notes) -> None:
    """Counts PL ticks against the system counter."""
    answer = dut.session.identity
    counts = int(answer.counter_hz * _CLOCK_S)
    reply = dut.link.request(messages.CLOCKS, lasting_s=_CLOCK_S, counts=counts)
    ticks = reply.last_tick - reply.first_tick
    longest = reply.last_after - reply.first_before
    shortest = reply.last_before - reply.first_after
    low, high = (ticks * answer.counter_hz / count for count in (longest, shortest))
    notes.see(
        f"{ticks} ticks while the system counter ({answer.counter_hz} Hz) counted {shortest} to "
        f"{longest}: {low / 1e6:.4f} to {high / 1e6:.4f} MHz"
    )
    margin = answer.tick_hz * _CLOCK_PPM / 1e6
    ppm = ((low + high) / 2 / answer.tick_hz - 1) * 1e6
    notes.expect(
        low <= answer.tick_hz + margin and high >= answer.tick_hz - margin,
        f"the PL clock is off by {ppm:+.0f} ppm: {(low + high) / 2e6:.3f} MHz where the identity "
        f"names {answer.tick_hz / 1e6:.3f}",
        dut.wiring.clock,
    )
