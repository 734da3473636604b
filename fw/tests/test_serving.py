"""The instrument's firmware on stock QEMU, which has no gateware: link, refusals and faults."""

import itertools
import re
import socket
import struct
import time

import pytest

from irqscope import constants
from irqscope.errors import LinkError
from irqscope.link import codec, messages
from irqscope.link.export import messages_hash
from irqscope.link.failures import FirmwareError
from irqscope.link.messages import ErrorCode
from irqscope.machines.cases import CaseId
from irqscope.targets import open_target

UNMAPPED = 0x8000_0000  # an address that the firmware's translation tables leave out
INSTRUCTION_ABORT_SAME_LEVEL = 0x21  # ESR_EL3.EC


def error(payload):
    return struct.unpack("<HII", payload)


def case(**changed):
    fields = {field.name: 0 for field in messages.CASE.request}
    fields |= messages.PLAIN_CASE | {"case_id": CaseId.T1, "caches": 1, "priority": 0x40}
    fields |= {"interrupt": 121, "trigger": messages.Trigger.RISING_EDGE} | changed
    codes = "<" + "".join(field.code for field in messages.CASE.request)
    return struct.pack(codes, *fields.values())


def endless_sleep(elf):
    """Address of a loop in which a core sleeps for good: the program has one after a fault."""
    wfi, back = 0xD503207F, 0x17FFFFFF
    image = elf.read_bytes()
    actual = image.index(struct.pack("<II", wfi, back))
    segments = (struct.unpack_from("<IIQQQQ", image, at) for at in range(64, 64 + 4 * 56, 56))
    return next(
        address + actual - offset
        for kind, _, offset, address, _, size in segments
        if kind == 1 and offset <= actual < offset + size
    )


def case_reply(payload):
    reply = codec.unpack_reply(messages.CASE, payload)
    return {**reply.values, **reply.registers}


def answering(machine):
    """Firmware that answers. What came before its UART was set up is lost: asks until it does."""
    for _ in range(100):
        if machine.hello(seconds=0.2):
            break
    else:
        pytest.fail("no answer to HELLO")
    machine.settle()
    return machine


@pytest.fixture
def serving(qemu):
    return answering(qemu("irqscope.elf"))


@pytest.fixture
def kernel(qemu, freertos, tmp_path):
    """The firmware with FreeRTOS serves on stock QEMU; its debugger's socket is tmp_path/gdb."""
    options = ("-gdb", f"unix:{tmp_path / 'gdb'},server=on,wait=off")
    return answering(qemu(freertos.name, *options))


def test_hello_says_that_there_is_no_gateware(serving):
    request = struct.pack("<H", messages.PROTOCOL_VERSION)
    kind, number, payload = serving.exchange(messages.HELLO.kind, 1, request)
    assert (kind, number) == (messages.ERROR_KIND, 1)
    assert error(payload) == (ErrorCode.NO_GATEWARE, 0, 0)


def test_the_hosts_own_link_takes_it_over_a_socket(qemu):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    qemu("irqscope.elf", serial=f"tcp:127.0.0.1:{port},server=on,wait=off")
    with until_it_is_there(lambda: open_target(f"socket://127.0.0.1:{port}")) as target:
        hello = until_it_is_there(lambda: refusal_of(target.link.hello))
        assert hello.code == ErrorCode.NO_GATEWARE
        words = {f"word_{n}": n << 8 for n in range(messages.ECHO_WORDS)}  # zeros: COBS at work
        reply = target.link.request(messages.ECHO, **words)
        assert {name: getattr(reply, name) for name in words} == words
        assert target.link.statistics.rejected.total() == 0


def refusal_of(ask):
    try:
        pytest.fail(f"answered: {ask()}")
    except FirmwareError as refusal:
        return refusal


