"""Traces of Perfetto: read back with its own messages, and held against the run folder."""

from __future__ import annotations

from collections import defaultdict

import pytest
from irqscope_fake.folder import IBEX, answered_by, rewrite, write_run
from irqscope_fake.folder import experiment as described
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope.results.masked import MaskedInterval
from irqscope.results.reader import read
from irqscope.units import ticks_to_ns

HZ = 249_975_000
STAGES = [('markers = "paper"', 'markers = "stages"')]


def parsed(path):
    """Returns (begin, end, name, annotations) of slices, by process and track.

    ``end`` is None for an instant.
    """
    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    names, open_slices = {}, defaultdict(list)
    actual = defaultdict(lambda: defaultdict(list))
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            reported = packet.track_descriptor
            if reported.HasField("process"):
                names[reported.uuid] = (reported.process.process_name, "")
            else:
                names[reported.uuid] = (names[reported.parent_uuid][0], reported.name)
            continue
        event = packet.track_event
        process, track = names[event.track_uuid]
        reported = {a.name: a.string_value or a.int_value for a in event.debug_annotations}
        one = [packet.timestamp, None, event.name, reported]
        if event.type == TrackEvent.TYPE_SLICE_END:
            open_slices[event.track_uuid].pop()[1] = packet.timestamp
            continue
        actual[process][track].append(one)
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            open_slices[event.track_uuid].append(one)
    assert not any(open_slices.values())
    return actual


@pytest.fixture
def exported(irqscope, experiment, board, tmp_path):
    """Tracks of one run, and its folder."""

    def export(*changes, count=60, options=(), **faults):
        folder, path = tmp_path / "run", tmp_path / "run.perfetto-trace"
        port = board(**faults).port
        assert measure(load(experiment(*changes), count=count), port, folder, batch_s=0.1).run.valid
        code, out, err = irqscope("export", folder, path, *options)
        assert (code, err) == (0, "")
        ((process, tracks),) = parsed(path).items()
        assert process == "t2: twin, functional timing"
        return tracks, read(folder), out

    return export


def masked_interval(**given):
    rest = {"caller": "g", "closed": "z (f)", "count": 3, "least_ticks": 2}
    return MaskedInterval.model_validate(rest | given).model_dump(mode="json")


def ns(ticks):
    return ticks_to_ns(ticks, HZ)


def test_lines_answers_and_batches_are_where_they_were(exported):
    tracks, run, out = exported()
    assert out.startswith("60 samples in ")
    samples, begins = run.samples().to_pylist(), run.batches().to_pylist()
    since = {batch["batch"]: batch["since_ticks"] for batch in begins}
    times = [since[row["batch"]] + row["edge_ticks"] for row in samples]
    high = run.run.experiment.lines[0].high.ticks(HZ)
    line = tracks["channel 0: line 0"]
    assert [(b, e) for b, e, _, _ in line] == [(ns(t), ns(t + high)) for t in times]
    waiting = tracks["channel 0: waiting"]
    assert [(b, e) for b, e, _, _ in waiting] == [
        (ns(t), ns(t + row["latency_ticks"])) for t, row in zip(times, samples, strict=True)
    ]
    assert len(begins) > 1
    assert [
        (b, e, message["first"], message["count"]) for b, e, _, message in tracks["batches"]
    ] == [
        (
            ns(batch["since_ticks"]),
            ns(batch["since_ticks"] + batch["end_tick"] - batch["start_tick"]),
            batch["first"],
            batch["count"],
        )
        for batch in begins
    ]
    longest = tracks["longest"]
    worst = sorted((row["latency_ticks"] for row in samples), reverse=True)
    assert [message["latency_ns"] for _, _, _, message in longest] == [ns(t) for t in worst[:16]]
    assert longest[0][2] == f"#1: {ns(worst[0])} ns"
    firsts = {i for i, row in enumerate(samples) if row["place"] == 0}
    flagged = {
        message["index"]
        for *_, message in longest
        if "first of its batch" in message.get("flags", "")
    }
    assert flagged == firsts & {message["index"] for *_, message in longest}


def test_a_core_goes_from_stage_to_stage(exported):
    tracks, run, _ = exported(*STAGES)
    way = tracks["channel 0: core 0"]
    for place, row in enumerate(run.samples().to_pylist()):
        mine = [one for one in way if one[3]["index"] == place]
        assert [one[2] for one in mine] == ["vector", "handler", "done", "task"]
        ends = [one[0] for one in mine]
        assert [end - begin for begin, end, *_ in mine[:3]] == [
            b - a for a, b in zip(ends, ends[1:], strict=False)
        ]
        assert abs(ends[1] - ends[0] - ns(row["handler_ticks"] - row["vector_ticks"])) <= 1


