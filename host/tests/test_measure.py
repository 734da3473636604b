"""Whole runs on a fake firmware: requests, files, verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest
from irqscope_fake.firmware import FakeFirmware

from irqscope import constants
from irqscope import experiment as experiments
from irqscope.acquire import encoding
from irqscope.acquire.collect import ChannelResults
from irqscope.acquire.encoding import line_seed
from irqscope.acquire.measure import measure
from irqscope.acquire.plan import Plan
from irqscope.acquire.until import Until
from irqscope.errors import ExitCode
from irqscope.experiment.values import Event
from irqscope.link.frames import FrameDecoder
from irqscope.machines.generated import ZYNQ7000, ZYNQMP
from irqscope.report import summary
from irqscope.report.page import render
from irqscope.results.counters import Records
from irqscope.results.drift import drifts
from irqscope.results.reader import read
from irqscope.results.samples import Samples
from irqscope.units import Duration

pytestmark = pytest.mark.quick

HZ = 249_975_000
T2 = Path(__file__).parents[2] / "experiments" / "horst2020" / "t2.toml"


@pytest.fixture
def run(board, experiment, tmp_path):
    """Measures t2.toml, changed, on a board with faults; returns result and folder."""

    def go(*changes, count=600, stop=lambda: False, out="run", until=None, **faults):
        case = experiments.load(experiment(*changes), count=count)
        port = board(**faults).port
        result = measure(case, port, tmp_path / out, stop=stop, until=until)
        return result, read(tmp_path / out)

    return go


def test_a_run_is_valid_and_its_files_agree(run):
    result, folder = run()
    assert (result.exit_code, result.error, folder.run.reasons) == (0, None, ())
    assert folder.run == result.run
    samples = folder.samples()
    assert samples["sequence"].to_pylist() == list(range(600))
    assert set(samples["state"].to_pylist()) == {"served"}
    assert samples["latency_ticks"].to_pylist() == samples["handler_ticks"].to_pylist()
    histogram = folder.histogram()
    counts = dict(zip(*np.unique(samples["latency_ticks"], return_counts=True), strict=True))
    assert {row["lower_ticks"]: row["count"] for row in histogram.to_pylist()} == counts
    (counters,), (stats,) = folder.run.counters, folder.run.stats
    assert counters.starts == counters.served == counters.stops == stats.n == 600
    assert stats.min_ticks == pc.min(samples["latency_ticks"]).as_py()
    assert stats.max_ticks == pc.max(samples["latency_ticks"]).as_py()
    assert stats.sum_ticks == pc.sum(samples["latency_ticks"]).as_py()
    latencies = samples["latency_ticks"].to_numpy()
    assert stats.deviation_ticks == pytest.approx(latencies.std())
    edges = folder.timeline().elapsed(samples["batch"].to_numpy(), samples["edge_ticks"].to_numpy())
    rate = 599 * folder.run.tick_hz / (edges[-1] - edges[0])
    assert stats.rate_hz == pytest.approx(rate)
    rows = {row.name: row.cells[0] for row in summary.table(folder.run)}
    assert rows["rate"] == f"{rate:.4g} /s"
    ns = 1e9 / folder.run.tick_hz
    mean = f"{latencies.mean() * ns:.1f} ns, standard deviation {latencies.std() * ns:.1f} ns"
    assert rows["mean"].startswith(f"{mean}, range ")
    assert sum(stats.phases) == 600 and min(stats.phases) > 0
    assert folder.run.records == Records(stamped=1200, delivered=1200, lost=0)


def test_a_folder_of_another_machine_is_not_measured_again(board, tmp_path):
    case = experiments.load(T2, count=20)
    port = board().port
    assert measure(case, port, tmp_path / "same", machine=ZYNQMP).error is None
    result = measure(case, port, tmp_path / "other", machine=ZYNQ7000)
    assert result.exit_code == 3
    assert str(result.error) == (
        "the run folder is of zynq7000, this target is zynqmp; give a target of that machine, or "
        "an experiment file"
    )


def test_edges_are_relative_to_the_start_tick_and_spaced_by_the_pattern(run):
    _, folder = run(count=500)
    for batch in (0, 1):
        rows = folder.samples().filter(pc.equal(folder.samples()["batch"], batch))
        edges = rows["edge_ticks"].to_numpy()
        assert edges[0] == round(20e-6 * HZ)  # start_delay
        gaps = np.diff(edges) - HZ // 200
        assert gaps.min() >= 0 and 7 < gaps.max() <= 255


def test_the_source_and_its_profile_are_in_the_run(run):
    _, folder = run(count=10)
    assert folder.run.source.target == "twin"
    assert folder.run.source.profile == "functional"
    assert folder.run.source.label == "twin, functional timing"
    assert folder.run.identity.tick_hz == HZ


def test_calibration_is_measured_and_sets_the_least_plausible_latency(run):
    result, folder = run(count=10)
    calibration = folder.run.calibration
    assert calibration.loopback.counts == ((2, 64),)
    assert (calibration.probe.min_ticks, calibration.probe.max_ticks) == (5, 7)
    assert (calibration.pending.min_ticks, calibration.pending.max_ticks) == (20, 21)
    # 120 cycles of 1199.88 MHz are 25 ticks of 249.975 MHz, and the echo is longer.
    assert calibration.one_way.bound_ticks == 25
    assert calibration.plausible_min_ticks == 20 - 7 - 3
    sources = [term.source for term in calibration.uncertainty]
    assert "sampling grid of markers" in sources and "quantum between cores" in sources


def test_a_locked_phase_is_told(run):
    _, folder = run(('phase = "dithered"', 'phase = "locked"'), count=50)
    phases = folder.run.stats[0].phases
    assert sorted(phases) == [0, 0, 0, 0, 50]
    assert "of 0 to 4 ticks never met" in str(summary.table(folder.run))


def test_stages(run):
    _, folder = run(('markers = "paper"', 'markers = "stages"'), count=50)
    assert folder.run.valid, folder.run.reasons
    samples = folder.samples()
    handler = samples["handler_ticks"].to_numpy()
    for stage, offset in {"vector": -20, "done": 15, "task": 40}.items():
        assert (samples[f"{stage}_ticks"].to_numpy() == handler + offset).all()


def test_the_first_n(run):
    _, folder = run(('samples = "all"', 'samples = "first 450"'))
    assert folder.run.valid, folder.run.reasons
    assert folder.samples()["sequence"].to_pylist() == list(range(450))
    assert folder.run.stats[0].n == 600


def test_the_tail_holds_the_longest(run, tmp_path):
    _, folder = run(('samples = "all"', 'samples = "tail 9"'), count=1200)
    assert folder.run.valid, folder.run.reasons
    everything = [
        row["lower_ticks"] for row in folder.histogram().to_pylist() for _ in range(row["count"])
    ]
    tail = folder.samples()["latency_ticks"].to_pylist()
    assert sorted(tail) == sorted(everything)[-9:]
    # Edges were due at known ticks, so each is known by its own number, whichever others are kept.
    numbered = folder.samples()["sequence"].to_pylist()
    assert len(set(numbered)) == 9 and None not in numbered
    _, whole = run(count=1200, out="whole")
    assert [
        whole.samples()["latency_ticks"][number].as_py() for number in numbered
    ] == tail and folder.samples()["edge_ticks"].to_pylist() == [
        whole.samples()["edge_ticks"][number].as_py() for number in numbered
    ]
    selected = Samples(folder.path)
    selected.update()
    assert selected.rows(range(9))["index"].to_pylist() == numbered
    assert selected.place(numbered[4]) == 4 and selected.place(-1) is None
    # The next one in the folder is not a neighbour.
    assert selected.around(4, 0)["index"].to_pylist() == numbered[4:5]
    neighbours = [n for n in numbered if abs(n - numbered[4]) <= 50]
    assert selected.around(4, 50)["index"].to_pylist() == neighbours
    assert len(list((tmp_path / "run" / "samples").iterdir())) == 1
    # All of the first batch is recorded, of the others only what is long enough.
    assert 400 < folder.run.records.stamped < 800


def test_a_tail_of_acknowledged_pulses_has_no_numbers(run):
    """Nobody knows when they were due: rather none than one that moves.

    A batch with all records has them.
    """
    changes = [
        ('mode = "burst"', 'mode = "acknowledged"'),
        ('timeout = "4 ms"', 'timeout = "3 ms"'),
    ]
    _, folder = run(('samples = "all"', 'samples = "tail 9"'), *changes, count=1200)
    assert folder.run.valid, folder.run.reasons
    _, whole = run(*changes, count=1200, out="whole")
    latencies = whole.samples()["latency_ticks"].to_pylist()
    numbers = folder.samples()["sequence"].to_pylist()
    assert None in numbers
    for number, latency in zip(numbers, folder.samples()["latency_ticks"].to_pylist(), strict=True):
        assert number is None or latencies[number] == latency


def test_a_full_tail_asks_for_longer_ones_only(run):
    """Otherwise a constant latency would fill the FIFO with records that are never kept."""
    _, folder = run(('samples = "all"', 'samples = "tail 9"'), count=1200, latency_ticks=60)
    assert folder.run.valid, folder.run.reasons
    assert folder.samples()["batch"].to_pylist() == [0] * 9
    assert folder.run.records.stamped == 400  # the first batch's


def test_no_samples_still_gives_exact_statistics(run):
    _, folder = run(('samples = "all"', 'samples = "none"'))
    assert folder.run.valid, folder.run.reasons
    assert folder.samples().num_rows == 0
    p50 = folder.run.stats[0].quantiles[0]
    assert p50.value_ticks is not None


def test_each_batch_has_its_figures_where_samples_are_left_out(run, irqscope, tmp_path):
    _, every = run(count=900, silent_every=50)
    _, folder = run(('samples = "all"', 'samples = "tail 9"'), count=900, silent_every=50, out="t")
    assert folder.run.valid, folder.run.reasons
    assert len(every.drift()) == 0
    rows = folder.drift().to_pylist()
    samples = every.samples()
    batches = range(pc.max(samples["batch"]).as_py() + 1)
    assert [row["batch"] for row in rows] == list(batches)
    assert len(rows) > 1
    for row in rows:
        of_batch = samples.filter(pc.equal(samples["batch"], row["batch"]))
        latencies = np.sort(of_batch["latency_ticks"].drop_null().to_numpy())
        n = len(of_batch)
        assert (row["starts"], row["served"], row["timed_out"]) == (
            n, len(latencies), n - len(latencies),
        )  # fmt: skip
        assert (row["min_ticks"], row["max_ticks"]) == (latencies[0], latencies[-1])
        assert row["p50_lower_ticks"] == row["p50_upper_ticks"] == latencies[(n + 1) // 2 - 1]
        # One in fifty is not answered, and longer than all.
        timeout = folder.run.stats[0].timeout_ticks
        assert (row["p99_lower_ticks"], row["p99_upper_ticks"]) == (timeout + 1, None)
    begins = every.begins()
    assert [row["since_ticks"] for row in rows] == [
        ticks for part in begins for ticks in part.values()
    ]
    (drift,) = drifts(folder)
    assert drift.unanswered == len(rows)
    assert drift.ranges()["max"] == tuple(
        pick(row["max_ticks"] for row in rows) for pick in (min, max)
    )
    begins, figures, size = drift.grouped(1)
    assert (len(begins), size) == (1, len(rows))
    stats = folder.run.stats[0]
    assert (figures["min"], figures["max"]) == ([stats.min_ticks], [stats.max_ticks])
    assert irqscope("export", tmp_path / "t", tmp_path / "d.csv", "--drift")[0] == 0
    lines = (tmp_path / "d.csv").read_text().splitlines()
    assert len(lines) == 1 + len(rows)
    assert '"max_ns"' in lines[0]
    code, out, _ = irqscope("info", tmp_path / "t")
    assert f"drift: channel 0, {len(rows)} batches: min " in out
    html = render(folder)
    assert "<h2>Drift</h2>" in html
    assert f"{len(rows)} batches have stimuli without an answer" in html
    for name in ("d.png", "d.hgrm"):
        code, _, err = irqscope("export", tmp_path / "run", tmp_path / name, "--drift")
        assert code == 2
        assert "end it in .csv or .parquet" in err
    code, _, err = irqscope("export", tmp_path / "run", tmp_path / "e.csv", "--drift")
    assert code == 2
    assert "a run has them unless it keeps all samples" in err


def test_two_channels(run):
    second = '\n[[channels]]\nstart = "handler"\nstop = "done"\ntimeout = "1 ms"\n'
    _, folder = run(
        ('timeout = "4 ms"', 'timeout = "4 ms"' + second),
        ('markers = "paper"', 'markers = "stages"'),
        count=50,
    )
    assert folder.run.valid, folder.run.reasons
    samples = folder.samples()
    of_second = samples.filter(pc.equal(samples["channel"], 1))
    assert set(of_second["latency_ticks"].to_pylist()) == {15}


def test_only_the_way_that_was_calibrated_has_a_floor(experiment):
    channels = "".join(
        f'\n[[channels]]\nstart = "{start}"\nstop = "{stop}"\ntimeout = "1 ms"\n'
        for start, stop in (("line 0", "vector"), ("line 0", "task"), ("handler", "done"))
    )
    stages = ('markers = "paper"', 'markers = "stages"')
    path = experiment(stages, ('timeout = "4 ms"', 'timeout = "4 ms"' + channels))
    values = encoding.channels(Plan(experiments.load(path), ZYNQMP, HZ), 10)
    assert [channel["plausible_min"] for channel in values] == [10, 0, 10, 0]


def test_code_that_is_not_cached_has_no_floor():
    """Unmasking, before the calibrated way, waits for its own fetch there."""
    t1 = experiments.load(T2.parent / "t1.toml")
    assert encoding.channels(Plan(t1, ZYNQMP, HZ), 10)[0]["plausible_min"] == 0


def test_a_core_that_others_interrupt_has_no_floor():
    """It may be in the vector already, and acknowledges the most urgent there."""
    plans = {
        name: Plan(experiments.load(T2.parent / f"{name}.toml", caches="on"), ZYNQMP, HZ)
        for name in ("t2", "t4-36", "t4-36-enabled")
    }
    floors = {name: encoding.channels(plan, 10)[0]["plausible_min"] for name, plan in plans.items()}
    assert floors == {"t2": 10, "t4-36": 0, "t4-36-enabled": 10}
    ticking = experiments.load(T2, **{"timer_tick.period": "1 ms"})
    assert encoding.channels(Plan(ticking, ZYNQMP, HZ), 10)[0]["plausible_min"] == 0


def test_an_answer_sooner_than_the_floor_is_invalid(run):
    _, folder = run(count=100, latency_ticks=9)
    assert folder.run.counters[0].implausible == 100
    assert "100 stimuli served faster than the calibrated minimum" in folder.run.reasons[0]


def test_late_answers_are_coalesced_and_censor_the_quantiles(run):
    """An answer after the next start: the oldest start is served, the next one coalesced."""
    _, folder = run(
        coalesce_every=50,
        count=400,
    )
    stats, counters = folder.run.stats[0], folder.run.counters[0]
    assert counters.timed_out > 0 and counters.unmatched > 0
    assert (stats.timed_out, stats.coalesced) == (counters.timed_out, counters.coalesced)
    assert stats.n == counters.starts == stats.served + stats.timed_out + stats.coalesced
    assert stats.timeout_ticks == Duration.parse("4 ms").ticks(HZ) == stats.longer.ticks
    assert stats.longer.at_least < stats.timed_out / stats.n < stats.longer.at_most
    assert folder.run.valid and "censored" in folder.run.notes[0]
    assert stats.quantiles[2].value_ticks is None  # p99 lies beyond the timeout
    states = folder.samples()["state"].to_pylist()
    assert states.count("timed_out") == counters.timed_out


def test_unanswered_stimuli_time_out(run):
    _, folder = run(silent_every=100, count=400)
    assert folder.run.counters[0].timed_out == 4
    rows = folder.samples().to_pylist()
    late = [row for row in rows if row["state"] == "timed_out"]
    assert len(late) == 4 and all(row["latency_ticks"] is None for row in late)


@pytest.mark.parametrize("start", ["start", "done", "task", "probe first", "probe second"])
def test_a_channel_that_nothing_began_makes_a_run_invalid(board, tmp_path, monkeypatch, start):
    """Also if the file's reader could not know it: another program may also lack a marker."""
    monkeypatch.setattr("irqscope.acquire.running.check", lambda *_: None)
    case = experiments.load(T2, count=20)
    never = case.channels[0].model_copy(update={"start": Event.parse(start)})
    case = case.model_copy(update={"channels": (never,)})
    result = measure(case, board().port, tmp_path / "run")
    assert (result.state, result.exit_code) == ("invalid", 4)
    why = f"channel 0: nothing was measured: {start}, which it starts at, was never seen"
    assert why in result.run.reasons
    assert read(tmp_path / "run").run.stats[0].n == 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ({"of_counters": (("starts", 1),)}, "counters disagree: 101 starts, 100 ended or pending"),
        ({"miscount_histogram": True}, "100 served by the counters, 101 by the histogram"),
        (
            {"of_counters": (("min_ticks", -10),)},
            "45 to 102 ticks by the counters, where the histogram",
        ),
        ({"of_counters": (("min_ticks", 1),)}, "100 served by the counters, 8"),
        (
            {"of_counters": (("max_ticks", 100),)},
            "55 to 202 ticks by the counters, where the histogram",
        ),
        ({"of_counters": (("max_ticks", -1),)}, "100 served by the counters, 99 by the histogram"),
        ({"of_counters": (("sum_ticks", 5862),)}, "the sum of latencies is 11"),
        ({"lost_markers": 1}, "the handler ran 101 times, 100 of its markers were seen"),
        ({"loopback_varies": True}, "the PL loop-back is not constant: 2 to 3 ticks"),
        ({"lose_records": 10}, "10 records were lost: the FIFO overflowed"),
    ],
)
def test_what_does_not_agree_makes_a_run_invalid(run, fault, reason):
    result, folder = run(count=100, **fault)
    assert result.exit_code == 4
    assert not folder.run.valid
    assert reason in folder.run.reasons[0]


