"""The link's C code, built natively with sanitizers, against Python's own COBS and CRC-32."""

import struct
import subprocess
import zlib

import pytest
from cobs import cobs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from irqscope.link.messages import ERROR_KIND, MAX_PAYLOAD, PROTOCOL_VERSION, REPLY, ErrorCode

SOURCES = ("tests/link_driver.c", "link/link.c", "link/cobs.c", "link/crc32.c")
FLAGS = "-std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover"

COUNT, REFUSE, FILL = 1, 2, 3  # kinds that the driver knows
SESSION = 0x1234

# Blocks of COBS are 254 bytes long: sizes around it, and few distinct bytes, find its edges.
texts = st.one_of(
    st.binary(max_size=1100),
    st.lists(st.sampled_from([0, 1, 2, 3, 0xFF]), max_size=30).map(bytes),
    st.tuples(
        st.sampled_from([0, 252, 253, 254, 255, 507, 508, 509, 762]),
        st.lists(st.sampled_from([0, 1, 0xFF]), max_size=3).map(bytes),
    ).map(lambda parts: b"x" * parts[0] + parts[1]),
)
# The driver lives as long as all tests: it is the sequence of commands that is tested.
with_driver = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class Driver:
    """``tests/link_driver.c`` as a process."""

    def __init__(self, program):
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def __call__(self, command, data=b""):
        self._process.stdin.write(f"{command} {data.hex() or '-'}\n".encode())
        self._process.stdin.flush()
        answer = self._process.stdout.readline().decode()
        if not answer.endswith("\n"):
            pytest.fail(self._process.communicate()[1].decode())
        return answer.strip()

    def close(self):
        errors = self._process.communicate()[1].decode()
        assert self._process.returncode == 0, errors


