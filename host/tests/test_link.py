from __future__ import annotations

import pickle
import time

import pytest
from irqscope_fake.firmware import FakeFirmware

from irqscope.errors import LinkError, LinkErrorKind, TargetError
from irqscope.link import codec
from irqscope.link.codec import Reply
from irqscope.link.failures import FirmwareError
from irqscope.link.frames import Damage, Frame, FrameDecoder, encode
from irqscope.link.link import Link
from irqscope.link.messages import (
    BATCH,
    BAUD_AT_RESET,
    BAUD_RATES,
    CASE,
    CLEAR,
    COUNTERS,
    ERROR_KIND,
    HELLO,
    PROTOCOL_VERSION,
    ErrorCode,
)
from irqscope.link.timeouts import SIMULATION_QUIET_S, Timeouts


def asked(transport):
    """(kind, number) of every frame that was sent."""
    frames = FrameDecoder().receive(b"".join(transport.written))
    return [(frame.kind, frame.number) for frame in frames]


def test_a_lost_reply_is_asked_for_again_and_carried_out_once(memory_link):
    link, transport = memory_link(lose_replies=(1,))
    link.hello()
    link.request(CLEAR)
    assert asked(transport) == [(HELLO.kind, 0), (CLEAR.kind, 1), (CLEAR.kind, 1)]
    assert transport.firmware.carried_out == ["hello", "clear"]
    assert (link.statistics.retries, link.statistics.timeouts) == (1, 1)


def test_a_damaged_reply_is_asked_for_again_and_counted(memory_link):
    link, transport = memory_link(damage_replies=(1, 2))
    link.hello()
    link.request(CLEAR)
    assert transport.firmware.carried_out == ["hello", "clear"]
    assert link.statistics.rejected.total() == 2
    assert (link.statistics.retries, link.statistics.timeouts) == (2, 0)


def test_in_a_hurry_it_asks_less_often_and_never_waits_longer(memory_link):
    link, transport = memory_link(damage_all=True)
    link.hurry(reply_s=0.01, attempts=2)
    link.hurry(reply_s=60.0, attempts=9)
    with pytest.raises(LinkError, match="no undamaged answer to clear .2 frames rejected"):
        link.request(CLEAR)
    assert len(transport.written) == 2


def test_a_rate_that_carries_a_refused_hello_carries(memory_link):
    link, transport = memory_link()
    link.hello()
    transport.firmware.faults.wrong_gateware = True
    assert link.try_baud(921_600)
    assert transport.baud == 921_600


def test_a_rate_that_carries_nothing_is_left_again(memory_link):
    link, transport = memory_link(carries=lambda baud: baud != 460_800)
    link.hello()
    assert not link.try_baud(460_800)
    assert transport.baud == BAUD_AT_RESET
    assert link.try_baud(230_400)


@pytest.mark.parametrize("hits", [1, 3])
def test_a_rate_is_kept_where_only_answers_are_damaged(memory_link, hits):
    """The firmware heard the hello, and stays at the rate: at another one it hears nothing."""
    existing = [BAUD_AT_RESET]
    link, transport = memory_link(
        carries=lambda baud: baud == existing[0], hello_s=5.0, damage_replies=range(2, 2 + hits)
    )
    link.hello()
    receive = transport.firmware.receive

    def follow(data):
        answer = receive(data)
        existing[0] = 921_600 if transport.firmware.carried_out[-1] == "baud" else existing[0]
        return answer

    transport.firmware.receive = follow
    assert link.try_baud(921_600)
    assert (transport.baud, link.statistics.baud) == (921_600, 921_600)
    link.request(CLEAR)
    assert transport.firmware.carried_out == ["hello", "baud", "hello", "clear"]


def test_a_hello_ends_what_was_half_received(memory_link):
    link, transport = memory_link()
    transport.firmware.receive(b"\x07half a frame, or what came at another rate")
    link.hello()
    assert link.statistics.retries == 0


@pytest.mark.parametrize("hits", [1, 2, 3, 4, 9])
def test_hello_is_asked_until_an_answer_comes_through(memory_link, hits):
    link, transport = memory_link(hello_s=5.0, damage_replies=tuple(range(hits)))
    link.hello()
    assert link.statistics.rejected.total() == hits
    link.request(CLEAR)
    assert transport.firmware.carried_out[-1] == "clear"


@pytest.mark.parametrize("hits", [1, 2, 3, 7])
def test_hello_is_asked_until_it_has_arrived(memory_link, hits):
    """The request is hit, so that nothing comes back."""
    link, transport = memory_link()
    original = transport.firmware.receive
    left = [hits]

    def receive(data):
        left[0] -= 1
        return b"" if left[0] >= 0 else original(data)

    transport.firmware.receive = receive
    link.hello()
    assert link.statistics.timeouts == hits


