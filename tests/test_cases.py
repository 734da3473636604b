"""Properties of each published case, checked on both sides.

By the gateware's counters, by the firmware's reads of the hardware, and by the twin's own
independent counters.

A case that silently does nothing fails here.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from instrument import ROOT, Twin
from irqscope.acquire.measure import measure
from irqscope.experiment.load import load
from irqscope.results.readback import CoreState, Readback
from irqscope.results.record import RunRecord
from irqscope.results.statistics import Stats

COUNT = 24
AIMED = 4000  # for a quantile of 99.9 %
AVERAGED = 1000  # for an average
SCTLR_CACHES = 1 << 2 | 1 << 12
PPI_31, FINISHED = 31, 143


@dataclass(frozen=True)
class Measured:
    """A run on a twin of its own. ``cores``: the twin's statistics of each core."""

    run: RunRecord
    cores: list[dict[str, Any]]

    @property
    def latency(self) -> Stats:
        return self.run.stats[0]

    @property
    def median(self) -> int:
        return self.quantile(0.5)

    def quantile(self, p: float) -> int:
        (match,) = (q for q in self.latency.quantiles if q.p == p)
        assert match.value_ticks is not None
        return match.value_ticks

    @property
    def mean(self) -> float:
        return self.latency.sum_ticks / self.latency.n

    def interrupts(self, core: int) -> dict[int, int]:
        """Interrupts that this core acknowledged, by ID, calibration included."""
        return {int(id_): n for id_, n in self.cores[core]["interrupts"].items()}


Measure = Callable[..., Measured]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measure:
    """Runs a file of experiments/, each setting once."""

    @functools.cache
    def once(file: str, profile: str, overrides: str) -> Measured:
        folder = tmp_path_factory.mktemp("run")
        stats = folder / "stats.json"
        twin = Twin("--profile", profile, "--stats", str(stats))
        try:
            experiment = load(ROOT / "experiments" / file, **json.loads(overrides))
            result = measure(experiment, twin.port, folder / "run")
        finally:
            twin.stop()
        assert result.error is None, result.error
        assert result.run.valid, result.run.reasons
        return Measured(result.run, json.loads(stats.read_text())["cores"])

    def run(file: str, profile: str = "functional", **overrides: Any) -> Measured:
        return once(file, profile, json.dumps({"count": COUNT} | overrides, sort_keys=True))

    return run


def caches_of(core: Readback | CoreState) -> int:
    return core.registers["sctlr_el3"] & SCTLR_CACHES


# ---- T1, T2, T3: caches --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "caches"), [("t1", 0), ("t2", SCTLR_CACHES), ("b-lmin", SCTLR_CACHES)]
)
def test_one_interrupt_on_one_core(measured: Measure, file: str, caches: int) -> None:
    run = measured(f"horst2020/{file}.toml")
    assert caches_of(run.run.readback) == caches
    (counters,) = run.run.counters
    assert counters.starts == counters.served == COUNT
    assert run.run.firmware.handled_0 == COUNT
    assert [bool(core["interrupts"]) for core in run.cores] == [True, False, False, False]


def test_caches_that_are_off_cost_time_and_no_fetch_hits(measured: Measure) -> None:
    off = measured("horst2020/t1.toml", "a53")
    on = measured("horst2020/t2.toml", "a53")
    assert on.median < off.median < 20 * on.median
    assert off.cores[0]["timing"]["uncached_fetches"] > 10 * COUNT
    assert on.cores[0]["timing"]["uncached_fetches"] < off.cores[0]["timing"]["uncached_fetches"]


def test_a_handler_that_invalidates_caches_finds_them_empty_the_next_time(
    measured: Measure,
) -> None:
    cold = measured("horst2020/t3.toml", "a53")
    warm = measured("horst2020/t2.toml", "a53")
    assert caches_of(cold.run.readback) == SCTLR_CACHES
    # The lines of the handler come from memory again, which takes 100 ns each.
    assert warm.median + 50 < cold.median
    assert cold.cores[0]["timing"]["set_way"] > COUNT * 512


