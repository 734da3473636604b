"""The firmware's cases and self-test against the real gateware, on the twin."""

from __future__ import annotations

import re
import select
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from instrument import ROOT, Twin
from irqscope.acquire.session import Outcome, Session
from irqscope.errors import TargetError
from irqscope.link import messages
from irqscope.link.codec import request_values
from irqscope.link.messages import Dispatcher, Idle, Markers, Trigger
from irqscope.machines.cases import CaseId
from irqscope.targets import open_target

#: Folder of the build, and of the transcript, by profile of the twin.
SELFTESTS = {"functional": ("fw", "aarch64"), "zynq7000:functional": ("fw-zynq7000", "arm32")}

BURST, ACKNOWLEDGED = 1, 2  # line modes
HANDLER, START, PROBE_FIRST, PROBE_SECOND = 2, 5, 6, 7  # marker codes
LINE, MARKER = 0, 1  # kinds of start
OWN = Markers.PAPER, Markers.STAGES  # sets without the STM, which test_stm.py looks at
PULSES = 50
HIGH, LOW = 5_000, 20_000  # ticks
SPI_121, SPI_136, PPI_31 = 121, 136, 31


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with open_target("twin:functional") as target:
        session = Session(target.link)
        session.raise_baud()
        yield session


def case(case_id: CaseId = CaseId.T1, **given: int) -> dict[str, int]:
    defaults = {"caches": 1, "priority": 0x40, "interrupt": SPI_121}
    defaults["trigger"] = Trigger.RISING_EDGE
    defaults |= messages.PLAIN_CASE
    return request_values(messages.CASE, case_id=case_id, **(defaults | given))


def line(interrupt: int = SPI_121, **given: int) -> dict[str, int]:
    route = {
        SPI_121: {"shared": 1},
        SPI_136: {"shared": 1 << 8},
        PPI_31: {"private": 1},
    }[interrupt]
    defaults = {"enable": 1, "mode": BURST, "high": HIGH, "low": LOW, "count": PULSES, "seed": 1}
    acknowledge = {"ack_cores": 1, "ack_code": HANDLER}
    return request_values(messages.LINE, **(defaults | route | acknowledge | given))


def channel(**given: int) -> dict[str, int]:
    defaults = {"enable": 1, "stop_cores": 1, "stop_code": HANDLER, "timeout": HIGH + LOW - 100}
    return request_values(messages.CHANNEL, **(defaults | given))


def run(
    session: Session, setting: dict[str, int], lines: list[dict[str, int]], **watched: int
) -> Outcome:
    session.prepare(setting)
    return session.batch(0, lines, [channel(**watched)], request_values(messages.RECORDER), 1.0)


@pytest.mark.parametrize("markers", OWN)
@pytest.mark.parametrize("dispatcher", Dispatcher)
@pytest.mark.parametrize("idle", Idle)
@pytest.mark.parametrize(
    ("interrupt", "trigger", "mode"),
    [
        (SPI_121, Trigger.RISING_EDGE, BURST),
        (SPI_136, Trigger.RISING_EDGE, BURST),
        (SPI_121, Trigger.LEVEL, ACKNOWLEDGED),
        (PPI_31, Trigger.LEVEL, ACKNOWLEDGED),
    ],
)
def test_every_interrupt_is_served_once(
    session: Session,
    markers: Markers,
    dispatcher: Dispatcher,
    idle: Idle,
    interrupt: int,
    trigger: Trigger,
    mode: int,
) -> None:
    setting = case(
        markers=markers, dispatcher=dispatcher, idle=idle, interrupt=interrupt, trigger=trigger
    )
    outcome = run(session, setting, [line(interrupt, mode=mode)])
    counters = outcome.counters[0]
    assert (counters.starts, counters.served, counters.stops) == (PULSES,) * 3
    assert (outcome.fired[0], outcome.expired[0]) == (PULSES, 0)
    reply = outcome.reply
    # An acknowledged level that ended before its line is low would have fired again.
    assert (reply.handled_0, reply.spurious, reply.others) == (PULSES, 0, 0)
    assert reply.start_tick % 5 == 0
    # By WFI the core went to sleep after each interrupt; the branch to itself is entered once.
    woken = PULSES + 1 if idle == Idle.WFI or markers == Markers.STAGES else 1
    assert reply.idles == woken


@pytest.mark.parametrize("caches", [0, 1])
def test_caches_are_off_or_on_for_the_whole_batch(session: Session, caches: int) -> None:
    readback = session.prepare(case(caches=caches))
    assert readback.caches == (3 if caches else 0)
    assert readback.registers["sctlr_el3"] & 0x1004 == (0x1004 if caches else 0)
    outcome = run(session, case(caches=caches), [line()])
    assert outcome.counters[0].served == PULSES