@pytest.mark.parametrize("name", constants.ERRORS)
def test_each_sticky_error_of_the_gateware_reaches_folder_verdict_and_report(run, name):
    bits, text = constants.ERRORS[name]
    result, folder = run(count=100, of_batch=(("errors", 1 << bits.lsb),))
    assert result.exit_code == 4
    assert folder.run.gateware_errors == {name: 1}
    assert folder.batches()["errors"].to_pylist() == [1 << bits.lsb]
    assert folder.run.reasons == (f"after 1 batch the gateware reported {name}: {text}",)
    assert summary.verdict(folder.run) == f"INVALID: {folder.run.reasons[0]}"
    assert f"{name} after 1" in render(folder)


def test_a_run_without_such_errors_says_so(run):
    _, folder = run(count=100)
    assert folder.run.gateware_errors == {}
    assert folder.batches()["errors"].to_pylist() == [0]
    assert "no error after any batch" in render(folder)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"readback": (("idle", 1),)}, "asked for idle = 0, the readback is 1"),
        ({"readback": (("caches", 2),)}, "asked for caches on, on are instruction"),
        ({"records_from": 1}, "asked for record 0 of 20, got 20 records from 1 on"),
    ],
)
def test_a_firmware_that_does_something_else_ends_the_run(run, fault, said):
    result, folder = run(count=10, **fault)
    assert result.exit_code == 3
    assert said in folder.run.ended.message


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"of_calibration": (("starts", 1),)}, "counters disagree: 65 starts, 64 ended"),
        ({"of_calibration": (("served", -1),)}, "63 of 64 intervals seen, 0 too long"),
        ({"of_calibration": (("min_ticks", -1),)}, "1 to 2 ticks by the counters, where the"),
        ({"of_calibration": (("max_ticks", 1),)}, "2 to 3 ticks by the counters, where the"),
        ({"of_calibration": (("sum_ticks", 64),)}, "the sum of latencies is 192 ticks by the"),
        ({"miscount_calibration": True}, "64 served by the counters, 65 by the histogram"),
    ],
)
def test_counters_of_a_calibration_are_held_against_its_histogram(run, fault, said):
    result, folder = run(count=10, **fault)
    assert result.exit_code == 3
    message = folder.run.ended.message
    assert message.startswith("calibration CAL_LOOPBACK: ")
    assert said in message and message.endswith("; reset the target and run again")


