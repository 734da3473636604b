"""Before the firmware answers: seven broken boards, each with the line that names it.

Five are wires: pseudo-terminals that say what such a board says. Two are firmwares that answer, and
find no gateware; which of them it is, the doctor's step pl reads (tests/test_doctor.py).
"""

import os
import pty
import threading
import tty

import pytest

from irqscope.acquire.ports import Port, ask, ports
from irqscope.doctor import silence
from irqscope.errors import LinkError, LinkErrorKind
from irqscope.link import messages
from irqscope.link.codec import Reply
from irqscope.link.failures import FirmwareError

CP2108 = (0x10C4, 0xEA71)


class Wire:
    """A serial port without a firmware of irqscope: ``says`` comes for each byte."""

    def __init__(self, says):
        self.says = says
        self.master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self._thread = threading.Thread(target=self._answer, daemon=True)
        self._thread.start()

    def _answer(self):
        try:
            while os.read(self.master, 4096):
                os.write(self.master, self.says)
        except OSError:
            return  # closed

    def close(self):
        os.close(self._slave)
        os.close(self.master)


@pytest.fixture
def wire():
    created = []

    def make(says):
        created.append(Wire(says))
        return created[-1].port

    yield make
    for one in created:
        one.close()


def first(error, port=None):
    actual = silence.causes(error, port)
    assert all(cause.run for cause in actual)
    return str(actual[0]), silence.told(actual)


def heard(port):
    answer = ask(port)
    assert not answer.ours
    return answer.error


def test_a_silent_board_was_not_started_or_memory_does_not_hold_the_program(wire):
    port = wire(b"")
    line, all_of_it = first(heard(port), Port(port, "CP2108", "", CP2108, 0))
    assert line.startswith("firmware not started: make program BOARD=zcu102")
    assert "(2) memory: a program that DDR does not hold says nothing: make program" in all_of_it
    assert "MEMORY=ocm" in all_of_it
    assert "(3) wrong port: irqscope ports --hello" in all_of_it


def test_the_wrong_interface_of_an_adapter_is_named_first(wire):
    port = wire(b"")
    line, _ = first(heard(port), Port(port, "CP2108", "", CP2108, 2))
    assert line.startswith("wrong port: this is interface 2 of a CP2108, the firmware's is 0:")


@pytest.mark.parametrize(
    ("product", "board"), [("ML Carrier Card", "kv260"), ("Quad RS232-HS", "zcu104")]
)
def test_two_boards_with_one_adapter_are_told_apart_by_what_it_calls_itself(wire, product, board):
    port = wire(b"")
    line, _ = first(heard(port), Port(port, product, "", (0x0403, 0x6011), 1))
    assert line.startswith(f"firmware not started: make program BOARD={board}")


@pytest.mark.parametrize(
    ("usb", "product", "interface", "causes"),
    [
        ((0x04B4, 0x0008), "", 0, ["firmware not started", "USB autosuspend", "the boot jumpers"]),
        ((0x0403, 0x6010), "Digilent", 1, ["firmware not started", "the boot jumpers"]),
        ((0x0403, 0x6010), "Digilent", 0, ["wrong port: this is interface 0 of a FT2232H"]),
        (
            (0x0403, 0x6015), "ULX3S FPGA 85K v3.0.8", 0,
            ["bitstream not loaded", "the PLL is not locked", "the ESP32 loaded"],
        ),
        (
            (0x0D28, 0x0204), "DAPLink CMSIS-DAP", 0,
            ["bitstream not loaded", "the PLL is not locked"],
        ),
    ],
)  # fmt: skip
def test_other_machines_get_causes_of_their_own_and_no_advice_that_they_cannot_take(
    usb, product, interface, causes
):
    error = LinkError(LinkErrorKind.SILENT, "nothing came")
    actual = silence.causes(error, Port("/dev/ttyACM0", product, "", usb, interface))
    assert [
        str(cause)[: len(subject)] for cause, subject in zip(actual, causes, strict=False)
    ] == causes
    assert "MEMORY=ocm" not in silence.told(actual)
    assert "BOARD=BOARD" not in silence.told(actual)


def test_an_adapter_that_swallows_bytes_is_a_cause_of_damaged_frames():
    actual = silence.causes(LinkError(LinkErrorKind.DAMAGED, "damaged"))
    assert "swallows control characters" in silence.told(actual)


def test_another_programs_console_is_quoted(wire):
    port = wire(b"\r\nZynq MP First Stage Boot Loader \x1b[2J\r\n")
    line, all_of_it = first(heard(port), Port(port, "CP2108", "", CP2108, 0))
    assert line.startswith('another program talks there ("Zynq MP First Stage Boot Loader')
    assert "\x1b" not in all_of_it
    assert "make program BOARD=zcu102" in line


def test_what_is_no_text_is_another_rate(wire):
    port = wire(bytes([0xF8, 0x80, 0xE1, 0x9C, 0xFE] * 8))
    line, _ = first(heard(port))
    assert line.startswith("wrong rate, as an earlier host left it")


def test_a_port_that_is_not_there_is_the_wrong_one():
    line, _ = first(heard("/dev/ttyUSB99"))
    assert line == "wrong port: irqscope ports lists those that there are"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (messages.ErrorCode.NO_GATEWARE, "PL not programmed: make program BOARD=BOARD"),
        (messages.ErrorCode.WRONG_GATEWARE, "another bitstream: make program BOARD=BOARD"),
    ],
)
def test_a_firmware_without_its_gateware_names_the_pl(code, said):
    reply = Reply({"code": code, "detail0": 0, "detail1": 0}, b"")
    line, all_of_it = first(FirmwareError(messages.HELLO, reply))
    assert line.startswith(said)
    if code == messages.ErrorCode.NO_GATEWARE:
        assert "(2) PL isolated, without its clock, or in reset: make smoke BOARD=" in all_of_it


def test_what_is_no_silence_has_no_causes():
    assert silence.causes(LinkError(LinkErrorKind.VERSION, "another version")) == ()


def test_the_system_tells_which_interface_a_port_is(monkeypatch):
    class Info:
        device, description, serial_number = "/dev/ttyUSB2", "CP2108 Interface 2", "n/a"
        vid, pid, location = *CP2108, "1-1.4:1.2"

        def __lt__(self, other):
            return False

    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [Info()])
    (port,) = ports()
    assert (port.usb, port.interface, port.serial_number) == (CP2108, 2, "")


def test_ports_says_what_is_likely_where_nobody_answers(monkeypatch, wire, capsys):
    from irqscope.cli import ports as command

    port = Port(wire(b""), "CP2108", "", CP2108, 0)
    monkeypatch.setattr(command.serial_ports, "ports", lambda: [port])
    command.ports.main(["--hello"], standalone_mode=False)
    printed = " ".join(capsys.readouterr().out.split())
    assert "no irqscope answers. What is likely to have failed, the likeliest first:" in printed
    assert f"{port.port}: (1) firmware not started" in printed
