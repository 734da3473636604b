"""The published cases on a fake firmware: its messages, and the results from its answers."""

from __future__ import annotations

import numpy as np
import pytest
from irqscope_fake.firmware import FIRST_TICK, FakeFirmware
from irqscope_fake.folder import experiment, write_run

from irqscope.acquire import encoding
from irqscope.acquire.measure import measure
from irqscope.acquire.plan import Plan
from irqscope.experiment import Experiment
from irqscope.machines.generated import ZYNQMP
from irqscope.report import summary
from irqscope.report.page import render
from irqscope.results.reader import read

HZ = 249_975_000
PLAIN = {
    "name": "case",
    "case": "t1",
    "caches": "off",
    "trigger": "rising edge",
    "count": 6,
    "lines": [{"high": "1 ms", "low": "4 ms"}],
    "channels": [{"timeout": "4 ms"}],
}
HELD = {"interrupt": "ppi 31", "trigger": "level"}
LOAD = {"array": "1 MB", "data_accesses": 64, "instruction_accesses": 32, "budget": 2000}


def make(**changes) -> Experiment:
    return Experiment.model_validate(PLAIN | changes)


def t6(cores=3, **changes):
    channels = [{"stop": f"handler core {core}", "timeout": "4 ms"} for core in range(cores)]
    return make(**({"case": "t6", "cores": cores, **HELD, "channels": channels} | changes))


def throughput(**changes):
    return t6(2, measure="throughput", samples="none", **changes)


CASES = {
    "t4": make(case="t4", background={"interrupts": 120, "period": "203 us"}),
    "t5": make(case="t5", background={"interrupts": 14, "period": "203 us"}),
    "t6": t6(),
    "t6-spi": make(
        case="t6-spi", cores=2, trigger="level",
        channels=[{"stop": "handler any core", "timeout": "4 ms"}],
    ),
    "t7": make(case="t7", load={"array": "96 MB"}),
    "random-load": make(case="random-load", load=LOAD),
    "aimed": make(case="random-load", load=LOAD | {"aim": "path"}),
    "tick": make(timer_tick={"period": "1 ms", "work": 500}),
    "throughput": throughput(),
    "sgi": make(
        interrupt="sgi 3", period="1 ms", lines=[],
        channels=[{"start": "start", "timeout": "500 us"}],
    ),
}  # fmt: skip


@pytest.fixture
def run(board, tmp_path):
    """Measures on a board with faults; returns the folder."""

    def go(wanted, **faults):
        measure(wanted, board(**faults).port, tmp_path / "run")
        return read(tmp_path / "run")

    return go


@pytest.mark.parametrize("name", CASES)
def test_a_case_whose_parts_all_worked_is_valid(run, name):
    folder = run(CASES[name])
    assert folder.run.reasons == () and folder.run.valid
    assert folder.run.stimuli == folder.run.stats[0].n == 6


@pytest.mark.parametrize(
    ("name", "nothing", "said"),
    [
        ("t4", {"raised": 0}, "no background interrupt was raised"),
        ("t5", {"others": 0}, "140 background interrupts were raised, and none was taken"),
        ("t7", {"loads_2": 0}, "core 2 made no access: the load of case t7 was not there"),
        ("random-load", {"loads_0": 0}, "core 0 made no access"),
        ("tick", {"timer_ticks": 0}, "the software's timer tick never came"),
        ("t6", {"handled_1": 0}, "core 1 handled no interrupt"),
    ],
)
def test_a_part_that_did_nothing_makes_the_run_invalid(run, name, nothing, said):
    folder = run(CASES[name], of_batch=tuple(nothing.items()))
    assert not folder.run.valid
    assert said in "; ".join(folder.run.reasons)