def test_hello_is_given_up_after_the_stated_time(memory_link):
    link, transport = memory_link(carries=lambda baud: False)
    started = time.monotonic()
    with pytest.raises(LinkError, match="no answer to hello"):
        link.hello()
    assert time.monotonic() - started >= 0.5
    link.hurry(reply_s=0.01, attempts=1)
    before = len(transport.written)
    with pytest.raises(LinkError, match="no answer to hello"):
        link.hello()
    # Once at each rate, and once more at that at reset.
    assert len(transport.written) - before == len(BAUD_RATES) + 2


def test_a_rate_that_has_fallen_silent_is_kept(memory_link):
    supported = {BAUD_AT_RESET, 460_800}
    link, transport = memory_link(carries=lambda baud: baud in supported)
    link.hello()
    assert link.try_baud(460_800)
    supported.clear()
    with pytest.raises(LinkError, match="no answer to clear"):
        link.request(CLEAR)
    assert transport.baud == 460_800


def test_retries_end(memory_link):
    link, transport = memory_link(damage_all=True)
    with pytest.raises(LinkError, match="no undamaged answer to clear .4 frames rejected") as error:
        link.request(CLEAR)
    assert error.value.kind is LinkErrorKind.DAMAGED
    assert len(transport.written) == 4


class Scripted:
    """Answers each request with the next of the given bytes."""

    baud = BAUD_AT_RESET
    sets_baud = False

    def __init__(self, *answers):
        self._answers = list(answers)
        self._waiting = b""

    def write(self, data):
        self._waiting += self._answers.pop(0) if self._answers else b""

    def read(self, timeout_s):
        data, self._waiting = self._waiting, b""
        return data

    def set_baud(self, baud):
        raise AssertionError

    def close(self):
        pass


def scripted(*answers):
    """Before the first hello, session 8 is open; its next request has number 1."""
    return Link(Scripted(*answers), Timeouts(0.02, attempts=2, hello_s=0.1, outage_s=0), session=9)


def test_what_nobody_left_at_another_rate_is_asked_at_one_and_says_its_own_remedy():
    """A simulation's rate is known; firmware of another version is silent at each."""
    port = Scripted()
    port.sets_baud = True  # set_baud fails
    link = Link(port, Timeouts(60.0, hello_s=0.0, quiet_s=0.02), session=9, remedy="make it anew")
    with pytest.raises(LinkError, match="^no answer to hello; make it anew$") as error:
        link.hello()
    assert error.value.kind is LinkErrorKind.SILENT and link.statistics.timeouts == 2


def test_an_answer_to_an_earlier_request_or_to_another_host_is_stale():
    reply = CLEAR.kind + 0x80
    old = [Frame(reply, 8, 0, b""), Frame(reply, 7, 1, b""), Frame(ERROR_KIND, 7, 1, bytes(10))]
    link = scripted(b"".join(map(encode, [*old, Frame(reply, 8, 1, b"")])))
    link.request(CLEAR)
    assert link.statistics.stale == len(old)


@pytest.fixture
def closing(memory_link):
    """A link, its transport, and a check that each frame that was sent here is in its counters."""
    link, transport = memory_link()
    answer, sent = transport.firmware.receive, []

    def receive(data):
        reply = answer(data)
        sent.append(reply)
        return reply

    transport.firmware.receive = receive

    def close(extra):
        counted = link.statistics
        frames = b"".join(sent).count(b"\0")
        assert counted.stale + counted.rejected.total() == extra
        assert frames == counted.requests + extra
        assert counted.bytes_in == sum(map(len, sent))

    return link, transport, close


OTHER = encode(Frame(CLEAR.kind, 3, 7, b""))  # of another host; refused


def test_an_answer_that_comes_twice_at_once_is_counted(closing):
    link, transport, close = closing
    write = transport.write
    transport.write = lambda data: write(data + data)
    link.hello()
    for _ in range(3):
        link.request(CLEAR)
    close(extra=4)


def test_what_waits_in_the_port_before_hello_is_counted(closing):
    link, transport, close = closing
    transport.write(OTHER + OTHER)
    link.hello()
    close(extra=2)


def test_what_comes_late_when_the_rate_changes_is_counted(closing):
    link, transport, close = closing
    link.hello()
    set_baud = transport.set_baud

    def late(baud):
        transport.write(OTHER)
        set_baud(baud)

    transport.set_baud = late
    assert link.try_baud(230_400)
    close(extra=1)