def until_it_is_there(attempt):
    """Returns the result of ``attempt`` once QEMU listens and the firmware has set up its UART."""
    deadline = time.monotonic() + 120
    while True:
        try:
            return attempt()
        except LinkError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def ask_until_answered(machine, asked):
    """Asks for a case once the firmware has set its UART up."""
    answering(machine).exchange(messages.CASE.kind, 1, asked)


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
    assert refusal(messages.BATCH.kind, bytes(20)) == (ErrorCode.NO_CASE, 0, 0)
    assert refusal(messages.CLOCKS.kind, bytes(4)) == (ErrorCode.NO_GATEWARE, 0, 0)
    assert refusal(messages.WATCH.kind, struct.pack("<BHB", 2, 0, 0)) == (ErrorCode.BAD_VALUE, 0, 0)
    assert refusal(messages.WATCH.kind, struct.pack("<BHB", 0, 0, 16)) == (
        ErrorCode.BAD_VALUE,
        2,
        0,
    )
    assert refusal(messages.WATCH.kind, bytes(4)) == (ErrorCode.NO_CASE, 0, 0)
    for first, end, field in ((4096, 4097, 1), (5, 5, 2), (0, 4097, 2)):
        requested = struct.pack("<BHH", 0, first, end)
        assert refusal(messages.HISTOGRAM.kind, requested) == (ErrorCode.BAD_VALUE, field, 0)
    assert refusal(messages.SEND.kind, b"\4") == (ErrorCode.BAD_VALUE, 0, 0)
    assert refusal(messages.SEND.kind, b"\0") == (ErrorCode.NO_CASE, 0, 0)
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


def test_an_echo_comes_back_with_the_uarts_counters(serving):
    words = bytes(range(256))
    kind, _, payload = serving.exchange(messages.ECHO.kind, 1, words)
    assert kind == messages.ECHO.kind + messages.REPLY
    assert payload[: len(words)] == words
    assert struct.unpack("<III", payload[len(words) :]) == (0, 0, 0)


def test_the_firmware_names_the_sources_that_it_was_made_from(serving):
    _, _, payload = serving.exchange(messages.BUILD.kind, 1, b"")
    own = [messages_hash(), constants.REGISTERS_HASH]
    assert list(struct.unpack("<II", payload)) == own


ADDITIONS = {
    "t4": {"case_id": CaseId.T4, "background": 36, "raise_period": 1000},
    "t5": {"case_id": CaseId.T5, "background": 14, "raise_period": 1000, "priority": 0},
    "t6": {"case_id": CaseId.T6, "cores": 4},
    "t7": {"case_id": CaseId.T7, "array_kib": 64},
    "b-lmax": {
        "case_id": CaseId.B_LMAX,
        "cores": 3,
        "background": 36,
        "raise_period": 1000,
    },
    "t4, t6, t7": {
        "case_id": CaseId.B_LMAX,
        "cores": 2,
        "background": 180,
        "raise_period": 1000,
        "array_kib": 64,
    },
    "t6, t7": {"case_id": CaseId.B_LMAX, "cores": 3, "array_kib": 64},
    "cache-state": {"case_id": CaseId.CACHE_STATE, "state": 31},
    "random-load": {
        "case_id": CaseId.RANDOM_LOAD,
        "array_kib": 64,
        "data_accesses": 8,
        "instruction_accesses": 8,
        "budget": 268,  # 12 and 16 an access
    },
    "aimed load": {
        "case_id": CaseId.RANDOM_LOAD,
        "array_kib": 64,
        "data_accesses": 1,
        "budget": 28,
        "aimed": 1,
    },
    "sgi": {"interrupt": 3, "count": 5, "raise_period": 1000},
    "timer tick": {"timer_tick_period": 1000, "timer_tick_work": 10},
    "divisor": {"divisor": 8},
}