# ---- T4, T5: background interrupts ---------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 36, 180])
def test_background_interrupts_are_enabled_below_the_measured_one_and_never_come_by_themselves(
    measured: Measure, number: int
) -> None:
    run = measured(f"horst2020/t4-{number}-enabled.toml")
    background = run.run.readback.background
    measured_id, priority = run.run.readback.interrupt, run.run.readback.priority
    ids = {entry.id for entry in background}
    assert len(ids) == len(background) == number
    assert not ids & {measured_id, FINISHED, 53}
    for entry in background:
        assert entry.enabled
        assert entry.targets == 1
        assert entry.priority > priority
        assert not entry.raised
    assert run.run.firmware.others == 0
    assert not ids & run.interrupts(0).keys()


@pytest.mark.parametrize("number", [1, 36, 180])
def test_background_interrupts_that_core_1_raises_are_taken_and_at_most_one_is_waited_for(
    measured: Measure, number: int
) -> None:
    # Often enough that core 0 is found in the empty handler; 5 ms is not a multiple of any.
    period = {1: "1010 ns", 36: "17 us", 180: "97 us"}[number]
    run = measured(f"horst2020/t4-{number}.toml", **{"background.period": period})
    quiet = measured(f"horst2020/t4-{number}-enabled.toml")
    background = run.run.readback.background
    raised = {entry.id for entry in background if entry.raised}
    # No core can raise another one's PPIs: the last 7 of 180 are only enabled.
    assert len(raised) == min(number, 173)
    interrupts = run.interrupts(0)
    assert raised <= interrupts.keys()
    assert run.run.firmware.others == sum(interrupts[id_] for id_ in raised)
    assert run.run.firmware.raised >= COUNT * len(raised)
    assert run.cores[1]["set_pending"] > 0
    assert run.cores[0]["pending_max"] >= min(number, 2)
    # Handlers do not nest and the measured one comes first: one empty handler at most.
    # A core that is awake already answers sooner than one asleep.
    assert quiet.latency.min_ticks / 2 < run.latency.min_ticks <= quiet.median
    assert run.latency.max_ticks < 2 * quiet.latency.max_ticks + 250
    assert run.latency.max_ticks > quiet.latency.max_ticks


def test_fourteen_others_ascend_in_priority(measured: Measure) -> None:
    run = measured("horst2020/t5.toml")
    priorities = [entry.priority for entry in run.run.readback.background]
    assert len(priorities) == 14
    assert priorities == sorted(set(priorities), reverse=True)
    assert min(priorities) > run.run.readback.priority == 0
    interrupts = run.interrupts(0)
    assert all(interrupts[entry.id] for entry in run.run.readback.background)
    assert run.cores[0]["pending_max"] >= 2


# ---- T6: several cores ---------------------------------------------------------------------------


@pytest.mark.parametrize("cores", [2, 3, 4])
def test_every_core_of_t6_answers_again_and_again_while_the_level_is_held(
    measured: Measure, cores: int
) -> None:
    run = measured(f"horst2020/t6-{cores}.toml", count=4)
    running = run.run.readback.cores
    assert [core.core for core in running if core.handles] == list(range(cores))
    assert len({core.registers["mpidr_el1"] & 0xFF for core in running}) == len(running)
    assert all(caches_of(core) == 0 for core in running if core.handles)
    for core in range(cores):
        counters = run.run.counters[core]
        handled = run.run.firmware.handled[core]
        assert counters.served == counters.starts == 4
        assert counters.stops == handled == counters.served + counters.unmatched
        assert counters.unmatched > 100
        assert run.interrupts(core)[PPI_31] >= handled
    for core in range(cores, 4):
        assert PPI_31 not in run.interrupts(core)


def test_one_of_the_cores_answers_a_shared_interrupt(measured: Measure) -> None:
    run = measured("horst2020/t6-spi-3.toml", count=4)
    handled = [run.run.firmware.handled[core] for core in range(4)]
    (counters,) = run.run.counters
    assert sum(handled) == counters.stops
    assert counters.served == 4
    assert handled[3] == 0
    assert run.run.readback.targets == 0b111
    for core in range(4):
        assert run.interrupts(core).get(121, 0) >= handled[core]


# ---- T7 and the benchmarks -----------------------------------------------------------------------


def test_four_cores_write_while_one_of_them_is_measured(measured: Measure) -> None:
    run = measured("horst2020/t7.toml", "a53", count=8)
    firmware = run.run.firmware
    assert firmware.handled_0 == 8
    # 40 ms of stores, each well below a microsecond; a core that slept makes none.
    assert all(firmware.loads[core] > 10_000 for core in range(4))
    assert firmware.idles == 0
    for core in range(4):
        assert run.cores[core]["timing"]["uncached_stores"] >= firmware.loads[core]