@pytest.mark.parametrize(
    ("name", "nested", "reason"),
    [
        ("tick", 0, "none of 6 interrupts met one of 10 timer ticks' handlers"),
        ("aimed", 0, "there was no timer tick; give [timer_tick]"),
        ("tick", 1, None),
    ],
)
def test_a_stack_that_says_that_it_nests_has_to(run, name, nested, reason):
    """Judges by the count of its core in the interrupt, not by its name."""
    folder = run(CASES[name], nests=True, of_batch=(("nested", nested),))
    assert folder.run.stack.nests
    assert folder.run.firmware.nested == nested
    expected = 'the stack "baremetal" says that a handler can be interrupted, and none was: '
    assert folder.run.reasons == (() if reason is None else (expected + reason,))


def test_which_core_answers_an_spi_of_many_is_chance(run):
    """Core 1 had none: a result, while the markers still have to agree."""
    folder = run(CASES["t6-spi"], of_batch=(("handled_1", 0),))
    reasons = "; ".join(folder.run.reasons)
    assert "handled no interrupt" not in reasons
    assert "the handler ran" in reasons


@pytest.mark.parametrize(
    ("name", "fault", "said"),
    [
        ("t6", {"of_core": (("handles", 0),)}, "the interrupt is not enabled for core 2"),
        ("t6", {"of_core": (("running", 0),)}, "core 2 does not run"),
        ("t6", {"readback": (("cores_running", 3),)}, "core 2 does not run"),
        ("t7", {"of_core": (("caches", 1),)}, "asked for caches off, on of core 3 are data"),
        ("t4", {"readback": (("raising_core", 0),)}, "no core raises the background interrupts"),
        ("t4", {"background_missing": 1}, "asked for 120 background interrupts, enabled are 119"),
        ("t6", {"readback": (("placement", 1),)}, "asked for placement = 0, the readback is 1"),
        ("aimed", {"readback": (("aimed", 0),)}, "asked for aimed = 1, the readback is 0"),
    ],
)
def test_a_part_that_is_not_read_back_ends_the_run(run, name, fault, said):
    folder = run(CASES[name], **fault)
    assert folder.run.ended.reason == "target"
    assert said in folder.run.ended.message


def test_what_is_readback_names_every_core_and_every_background_interrupt(run):
    readback = run(CASES["t4"]).run.readback
    assert [core.core for core in readback.cores] == [0, 1]
    assert [entry.id for entry in readback.background] == list(range(32, 152))
    assert readback.raising_core == 1


def test_every_core_of_a_fan_out_has_its_channel_and_the_samples_are_of_the_first(run):
    folder = run(t6())
    assert set(folder.samples()["channel"].to_pylist()) == {0}
    minima = [stats.min_ticks for stats in folder.run.stats]
    assert np.diff(minima).tolist() == [9, 9]  # as the fake cores answer
    counters = folder.run.counters
    assert all(
        counted.unmatched == counted.stops - 6 > 6 for counted in counters
    )  # level-held: re-fired
    handled = [folder.run.firmware.handled[core] for core in range(3)]
    assert handled == [counted.stops for counted in counters]


def test_markers_that_one_core_lost_are_noticed(run):
    reasons = "; ".join(run(t6(), of_batch=(("handled_2", 7),)).run.reasons)
    assert "the handler ran 7 times" in reasons


def test_throughput_is_stops_by_the_high_phase_one_phase_a_batch(run):
    folder = run(throughput(lines=[{"high": "2 ms", "low": "3 ms"}], count=3))
    assert folder.run.reasons == ()
    high = round(0.002 * HZ)
    assert len(folder.run.throughput) == 2
    for core, entry in enumerate(folder.run.throughput):
        assert (entry.channel, entry.core, entry.high_ticks) == (core, core, high)
        stops = entry.stops
        assert len(stops) == 3 and all(90 < count < 110 for count in stops)  # once in 5,000 ticks
        assert sum(stops) == folder.run.firmware.handled[core]
        assert entry.max_hz == max(stops) * HZ / high
        assert entry.min_hz <= entry.median_hz <= entry.max_hz
    rows = {row.name: row.cells for row in summary.table(folder.run)}
    assert rows["throughput"][0].startswith("core 0: 50")