@pytest.fixture(scope="session")
def program(tmp_path_factory, need, firmware):
    path = tmp_path_factory.mktemp("link") / "link_driver"
    command = [need("gcc", "gcc"), *FLAGS.split(), "-I.", *SOURCES, "-o", path]
    process = subprocess.run(command, cwd=firmware, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return path


@pytest.fixture
def driver(program):
    process = Driver(program)
    yield process
    process.close()


@pytest.fixture
def serving(driver):
    """The driver in a session that has begun."""
    assert served(driver, frame(COUNT, 0, b"ab")) == [(COUNT + REPLY, 0, b"\1ab", 1)]
    return driver


def unhex(text):
    return b"" if text == "-" else bytes.fromhex(text)


def frame(kind, number, payload=b"", version=PROTOCOL_VERSION, session=SESSION):
    head = struct.pack("<BBHI", version, kind, session, number) + payload
    return cobs.encode(head + struct.pack("<I", zlib.crc32(head))) + b"\0"


def opened(answer, session=SESSION):
    """(kind, number, payload) of an encoded answer."""
    assert answer.count(0) == 1
    assert answer.endswith(b"\0")
    decoded = cobs.decode(answer[:-1])
    assert struct.unpack("<I", decoded[-4:]) == (zlib.crc32(decoded[:-4]),)
    version, kind, whose, number = struct.unpack("<BBHI", decoded[:8])
    assert (version, whose) == (PROTOCOL_VERSION, session)
    return kind, number, decoded[8:-4]


def served(driver, data, session=SESSION):
    """Returns for each frame in ``data`` "rejected" or (kind, number, payload, carried out)."""
    outcomes = []
    for outcome in driver("serve", data).split():
        if outcome == "rejected":
            outcomes.append(outcome)
        else:
            reply, carried_out = outcome.split(",")
            outcomes.append((*opened(unhex(reply), session), int(carried_out)))
    return outcomes


@with_driver
@given(data=texts)
def test_crc_is_zlibs(driver, data):
    assert int(driver("crc", data)) == zlib.crc32(data)


@with_driver
@given(data=texts)
def test_encoding_is_that_of_cobs(driver, data):
    assert unhex(driver("encode", data)) == cobs.encode(data)


@with_driver
@given(data=st.one_of(texts, texts.map(cobs.encode)))
def test_decoding_agrees_with_cobs_on_any_bytes(driver, data):
    try:
        expected = cobs.decode(data)
    except cobs.DecodeError:
        expected = "invalid"
    decoded = driver("decode", data)
    assert (decoded if decoded == "invalid" else unhex(decoded)) == expected


@with_driver
@given(
    kind=st.integers(0, 255),
    session=st.integers(0, 0xFFFF),
    number=st.integers(0, 0xFFFFFFFF),
    payload=st.binary(max_size=1024),
)
def test_a_good_frame_is_received(driver, kind, session, number, payload):
    received = driver("receive", frame(kind, number, payload, session=session))
    assert received == f"{kind},{session},{number},{payload.hex() or '-'}"


@pytest.mark.parametrize("byte", [b"\0", b"x"])
def test_the_longest_frame_is_received(driver, byte):
    payload = byte * MAX_PAYLOAD
    assert driver("receive", frame(1, 2, payload)) == f"1,{SESSION},2,{payload.hex()}"


@with_driver
@given(
    payload=st.binary(max_size=40),
    position=st.integers(0, 1000),
    change=st.integers(1, 255),
)
def test_a_damaged_frame_is_never_taken_for_a_good_one(driver, payload, position, change):
    good = frame(1, 2, payload)
    damaged = bytearray(good)
    damaged[position % (len(good) - 1)] ^= change
    outcomes = driver("receive", bytes(damaged)).split()
    assert set(outcomes) <= {"rejected"}
    # And the next one is.
    assert driver("receive", good).split() == [f"1,{SESSION},2,{payload.hex() or '-'}"]


@with_driver
@given(noise=st.binary(max_size=3000))
def test_a_good_frame_is_received_behind_any_noise(driver, noise):
    assert driver("receive", noise + b"\0" + frame(5, 6, b"x")).split()[-1] == f"5,{SESSION},6,78"


@pytest.mark.parametrize(
    "data",
    [
        frame(1, 1, b"x" * (MAX_PAYLOAD + 1)),
        b"x" * 5000 + b"\0",
        frame(1, 1, version=PROTOCOL_VERSION + 1),
        cobs.encode(b"\1\1\1\1\1\1\1") + b"\0",  # shorter than header and CRC
    ],
    ids=["payload too long", "without end", "other version", "too short"],
)
def test_what_is_no_frame_of_this_protocol_is_rejected(driver, data):
    assert driver("receive", data + frame(1, 1)).split() == ["rejected", f"1,{SESSION},1,-"]


def test_empty_frames_mean_nothing(driver):
    assert driver("receive", b"\0\0\0" + frame(1, 1)).split() == [f"1,{SESSION},1,-"]


def test_a_damaged_line_rejects_the_frame_under_way(serving):
    data = frame(COUNT, 1, b"ab")
    serving("serve", data[:5])
    serving("damage")
    assert served(serving, data[5:]) == ["rejected"]
    assert served(serving, data) == [(COUNT + REPLY, 1, b"\2ab", 2)]


def stale(kind_number, session, number, count):
    """Returns the refusal of a stale request: the current session and its last request."""
    return (ERROR_KIND, kind_number, struct.pack("<HII", ErrorCode.STALE, session, number), count)


def test_nothing_is_carried_out_before_a_session_has_begun(driver):
    assert served(driver, frame(COUNT, 1, b"ab")) == [stale(1, 0, 0, 0)]
    assert served(driver, frame(COUNT, 0, b"ab")) == [(COUNT + REPLY, 0, b"\1ab", 1)]


def test_a_request_is_carried_out_once_however_often_it_is_asked(serving):
    assert served(serving, frame(COUNT, 8, b"ab") * 3) == [(COUNT + REPLY, 8, b"\2ab", 2)] * 3
    assert served(serving, frame(COUNT, 9, b"cd")) == [(COUNT + REPLY, 9, b"\3cd", 3)]


def test_an_older_request_is_never_carried_out_and_the_last_reply_is_kept(serving):
    last = (COUNT + REPLY, 9, b"\2cd", 2)
    assert served(serving, frame(COUNT, 9, b"cd")) == [last]
    assert served(serving, frame(COUNT, 8, b"ab")) == [stale(8, SESSION, 9, 2)]
    assert served(serving, frame(COUNT, 0, b"ab")) == [stale(0, SESSION, 9, 2)]
    assert served(serving, frame(COUNT, 9, b"cd")) == [last]
    # Numbers need not follow each other, and are as wide as they look.
    assert served(serving, frame(COUNT, 0xFFFFFFFF, b"ef"))[0][3] == 3
    assert served(serving, frame(COUNT, 0x10009, b"cd")) == [stale(0x10009, SESSION, 0xFFFFFFFF, 3)]


def test_a_request_of_another_session_is_never_carried_out(serving):
    served(serving, frame(COUNT, 5, b"ab"))
    other = served(serving, frame(COUNT, 6, b"ab", session=7), session=7)
    assert other == [stale(6, SESSION, 5, 2)]
    # Number 0 begins another session, and remaining requests of the first one are stale.
    assert served(serving, frame(COUNT, 0, b"ab", session=7), session=7)[0][3] == 3
    assert served(serving, frame(COUNT, 6, b"ab")) == [stale(6, 7, 0, 3)]
    assert served(serving, frame(COUNT, 1, b"ab", session=7), session=7)[0][3] == 4


def test_a_refusal_is_remembered_too(serving):
    refusal = (ERROR_KIND, 4, struct.pack("<HII", ErrorCode.BAD_VALUE, 7, 0), 2)
    assert served(serving, frame(REFUSE, 4) * 2) == [refusal] * 2


def test_unknown_kinds_and_wrong_lengths_are_refused(serving):
    unknown = struct.pack("<HII", ErrorCode.UNKNOWN_KIND, 99, 0)
    assert served(serving, frame(99, 1)) == [(ERROR_KIND, 1, unknown, 1)]
    length = struct.pack("<HII", ErrorCode.BAD_LENGTH, 3, 2)
    assert served(serving, frame(COUNT, 2, b"abc")) == [(ERROR_KIND, 2, length, 1)]


def test_the_longest_reply_fits(serving):
    assert served(serving, frame(FILL, 1)) == [(FILL + REPLY, 1, b"\x5a" * MAX_PAYLOAD, 2)]
