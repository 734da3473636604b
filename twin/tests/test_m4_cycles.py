"""Cycles of exceptions that meet one another, and of the counters that a program reads them by.

A program measures itself (programs_m/cycles.c), on memory without wait states.
"""

from __future__ import annotations

import sys

import m_programs
import pytest
from m_programs import lines_until_end

#: EXC_RETURN where SysTick interrupted the main program, and where another handler.
THREAD, HANDLER = 0xFFFF_FFF9, 0xFFFF_FFF1
ENTRY, CHAIN, LEAVE, LATE = 12, 6, 10, 8
#: Words of the FPU's registers.
FLOATING = 17


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[int]]]:
    """The numbers of each line, by its name."""
    elf = m_programs.compiled("cycles.c", tmp_path_factory.mktemp("cycles"))
    twin = [sys.executable, "-m", "irqscope_twin", "--profile", "m4", "--board", "f446"]
    by_key: dict[str, list[list[int]]] = {}
    for line in lines_until_end([*twin, "--program", str(elf), "--ready", "done"], "stderr"):
        if line.startswith("[") or line == m_programs.LAST:
            continue
        *name, first, second, third = line.split()
        numbers = [int(word, 16) for word in (first, second, third)]
        by_key.setdefault(" ".join(name), []).append(numbers)
    return by_key


@pytest.fixture(scope="module")
def race(lines: dict[str, list[list[int]]]) -> list[tuple[int, int, int]]:
    """Raises SysTick a cycle later each time.

    When its handler begins if it is alone, when if an interrupt of less priority pends at one
    place, and EXC_RETURN then.
    """
    return [(alone, both, link) for alone, both, link in lines["race"]]


def test_both_counters_count_the_cycles_of_the_model(lines: dict[str, list[list[int]]]) -> None:
    cycles, ticks, _ = lines["counters"][0]
    assert cycles == ticks == 200


def test_an_interrupt_that_comes_late_takes_the_entry_over(
    race: list[tuple[int, int, int]],
) -> None:
    late = [(alone, both) for alone, both, link in race if link == THREAD and both < alone][:LATE]
    # It comes 1 to 8 cycles after the other one, and begins 12 after that, or 6 after itself.
    begins = late[0][1]
    assert [alone - begins for alone, _ in late] == list(range(1, LATE + 1))
    assert [both - begins for _, both in late] == [
        max(0, after + CHAIN - ENTRY) for after in range(1, LATE + 1)
    ]


def test_one_that_comes_later_interrupts_the_handler_before_it_begins(
    race: list[tuple[int, int, int]],
) -> None:
    begins = next(both for alone, both, link in race if link == THREAD and both < alone)
    nested = [(alone, both) for alone, both, link in race if link == HANDLER]
    waits = [alone for alone, both in nested if both == begins + ENTRY]
    assert waits == list(range(begins + LATE + 1, begins + ENTRY + 1))
    assert all(alone <= both <= alone + 2 for alone, both in nested if alone not in waits)


def test_one_that_comes_within_a_return_takes_it_over(race: list[tuple[int, int, int]]) -> None:
    entered = max(alone for alone, _, link in race if link == HANDLER)
    returns = [(alone, both) for alone, both, link in race if alone > entered and both != alone]
    assert len(returns) == LEAVE
    assert {alone - both for alone, both in returns} == {ENTRY - CHAIN}


def test_the_fpu_is_stacked_by_the_entry_or_by_its_first_use(
    lines: dict[str, list[list[int]]],
) -> None:
    (eager, _, used), (lazy, _, used_lazily) = lines["eager"][0], lines["lazy"][0]
    assert eager - lazy == FLOATING
    assert used_lazily - used == FLOATING + 1
    assert [value for value, _, _ in lines["s0"]] == [42, 42]


def test_it_sleeps_on_exit_until_a_handler_ends_that(lines: dict[str, list[list[int]]]) -> None:
    assert lines["sleep on exit"] == [[3, 1, 0]]