def test_what_a_case_cannot_do_is_refused_by_its_field(serving):
    requested = itertools.count(1)

    def refused(**fields):
        _, _, payload = serving.exchange(messages.CASE.kind, next(requested), case(**fields))
        code, index, _ = error(payload)
        assert code == ErrorCode.BAD_VALUE
        return messages.CASE.request[index].name

    for addition in ADDITIONS.values():
        kind, _, _ = serving.exchange(messages.CASE.kind, next(requested), case(**addition))
        assert kind == messages.CASE.kind + messages.REPLY, addition
    for name, field, value in (
        ("t4", "background", 0),
        ("t4", "background", 181),
        ("t4", "priority", 0xE8),
        ("t4", "cores", 2),
        ("t4", "interrupt", 3),
        ("t4", "state", 1),
        ("t5", "background", 15),
        ("t5", "priority", 8),
        ("t5", "raise_period", 0),
        ("t6", "cores", 0),
        ("t6", "cores", 5),
        ("t6", "background", 1),
        ("t7", "array_kib", 0),
        ("t7", "array_kib", 0x1C_0001),  # more than there is from 256 MB to 2 GB
        ("t7", "divisor", 2),
        ("t4, t6, t7", "array_kib", 0x1C_0001),
        ("t4, t6, t7", "background", 181),
        ("cache-state", "state", 32),
        ("random-load", "array_kib", 0xE_0001),
        ("random-load", "budget", 267),
        ("random-load", "warm", 2),
        ("aimed load", "array_kib", 63),  # no place as large as a way
        ("aimed load", "aimed", 2),
        ("t7", "aimed", 1),
        ("sgi", "count", 0),
        ("sgi", "raise_period", 0),
        ("sgi", "trigger", 0),
        ("timer tick", "priority", 0xE8),
        ("divisor", "divisor", 0),
        ("divisor", "divisor", 64),
        ("divisor", "placement", 2),
        ("divisor", "pages", 3),
    ):
        assert refused(**ADDITIONS[name] | {field: value}) == field, (name, field)
    # Fields that contradict each other.
    assert refused(**ADDITIONS["b-lmax"] | {"cores": 4}) == "raise_period"
    assert refused(**ADDITIONS["b-lmax"] | {"background": 0}) == "raise_period"
    assert refused(**ADDITIONS["b-lmax"] | {"array_kib": 64}) == "array_kib"  # no core is left
    assert refused(**ADDITIONS["t6, t7"] | {"cores": 4}) == "array_kib"
    assert refused(**ADDITIONS["divisor"] | {"idle": messages.Idle.SPIN}) == "divisor"
    assert refused(timer_tick_work=1) == "timer_tick_work"


def test_other_cores_are_started_once_and_read_themselves_back(serving):
    def core(sequence, number):
        _, _, payload = serving.exchange(messages.CORE.kind, sequence, bytes([number]))
        reply = codec.unpack_reply(messages.CORE, payload)
        return {**reply.values, **reply.registers}

    sequence = 100
    for cores, caches, running in ((1, 1, 0b1), (3, 1, 0b111), (2, 0, 0b111), (4, 1, 0b1111)):
        requested = case(
            case_id=CaseId.T6 if cores > 1 else CaseId.T1,
            cores=cores,
            caches=caches,
            interrupt=31,
            trigger=messages.Trigger.LEVEL,
        )
        _, _, payload = serving.exchange(messages.CASE.kind, sequence, requested)
        reply = case_reply(payload)
        assert reply["cores_running"] == running
        assert reply["raising_core"] == 0
        states = [core(sequence + 1 + number, number) for number in range(4)]
        sequence += 5
        for number, state in enumerate(states):
            assert state["core"] == number
            assert state["running"] == running >> number & 1
            assert state["handles"] == (number < cores)
            if not state["running"]:
                continue
            assert state["mpidr_el1"] & 0xFF == number
            assert state["caches"] == (3 if caches else 0)
            if number < cores:
                assert (state["priority"], state["vector"]) == (0x40, reply["vector"])


