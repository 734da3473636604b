"""The UART: its registers, how long bytes take, and the effect of a wrong rate."""

import os
import select
import termios
import time

import pytest

from board import Board, compile_program, values

ECHO = """
    void test(void) {
        REG(UART + 0x18) = CD;
        REG(UART + 0x34) = 6;
        REG(GICC + 0x04) = 0xFF;
        REG(GICC) = 1;
        REG(GICD) = 1;
        gic_use(53, 0);
        REG(UART + 0x08) = 1; /* receive trigger at 1 byte */
        for (;;) {
            ASM("wfi");
            while (!(REG(UART + 0x2C) & 2)) {
                u32 byte = REG(UART + 0x30);
                u32 frame = REG(UART + 0x14) & 0x40;
                REG(UART + 0x14) = 0x7F;
                REG(UART + 0x30) = frame ? '#' : byte;
            }
        }
    }"""


def test_bytes_take_ten_bits_each_at_the_programmed_rate():
    source = """
        void test(void) {
            counters_start();
            u64 start = MRS("cntpct_el0");
            for (int i = 0; i < 16; i++) REG(UART + 0x30) = 'x';
            while ((REG(UART + 0x2C) & 0x808) != 8) {} /* FIFO empty, shifter idle */
            u64 took = MRS("cntpct_el0") - start;
            REG(UART + 0x30) = '\\n';
            print(took);
        }"""
    with Board(compile_program(source)) as board:
        assert board.read_until(b"\n") == b"x" * 16 + b"\n"
        took = int(board.read_until(b"\n"), 16)
    # 16 bytes of 10 bits of 868 reference periods; the poll sees it up to a read later.
    assert 16 * 8680 <= took < 16 * 8680 + 60


def test_fifo_takes_64_bytes_and_tells():
    source = """
        void test(void) {
            REG(UART) = 0x14 | 0x20; /* transmitter off: nothing leaves */
            ASM("dsb sy");
            u32 before = REG(UART + 0x2C), count = 0;
            while (!(REG(UART + 0x2C) & 0x10)) { REG(UART + 0x30) = 'x'; ASM("dsb sy"); count++; }
            REG(UART + 0x30) = 'x'; /* one too many */
            ASM("dsb sy");
            u32 overflow = REG(UART + 0x14) >> 12 & 1;
            REG(UART) = 2; /* reset of the transmit FIFO */
            REG(UART) = 0x14;
            ASM("dsb sy");
            print(before & 0x1A);
            print(count);
            print(overflow);
        }"""
    assert values(source) == [0x0A, 64, 1]


def test_local_loopback_returns_what_is_sent():
    source = """
        void test(void) {
            REG(UART + 0x04) = 0x220;
            REG(UART + 0x30) = 0x5A;
            while (REG(UART + 0x2C) & 2) {}
            u32 byte = REG(UART + 0x30);
            REG(UART + 0x04) = 0x20;
            print(byte);
        }"""
    assert values(source) == [0x5A]


def test_a_core_that_polls_an_empty_receiver_is_given_bytes():
    source = """
        void test(void) {
            for (;;) {
                while (REG(UART + 0x2C) & 2) {}
                REG(UART + 0x30) = REG(UART + 0x30) + 1;
            }
        }"""
    with Board(compile_program(source)) as board:
        os.write(board.line, b"HAL")
        assert board.read_until(b"M") == b"IBM"


def set_rate(line: int, rate: int) -> None:
    settings = termios.tcgetattr(line)
    settings[4] = settings[5] = rate
    termios.tcsetattr(line, termios.TCSANOW, settings)


@pytest.mark.parametrize(
    ("divisor", "rate"), [(124, termios.B115200), (31, termios.B460800), (7, termios.B2000000)]
)
def test_equal_rates_carry_every_byte(divisor, rate):
    # CD 7 with BDIV 6 is 2,040,612 baud, 2 % off: within the 3 % that a receiver is.
    with Board(compile_program(ECHO, CD=divisor)) as board:
        set_rate(board.line, rate)
        sent = bytes(range(1, 255)).replace(b"#", b"")
        os.write(board.line, sent + b"\0")
        assert board.read_until(b"\0") == sent + b"\0"


def test_a_rate_that_does_not_fit_gives_framing_errors_and_garbage():
    with Board(compile_program(ECHO, CD=124)) as board:
        set_rate(board.line, termios.B57600)
        os.write(board.line, b"UUUU")
        deadline = time.monotonic() + 60
        output = b""
        while len(output) < 4 and time.monotonic() < deadline:
            if select.select([board.line], [], [], 0.1)[0]:
                output += os.read(board.line, 64)
        assert len(output) == 4
        assert output != b"UUUU"
        assert b"U" not in output


def test_the_end_of_standard_input_ends_the_engine():
    board = Board(compile_program("void test(void) { for (;;) {} }"))
    assert board.end() == 0