def test_what_an_earlier_case_raised_is_not_counted_again(session: Session) -> None:
    raising = run(session, case(CaseId.T4, background=4, raise_period=20_000), [line()]).reply
    assert raising.raised >= 4
    assert run(session, case(CaseId.T4, background=4), [line()]).reply.raised == 0


@pytest.mark.parametrize("interrupt", [SPI_121, PPI_31])
def test_a_level_that_is_held_fires_again_and_every_handling_is_a_stop(
    session: Session, interrupt: int
) -> None:
    setting = case(interrupt=interrupt, trigger=Trigger.LEVEL)
    outcome = run(session, setting, [line(interrupt, count=3)])
    counters = outcome.counters[0]
    assert (counters.starts, counters.served) == (3, 3)
    assert counters.stops == outcome.reply.handled_0
    assert counters.unmatched == counters.stops - 3
    assert counters.unmatched > 3


def test_calibration_by_the_loop_back_takes_no_interrupt(session: Session) -> None:
    setting = case(CaseId.CAL_LOOPBACK, count=PULSES)
    outcome = run(session, setting, [line()])
    counters = outcome.counters[0]
    assert (counters.served, outcome.reply.handled_0) == (PULSES, 0)
    assert counters.min_ticks == counters.max_ticks  # the loop lies within the PL


def test_calibration_by_pairs_of_markers(session: Session) -> None:
    start = {"start_kind": MARKER, "start_cores": 1, "start_code": PROBE_FIRST}
    setting = case(CaseId.CAL_PROBE, count=PULSES)
    counters = run(session, setting, [], **start, stop_code=PROBE_SECOND).counters[0]
    assert (counters.starts, counters.served, counters.stops) == (PULSES,) * 3
    assert 0 < counters.min_ticks < 100


@pytest.mark.parametrize("markers", OWN)
@pytest.mark.parametrize(
    ("interrupt", "trigger", "mode"),
    [(SPI_121, Trigger.RISING_EDGE, BURST), (PPI_31, Trigger.LEVEL, ACKNOWLEDGED)],
)
def test_calibration_with_the_line_already_pending(
    session: Session, markers: Markers, interrupt: int, trigger: Trigger, mode: int
) -> None:
    start = {"start_kind": MARKER, "start_cores": 1, "start_code": START}
    setting = case(
        CaseId.CAL_PENDING, count=PULSES, markers=markers, interrupt=interrupt, trigger=trigger
    )
    outcome = run(session, setting, [line(interrupt, mode=mode)], **start)
    counters = outcome.counters[0]
    assert (counters.starts, counters.served, outcome.reply.handled_0) == (PULSES,) * 3
    asleep = run(session, case(interrupt=interrupt, trigger=trigger), [line(interrupt, mode=mode)])
    assert counters.max_ticks < asleep.counters[0].min_ticks  # neither line, GIC nor waking up


@pytest.mark.parametrize("step", [CaseId.CAL_ONE_WAY_STORE, CaseId.CAL_ONE_WAY_ECHO])
def test_bounds_of_the_way_to_the_pl_are_timed_in_cycles(session: Session, step: CaseId) -> None:
    reply = run(session, case(step, count=PULSES), []).reply
    assert reply.cycles_count == PULSES
    assert 0 < reply.cycles_min <= reply.cycles_sum / PULSES <= reply.cycles_max < 10_000


def test_a_batch_that_the_gateware_refuses_says_why_and_the_next_one_runs(
    session: Session,
) -> None:
    session.prepare(case())
    with pytest.raises(TargetError, match=r"\[0\]"):
        session.batch(0, [line(low=5)], [channel()], request_values(messages.RECORDER), 1.0)
    outcome = run(session, case(), [line()])
    assert (outcome.counters[0].served, outcome.reply.errors) == (PULSES, 0)


@pytest.mark.parametrize("profile", SELFTESTS)
def test_self_test_says_on_the_twin_what_it_says_on_qemu(profile: str) -> None:
    build, architecture = SELFTESTS[profile]
    elf = ROOT / "build" / build / "selftest.elf"
    twin = Twin("--profile", profile, "--elf", str(elf))
    try:
        # Not pyserial: it throws away what came before it opened the port.
        with Path(twin.port).open("rb", buffering=0) as port:
            received = b""
            deadline = time.monotonic() + 60
            while not re.search(rb"SELFTEST \w+\n", received) and time.monotonic() < deadline:
                if select.select([port], [], [], 0.5)[0]:
                    received += port.read(4096)
    finally:
        twin.stop()
    transcript = ROOT / "fw" / "selftest" / architecture / "transcript.txt"
    assert received.decode() == transcript.read_text()