def test_background_interrupts_are_spis_then_sgis_then_ppis(serving):
    def background():
        entries, total = [], 1
        while len(entries) < total:
            background.sequence += 1
            request = struct.pack("<H", len(entries))
            _, _, payload = serving.exchange(messages.BACKGROUND.kind, background.sequence, request)
            (total,) = struct.unpack_from("<H", payload)
            codes = "<" + "".join(field.code for field in messages.BACKGROUND.tail)
            entries += struct.iter_unpack(codes, payload[2:])
        return entries

    background.sequence = 1
    _, _, payload = serving.exchange(
        messages.CASE.kind,
        1,
        case(**ADDITIONS["t4"] | {"background": 180, "timer_tick_period": 100_000}),
    )
    reply = case_reply(payload)
    assert (reply["background"], reply["raising_core"]) == (180, 1)
    spis = [n for n in range(32, 192) if n not in (53, 121, 143)]  # UART0, measured, finished
    ids = [*spis, *range(15, -1, -1), *range(25, 32)]
    entries = background()
    assert [entry[0] for entry in entries] == ids  # PPI 29, the timer tick's own, is one of them
    assert {entry[1] for entry in entries} == {0xE8}
    for number, _, targets, trigger, enabled, raised in entries:
        private = 16 <= number < 32
        assert (targets, trigger, enabled, raised) == (1, not private, 1, not private)
    # As many as are asked for, and none when a case has none.
    requested = case(**ADDITIONS["t5"])
    background.sequence = 2000
    serving.exchange(messages.CASE.kind, background.sequence, requested)
    entries = background()
    assert [entry[:2] for entry in entries] == [(32 + n, 8 * (14 - n)) for n in range(14)]
    serving.exchange(messages.CASE.kind, 3001, case())
    _, _, payload = serving.exchange(messages.BACKGROUND.kind, 3002, bytes(2))
    assert payload == bytes(2)
    # A line that would drive one is refused.
    requested = case(**ADDITIONS["t4"] | {"background": 180})
    serving.exchange(messages.CASE.kind, 3003, requested)
    line = {field.name: 0 for field in messages.LINE.request} | {
        "enable": 1,
        "mode": 1,
        "shared": 2,
    }
    codes = "<" + "".join(field.code for field in messages.LINE.request)
    _, _, payload = serving.exchange(messages.LINE.kind, 3004, struct.pack(codes, *line.values()))
    shared = [field.name for field in messages.LINE.request].index("shared")
    assert error(payload) == (ErrorCode.BAD_VALUE, shared, 0)


def test_a_program_on_chip_says_so_and_reads_back_where_it_stands(qemu, make):
    """Runs on stock QEMU without DDR, so the program cannot fall back on it."""
    make("MEMORY=ocm")
    machine = answering(qemu("../fw-ocm/irqscope.elf"))
    ocm = {"placement": messages.Placement.OCM, "pages": 2}
    for caches in (0, 1):  # T1, and T2
        number, requested = 100 + caches, case(**(ocm | {"caches": caches}))
        kind, _, payload = machine.exchange(messages.CASE.kind, number, requested)
        assert kind == messages.CASE.kind | messages.REPLY
        actual = case_reply(payload)
        assert (actual["placement"], actual["pages"]) == (messages.Placement.OCM, 2)
        assert bool(actual["sctlr_el3"] & 1 << 2) == bool(caches)
        assert min(actual["vector"], actual["handler"], actual["call_stack"]) >= 0xFFFC0000
    for number, (changed, field) in enumerate(
        [
            ({"placement": messages.Placement.DDR}, "placement"),
            ({"pages": 0}, "pages"),
            ({"case_id": CaseId.T7, "array_kib": 1}, "array_kib"),
        ],
        200,
    ):
        kind, _, payload = machine.exchange(messages.CASE.kind, number, case(**(ocm | changed)))
        names = [each.name for each in messages.CASE.request]
        assert (kind, error(payload)[1]) == (messages.ERROR_KIND, names.index(field)), field


def test_placement_and_pages_are_read_back(serving):
    ocm = range(0xFFFC_0000, 0x1_0000_0000)
    tables = set()
    for sequence, (placement, pages, caches) in enumerate(
        itertools.product((0, 1), (0, 1, 2), (0, 1)), 1
    ):
        requested = case(placement=placement, pages=pages, caches=caches)
        _, _, payload = serving.exchange(messages.CASE.kind, sequence, requested)
        reply = case_reply(payload)
        assert (reply["placement"], reply["pages"]) == (placement, pages)
        for where in ("vector", "handler", "call_stack"):
            assert (reply[where] in ocm) == placement, where
        tables.add((pages, reply["ttbr0_el3"]))
    assert len(tables) == 3