@pytest.mark.parametrize(("stack", "whose"), [("baremetal", ""), ("freertos", " (baremetal)")])
def test_a_run_says_whose_handler_each_core_ran_and_that_a_model_repeats_itself(
    tmp_path, stack, whose
):
    requested = experiment(stack=stack, measure="throughput", cores=2, case="t6")
    phases = [{"stops": [40, 41], "core": 0}, {"stops": [31, 35], "core": 1}]
    entries = [
        {"channel": entry["core"], "high_ticks": 250_000, "median_hz": 1000 * entry["stops"][0]}
        | {"min_hz": 1000 * entry["stops"][0], "max_hz": 1000 * entry["stops"][1]}
        | entry
        for entry in phases
    ]
    write_run(tmp_path, requested, [50] * 2, throughput=entries)
    rows = {row.name: row.cells for row in summary.table(read(tmp_path).run)}
    assert rows["throughput"] == (
        "core 0: 40000 Hz in 2 phases, as a deterministic model repeats itself",
        f"core 1{whose}: 31000 Hz, 31000 to 35000 Hz in 2 phases",
    )
    cores = "freertos on core 0, baremetal on core 1" if whose else "baremetal, cores 0 to 1"
    assert cores in rows["case"][0]
    assert ("1 (baremetal)" in render(read(tmp_path))) == bool(whose)


def test_the_table_tells_what_was_read_back_and_what_the_cores_did(run):
    rows = {row.name: row.cells[0] for row in summary.table(run(CASES["t4"]).run)}
    assert rows["readback"] == (
        "handler in DDR, 1 GB pages, cores running 0 and 1; "
        "120 background interrupts, SPIs 32 to 151, raised by core 1 every 203 us"
    )
    assert rows["cores"] == "core 0 handled 6; 1200 background interrupts raised, 1080 taken"


def test_shares_of_the_cores_stand_in_the_table(run):
    rows = {row.name: row.cells[0] for row in summary.table(run(CASES["t6-spi"]).run)}
    assert "core 0 handled 300 (50 %), core 1 handled 300 (50 %)" in rows["cores"]


def test_a_latency_run_has_no_throughput(run):
    assert run(CASES["t6"]).run.throughput == ()


def test_an_sgi_is_raised_as_often_as_asked_in_each_batch(board, tmp_path):
    expected = CASES["sgi"].model_copy(update={"count": 3000})
    result = measure(expected, board().port, tmp_path / "run")
    assert result.run.reasons == ()
    assert result.run.counters[0].starts == 3000
    batches = read(tmp_path / "run").samples()["batch"].to_numpy()
    assert np.bincount(batches).tolist() == [2000, 1000]  # 2 s each


def test_an_sgi_that_was_not_raised_makes_the_run_invalid(run):
    """Only the marker before it shows that."""
    assert "5 of 6 stimuli were begun" in run(CASES["sgi"], lose_sgis=1).run.reasons


def test_phases_are_of_the_edge_in_the_softwares_tick(run):
    folder = run(CASES["tick"])
    rows = folder.samples()
    period = 100_000 * HZ / 100_000_000  # 1 ms in counts of the system counter
    expected = (rows["edge_ticks"].to_numpy() - FIRST_TICK) % period
    assert rows["timer_tick_phase_ticks"].to_pylist() == np.floor(expected).astype(int).tolist()


def test_without_a_tick_there_is_no_phase(run):
    assert run(CASES["t6"]).samples()["timer_tick_phase_ticks"].null_count == 6


def test_the_budget_says_how_far_the_cores_of_a_twin_are_apart(fake_twin, tmp_path, monkeypatch):
    fake_twin()
    result = measure(CASES["t6"], "twin", tmp_path / "run")
    terms = {term.source: term for term in result.run.calibration.uncertainty}
    assert terms["quantum between cores"].ns == pytest.approx(24 / 1.19988)
    assert "3 cores are at work" in terms["quantum between cores"].text
    assert "are at work" not in terms["probe"].text  # all three stored