def test_b_lmax_is_t4_and_t6_together(measured: Measure) -> None:
    run = measured("horst2020/b-lmax.toml", count=4)
    readback, firmware = run.run.readback, run.run.firmware
    assert (len(readback.background), readback.raising_core) == (36, 3)
    assert [core.core for core in readback.cores if core.handles] == [0, 1, 2]
    assert all(firmware.handled[core] > 100 for core in range(3))
    assert firmware.handled_3 == 0
    assert firmware.others > 0
    assert run.cores[3]["set_pending"] > 0


@pytest.mark.parametrize(
    ("file", "background", "handling", "raising", "writing"),
    [
        ("b-lmax-t4-144-t6-3", 144, [0, 1, 2], 3, []),
        ("b-lmax-t4-36-t7", 36, [0], 1, [2, 3]),
        ("b-lmax-t4-36-t6-3-t7", 36, [0, 1, 2], 0, [3]),
        ("b-lmax-t4-144-t7", 144, [0], 1, [2, 3]),
        ("b-lmax-t4-144-t6-3-t7", 144, [0, 1, 2], 0, [3]),
        ("b-lmax-t6-3-t7", 0, [0, 1, 2], 0, [3]),
    ],
)
def test_b_lmax_takes_t4_t6_and_t7_in_any_combination(
    measured: Measure,
    file: str,
    background: int,
    handling: list[int],
    raising: int,
    writing: list[int],
) -> None:
    run = measured(f"horst2020/{file}.toml", count=4)
    readback, firmware = run.run.readback, run.run.firmware
    assert (len(readback.background), readback.raising_core) == (background, raising)
    assert [c for c in range(4) if firmware.handled[c]] == handling
    # 20 ms of stores, each well below a microsecond.
    assert [c for c in range(4) if firmware.loads[c] > 10_000] == writing
    assert sum(firmware.loads[c] for c in range(4) if c not in writing) == 0
    assert bool(firmware.raised) == bool(firmware.others) == bool(raising)


# ---- throughput ----------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["t2-throughput", "t6-4-throughput", "b-tmax", "b-tmax-4"])
def test_throughput_is_what_each_core_stored_in_a_phase(measured: Measure, file: str) -> None:
    short = {"lines.0.high": "975 us", "lines.0.low": "25 us", "count": 3}
    channels = len(load(ROOT / f"experiments/horst2020/{file}.toml").channels)
    timeouts = {f"channels.{place}.timeout": "500 us" for place in range(channels)}
    run = measured(f"horst2020/{file}.toml", **short, **timeouts)
    hz = run.run.identity.tick_hz
    for entry in run.run.throughput:
        assert len(entry.stops) == 3
        assert sum(entry.stops) == run.run.firmware.handled[entry.core]
        assert abs(entry.high_ticks - 0.000975 * hz) <= 1
        rates = [stops * hz / entry.high_ticks for stops in entry.stops]
        assert entry.min_hz == pytest.approx(min(rates))
        assert entry.max_hz == pytest.approx(max(rates))
        # Not faster than an acknowledge takes, not so slow that the level did not fire again.
        assert 100_000 < entry.median_hz < 12_000_000


# ---- cache states, random load -------------------------------------------------------------------


@pytest.mark.parametrize("file", ["line", "sgi"])
def test_an_emptied_cache_is_dearer_than_a_warm_one_and_all_together_dearest(
    measured: Measure, file: str
) -> None:
    def median(*state: str) -> int:
        return measured(f"a9-cache-states/{file}.toml", "a53", count=8, state=list(state)).median

    normal = median()
    everything = median("tlb", "bp", "l1i", "l1d", "l2")
    assert normal < median("l1i") < everything
    assert normal <= median("tlb") < everything
    assert everything > 1.5 * normal


def test_handler_and_stack_stand_in_ocm_when_asked(measured: Measure) -> None:
    for placement, inside in (("ocm", True), ("ddr", False)):
        readback = measured("a9-cache-states/line.toml", placement=placement).run.readback
        for address in (readback.vector, readback.handler, readback.call_stack):
            assert (0xFFFC_0000 <= address <= 0xFFFF_FFFF) is inside