def test_where_a_random_load_goes_is_read_back(serving):
    for sequence, (aimed, name) in enumerate([(1, "aimed load"), (0, "random-load"), (0, "t7")], 1):
        _, _, payload = serving.exchange(messages.CASE.kind, sequence, case(**ADDITIONS[name]))
        assert case_reply(payload)["aimed"] == aimed


def test_memory_that_is_not_cacheable_is_read_back_and_needs_caches(serving):
    for sequence, (memory, pages, placement) in enumerate(
        itertools.product((0, 1), (0, 1, 2), (0, 1)), 1
    ):
        requested = case(memory=memory, pages=pages, placement=placement)
        _, _, payload = serving.exchange(messages.CASE.kind, sequence, requested)
        reply = case_reply(payload)
        assert (reply["memory"], reply["pages"]) == (memory, pages)
        walks = reply["tcr_el3"] >> 8 & 0xF  # IRGN0, ORGN0
        assert walks == (0 if memory else 0b0101)
    _, _, payload = serving.exchange(messages.CASE.kind, 100, case(memory=1, caches=0))
    code, index, _ = error(payload)
    assert (code, messages.CASE.request[index].name) == (ErrorCode.BAD_VALUE, "memory")


def test_case_is_read_back_from_the_hardware(serving):
    settings = itertools.product([(121, 1), (121, 0), (31, 0), (136, 1)], (0, 1), (0, 1), (0, 1))
    for sequence, ((interrupt, trigger), caches, markers, dispatcher) in enumerate(settings, 1):
        requested = {
            "interrupt": interrupt,
            "trigger": trigger,
            "markers": markers,
            "dispatcher": dispatcher,
            "priority": 8 * sequence % 0xF0,
        }
        kind, _, payload = serving.exchange(
            messages.CASE.kind, sequence, case(caches=caches, **requested)
        )
        assert kind == messages.CASE.kind + messages.REPLY
        reply = case_reply(payload)
        expected = requested | {"targets": 1, "gicd_group": 0, "enabled": 1, "pending": 0}
        assert {name: reply[name] for name in expected} == expected
        assert reply["caches"] == (3 if caches else 0)
        assert reply["sctlr_el3"] & 0x1005 == (0x1005 if caches else 1)
        assert reply["scr_el3"] & 0b1111 == 0b1110  # IRQ, FIQ, EA to EL3, secure


def test_a_request_is_carried_out_once_and_in_its_turn(serving):
    first = serving.exchange(messages.CASE.kind, 9, case(priority=0x40))
    repeated = serving.exchange(messages.CASE.kind, 9, case(priority=0x80))
    assert repeated == first
    kind, _, payload = serving.exchange(messages.CASE.kind, 8, case(priority=0x80))
    assert (kind, error(payload)[0]) == (messages.ERROR_KIND, ErrorCode.STALE)
    kind, number, payload = serving.exchange(messages.CASE.kind, 10, case(priority=0x80))
    assert (kind, number) == (messages.CASE.kind + messages.REPLY, 10)
    assert case_reply(payload)["priority"] == 0x80


def test_garbage_is_passed_over(serving):
    serving.send(b"\x05garbage\0\0\xff\xff\0")
    kind, sequence, _ = serving.exchange(messages.CASE.kind, 3, case())
    assert (kind, sequence) == (messages.CASE.kind + messages.REPLY, 3)