def test_the_budget_says_where_more_cores_are_at_work_than_stored(fake_twin, tmp_path):
    fake_twin()
    result = measure(CASES["t7"], "twin", tmp_path / "run")
    terms = {term.source: term for term in result.run.calibration.uncertainty}
    assert "taken with 1 storing; 4 are at work" in terms["probe"].text


def test_where_the_twin_is_another_programs_its_turn_is_not_known(run):
    terms = {t.source: t for t in run(CASES["t6"]).run.calibration.uncertainty}
    assert terms["quantum between cores"].ns is None


def asked(**changes):
    """Values of the CASE message before the first batch."""
    plan = Plan(make(**changes), ZYNQMP, 250_000_000, counter_hz=100_000_000)
    return encoding.case(plan, next(plan.batches()))


def test_what_a_case_asks_of_the_firmware():
    case = asked(
        case="random-load", load=LOAD, placement="ocm", pages="4 KB", warm=True, clock_divisor=8,
        timer_tick={"period": "1 ms", "work": 500},
    )  # fmt: skip
    expected = {
        "case_id": 10, "placement": 1, "pages": 2, "warm": 1, "divisor": 8, "array_kib": 1024,
        "data_accesses": 64, "instruction_accesses": 32, "budget": 2000,
        "timer_tick_period": 100_000, "timer_tick_work": 500, "raise_period": 0,
        "count": 0, "cores": 1, "aimed": 0,
    }  # fmt: skip
    assert {name: case[name] for name in expected} == expected
    assert asked(case="random-load", load=LOAD | {"aim": "path"})["aimed"] == 1
    assert asked(case="cache-state", state=["bp", "tlb", "l2"])["state"] == 1 | 2 | 16
    case = asked(**CASES["sgi"].model_dump())
    assert (case["interrupt"], case["count"], case["raise_period"]) == (3, 6, 100_000)


def test_a_level_for_several_cores_reaches_each_of_them():
    plan = Plan(t6(4), ZYNQMP, HZ)
    line = encoding.lines(plan, next(plan.batches()))[0]
    assert (line["private"], line["shared"]) == (0b1111, 0)
    any_core = Plan(CASES["t6-spi"], ZYNQMP, HZ)
    assert encoding.channels(any_core, 0)[0]["stop_cores"] == 0b11


def test_another_seed_loads_other_places_and_another_batch_goes_on_with_them():
    seeds = {asked(case="random-load", load=LOAD, seed=seed)["load_seed"] for seed in range(50)}
    assert len(seeds) == 50
    plan = Plan(make(case="random-load", load=LOAD, count=4000), ZYNQMP, HZ)
    assert len({encoding.case(plan, batch)["load_seed"] for batch in plan.batches()}) == 1


def test_a_case_of_lines_is_set_up_once(board, tmp_path):
    expected = make(case="t7", load={"array": "96 MB"}, count=900)
    firmware = FakeFirmware()
    assert measure(expected, board(firmware.receive).port, tmp_path / "run").run.valid
    assert firmware.carried_out.count("case") == 6 + 1  # calibration; the run


def test_batches_of_a_tail_grow_as_fewer_stimuli_enter_it():
    """Expected records stay well below the FIFO, and the last batches last 2 s."""
    expected = make(
        samples="tail 1000", count=2_000_000,
        lines=[{"high": "3 us", "low": "8 us"}], channels=[{"timeout": "10 us"}],
    )  # fmt: skip
    plan = Plan(expected, ZYNQMP, 250_000_000)
    batches = list(plan.batches())
    assert batches[0].count == plan.records_per_batch
    for batch in batches[1:]:
        assert batch.count * 1000 / batch.first <= plan.records_per_batch / 4
    assert max(batch.count for batch in batches) == 2_000_000 // 11
    assert len(batches) < 20
    assert sum(batch.count for batch in batches) == 2_000_000