def test_the_pending_line_of_a_level_is_taken_back_by_the_handler(board, tmp_path):
    """Otherwise each pulse would be answered twice, and the calibration refuses that."""
    case = experiments.load(T2.with_name("t2-level.toml"), count=20)
    result = measure(case, board().port, tmp_path / "run")
    assert result.exit_code == 0, result.error


def test_nothing_is_known_of_coalesced_stimuli():
    values = encoding.channels(Plan(experiments.load(T2), ZYNQMP, HZ), 0)[0]
    channel = ChannelResults(values, 5)
    channel.sampled.update({50: 600, 70: 600})
    channel.counters.counters["coalesced"] = 300
    channel.counters.counters["timed_out"] = 100
    median = channel.distribution(complete=True).quantile(0.5)
    assert median.value == (50, 70)
    assert channel.distribution(complete=True).n == 1600


def test_a_refused_batch_says_why(run):
    result, folder = run(count=10, refuse_batch=True)
    assert result.exit_code == 3
    assert "Line [0] was refused at arm" in folder.run.ended.message


def test_an_end_that_is_asked_for_comes_between_batches(run):
    calls = []

    def stop():
        calls.append(1)
        return len(calls) > 7  # five steps of calibration, two batches

    result, folder = run(count=1600, stop=stop)
    assert result.exit_code == 130
    assert folder.run.ended.reason == "interrupted"
    assert "after 800 of 1600 stimuli" in folder.run.ended.message
    assert folder.samples().num_rows == folder.run.stats[0].n == 800
    assert not folder.run.valid


