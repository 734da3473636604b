"""Talks to the firmware on a running engine: a short T2, as the host asks for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from board import Board
from irqscope.link import messages as m
from irqscope.link.codec import Reply
from irqscope.link.link import Link
from irqscope.link.records import decode
from irqscope.link.timeouts import Timeouts
from irqscope.link.transport import SerialTransport
from irqscope.machines.cases import CaseId
from irqscope.machines.firmware_file import DEFAULT_MACHINE, DEFAULT_STACK, firmware


@contextlib.contextmanager
def talking(
    *options: str, transport: type[SerialTransport] = SerialTransport, **constants: int
) -> Iterator[Link]:
    """A link to the firmware on a new engine, past HELLO, at the highest rate."""
    with Board(firmware(DEFAULT_MACHINE, DEFAULT_STACK), *options, **constants) as board:
        link = Link(transport(board.port), Timeouts(reply_s=60.0, scale=1000.0), session=1)
        hello = link.hello()
        link.raise_baud(hello.max_baud)
        yield link
        link.abandon()


def t2(
    link: Link,
    count: int,
    *,
    high: int = 200,
    low: int = 2000,
    idle: m.Idle = m.Idle.WFI,
    markers: m.Markers = m.Markers.PAPER,
    records: bool = True,
    caches: int = 1,
) -> Reply:
    """One batch of line 0 on SPI 121 by rising edge, served by core 0; phases in ticks."""
    link.request(m.CLEAR)
    link.request(
        m.LINE, index=0, enable=1, mode=1, dither_bits=3, ack_cores=0, ack_code=2,
        shared=1, private=0, pmod=1, stm=1,
        start_delay=100, high=high, low=low, count=count, seed=1,
    )  # fmt: skip
    link.request(
        m.CHANNEL, index=0, enable=1, start_kind=0, start_line=0, start_cores=0, start_code=0,
        stop_cores=1, stop_code=2, hist_shift=0, phase_line=0, timeout=high + low - 20,
        plausible_min=0, hist_origin=0,
    )  # fmt: skip
    link.request(
        m.RECORDER, rises=int(records), falls=0, timeouts=int(records),
        select_markers=1 << 2 if records else 0, sample_channel=0, threshold=0, limit=0,
    )  # fmt: skip
    link.request(
        m.CASE, case_id=CaseId.T1, markers=markers, idle=idle, trigger=m.Trigger.RISING_EDGE,
        dispatcher=m.Dispatcher.DIRECT, caches=caches, priority=0xA0, core=0, interrupt=121,
        count=0, **m.PLAIN_CASE,
    )  # fmt: skip
    return link.request(
        m.BATCH, number=1, first_stimulus=0, since_ticks=0, lasting_s=count * (high + low) * 4e-9
    )


def drain(link: Link, count: int) -> list[tuple[int, int, int]]:
    """The records of a batch: (stamp, events, latency)."""
    records: list[tuple[int, int, int]] = []
    while len(records) < count:
        reply = link.request(m.RECORDS, first_number=len(records), limit=40, whole=True)
        assert len(reply.tail)
        records += decode(reply.tail["word"], whole=True).tolist()
    return records