def test_random_accesses_are_made(measured: Measure) -> None:
    # Up to 24 of data and of code before each interrupt; up to 100.
    for file, count, average in (("plain", 500, 24), ("heavy", AVERAGED, 100)):
        loads = measured(f"random-load/{file}.toml", "a53", count=count).run.firmware.loads_0
        assert 0.9 * average < loads / count < 1.1 * average


def test_accesses_in_the_sets_of_the_path_spread_the_latency_and_as_many_elsewhere_do_not(
    measured: Measure,
) -> None:
    heavy = measured("random-load/heavy.toml", "a53", count=AIMED)
    uniform = measured("random-load/heavy.toml", "a53", count=AIMED, **{"load.aim": "anywhere"})
    assert (heavy.run.readback.aimed, uniform.run.readback.aimed) == (1, 0)
    assert heavy.quantile(0.999) > 1.5 * heavy.median
    assert heavy.median > uniform.quantile(0.99)
    assert heavy.latency.min_ticks == uniform.latency.min_ticks  # few accesses, by chance


def test_what_a_mitigation_does_against_accesses_in_the_sets_of_the_path(
    measured: Measure,
) -> None:
    plain, warm, ocm = (
        measured(f"random-load/{file}.toml", "a53", count=AIMED)
        for file in ("heavy", "heavy-warm", "heavy-ocm")
    )
    # Fetched once more, the path is back in L1.
    assert warm.quantile(0.999) < 1.1 * warm.latency.min_ticks
    # A miss of L2 goes to OCM, which is nearer than DDR.
    assert ocm.quantile(0.999) < 0.85 * plain.quantile(0.999)
    assert ocm.quantile(0.999) > 1.3 * ocm.median


def test_small_pages_cost_time_against_accesses_in_the_sets_of_the_path(measured: Measure) -> None:
    plain, blocks, pages = (
        measured(f"random-load/{file}.toml", "a53", count=AVERAGED)
        for file in ("heavy", "heavy-pages-2m", "heavy-pages-4k")
    )
    # A block holds path and call stack: more TLB entries change nothing.
    assert 0.98 < blocks.mean / plain.mean < 1.03
    # With small pages the load also takes the entries.
    assert pages.mean > 1.02 * plain.mean


def test_a_kept_way_is_shorter_under_random_load(measured: Measure) -> None:
    plain = measured("random-load/plain.toml", "a53", count=500)
    warm = measured("random-load/warm.toml", "a53", count=500)
    assert warm.mean < plain.mean


# ---- waking up, timer tick -----------------------------------------------------------------------


def test_a_divided_clock_lengthens_the_way_to_the_handler(measured: Measure) -> None:
    spin, wfi, divided = (
        measured(f"wake-up/{file}.toml") for file in ("spin", "wfi", "wfi-divided")
    )
    assert spin.median < wfi.median < divided.median
    divisor = divided.run.readback.divisor
    assert divisor > 1
    assert wfi.run.readback.divisor == 1
    assert divided.median < 2 * divisor * wfi.median


def test_a_locked_stimulus_meets_one_phase_of_the_timer_tick_and_a_dithered_one_all(
    measured: Measure,
) -> None:
    ticks = {}
    for file in ("locked", "dithered"):
        run = measured(f"timer-tick-phase/{file}.toml", count=200)
        assert run.run.firmware.timer_ticks >= 200 * 5
        ticks[file] = run.latency.max_ticks - run.latency.min_ticks
    assert ticks["dithered"] > 3 * ticks["locked"]
    # Handlers do not nest: a stimulus waits for the timer tick's loops, tens of microseconds.
    assert ticks["dithered"] > 2_500


# ---- memory that the translation marks non-cacheable ---------------------------------------------


def test_marked_memory_is_read_back_and_is_slow_though_caches_are_on(measured: Measure) -> None:
    file = "a9-cache-states/line.toml"
    cached = measured(file, "a53", count=10)
    marked = measured(file, "a53", count=10, memory="non-cacheable")
    for memory, one in enumerate((cached, marked)):
        assert one.run.readback is not None
        assert one.run.readback.memory == memory
        assert caches_of(one.run.readback) == SCTLR_CACHES
    assert marked.median > 1.5 * cached.median


def test_every_core_has_its_memory_marked(measured: Measure) -> None:
    caches = {"caches": "on", "memory": "non-cacheable"}
    marked = measured("horst2020/t6-2.toml", "a53", count=10, **caches)
    assert all(core["timing"]["uncached_loads"] > 100 for core in marked.cores[:2])