def test_a_run_of_minutes_says_how_many_before_it_starts(run):
    prompts = []
    _, folder = run(count=10_000_000, stop=lambda: len(prompts) > 6 or prompts.append(1))
    assert "measure, about 10 minutes\n" in (folder.path / "log.txt").read_text()
    _, folder = run(count=100, out="short")
    assert "measure\n" in (folder.path / "log.txt").read_text()


def test_who_asks_for_an_end_is_named(run):
    result, _ = run(count=50, stop=lambda: "stopped in the app")
    assert str(result.error) == "stopped in the app during calibration; run again"


def test_who_watches_sees_each_batch_as_the_folder_keeps_it(board, tmp_path):
    case = experiments.load(T2, count=100)
    batches = []

    def watch(run, collection, rows):
        batches.append((run.stimuli, run.stats[0].n, rows.num_rows))
        assert collection.channels[0].histogram.sum() == run.stimuli

    result = measure(case, board().port, tmp_path / "run", batch_s=0.2, watch=watch)
    assert batches == [(40, 40, 40), (80, 80, 40), (100, 100, 20)]
    assert result.run.batch_s == 0.2


def test_a_folder_knows_the_distribution_that_its_statistics_came_from(run):
    _, folder = run(count=400, silent_every=50)
    distribution, stats = folder.distribution(0), folder.run.stats[0]
    assert (
        distribution.n == 400 and distribution.longer_than(stats.max_ticks) == stats.timed_out == 8
    )
    for quantile in stats.quantiles[:2]:
        assert distribution.quantile(quantile.p).exact == quantile.value_ticks