def test_a_fault_is_reported_and_the_link_goes_on(qemu, debugger, tmp_path):
    socket = tmp_path / "gdb"
    machine = qemu("irqscope.elf", "-gdb", f"unix:{socket},server=on,wait=off")
    ask_until_answered(machine, case())
    with debugger(socket) as gdb:
        gdb.continue_at(UNMAPPED)
    machine.send(b"\0")  # wakes the core
    kind, _, number, payload = machine.receive()
    code, esr, elr = error(payload)
    assert (kind, number, code) == (messages.ERROR_KIND, 1, ErrorCode.FAULT)
    assert esr >> 26 == INSTRUCTION_ABORT_SAME_LEVEL
    assert elr == UNMAPPED
    # The case is forgotten, the link is not.
    _, _, payload = machine.exchange(messages.BATCH.kind, 2, bytes(20))
    assert error(payload) == (ErrorCode.NO_CASE, 0, 0)
    kind, _, _ = machine.exchange(messages.CASE.kind, 3, case())
    assert kind == messages.CASE.kind + messages.REPLY


def test_a_fault_of_another_core_is_reported_by_the_first(qemu, debugger, tmp_path):
    socket = tmp_path / "gdb"
    machine = qemu("irqscope.elf", "-gdb", f"unix:{socket},server=on,wait=off")
    requested = case(case_id=CaseId.T6, cores=3, interrupt=31, trigger=0)
    ask_until_answered(machine, requested)
    with debugger(socket) as gdb:
        gdb.continue_at(UNMAPPED, core=2)
    # It is asleep, and meets its fault when it is given work.
    kind, sequence, payload = machine.exchange(messages.CASE.kind, 2, requested)
    code, esr, elr = error(payload)
    assert (kind, sequence, code) == (messages.ERROR_KIND, 2, ErrorCode.FAULT)
    assert esr >> 26 == INSTRUCTION_ABORT_SAME_LEVEL
    assert elr == UNMAPPED
    # The case is forgotten, the core is not.
    _, _, payload = machine.exchange(messages.BATCH.kind, 3, bytes(20))
    assert error(payload) == (ErrorCode.NO_CASE, 0, 0)
    _, _, payload = machine.exchange(messages.CASE.kind, 4, requested)
    assert case_reply(payload)["cores_running"] == 0b111


def test_a_core_that_does_not_end_its_work_is_told_by_the_first(build, qemu, debugger, tmp_path):
    socket = tmp_path / "gdb"
    machine = qemu("irqscope.elf", "-gdb", f"unix:{socket},server=on,wait=off")
    requested = case(case_id=CaseId.T6, cores=3, interrupt=31, trigger=0)
    ask_until_answered(machine, requested)
    with debugger(socket) as gdb:
        gdb.continue_at(endless_sleep(build / "irqscope.elf"), core=2)
    kind, sequence, payload = machine.exchange(messages.CASE.kind, 2, requested)
    assert (kind, sequence) == (messages.ERROR_KIND, 2)
    assert error(payload) == (ErrorCode.CORE_STUCK, 2, 0)
    # From then on that core does not run, and nobody waits for it any more.
    _, _, payload = machine.exchange(messages.CASE.kind, 3, requested)
    assert case_reply(payload)["cores_running"] == 0b011


# ---- the stack in the shape of the vendor's ------------------------------------------------------


@pytest.fixture
def vendor(qemu, standalone, tmp_path):
    """The firmware with that stack serves on stock QEMU; its debugger's socket is tmp_path/gdb."""
    options = ("-gdb", f"unix:{tmp_path / 'gdb'},server=on,wait=off")
    return answering(qemu(standalone.name, *options))


def test_the_vendors_shape_names_itself_and_is_read_back(vendor):
    name, version, configuration = stack(vendor, 1)
    assert (name, version) == ("standalone", "shape of the vendor's BSP 6.6")
    assert configuration == "table of handlers; FP trapped, handler uses none; no kernel"
    replies = []
    own = messages.Markers.PAPER, messages.Markers.STAGES  # the others want an STM
    for sequence, markers in enumerate(own, 2):
        _, _, payload = vendor.exchange(messages.CASE.kind, sequence, case(markers=markers))
        replies.append(case_reply(payload))
        assert replies[-1]["markers"] == markers
        assert replies[-1]["dispatcher"] == messages.Dispatcher.TABLE
    assert replies[0]["vector"] != replies[1]["vector"]
    assert replies[0]["handler"] != replies[1]["handler"]
    for sequence, (field, fields) in enumerate(
        {
            "placement": {"placement": 1},
            "divisor": {"divisor": 2},
            "interrupt": {"interrupt": 3, "count": 5, "raise_period": 100},
            "case_id": {"case_id": CaseId.CACHE_STATE},
        }.items(),
        10,
    ):
        _, _, payload = vendor.exchange(messages.CASE.kind, sequence, case(**fields))
        code, index, _ = error(payload)
        assert (code, messages.CASE.request[index].name) == (ErrorCode.BAD_VALUE, field)