def test_timer_ticks_are_where_the_samples_say(exported):
    requested = ("seed = 1", 'seed = 1\ntimer_tick = { period = "1 ms" }')
    tracks, run, _ = exported(requested)
    timer_ticks = [begin for begin, *_ in tracks["timer ticks"]]
    since = {b["batch"]: b["since_ticks"] for b in run.batches().to_pylist()}
    for row in run.samples().to_pylist():
        last = since[row["batch"]] + row["edge_ticks"] - row["timer_tick_phase_ticks"]
        assert min(abs(ns(last) - tick) for tick in timer_ticks) <= 5


def test_what_was_not_answered_is_flagged_first(exported):
    tracks, _, _ = exported(silent_every=20)
    assert [name for _, _, name, _ in tracks["longest"]][:4] == [
        *(f"#{n}: no answer" for n in (1, 2, 3)),
        tracks["longest"][3][2],
    ]
    assert tracks["longest"][0][3]["flags"].startswith("no answer")


def test_a_window_holds_its_samples_alone(exported):
    tracks, run, out = exported(options=("--around", 20, "--neighbours", 2))
    assert out.startswith("5 samples in ")
    assert "batches" not in tracks and len(tracks["chosen"]) == 5
    assert [message["index"] for *_, message in tracks["chosen"]] == [18, 19, 20, 21, 22]


def test_masked_intervals_are_where_they_were(exported, irqscope, tmp_path):
    tracks, run, _ = exported()
    assert not any(track.startswith("masked") for track in tracks)
    first, second = run.batches().to_pylist()[:2]
    begin, end, next_begin = first["start_tick"], first["end_tick"], second["start_tick"]
    assert next_begin > end + 9  # there was a talk
    intervals = {
        "behind": (next_begin + 5, next_begin + 25, 20),
        "after": (begin + 400, begin + 418, 18),
        "over the end": (end - 5, end + 9, 14),
        "before": (begin + 300, begin + 400, 10),
        "in a talk": (end + 1, end + 9, 8),
    }
    collected = [
        masked_interval(opened=name, start_tick=start, end_tick=stop, greatest_ticks=awake)
        for name, (start, stop, awake) in intervals.items()
    ]
    rewrite(run.path, lambda record: record.update(masked=collected))
    path = tmp_path / "masked.perfetto-trace"
    assert irqscope("export", run.path, path)[0] == 0
    ((_, tracks),) = parsed(path).items()
    track = "masked: the longest of each kind alone; of 2 more it is not within a batch"
    since = second["since_ticks"] + 5
    assert [one[:3] for one in tracks[track]] == [
        [ns(300), ns(400), "before to z (f)"],
        [ns(400), ns(418), "after to z (f)"],
        [ns(since), ns(since + 20), "behind to z (f)"],
    ]
    assert tracks[track][0][3] == {
        "called from": "g", "count": 3, "least_awake_ns": ns(2), "greatest_awake_ns": ns(10)
    }  # fmt: skip


def test_masked_intervals_of_a_soft_core_are_in_cycles(irqscope, tmp_path):
    times = {"start_tick": 0, "end_tick": 0, "greatest_ticks": 7}
    collected = [masked_interval(opened="a", caller="", **times)]
    write_run(tmp_path / "run", described(), [60], masked=collected, **answered_by(IBEX))
    path = tmp_path / "run.perfetto-trace"
    assert irqscope("export", tmp_path / "run", path)[0] == 0
    ((_, tracks),) = parsed(path).items()
    ((*_, reported),) = tracks["masked: the longest of each kind alone"]
    assert reported == {"count": 3, "least_awake_cycles": 2, "greatest_awake_cycles": 7}


def test_a_window_holds_no_masked_interval(exported, irqscope, tmp_path):
    _, run, _ = exported()
    collected = [masked_interval(opened="a", start_tick=0, end_tick=0, greatest_ticks=7)]
    rewrite(run.path, lambda record: record.update(masked=collected))
    path = tmp_path / "window.perfetto-trace"
    assert irqscope("export", run.path, path, "--around", 20, "--neighbours", 2)[0] == 0
    ((_, tracks),) = parsed(path).items()
    assert not any(track.startswith("masked") for track in tracks)


def test_a_suite_is_one_trace_with_a_process_for_each_run(irqscope, experiment, board, tmp_path):
    experiment()
    (tmp_path / "suite.toml").write_text(
        'name = "s"\n[[items]]\nfile = "experiment.toml"\nquick = { count = 20 }\n'
        "matrix.seed = [1, 2]\n"
    )
    out = tmp_path / "out"
    settings = ("--target", board().port, "--counts", "quick", "--no-card", "--out", out)
    assert irqscope("suite", tmp_path, *settings)[0] == 0
    path = tmp_path / "s.perfetto-trace"
    code, error, _ = irqscope("export", out, path)
    assert code == 0 and error.startswith("40 samples of 2 runs in ")
    actual = parsed(path)
    assert list(actual) == [f"t2-seed-{n}: twin, functional timing" for n in (1, 2)]
    assert all(len(tracks["channel 0: waiting"]) == 20 for tracks in actual.values())
    code, _, err = irqscope("export", out, tmp_path / "s.csv")
    assert code == 2 and "a suite is exported as a trace; end it in .perfetto-trace" in err
