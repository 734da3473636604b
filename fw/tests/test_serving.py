"""The instrument's firmware on stock QEMU, which has no gateware: link, refusals and faults."""

import itertools
import struct

import pytest

from irqscope.protocol import messages
from irqscope.protocol.messages import ErrorCode

UNMAPPED = 0x8000_0000  # an address that the firmware's translation tables leave out
INSTRUCTION_ABORT_SAME_LEVEL = 0x21  # ESR_EL3.EC


def error(payload):
    return struct.unpack("<HII", payload)


def case(**changed):
    fields = {field.name: 0 for field in messages.CASE.request}
    fields |= messages.PLAIN_CASE | {"case_id": messages.CaseId.T1, "caches": 1, "priority": 0x40}
    fields |= {"interrupt": 121, "trigger": messages.Trigger.RISING_EDGE} | changed
    codes = "<" + "".join(field.code for field in messages.CASE.request)
    return struct.pack(codes, *fields.values())


def case_reply(payload):
    codes = "<" + "".join(field.code for field in messages.CASE.reply)
    names = [field.name for field in messages.CASE.reply]
    return dict(zip(names, struct.unpack(codes, payload), strict=True))


@pytest.fixture
def serving(qemu):
    """Firmware that answers. What came before its UART was set up is lost: asks until it does."""
    machine = qemu("irqscope.elf")
    for _ in range(100):
        if machine.exchange(messages.HELLO.kind, 0, struct.pack("<H", 1), seconds=0.2):
            break
    else:
        pytest.fail("no answer to HELLO")
    while machine.receive(0.3):  # answers to earlier ones
        pass
    return machine


def test_hello_says_that_there_is_no_gateware(serving):
    kind, sequence, payload = serving.exchange(messages.HELLO.kind, 0, struct.pack("<H", 1))
    assert (kind, sequence) == (messages.ERROR_KIND, 0)
    assert error(payload) == (ErrorCode.NO_GATEWARE, 0, 0)


def test_each_error_has_its_code(serving):
    def refusal(kind, payload=b""):
        refusal.sequence += 1
        answered, sequence, reply = serving.exchange(kind, refusal.sequence, payload)
        assert (answered, sequence) == (messages.ERROR_KIND, refusal.sequence)
        return error(reply)

    refusal.sequence = 0
    assert refusal(0x7A) == (ErrorCode.UNKNOWN_KIND, 0x7A, 0)
    assert refusal(messages.BAUD.kind, b"\0") == (ErrorCode.BAD_LENGTH, 1, 4)
    assert refusal(messages.BAUD.kind, struct.pack("<I", 9600)) == (ErrorCode.BAD_VALUE, 0, 0)
    # QEMU has no clock controller, so that no rate can be made.
    assert refusal(messages.BAUD.kind, struct.pack("<I", 115200)) == (ErrorCode.BAD_VALUE, 0, 0)
    assert refusal(messages.BATCH.kind, bytes(4)) == (ErrorCode.NO_CASE, 0, 0)
    for field, value in (
        ("case_id", 2),
        ("markers", 2),
        ("idle", 2),
        ("trigger", 2),
        ("dispatcher", 2),
        ("caches", 2),
        ("priority", 0xF0),
        ("core", 1),
        ("interrupt", 129),
        ("interrupt", 143),  # the gateware's own
        ("count", 1),
    ):
        index = [f.name for f in messages.CASE.request].index(field)
        refused = refusal(messages.CASE.kind, case(**{field: value}))
        assert refused == (ErrorCode.BAD_VALUE, index, 0), field
    index = [f.name for f in messages.CASE.request].index("trigger")
    edge_on_ppi = case(interrupt=31)
    assert refusal(messages.CASE.kind, edge_on_ppi) == (ErrorCode.BAD_VALUE, index, 0)


def test_case_is_read_back_from_the_hardware(serving):
    settings = itertools.product([(121, 1), (121, 0), (31, 0), (136, 1)], (0, 1), (0, 1), (0, 1))
    for sequence, ((interrupt, trigger), caches, markers, dispatcher) in enumerate(settings, 1):
        asked = {
            "interrupt": interrupt,
            "trigger": trigger,
            "markers": markers,
            "dispatcher": dispatcher,
            "priority": 8 * sequence % 0xF0,
        }
        kind, _, payload = serving.exchange(
            messages.CASE.kind, sequence, case(caches=caches, **asked)
        )
        assert kind == messages.CASE.kind + messages.REPLY
        reply = case_reply(payload)
        expected = asked | {"targets": 1, "group": 0, "enabled": 1, "pending": 0}
        assert {name: reply[name] for name in expected} == expected
        assert reply["sctlr"] >> 2 & 1 == reply["sctlr"] >> 12 & 1 == caches
        assert reply["sctlr"] & 1 == 1
        assert reply["scr"] & 0b1111 == 0b1110  # IRQ, FIQ, EA to EL3, secure


def test_a_request_with_the_last_sequence_number_is_not_carried_out_again(serving):
    first = serving.exchange(messages.CASE.kind, 9, case(priority=0x40))
    again = serving.exchange(messages.CASE.kind, 9, case(priority=0x80))
    assert again == first
    kind, sequence, payload = serving.exchange(messages.CASE.kind, 10, case(priority=0x80))
    assert (kind, sequence) == (messages.CASE.kind + messages.REPLY, 10)
    assert case_reply(payload)["priority"] == 0x80


def test_garbage_is_passed_over(serving):
    serving.send(b"\x05garbage\0\0\xff\xff\0")
    kind, sequence, _ = serving.exchange(messages.CASE.kind, 3, case())
    assert (kind, sequence) == (messages.CASE.kind + messages.REPLY, 3)


def test_a_fault_is_reported_and_the_link_goes_on(qemu, debugger, tmp_path):
    socket = tmp_path / "gdb"
    machine = qemu("irqscope.elf", "-gdb", f"unix:{socket},server=on,wait=off")
    reply = None
    while reply is None:
        reply = machine.exchange(messages.CASE.kind, 1, case(), seconds=0.2)
    while machine.receive(0.3):
        pass
    with debugger(socket) as gdb:
        gdb.continue_at(UNMAPPED)
    machine.send(b"\0")  # wakes the core
    kind, sequence, payload = machine.receive()
    code, esr, elr = error(payload)
    assert (kind, sequence, code) == (messages.ERROR_KIND, 0, ErrorCode.FAULT)
    assert esr >> 26 == INSTRUCTION_ABORT_SAME_LEVEL
    assert elr == UNMAPPED
    # The case is forgotten, the link is not.
    _, _, payload = machine.exchange(messages.BATCH.kind, 2, bytes(4))
    assert error(payload) == (ErrorCode.NO_CASE, 0, 0)
    kind, _, _ = machine.exchange(messages.CASE.kind, 3, case())
    assert kind == messages.CASE.kind + messages.REPLY