def test_the_vendors_shape_passes_on_a_fault_that_is_no_use_of_fp(vendor, debugger, tmp_path):
    _, _, payload = vendor.exchange(messages.CASE.kind, 1, case())
    assert case_reply(payload)["case_id"] == CaseId.T1  # its vector is active
    with debugger(tmp_path / "gdb") as gdb:
        gdb.continue_at(UNMAPPED)
    vendor.send(b"\0")  # wakes the core
    *_, payload = vendor.receive()
    code, esr, elr = error(payload)
    assert (code, elr) == (ErrorCode.FAULT, UNMAPPED)
    assert esr >> 26 == INSTRUCTION_ABORT_SAME_LEVEL


# ---- FreeRTOS -----------------------------------------------------------------------------------


def stack(machine, sequence):
    kind, _, payload = machine.exchange(messages.STACK.kind, sequence)
    assert kind == messages.STACK.kind + messages.REPLY
    length, nests = struct.unpack_from("<HB", payload)
    assert (length, nests) == (len(payload) - 3, 0)
    return payload[3:].decode("ascii").split("\n")


def test_the_stack_says_what_it_is(kernel):
    name, version, configuration = stack(kernel, 1)
    assert (name, version) == ("freertos", "V11.2.0")
    assert re.match(r"sources sha256 [0-9a-f]{16}; EL3, GICv2; preemption 1", configuration)
    assert "calls from interrupt priority 18 of 32" in configuration


def test_what_the_kernel_cannot_do_is_refused_by_its_field(kernel):
    def refused(sequence, **fields):
        _, _, payload = kernel.exchange(messages.CASE.kind, sequence, case(**fields))
        code, index, _ = error(payload)
        assert code == ErrorCode.BAD_VALUE
        return messages.CASE.request[index].name

    for sequence, (field, fields) in enumerate(
        {
            "placement": {"placement": 1},
            "divisor": {"divisor": 2},
            "timer_tick_work": {"timer_tick_period": 100_000, "timer_tick_work": 1},
            "interrupt": {"interrupt": 3, "count": 5, "raise_period": 100},
            "priority": {"markers": messages.Markers.STAGES, "priority": 0x88},
            "case_id": {"case_id": CaseId.CACHE_STATE},
        }.items(),
        1,
    ):
        assert refused(sequence, **fields) == field


def test_a_case_of_the_kernel_is_read_back_from_the_hardware(kernel):
    tables = set()
    for sequence, (markers, dispatcher) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)], 1):
        requested = {"markers": markers, "dispatcher": dispatcher, "timer_tick_period": 100_000}
        _, _, payload = kernel.exchange(
            messages.CASE.kind, sequence, case(priority=0x90, **requested)
        )
        reply = case_reply(payload)
        assert {name: reply[name] for name in requested} == requested
        tables.add(reply["vector"])
    assert len(tables) == 2


def test_a_fault_in_a_task_is_reported_and_the_kernel_starts_anew(kernel, debugger, tmp_path):
    for sequence in (10, 20):
        with debugger(tmp_path / "gdb") as gdb:
            gdb.continue_at(UNMAPPED)
        kernel.send(b"\0")  # wakes the core
        *_, payload = kernel.receive()
        code, esr, elr = error(payload)
        assert (code, elr) == (ErrorCode.FAULT, UNMAPPED)
        assert esr >> 26 == INSTRUCTION_ABORT_SAME_LEVEL
        assert stack(kernel, sequence)[0] == "freertos"
