"""The messages of the link, declared once.

Host and firmware exchange frames, half-duplex: one request, one reply. A frame is COBS-encoded and
ends with a zero byte; decoded it is

    u8 version (=1) | u8 kind | u16 sequence | payload | u32 CRC-32 of everything before it

little-endian throughout (CRC-32 as in IEEE 802.3, ``zlib.crc32``). A reply repeats the sequence
number of its request and has kind = request kind + 0x80, or ``ERROR``. The firmware keeps its last
reply: a request with the sequence number it answered last is answered again without being carried
out again, so a lost reply is simply asked for once more. Sequence number 0 is never remembered and
makes the firmware forget its last reply. Only HELLO uses it: a new host does not know what was
asked before it.

Fields are packed without padding. ``python -m irqscope.protocol.export`` writes the C side,
``fw/generated/messages.h``, from this module; a test holds the two together.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

PROTOCOL_VERSION = 1
#: Longest payload in bytes, either way.
MAX_PAYLOAD = 1024
BAUD_AT_RESET = 115200
#: Rates that the firmware can make from its 99.99 MHz reference within 0.5 %.
BAUD_RATES = (115200, 230400, 460800, 921600, 1000000, 2000000)


class CaseId(enum.IntEnum):
    """What the measured core does while a batch runs."""

    LATENCY = 1  #: wait for the interrupt (idle), handle it: T1 (caches off) and T2 (caches on)
    CAL_LOOPBACK = 16  #: PL loop-back; the core only waits
    CAL_PROBE = 17  #: pairs of markers probe_first, probe_second back to back
    CAL_PENDING = 18  #: marker unmask, then interrupts unmasked with the line already pending
    CAL_ONE_WAY_STORE = 19  #: marker store + dsb, timed by PMCCNTR
    CAL_ONE_WAY_ECHO = 20  #: marker store until DATA_3_RO shows its echo, timed by PMCCNTR


class Markers(enum.IntEnum):
    """Which markers the handler stores."""

    PAPER = 0  #: handler only
    STAGES = 1  #: vector, handler, done, task


class Idle(enum.IntEnum):
    """How the measured core waits."""

    WFI = 0
    SPIN = 1


class Trigger(enum.IntEnum):
    """How the interrupt controller senses the measured interrupt."""

    LEVEL = 0
    RISING_EDGE = 1


class Dispatcher(enum.IntEnum):
    """How the vector finds the handler."""

    DIRECT = 0  #: read IAR, compare with the measured ID, call the handler
    TABLE = 1  #: read IAR, look the handler up, call it


class BatchResult(enum.IntEnum):
    """How a batch ended."""

    COMPLETE = 0  #: finished interrupt seen, nothing open
    REFUSED = 1  #: the gateware refused to arm: see errors


class ErrorCode(enum.IntEnum):
    """Why a request was answered by an ERROR."""

    UNKNOWN_KIND = 1
    BAD_LENGTH = 2
    BAD_VALUE = 3  #: detail0 = index of the field in the message
    NO_GATEWARE = 4  #: the EMIO port did not acknowledge; detail0 = word address
    WRONG_GATEWARE = 5  #: detail0 = magic read, detail1 = version read
    GATEWARE_REFUSED = 6  #: detail0 = errors register
    NO_CASE = 7  #: BATCH before CASE
    FAULT = 8  #: an exception; detail0 = ESR_EL3, detail1 = low word of ELR_EL3


@dataclass(frozen=True)
class Field:
    """One field of a message, or an array of equal ones."""

    name: str
    code: str  #: struct code: B u8, H u16, I u32, Q u64
    count: int = 1  #: > 1: an array


@dataclass(frozen=True)
class Message:
    """One request and its reply. ``tail``: the reply ends in 0..n of these fields, packed."""

    name: str
    kind: int
    request: tuple[Field, ...]
    reply: tuple[Field, ...]
    tail: tuple[Field, ...] = ()


def _fields(code: str, *names: str) -> tuple[Field, ...]:
    return tuple(Field(name, code) for name in names)


REPLY = 0x80
ERROR_KIND = 0xFF
#: Payload of kind ERROR_KIND.
ERROR = (Field("code", "H"), Field("detail0", "I"), Field("detail1", "I"))

HELLO = Message(
    "hello",
    0x01,
    (Field("protocol", "H"),),
    (
        Field("protocol", "H"),
        *_fields("I", "magic", "version", "build_hash", "tick_hz", "geometry", "sizes"),
        *_fields("I", "source", "source_hash", "firmware_hash"),
        Field("firmware_version", "I"),  # major << 16 | minor
        Field("midr", "Q"),
        *_fields("I", "cntfrq_hz", "cpu_hz", "uart_ref_hz", "baud", "max_baud"),
        *_fields("B", "exception_level", "cores"),
        *_fields("H", "max_payload"),
    ),
)
BAUD = Message("baud", 0x02, (Field("baud", "I"),), (Field("baud", "I"),))
"""The reply leaves at the old rate; then the firmware drains and switches. It falls back to
BAUD_AT_RESET when the first frame at the new rate is damaged."""

CLEAR = Message("clear", 0x10, (), ())
LINE = Message(
    "line",
    0x11,
    (
        *_fields("B", "index", "enable", "mode", "dither_bits", "ack_cores", "ack_code"),
        Field("spi", "H"),
        *_fields("B", "ppi", "pmod", "stm"),
        *_fields("I", "start_delay", "high", "low", "count", "seed"),
    ),
    (),
)
CHANNEL = Message(
    "channel",
    0x12,
    (
        *_fields("B", "index", "enable", "start_kind", "start_line", "start_cores", "start_code"),
        *_fields("B", "stop_cores", "stop_code", "hist_shift", "phase_line"),
        *_fields("I", "timeout", "plausible_min", "hist_origin"),
    ),
    (),
)
RECORDER = Message(
    "recorder",
    0x13,
    (
        *_fields("B", "rises", "falls", "timeouts"),
        Field("select_markers", "I"),
        Field("sample_channel", "B"),
        *_fields("I", "threshold", "limit"),
    ),
    (),
)
CASE = Message(
    "case",
    0x14,
    (
        *_fields("B", "case_id", "markers", "idle", "trigger", "dispatcher", "caches", "priority"),
        Field("core", "B"),
        Field("interrupt", "H"),  # GIC ID
        Field("count", "I"),  # repetitions of a software-paced case (CAL_*), else 0
    ),
    # What is in force, read back from the hardware after set-up.
    (
        *_fields("B", "case_id", "markers", "idle", "trigger", "dispatcher", "priority", "targets"),
        *_fields("B", "group", "enabled", "pending", "core"),
        Field("interrupt", "H"),
        *_fields("I", "sctlr", "gicd_ctlr", "gicc_ctlr", "gicc_pmr", "ppi_status"),
        Field("scr", "I"),
        Field("cpuectlr", "Q"),
    ),
)
BATCH = Message(
    "batch",
    0x15,
    (Field("number", "I"),),
    (
        Field("number", "I"),
        Field("result", "B"),
        *_fields("Q", "start_tick", "end_tick"),
        *_fields("I", "errors", "handled", "spurious", "others", "waiting"),
        *_fields("Q", "stamped", "lost"),
        *_fields("I", "cycles_count", "cycles_min", "cycles_max"),  # CAL_ONE_WAY_* only
        Field("cycles_sum", "Q"),
        Field("idles", "I"),  # times the idle loop was entered
    ),
)
"""Runs until the gateware has finished. The measured core talks to nobody meanwhile."""

BOOKS = Message(
    "books",
    0x20,
    (Field("channel", "B"),),
    (
        Field("channel", "B"),
        Field("pending", "B"),
        *_fields("Q", "starts", "served", "coalesced", "timed_out", "stops", "unmatched"),
        *_fields("Q", "implausible", "underflow", "overflow", "sum_ticks"),
        *_fields("I", "min_ticks", "max_ticks", "phases"),
        Field("stops_at_phase", "Q"),
    ),
)
LINE_STATUS = Message(
    "line_status",
    0x21,
    (Field("index", "B"),),
    (Field("index", "B"), *_fields("I", "fired", "expired")),
)
HISTOGRAM = Message(
    "histogram",
    0x22,
    (Field("channel", "B"), Field("first_bin", "H")),
    (Field("next_bin", "H"),),  # where to go on; the number of bins: that was all
    (Field("bin", "H"), Field("count", "I")),  # non-empty bins only
)
RECORDS = Message(
    "records",
    0x23,
    (Field("first_number", "I"), Field("limit", "H")),  # number of the first record wanted
    (Field("first_number", "I"), Field("waiting", "I")),  # records still in the FIFO behind these
    (Field("stamp", "Q"), Field("events", "I"), Field("latency", "I")),
)
"""Takes records out of the FIFO. ``stamp`` is absolute; the host subtracts start_tick."""

MESSAGES = (
    HELLO,
    BAUD,
    CLEAR,
    LINE,
    CHANNEL,
    RECORDER,
    CASE,
    BATCH,
    BOOKS,
    LINE_STATUS,
    HISTOGRAM,
    RECORDS,
)
