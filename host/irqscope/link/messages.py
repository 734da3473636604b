"""The messages of the link, declared once.

Host and firmware exchange frames, half-duplex: one request, one reply. A frame is COBS-encoded and
ends with a zero byte; decoded it is

    u8 version | u8 kind | u16 session | u32 number | payload | u32 CRC-32 of everything before it

little-endian throughout (CRC-32 as in IEEE 802.3, ``zlib.crc32``). A reply repeats session and
number of its request and has kind = request kind + 0x80, or ``ERROR``.

Each request is carried out once, in its turn. A host begins a session with number 0, a HELLO, and
each further request has a greater number. The firmware keeps its last reply: a repeated request
gets it again without being carried out again, so a lost reply is simply requested again. A request
with a smaller number, or of another session, is old: it is refused as STALE whenever it comes.

Fields are packed without padding. ``python -m irqscope.link.export`` writes the C side,
``fw/generated/messages.h``, from this module; a test holds the two together.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

PROTOCOL_VERSION = 6
#: Sessions are 1 to this; 0: none has begun since the firmware's start.
LAST_SESSION = 0xFFFF
#: Longest payload in bytes, either way.
MAX_PAYLOAD = 1024
BAUD_AT_RESET = 115200
#: Rates that a firmware can make within 0.5 %.
BAUD_RATES = (115200, 230400, 460800, 921600, 1000000, 2000000)


class Markers(enum.IntEnum):
    """Which markers the handler stores."""

    PAPER = 0  #: handler only
    STAGES = 1  #: vector, handler, done, task
    PAPER_STM = 2  #: handler, then a store to a stimulus port of the STM
    STM_PAPER = 3  #: the same two stores in the other order


class Idle(enum.IntEnum):
    """How the measured core waits."""

    WFI = 0
    SPIN = 1


class Placement(enum.IntEnum):
    """Where vector, handler and their data are."""

    DDR = 0
    OCM = 1


class Pages(enum.IntEnum):
    """Translation granularity of normal memory."""

    BLOCK_1G = 0  #: OCM: 2 MB
    BLOCK_2M = 1
    PAGE_4K = 2
    SECTION_1M = 3
    SECTION_16M = 4


class Memory(enum.IntEnum):
    """Attributes of normal memory in the translation tables, whether caches are on or not."""

    CACHEABLE = 0  #: write-back, read and write allocate
    NON_CACHEABLE = 1  #: Normal, Inner and Outer Non-cacheable, and so are the table walks


class Caches(enum.IntFlag):
    """Caches of a core that are on."""

    DATA = 1
    INSTRUCTION = 2


class CacheState(enum.IntFlag):
    """Parts that are cleaned and invalidated before each interrupt of case CACHE_STATE."""

    TLB = 1
    BP = 2  #: AArch64 has no such operation: the predictors are overwritten by many branches
    L1I = 4
    L1D = 8
    L2 = 16


class Lockdown(enum.IntFlag):
    """Where the path from interrupt to handler is held."""

    TLB = 1
    L2 = 2


class Trigger(enum.IntEnum):
    """How the interrupt controller senses the measured interrupt."""

    LEVEL = 0
    RISING_EDGE = 1


class Dispatcher(enum.IntEnum):
    """How the vector finds the handler."""

    DIRECT = 0  #: acknowledge, compare with the measured ID, call the handler
    TABLE = 1  #: acknowledge, look the handler up, call it


class BatchResult(enum.IntEnum):
    """How a batch ended."""

    COMPLETE = 0  #: finished interrupt seen, nothing open
    REFUSED = 1  #: the gateware refused to arm: see errors


class ErrorCode(enum.IntEnum):
    """Why a request was answered by an ERROR."""

    UNKNOWN_KIND = 1
    BAD_LENGTH = 2
    BAD_VALUE = 3  #: detail0 = index of the field in the message
    NO_GATEWARE = 4  #: the register port did not acknowledge; detail0 = word address
    WRONG_GATEWARE = 5  #: detail0 = magic read, detail1 = version read
    GATEWARE_REFUSED = 6  #: detail0 = errors register
    NO_CASE = 7  #: BATCH before CASE
    FAULT = 8  #: an exception; detail0 = ESR_EL3, detail1 = low word of ELR_EL3
    STACK = 9  #: CAL_STACK; detail0 = StackFault, detail1 = what was seen
    CORE_STUCK = 10  #: a core does not end its work; detail0 = its number
    GATEWARE_STUCK = 11  #: bits that do not come; detail0 = word address, detail1 = bits
    NO_MARKER = 12  #: the gateware sees no marker of a core; detail0 = its number
    NO_END = 13  #: the interrupt that ends a batch does not arrive
    NO_COUNTER = 14  #: the system counter is still
    WRONG_BOARD = 15  #: detail0 = source register, detail1 = UART of the link
    STALE = 16  #: detail0 = the session that goes on, detail1 = number of its last request
    NO_TIMER = 17  #: the interrupt of the core's timer never comes
    PROGRAM = 18  #: a program in the background has failed: its number, its exit status


class StackFault(enum.IntEnum):
    """Faults of a software stack (fw/stacks/stack.h)."""

    NO_VECTORS = 1  #: the vectors are not the stack's
    NOT_TAKEN = 2  #: an interrupt stays pending; seen: its ID
    NO_MARKER = 3  #: the handler stored none, or two
    WRONG_MARKER = 4  #: seen: its code
    NOT_COUNTED = 5  #: seen: `handled`
    NOT_ENDED = 6  #: an interrupt is active after its handler; seen: its ID
    NOT_FINISHED = 7  #: `finished` is not set by the interrupt that ends a batch
    NOT_DISABLED = 8  #: that interrupt is still enabled; seen: its ID
    UNMASKED = 9  #: stack_wait returned with interrupts unmasked
    NOT_WAITING = 10  #: stack_wait returned before the batch had ended


class StmState(enum.IntEnum):
    """Whether STM and ETF can stamp and keep (fw/machine/zynqmp/trace.c)."""

    READY = 0
    CLOCK_STOPPED = 1  #: of the debug components
    NO_STM = 2  #: the identification registers are not an STM's
    NO_ETF = 3  #: nor a trace memory controller's
    NOT_TRACED = 4  #: secure non-invasive debug is off: what the firmware stores is not traced
    NO_TIME = 5  #: the timestamp generator does not count
    NO_MEMORY = 6  #: the ETF does not become ready, or has no memory


@dataclass(frozen=True)
class Field:
    """One field of a message."""

    name: str
    code: str  #: struct code: B u8, H u16, I u32, Q u64, 16s a text of that many characters at most


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


#: A tail of raw registers, as the machine calls them. The host stores and shows them and
#: interprets none; so can only who knows the machine (irqscope.doctor).
REGISTERS = (Field("name", "16s"), Field("value", "Q"))

#: Bit of built_for: the program is in on-chip memory and uses no DDR.
BUILT_ON_CHIP = 0x80

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
        Field("core_id", "Q"),  # the core's own identification
        *_fields("I", "counter_hz", "cpu_hz", "uart_ref_hz", "baud", "max_baud"),
        *_fields("B", "privilege", "cores"),  # level that the firmware runs at
        *_fields("H", "max_payload"),
        Field("built_for", "B"),  # number of the machine and BUILT_ON_CHIP; source: the gateware's
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
        Field("shared", "H"),  # mask of the instrument's outputs
        Field("private", "B"),  # mask of the cores
        *_fields("B", "pmod", "stm"),
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
PIN = Message(
    "pin",
    0x19,
    (
        # ``core``: of the marker, a source of markers; which part of the gateware gives a core's
        # markers, pins or the machine's own, the case decides.
        *_fields("B", "index", "rise", "fall", "core", "code"),
        Field("filter", "H"),  # ticks
    ),
    # Pins that the gateware has, and their levels after the filters.
    (*_fields("B", "pins", "levels"),),
)
"""In the cases EXTERNAL and CAL_PINS; others do not look at pins."""
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
        Field("interrupt", "H"),  # ID; one of software's is raised by the measured core itself
        Field("count", "I"),  # repetitions of a case that software paces (CAL_* too), else 0
        Field("cores", "B"),  # that handle the interrupt, from core 0 on; 1 but for T6 and B_LMAX
        *_fields("B", "placement", "pages", "memory", "state"),
        Field("warm", "B"),  # RANDOM_LOAD: the vector path is run once more before each wait
        Field("divisor", "B"),  # of the CPU clock while idle; the handler restores 1
        Field("background", "H"),  # T4, T5 (14), B_LMAX (or 0): background interrupts enabled
        # Periods in counts of the system counter (counter_hz).
        Field("raise_period", "I"),  # of the raising core, or software's; 0: further only enabled
        Field("timer_tick_period", "I"),  # on the measured core; 0: none
        Field("timer_tick_work", "I"),  # loops of its handler
        Field(
            "array_kib", "I"
        ),  # T7, B_LMAX (or 0), RANDOM_LOAD: of the array of data, and of that of code
        *_fields("H", "data_accesses", "instruction_accesses"),  # RANDOM_LOAD: most per interrupt
        Field("budget", "I"),  # RANDOM_LOAD: instructions per interrupt, accesses included
        Field("load_seed", "I"),  # of the random places and numbers
        Field("aimed", "B"),  # RANDOM_LOAD: at the cache sets of the vector path; else anywhere
        Field("warm_up", "H"),  # rounds before each batch's arming; 0: none, also of CAL_*
    ),
    # The readback of the hardware after set-up.
    (
        *_fields("B", "case_id", "markers", "idle", "trigger", "dispatcher", "priority", "targets"),
        *_fields("B", "enabled", "pending", "core"),
        Field("caches", "B"),  # Caches that are on
        Field("interrupt", "H"),
        *_fields("Q", "vector", "handler", "call_stack"),  # addresses; the last is its upper end
        *_fields("B", "placement", "pages", "memory", "aimed"),
        *_fields("B", "cores_running", "raising_core"),  # mask; 0: no core
        *_fields("H", "background", "divisor"),
        Field("timer_tick_period", "I"),
    ),
    REGISTERS,
)
#: Fields of the CASE request as they are where a case adds nothing to T1.
PLAIN_CASE = {
    "cores": 1, "placement": 0, "pages": 0, "memory": 0, "state": 0, "warm": 0,
    "divisor": 1, "background": 0,
    "raise_period": 0, "timer_tick_period": 0, "timer_tick_work": 0, "array_kib": 0,
    "data_accesses": 0, "instruction_accesses": 0, "budget": 0, "load_seed": 0, "aimed": 0,
    "warm_up": 0,
}  # fmt: skip
LOCK = Message(
    "lock",
    0x18,
    (Field("which", "B"),),  # Lockdown
    (Field("which", "B"),),
    REGISTERS,  # as they read while it is locked
)
"""After a CASE of RANDOM_LOAD, for each of its batches; on machines that lock."""
CORE = Message(
    "core",
    0x16,
    (Field("core", "B"),),
    # Read by that core itself when the case was set up. ``handles``: the measured interrupt is
    # enabled for it.
    (*_fields("B", "core", "running", "handles", "priority", "caches"), Field("vector", "Q")),
    REGISTERS,
)
BACKGROUND = Message(
    "background",
    0x17,
    (Field("first", "H"),),  # entry to begin with; 180 of them do not fit one reply
    (Field("total", "H"),),
    # One entry an interrupt, as read back; ``raised``: core ``raising_core`` raises it.
    (Field("id", "H"), *_fields("B", "priority", "targets", "trigger", "enabled", "raised")),
)
CODE_UNDER_TEST = Message(
    "code_under_test",
    0x1A,
    (
        *_fields("B", "line", "cores", "code"),  # the line, and the marker that it starts after
        *_fields("I", "first", "step", "last"),  # delays in ticks, from the marker's stamp
        Field("count", "I"),  # of markers, each of which starts the line
        Field("period", "I"),  # of the code, in counts of the system counter (counter_hz)
        Field("address", "Q"),  # of the code: a function without arguments
        *_fields("I", "size", "crc"),  # its bytes, and their CRC-32: it is what the host looks at
    ),
    (),
)
"""After a CASE of PLACEMENT, before each of its batches."""
BATCH = Message(
    "batch",
    0x15,
    # Where the batch is in the run: its first stimulus, and ticks from the run's start to its
    # own had it not been cut into batches. Whatever software times goes on by them.
    (Field("number", "I"), *_fields("Q", "first_stimulus", "since_ticks")),
    (
        Field("number", "I"),
        Field("result", "B"),
        *_fields("Q", "start_tick", "end_tick"),
        Field("errors", "I"),
        # Measured interrupts, by core.
        *_fields("I", "handled_0", "handled_1", "handled_2", "handled_3"),
        *_fields(
            "I", "spurious", "others", "waiting"
        ),  # others: further ones, on the measured core
        *_fields("Q", "stamped", "lost"),
        *_fields("I", "cycles_count", "cycles_min", "cycles_max"),  # CAL_ONE_WAY_* only
        Field("cycles_sum", "Q"),
        Field("idles", "I"),  # times the idle loop was entered
        *_fields("Q", "loads_0", "loads_1", "loads_2", "loads_3"),  # accesses of a load, by core
        Field("raised", "Q"),  # background interrupts made pending by the raising core
        Field("timer_ticks", "I"),  # handled
        Field("first_timer_tick", "Q"),  # PL tick at which one of them was due, to about 1 us
        Field("held", "I"),  # measured interrupts that core 0 ended with the line still high
        # Measured interrupts of the warm-up, by core; ``handled`` is without them.
        *_fields("I", "warm_up_0", "warm_up_1", "warm_up_2", "warm_up_3"),
        Field("nested", "I"),  # measured interrupts that interrupted a handler, if the stack nests
    ),
)
"""Runs until the gateware has finished. The measured core talks to nobody meanwhile."""

COUNTERS = Message(
    "counters",
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
    (Field("channel", "B"), Field("first_bin", "H"), Field("end_bin", "H")),  # one past the last
    (Field("next_bin", "H"),),  # where to go on; end_bin: that was all
    (Field("bin", "H"), Field("count", "I")),  # non-empty bins only
)
RECORDS = Message(
    "records",
    0x23,
    # ``first_number``: of the first record wanted; ``whole``: each in its long form alone.
    (Field("first_number", "I"), Field("limit", "H"), Field("whole", "B")),
    (Field("first_number", "I"), Field("waiting", "I")),  # records still in the FIFO after these
    (Field("word", "I"),),
)
"""Takes records out of the FIFO. A record is a word, the short form of ``recorder.take``, or all
ones and four words: low and high half of its stamp, its events, its latency. The first of a reply
is long. Without ``whole`` the latency of a short form is not told: the markers say it.
"""
PLACES = Message(
    "places",
    0x2A,
    (Field("first", "I"),),  # stimulus to begin with
    # Markers that started the line, that did not, and stimuli in all.
    _fields("I", "accepted", "ignored", "total"),
    (Field("address", "I"),),  # where the interrupt was taken; 0: it was not
)
"""The places of the last batch of PLACEMENT, by stimulus."""

#: Words of an ECHO: four times what the FIFO of the board's UART holds.
ECHO_WORDS = 32

PL_STATE = Message(
    "pl_state",
    0x24,
    (),
    # A walk of ones and zeros through the gateware's scratch register: bits that never read 1, and
    # that never read 0. Then registers of the processor system that say whether the PL can work.
    (
        Field("acknowledged", "B"),  # the gateware answered every access
        *_fields("I", "never_1", "never_0"),
    ),
    REGISTERS,
)
"""Needs no gateware."""

BUILD = Message("build", 0x25, (), _fields("I", "messages_hash", "registers_hash"))
"""First 32 bits of the sha256 of the sources that this firmware's side of the link and of the
register map were generated from."""

CLOCKS = Message(
    "clocks",
    0x26,
    (Field("counts", "I"),),  # of the system counter to wait
    # Twice the gateware's clock, between two readings of the system counter each.
    _fields(
        "Q", "first_before", "first_tick", "first_after", "last_before", "last_tick", "last_after"
    ),
)
WATCH = Message(
    "watch",
    0x27,
    (
        Field("loopback", "B"),
        Field("finished", "H"),  # shared outputs, as a line's, high when the gateware has finished
        # Mask of the running cores that look at their private interrupt; core 0 does anyway.
        Field("cores", "B"),
    ),
    # The interrupt controller's view of its inputs, enabled or not: levels of the shared ones as a
    # line's, and whether the private one is pending, a bit for each core. At rest, and whether ever
    # high and ever low while the gateware was armed. Then what the controller's own register of
    # levels shows of the private one at rest, and whether that changed: manuals differ on it.
    (
        Field("finished", "B"),  # within 10 ms
        Field("errors", "I"),
        *_fields("H", "shared_at_rest", "shared_high", "shared_low"),
        *_fields("B", "private_at_rest", "private_high", "private_low"),
        *_fields("B", "shown_at_rest", "shown_changed"),
    ),
)
"""Runs what LINE, CHANNEL and RECORDER have set up, without an interrupt; after a CASE."""

SEND = Message("send", 0x28, (Field("core", "B"),), (Field("sent", "H"),))
"""The core sends each marker with either level of its toggle: codes 0 to 7 and back. Runs what
RECORDER has set up, without an interrupt; after a CASE. 0 sent: the core does not run."""

ECHO = Message(
    "echo",
    0x29,
    _fields("Q", *(f"word_{n}" for n in range(ECHO_WORDS))),
    # The request's words, and the UART's counts since its start.
    (
        *_fields("Q", *(f"word_{n}" for n in range(ECHO_WORDS))),
        *_fields("I", "overruns", "framing_errors", "parity_errors"),
    ),
)

STACK = Message(
    "stack",
    0x30,
    (),
    (
        Field("length", "H"),
        Field("nests", "B"),  # the measured interrupt can interrupt the timer tick's handler
    ),
    (Field("character", "B"),),
)
"""The software stack that core 0 runs, ``length`` characters of ASCII: a line each of name,
version and configuration."""

STM = Message(
    "stm",
    0x31,
    (),
    (
        Field("state", "B"),  # StmState
        Field("memory_words", "I"),
    ),
    REGISTERS,  # as they read after the set-up; 0 where the state forbids to look
)
"""Sets clocks, timestamp generator, funnel, ETF and STM up. Needs no gateware."""

TRACE = Message(
    "trace",
    0x32,
    (Field("offset", "H"),),
    (
        *_fields("H", "offset", "total"),  # bytes that the ETF held at the end of the last batch
        *_fields("B", "wrapped", "stuck"),  # it overwrote its oldest ones; it did not stop
        # The timestamp counter and the gateware's clock, read one after the other.
        *_fields("Q", "first_stamp", "first_tick", "last_stamp", "last_tick"),
    ),
    (Field("byte", "B"),),
)
"""What the last batch left in the ETF, read by the firmware when the batch had ended: asking again
gives the same."""

MESSAGES = (
    HELLO,
    BAUD,
    STACK,
    CLEAR,
    LINE,
    CHANNEL,
    PIN,
    RECORDER,
    CASE,
    LOCK,
    CORE,
    BACKGROUND,
    CODE_UNDER_TEST,
    BATCH,
    COUNTERS,
    LINE_STATUS,
    HISTOGRAM,
    RECORDS,
    PLACES,
    PL_STATE,
    BUILD,
    CLOCKS,
    WATCH,
    SEND,
    ECHO,
    STM,
    TRACE,
)
