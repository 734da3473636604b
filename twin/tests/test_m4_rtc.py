"""The RTC of an STM32F4 as ST's manual has it: handshakes, protection, calendar, alarm, STOP.

A program (programs_m/rtc.c) stores and reads its registers, at 16 MHz with an RTCCLK of 32 kHz.
"""

from __future__ import annotations

import sys

import m_programs
import pytest
from m_programs import lines_until_end

#: Cycles of the core in one of RTCCLK.
EDGE = 16_000_000 // 32_000
RTCSEL_LSI, RTCEN = 2 << 8, 1 << 15
RESET_PRER = 0x7F_00FF


def told(folder, *flags: str) -> list[str]:
    elf = m_programs.compiled("rtc.c", folder, *flags)
    twin = [sys.executable, "-m", "irqscope_twin", "--profile", "m4", "--board", "f411"]
    return lines_until_end([*twin, "--program", str(elf), "--ready", "done"], "stderr")


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return told(tmp_path_factory.mktemp("rtc"))


@pytest.fixture(scope="module")
def numbers(lines: list[str]) -> dict[str, tuple[int, int]]:
    """The two numbers of each line, by its name."""
    rows = [line.rsplit(" ", 2) for line in lines if not line.startswith("[")]
    return {row[0]: (int(row[1], 16), int(row[2], 16)) for row in rows if len(row) == 3}


def test_the_backup_domain_is_closed_until_dbp_is_set(numbers: dict[str, tuple[int, int]]) -> None:
    assert numbers["without DBP"] == (0, 0)
    assert numbers["with DBP"] == (RTCSEL_LSI | RTCEN, 0x1234)
    assert numbers["BDRST"] == (0, RESET_PRER)


def test_registers_are_as_after_reset(numbers: dict[str, tuple[int, int]]) -> None:
    assert numbers["reset"] == (7, RESET_PRER)


def test_protected_registers_keep_their_value(numbers: dict[str, tuple[int, int]]) -> None:
    assert numbers["locked"] == (0, 0)
    assert numbers["not in initialization"][0] == 0
    assert numbers["while WUTE"] == (7, 0)
    assert numbers["ALRMAR while ALRAE"] == (0x8080_8080, 0)


@pytest.mark.parametrize(
    "why",
    [
        "a store to RCC+0x70 (0x40023870) is lost: DBP of PWR_CR is 0",
        "the keys 0xCA and 0x53 have not been stored to RTC_WPR",
        "a store to RTC+0x0 (0x40002800) is lost: INITF of RTC_ISR is 0",
        "is lost: WUTWF of RTC_ISR is 0",
        "is lost: ALRAWF of RTC_ISR is 0",
    ],
)
def test_a_lost_store_is_told_once_with_its_reason(why: str, lines: list[str]) -> None:
    assert sum(why in line for line in lines) == 1


def test_handshakes_take_edges_of_rtcclk(numbers: dict[str, tuple[int, int]]) -> None:
    assert EDGE < numbers["INITF after"][0] <= 2 * EDGE
    assert numbers["INITF after"][1] == 0
    assert 4 * EDGE < numbers["RSF after"][0] <= 6 * EDGE
    assert EDGE < numbers["ALRAWF after"][0] <= 2.1 * EDGE


def test_the_calendar_knows_leap_years_and_both_formats(
    numbers: dict[str, tuple[int, int]],
) -> None:
    assert numbers["leap day"] == (0, 0x24_0000 | 4 << 13 | 0x0229)
    assert numbers["century"] == (0, 6 << 13 | 0x0101)
    assert numbers["1 PM"] == (0x41, 0)


def test_reading_the_time_holds_the_date(numbers: dict[str, tuple[int, int]]) -> None:
    assert numbers["before"][0] == 0x23_5959
    assert numbers["date held"] == (0x23_0000 | 1 << 13 | 0x0101, 0x23_0000 | 2 << 13 | 0x0102)


def test_the_wake_up_timer_has_its_period(numbers: dict[str, tuple[int, int]]) -> None:
    assert numbers["two periods"][0] == pytest.approx(2 * 8 * 16 * EDGE, abs=40)


def test_an_alarm_ends_stop_in_its_subsecond(numbers: dict[str, tuple[int, int]]) -> None:
    assert numbers["alarm in STOP"] == (0x12_0001, 12)


def test_an_interrupt_that_is_off_ends_stop_as_an_event(
    numbers: dict[str, tuple[int, int]],
) -> None:
    assert numbers["event in STOP"] == (1 << 8, 1)


def test_regulator_and_flash_that_rest_in_stop_start_later(
    numbers: dict[str, tuple[int, int]],
) -> None:
    assert 12 - numbers["alarm in slow STOP"][1] == 112_500 * 32_000 // 10**9


def test_a_wait_without_rtcclk_names_the_register_that_selects_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    lines = told(tmp_path_factory.mktemp("no-clock"), "-DNO_CLOCK")
    why = [line for line in lines if "waits for" in line]
    assert len(why) == 1
    assert "a bit of RTC+0xc (0x4000280c), which has no clock by RCC_BDCR" in why[0]