def test_half_a_frame_before_hello_is_rejected_and_spoils_nothing(memory_link):
    link, transport = memory_link()
    answer = transport.firmware.receive
    transport.firmware.receive = lambda data: b"half a frame"
    transport.write(b"")
    transport.firmware.receive = answer
    link.hello()
    assert (link.statistics.rejected.total(), link.statistics.retries) == (1, 0)


def test_silence_nonsense_and_another_version_are_told_apart():
    kinds = {}
    other = bytearray(encode(Frame(HELLO.kind + 0x80, 9, 0, b"")))
    for name, answer in {
        "silence": b"",
        "nonsense": b"login: \0",
        "no frame end": b"login: ",
    }.items():
        with pytest.raises(LinkError) as error:
            scripted(answer, answer).hello()
        kinds[name] = error.value.kind
    assert kinds == {
        "silence": LinkErrorKind.SILENT,
        "nonsense": LinkErrorKind.NONSENSE,
        "no frame end": LinkErrorKind.NONSENSE,
    }
    assert other


def test_frames_of_another_version_name_both(memory_link):
    link, _ = memory_link(frame_version=9)
    with pytest.raises(
        LinkError, match=f"protocol version 9, this irqscope {PROTOCOL_VERSION}"
    ) as error:
        link.hello()
    assert error.value.kind is LinkErrorKind.VERSION


def test_an_answer_of_the_wrong_size_is_named():
    link = scripted(encode(Frame(COUNTERS.kind + 0x80, 8, 1, b"xy")))
    with pytest.raises(LinkError, match="answer to counters does not fit") as error:
        link.request(COUNTERS, channel=0)
    assert error.value.kind is LinkErrorKind.PROTOCOL


def test_an_error_of_the_firmware_is_put_into_words(memory_link):
    link, _ = memory_link()
    link.hello()
    with pytest.raises(FirmwareError, match="was reset in the middle of the run") as error:
        link.request(BATCH, number=0, first_stimulus=0, since_ticks=0)
    assert error.value.code == ErrorCode.NO_CASE
    assert error.value.kind is LinkErrorKind.RESET


def test_the_highest_rate_that_carries_is_taken(memory_link):
    link, transport = memory_link(carries=lambda baud: baud <= 460_800)
    hello = link.hello()
    assert link.raise_baud(hello.max_baud) == 460_800
    assert transport.baud == 460_800
    link.request(CLEAR)


def test_no_rate_above_the_firmwares_own_is_tried(memory_link):
    link, _ = memory_link(max_baud=230_400)
    assert link.raise_baud(link.hello().max_baud) == 230_400


def test_a_rate_left_by_another_host_is_found(memory_link):
    link, transport = memory_link(carries=lambda baud: baud == 921_600)
    link.hello()
    assert transport.baud == 921_600


def test_a_firmware_that_is_back_at_the_rate_at_reset_was_reset(memory_link):
    rates = {921_600, BAUD_AT_RESET}
    link, _ = memory_link(carries=lambda baud: baud in rates)
    link.hello()
    assert link.raise_baud(921_600) == 921_600
    rates.discard(BAUD_AT_RESET)
    link.request(CLEAR)
    with pytest.raises(LinkError) as silent:  # unplugged: no rate is answered
        rates.clear()
        link.request(CLEAR)
    assert silent.value.kind is LinkErrorKind.SILENT

    link, transport = memory_link(carries=lambda baud: baud in rates)
    rates |= {921_600, BAUD_AT_RESET}
    link.hello()
    link.raise_baud(921_600)
    rates.discard(921_600)
    transport.firmware = FakeFirmware()
    with pytest.raises(LinkError, match="look at power and reset, then run again") as reset:
        link.request(CLEAR)
    assert reset.value.kind is LinkErrorKind.RESET


def test_a_firmware_that_fell_back_and_knows_the_session_is_followed(memory_link):
    rates = {921_600, BAUD_AT_RESET}
    link, transport = memory_link(carries=lambda baud: baud in rates, outage_s=5.0)
    link.hello()
    link.raise_baud(921_600)
    rates.discard(921_600)
    link.request(CLEAR)
    assert transport.baud == link.statistics.baud == BAUD_AT_RESET
    assert transport.firmware.carried_out.count("clear") == 1


@pytest.mark.parametrize("hit", ["lost", "damaged"])
def test_an_outage_is_outlasted(memory_link, hit):
    """A dozen replies in a row: more than one round of asking."""
    hits = range(1, 13)
    link, transport = memory_link(
        outage_s=10.0,
        lose_replies=hits if hit == "lost" else (),
        damage_replies=hits if hit == "damaged" else (),
    )
    link.hello()
    link.request(CLEAR)
    assert transport.firmware.carried_out == ["hello", "clear"]
    assert asked(transport)[1:] == [(CLEAR.kind, 1)] * 13


