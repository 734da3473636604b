"""Texts next to the scope's plots."""

from __future__ import annotations

from irqscope.report import kinds, wording
from irqscope.results.record import RunRecord
from irqscope_app.control.feed import Picture, Traces
from irqscope_app.control.state import Link, State
from irqscope_app.scope.shown import Shown
from irqscope_app.widgets.paths import short
from irqscope_app.widgets.units import duration

REFERENCE = (
    "A run drawn behind this one: choose its folder, or take it from a tab's menu or the Library;\n"
    "press again to take it off"
)


def why_blank(state: State, picture: Picture | None = None) -> str:
    """Text shown in place of data, which explains what is missing."""
    if state.loading:
        return "opening the run folder"
    if picture is not None:
        return f"nothing was measured: {'; '.join(picture.doubts)}".removesuffix(": ")
    return {
        Link.MEASURING: "waiting for the first batch",
        Link.READY: "no run yet: press Run",
        Link.ASKING: f"asking {state.target} who it is",
        Link.LOST: f"{state.target} does not answer; it is asked again",
        Link.NONE: "no target: connect to one (Ctrl+1), or open a run folder (Ctrl+O)",
    }[state.link]


def of_trace(picture: Picture, traces: Traces) -> str:
    """Notes that the trace shows one in so many stimuli; empty if it shows all of them."""
    held = sum(len(trace) for trace in traces.channels.values())
    dropped = sum(trace.dropped for trace in traces.channels.values())
    samples = picture.run.experiment.samples
    counted = sum(stats.served for stats in picture.run.stats)
    if not held or counted <= held or traces.borders or wording.selected(picture.run):
        return ""  # the trace's title names a selection
    if samples.which == "all" and not dropped:
        sampled = {series.channel for series in traces.channels}
        return f"samples: {', '.join(f'channel {n}' for n in sorted(sampled))} only"
    text = f"the trace shows 1 of {counted / held:.3g} stimuli"
    if dropped:
        text += " (the latest)"
    else:
        text += f" (samples = {samples})"
    return text + "; the histogram is exact"


def verdict(picture: Picture | None) -> tuple[str, str]:
    """Role and text of the verdict on the run that is shown."""
    if picture is None:
        return "none", "no numbers"
    run = picture.run
    if run.interrupted:
        return "warning", "■ interrupted"
    if picture.doubts:
        return "bad", "✗ invalid" if run.ended is not None or picture.over else "✗ invalid so far"
    valid = "valid replay" if run.replay else "valid"
    valid += "" if run.ended is not None else " so far"
    return ("warning", f"! {valid}") if picture.notes or run.replay else ("good", f"✓ {valid}")


def _figures(run: RunRecord, shown: Shown) -> list[str]:
    """The most important figures of the channel that is shown."""
    unit = shown.unit
    if headline := kinds.of_run(run).headline():
        return [headline]
    channel_stats = next((one for one in run.stats if one.channel == shown.channel), None)
    if channel_stats is None:
        return []
    texts = [
        f"{'several cores' if one.core is None else f'core {one.core}'}: {one.median_hz:.0f}/s"
        for one in run.throughput
    ]
    prefix = [f"channel {channel_stats.channel}"] if len(run.stats) > 1 else []
    prefix += ["first answers"] if texts else []
    of = f" of {run.experiment.count}" if shown.state.goes_on else ""
    number = f"N = {wording.counted(channel_stats)}{of}"
    texts.append(f"{', '.join(prefix)}: {number}" if prefix else number)
    quantiles = () if wording.grid(run) else channel_stats.quantiles
    texts += [
        f"p{100 * q.p:.6g} {unit.text(q.value_ticks)}"
        for q in quantiles
        if not q.note and q.value_ticks is not None
    ]
    if channel_stats.max_ticks is not None and not channel_stats.timed_out:
        served = " of served" if channel_stats.coalesced else ""
        texts.append(f"max {unit.text(channel_stats.max_ticks)} {unit.name}{served}")
    return texts


def of_counters(shown: Shown) -> tuple[str, str, str]:
    """Role and text of the line of verdict, and the counters."""
    picture = shown.picture
    if picture is None:
        return "", "", ""
    run = picture.run
    measured = bool(run.counters) or kinds.of_run(run).measured or run.interrupted
    if not measured and not (picture.over and picture.doubts):
        return "", "", ""
    role, word = verdict(picture)
    counters = "\n".join(
        f"channel {b.channel}: {b.starts} starts = {b.served} served + "
        f"{b.coalesced} coalesced + {b.timed_out} timed out + {b.pending} pending"
        f"{f' + {b.unanswerable} at the end of a batch' if b.unanswerable else ''}; "
        f"{b.stops} stops = {b.served} served + {b.unmatched} unmatched"
        for b in run.counters
    )
    texts = [*_figures(run, shown), *picture.notes]
    if run.interrupted:
        why, _, remedy = run.reasons[0].rpartition("; ")
        word, texts = f"{word}: {why or remedy}", _figures(run, shown)
        counters = f"the counters agree\n{counters}"
    elif picture.doubts:
        word, texts = f"{word}: {'; '.join(picture.doubts)}", []
    return role, " · ".join([word, *texts]), counters


def progress(state: State, now: float) -> str:
    """The line of a run in progress."""
    if state.stopping:
        return "ending after this batch"
    if state.amended:
        return "the next segment begins after this batch"
    if not state.done:
        return f"waiting for the first batch: {state.step}"
    left = (now - state.began) * (state.of - state.done) / state.done
    return f"about {duration(left)} left"


def described(shown: Shown) -> str:
    """Name, case and folder of a run."""
    if shown.picture is None:
        return ""
    run, folder = shown.picture.run, shown.state.folder
    text = f"{run.experiment.name}: {kinds.of_run(run).case()}"
    return text if folder is None else f"{text}\n{short(folder)}"


def ended_early(picture: Picture | None) -> str:
    """Why a run ended before its end, unless the user stopped it, which the verdict says."""
    ended = None if picture is None else picture.run.ended
    early = ended is not None and ended.reason not in ("complete", "interrupted")
    return f"ended early: {ended.message}" if ended is not None and early else ""
