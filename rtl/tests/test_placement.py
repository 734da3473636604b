"""An interrupt at every cycle of code under test, in RTL simulation: exact."""

import pytest

from irqscope.acquire.measure import measure
from irqscope.errors import ExitCode, ExperimentError
from irqscope.experiment import load
from irqscope.kinds.placement.code import Code
from irqscope.machines.elf import read_elf
from irqscope.machines.firmware_file import firmware
from irqscope.report.page import write_report
from irqscope.results.reader import read
from irqscope_rtl.cores import ROOT

EXPERIMENTS = ROOT / "experiments" / "placement"
TARGET = "rtl:cv32e40p"
#: The path to the handler by the integer ABI (test_latency.py).
PATH = 33


def run(name, folder, **changes):
    return measure(load(EXPERIMENTS / f"{name}.toml", **changes), TARGET, folder)


def placements(folder):
    """(delay, latency, place) of each placement in its order, and the record."""
    run_read = read(folder)
    rows = run_read.places().to_pylist()
    return [
        (r["delay_ticks"], r["latency_ticks"], r["address"]) for r in rows
    ], run_read.run.placements


@pytest.fixture(scope="module")
def measured(soft, tmp_path_factory):
    """Each experiment once: its rows and its record."""
    results = {}

    def of(name):
        if name not in results:
            folder = tmp_path_factory.mktemp(name) / "run"
            result = run(name, folder)
            assert result.error is None
            assert result.run.valid, result.run.reasons
            results[name] = (*placements(folder), folder)
        return results[name]

    return of


def inside(rows, record):
    end = record.address + record.size
    return [row for row in rows if row[2] is not None and record.address <= row[2] < end]


@pytest.mark.parametrize("name", ["nops", "division", "masked"])
def test_every_pass_is_the_same(measured, name):
    rows, record, _ = measured(name)
    half = len(rows) // 2
    assert [row[0] for row in rows[:half]] == list(range(record.first_ticks, record.last_ticks + 1))
    assert rows[:half] == rows[half:]
    assert record.alike and record.accepted == len(rows) and record.ignored == 0


def test_each_nop_is_met_in_its_own_cycle(measured):
    rows, record, _ = measured("nops")
    nops = [i.address for i in record.instructions if i.text == "nop"]
    assert len(nops) == 32
    met = [row for row in rows[: len(rows) // 2] if row[2] in nops]
    assert [row[2] for row in met] == nops
    assert [row[0] for row in met] == list(range(met[0][0], met[0][0] + 32))
    assert {row[1] for row in met} == {PATH}


def test_a_critical_section_delays_by_what_is_left_of_it(measured):
    rows, record, folder = measured("masked")
    waiting = [row for row in inside(rows[: len(rows) // 2], record) if row[1] > PATH + 2]
    assert len({row[2] for row in waiting}) == 1  # taken where interrupts are unmasked
    assert len(waiting) > 64
    first = waiting[0][1]
    assert [row[1] for row in waiting] == list(range(first, first - len(waiting), -1))
    assert [row[0] for row in waiting] == list(range(waiting[0][0], waiting[0][0] + len(waiting)))
    (met,) = read(folder).run.encounters  # a rise met each of its cycles, so the row has a bound
    assert met.met_ticks == met.mask_ticks > 64 and met.masked == 2 * met.mask_ticks


def test_a_division_is_not_interrupted(measured):
    rows, record, _ = measured("division")
    (divides,) = [i.address for i in record.instructions if i.text.startswith("divu")]
    delayed = [row[1] for row in rows[: len(rows) // 2] if row[2] == divides + 4]
    # CV32E40P: 3 to 35 cycles, one of them for the next instruction
    assert max(delayed) == PATH + 32
    assert sorted(delayed, reverse=True) == delayed


def test_a_kernel_masks_interrupts_while_it_switches(measured):
    """Each cycle of a yield is met; an interrupt during the mask is taken after it."""
    rows, record, _ = measured("yield")
    half = len(rows) // 2
    assert rows[:half] == rows[half:]
    assert record.alike and record.ignored == 0
    waiting = [row for row in rows[:half] if row[1] > 150]
    assert len(waiting) > 100
    assert len({row[2] for row in waiting} - {None}) == 1  # taken where interrupts are unmasked
    masked = [row[1] for row in waiting]
    assert masked == list(range(masked[0], 150, -1))  # a cycle later, a cycle less to wait


def test_the_report_shows_what_is_never_interrupted(measured):
    *_, folder = measured("masked")
    page = write_report(folder).read_text()
    assert "latency, cycles" in page and "latency, ns" not in page
    assert "exact for this code and state" in page
    assert "Where it was interrupted" in page
    assert ">never<" in page
    assert "csrs mstatus" in page


def test_a_placement_that_never_happens_ends_with_closed_counters(soft, tmp_path):
    changes = {
        "code_under_test": load(EXPERIMENTS / "nops.toml").code_under_test.model_dump()
        | {"after": "done"}
    }
    result = run("nops", tmp_path / "run", count=81, **changes)
    assert result.error is None
    assert result.exit_code is ExitCode.INVALID
    assert any("0 markers of 81 started the line" in reason for reason in result.run.reasons)
    assert [(b.starts, b.served, b.pending) for b in result.run.counters] == [(0, 0, 0)]


def test_a_symbol_that_there_is_not(soft):
    with pytest.raises(ExperimentError) as caught:
        Code(read_elf(firmware("soft", "baremetal"))).code_under_test("code_under_test_nothing")
    text = str(caught.value)
    assert 'has no function "code_under_test_nothing"; it has code_under_test_division' in text
    assert "\n" not in text