class Clock:
    """Time, s, that passes during waits."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class AtWork(Scripted):
    """A simulation: empty frames while it works, then the answer; or silence.

    A frame comes each 20 ms.
    """

    def __init__(self, clock, padding, answer):
        super().__init__(b"")
        self.padding, self._answer, self.asked, self._clock = padding, answer, 0, clock

    def write(self, data):
        self.asked += 1
        self._waiting = b""

    def read(self, timeout_s):
        self._clock.sleep(min(timeout_s, 0.02))
        if self.asked > 1 or self.padding == 0:
            return self._answer
        if self.padding is None:
            return b""
        self.padding -= 1
        return b"\0"


@pytest.mark.parametrize(("padding", "asked"), [(80, 1), (None, 2)])
def test_a_simulation_is_waited_for_while_it_is_at_work_and_asked_again_when_not(
    monkeypatch, padding, asked
):
    clock = Clock()
    for module in ("exchange", "link"):
        monkeypatch.setattr(f"irqscope.link.{module}.time", clock)
    transport = AtWork(clock, padding, encode(Frame(BATCH.kind + 0x80, 8, 1, batch_reply())))
    link = Link(transport, Timeouts(reply_s=0.02), session=9)
    link.expect_simulation()
    link.request(BATCH, number=0, first_stimulus=0, since_ticks=0, lasting_s=1.0)
    assert transport.asked == asked
    # Far below the 1000 s that a simulation of 1 s may take.
    assert clock.now < 2 * SIMULATION_QUIET_S


def batch_reply():
    return bytes(codec.layout(BATCH.reply).size)


def test_the_rate_is_taken_back_at_the_end(memory_link):
    link, transport = memory_link()
    link.raise_baud(link.hello().max_baud)
    link.close()
    frames = FrameDecoder().receive(transport.written[-1])
    assert frames[0].payload == BAUD_AT_RESET.to_bytes(4, "little")


def test_a_dead_target_ends_the_wait_at_once():
    def dead():
        raise TargetError("the twin died")

    link = Link(Scripted(), Timeouts(reply_s=60), dead)
    with pytest.raises(TargetError, match="died"):
        link.request(CLEAR)


def test_a_second_host_is_not_given_the_answers_of_the_first(memory_link):
    """Holds even if both sessions have the same number."""
    link, transport = memory_link()
    link.hello()
    link.request(CLEAR)
    second = Link(transport, Timeouts(reply_s=0.02), session=session(transport))
    second.hello()
    second.request(CLEAR)
    assert transport.firmware.carried_out == ["hello", "clear", "hello", "clear"]
    with pytest.raises(FirmwareError, match="follows another host by now; close what else talks"):
        link.request(CLEAR)
    assert transport.firmware.carried_out == ["hello", "clear", "hello", "clear"]


def test_a_firmware_without_a_session_was_reset(memory_link):
    """Where the rate of the line is set elsewhere, it answers at once."""
    link, transport = memory_link()
    link.hello()
    transport.firmware = FakeFirmware()
    with pytest.raises(FirmwareError, match="was reset in the middle of the run") as error:
        link.request(CLEAR)
    assert error.value.kind is LinkErrorKind.RESET
    assert transport.firmware.carried_out == []


def session(transport):
    """That of the last request."""
    return FrameDecoder().receive(transport.written[-1])[0].session


def test_sessions_of_two_hosts_differ(memory_link):
    def begun():
        link, transport = memory_link()
        link.hello()
        return session(transport)

    assert len({begun() for _ in range(20)}) > 10


def test_statistics_name_each_damage(memory_link):
    link, _ = memory_link(damage_replies=(0,))
    link.hello()
    rejected = link.statistics.by_damage
    assert set(rejected) <= {damage.name.lower() for damage in Damage}
    assert sum(rejected.values()) == 1


def test_another_process_is_told_how_an_exchange_failed():
    """A worker of a cluster sends its errors to the suite."""
    reported = pickle.loads(pickle.dumps(LinkError(LinkErrorKind.SILENT, "no answer to hello")))
    assert (reported.kind, str(reported)) == (LinkErrorKind.SILENT, "no answer to hello")


@pytest.mark.parametrize(
    ("code", "details", "said"),
    [
        (ErrorCode.UNKNOWN_KIND, (0x14, 0), "it does not know this request, the firmware is older"),
        (ErrorCode.BAD_LENGTH, (52, 48), "it expects 48 bytes, and 52 came: the firmware is older"),
    ],
)
def test_a_firmware_that_is_older_than_the_host_is_built_anew(code, details, said):
    reply = Reply({"code": code, "detail0": details[0], "detail1": details[1]}, b"")
    text = str(FirmwareError(CASE, reply))
    assert said in text and text.endswith("than the host; run `make firmware`")