def test_parts_hold_the_samples_of_the_folder(run):
    _, folder = run(count=900)
    parts = list(folder.parts(["latency_ticks"]))
    assert all(part.column_names == ["latency_ticks"] for part in parts)
    latencies = [value for part in parts for value in part["latency_ticks"].to_pylist()]
    assert latencies == folder.samples()["latency_ticks"].to_pylist()


def test_batches_stay_below_three_quarters_of_the_fifo_and_two_seconds(experiment):
    fast = (
        ('high = "1 ms"', "high = 100"),
        ('low = "4 ms"', "low = 2000"),
        ('timeout = "4 ms"', "timeout = 1000"),
    )
    tail = (*fast, ('samples = "all"', 'samples = "tail 5"'))
    for changes, limit in {(): 400, fast: 12288 // 2, tail: 12288}.items():
        plan = Plan(experiments.load(experiment(*changes), count=20_000), ZYNQMP, 250_000_000)
        batches = list(plan.batches())
        assert sum(batch.count for batch in batches) == 20_000
        assert max(batch.count for batch in batches) == limit
        assert [batch.first for batch in batches] == list(
            np.cumsum([0] + [batch.count for batch in batches[:-1]])
        )


def test_the_same_seed_asks_the_same_bytes_and_another_does_not(board, experiment, tmp_path):
    def bytes_asked(name, seed):
        record = tmp_path / f"{name}.link"
        case = experiments.load(experiment(), count=600, seed=seed)
        measure(case, board().port, tmp_path / name, record=record)
        lines = [line.split() for line in record.read_text().splitlines()]
        wire = b"".join(bytes.fromhex(data) for way, data in lines[1:] if way == ">")
        frames = FrameDecoder().receive(wire)  # of a session of its own
        return [(frame.kind, frame.number, frame.payload) for frame in frames]

    first = bytes_asked("a", 1)
    assert first == bytes_asked("b", 1)
    assert first != bytes_asked("c", 2)


def test_seeds_of_lines_differ_and_are_never_zero():
    seeds = {line_seed(seed, line) for line in range(8) for seed in range(1000)}
    assert len(seeds) > 7990
    assert 0 not in seeds
    assert line_seed(1, 0) == 1_835_504_127


def test_a_recorded_link_replays_to_the_same_samples(board, experiment, tmp_path):
    case = experiments.load(experiment(), count=450)
    record = tmp_path / "link.txt"
    measure(case, board().port, tmp_path / "a", record=record)
    result = measure(case, f"replay:{record}", tmp_path / "b")
    assert result.exit_code == 0, result.error
    assert read(tmp_path / "a").samples().equals(read(tmp_path / "b").samples())


def test_a_recording_that_begins_with_bytes_of_another_host_replays(board, experiment, tmp_path):
    case = experiments.load(experiment(), count=50)
    record = tmp_path / "link.txt"
    measure(case, board().port, tmp_path / "a", record=record)
    header, *lines = record.read_text().splitlines()
    record.write_text("\n".join([header, f"< {bytes(9).hex()}", *lines]) + "\n")
    result = measure(case, f"replay:{record}", tmp_path / "b")
    assert result.exit_code == 0, result.error


def test_a_replay_of_another_experiment_is_refused(board, experiment, tmp_path):
    record = tmp_path / "link.txt"
    case = experiments.load(experiment(), count=50)
    measure(case, board().port, tmp_path / "a", record=record)
    other = experiments.load(experiment(), count=51)
    result = measure(other, f"replay:{record}", tmp_path / "b")
    assert result.exit_code == 3
    assert "answers other requests" in str(result.error)


def test_lost_and_damaged_frames_change_nothing_but_the_link_counts(board, experiment, tmp_path):
    case = experiments.load(experiment(), count=300)
    good = measure(case, board().port, tmp_path / "a")
    port = board(lose_replies=(30, 60), damage_replies=(45, 70, 71)).port
    bad = measure(case, port, tmp_path / "b")
    assert bad.exit_code == 0, bad.run.reasons
    assert bad.run.link.retries >= 5 and sum(bad.run.link.rejected.values()) == 3
    assert good.run.link.retries == 0
    assert read(tmp_path / "a").samples().equals(read(tmp_path / "b").samples())


@pytest.mark.parametrize("hits", [1, 2, 5, 12])
def test_a_line_that_hits_the_first_answers_costs_time_and_nothing_else(board, tmp_path, hits):
    firmware, left = FakeFirmware(), [hits]

    def hit(data):
        out = bytearray(firmware.receive(data))
        if out and left[0]:
            left[0] -= 1
            out[len(out) // 2] ^= 0x40
        return bytes(out)

    result = measure(experiments.load(T2, count=20), board(hit).port, tmp_path / "run")
    assert result.state == "valid", result.error
    assert sum(result.run.link.rejected.values()) == hits


def test_run_json_is_plain_json(run, tmp_path):
    run(count=10)
    text = (tmp_path / "run" / "run.json").read_text()
    assert json.loads(text)["format"] == "irqscope-run/7"


def test_a_run_ends_after_the_batch_with_a_latency_that_is_too_long(run):
    result, folder = run(count=300, out="to compare")
    greatest = folder.run.stats[0].max_ticks
    result, folder = run(count=300, until=Until(longest=Duration.parse(greatest)))
    assert (result.exit_code, folder.run.valid) == (ExitCode.VALID, True)
    limit = Duration.parse(greatest - 1)
    result, folder = run(count=300, until=Until(longest=limit), out="ended")
    assert result.exit_code == ExitCode.LONGER
    assert folder.run.ended.reason == "longer latency"
    assert folder.run.stats[0].max_ticks == greatest
    assert 0 < folder.run.stats[0].n <= 300
    assert folder.samples().num_rows == folder.run.stats[0].n
    assert not folder.doubts
    assert folder.run.interrupted
    result, _ = run(until=Until(longest=Duration.parse("900 ms")), out="never")
    assert result.exit_code == ExitCode.USAGE
    assert "waits no longer than" in str(result.error)


def test_a_duration_is_stored_as_a_count(run):
    _, folder = run(until=Until(duration_s=1.0))
    seconds = folder.run.stats[0].n / folder.run.stats[0].rate_hz
    assert folder.run.experiment.count == folder.run.stats[0].n
    assert seconds == pytest.approx(1.0, rel=0.02)


@pytest.mark.parametrize(("name", "depends"), [("t7", True), ("t2", False)])
def test_a_run_whose_latencies_depend_on_the_batch_says_so(board, tmp_path, name, depends):
    case = experiments.load(T2.with_name(f"{name}.toml"), count=20)
    run = measure(case, board().port, tmp_path / "run", batch_s=0.25).run
    warnings = [
        note for note in run.notes if "0.25 s here; compare runs of the same --batch" in note
    ]
    assert bool(warnings) is depends, (run.notes, run.reasons)


def test_the_last_handler_of_each_batch_begins_no_period_and_censors_nothing(run):
    """A period's last start has no stop to come: 3 batches were 3 false time-outs."""
    changes = ('start = "line 0"', 'start = "handler"'), ('timeout = "4 ms"', 'timeout = "9 ms"')
    result, folder = run(*changes, count=1000)
    (counters,), (stats,) = folder.run.counters, folder.run.stats
    batches = folder.batches().num_rows
    assert (result.exit_code, folder.run.reasons, folder.doubts) == (0, (), ())
    assert batches > 1
    assert (counters.timed_out, counters.unanswerable) == (0, batches)
    assert counters.starts == counters.served + batches == 1000
    assert stats.n == folder.samples().num_rows == 1000 - batches
    assert summary.verdict(folder.run) == "valid"
