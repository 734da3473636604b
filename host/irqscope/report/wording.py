"""Wording of a channel's statistics, for table, report, card and window.

No sentence here takes stimuli without an answer for short ones, or latencies that drift or cling
together for independent ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from irqscope.analysis.independence import (
    CLUSTERS,
    ECHO,
    FIRST,
    INTERFERENCE,
    PERIODIC,
    SERIAL,
    SPREAD,
    TREND,
)
from irqscope.experiment.kinds import kind_of
from irqscope.machines.interrupts import interrupt_of
from irqscope.results.assumptions import FIXED, Assumptions, Range
from irqscope.results.note import Mark
from irqscope.results.record import RunRecord
from irqscope.results.statistics import Answer, PeriodStats, QuantileStats, Stats, Throughput
from irqscope.units import NS_PER_S, NominalHz, digits, shown_ns, shown_rate, ticks_to_ns, unit_of

#: Findings of a test that fails, and of one that passes.
_FAILS = {
    TREND: "latencies drift",
    SERIAL: "each depends on earlier ones",
    PERIODIC: "latencies rise and fall",
    FIRST: "the first of a batch differs",
    ECHO: "each repeats an earlier one",
    SPREAD: "their spread changes",
    CLUSTERS: "long ones come in clusters",
    INTERFERENCE: "long ones come again periodically",
}
_PASSES = {
    TREND: "no drift",
    SERIAL: "none depends on earlier ones",
    PERIODIC: "no rise and fall",
    FIRST: "first of batch as the rest",
    ECHO: "no echo",
    SPREAD: "no change of spread",
    CLUSTERS: "no clusters of long ones",
    INTERFERENCE: "no period of long ones",
}
_MEDIAN = 0.5


def channel(run: RunRecord, index: int) -> str:
    """A channel by its number, and both ends of its measurement."""
    for one in run.experiment.channels:
        if one.index == index:
            return f"channel {index}: {one.start} to {one.stop}"
    return f"channel {index}"


def unanswered(stats: Stats) -> str:
    """Unanswered stimuli, of all; empty without any."""
    parts = [(stats.timed_out, "timed out"), (stats.coalesced, "coalesced")]
    return ", ".join(f"{count} of {stats.n} {state}" for count, state in parts if count)


def late(stats: Stats) -> str:
    """Number of served stimuli that may have another one's answer, in words; empty if none."""
    if not stats.doubtful:
        return ""
    return f"{stats.doubtful} of {stats.served} served may have the answer of an earlier stimulus"


def moment(mark: Mark) -> tuple[str, str]:
    """Returns the time and the text of a mark."""
    when = f"{mark.begin_s:.6f} s"
    if mark.end_s > mark.begin_s:
        when += f" to {mark.end_s:.6f} s"
    return when, mark.text


def selected(run: RunRecord) -> bool:
    """Whether samples are the longest alone, of which no statistics are the run's."""
    samples = run.experiment.samples
    return samples.which == "tail" and sum(stats.n for stats in run.stats) > samples.number


def counted(stats: Stats) -> str:
    """N, all stimuli, and what became of them where some were not served."""
    parts = [(stats.served, "served"), (stats.timed_out, "timed out")]
    parts.append((stats.coalesced, "coalesced"))
    if stats.served == stats.n:
        return f"{stats.n}"
    return f"{stats.n}: " + ", ".join(f"{count} {state}" for count, state in parts if count)


def least(stats: Stats, hz: int) -> str:
    """The minimum, in words."""
    text = time(stats.min_ticks, hz)
    if stats.coalesced and stats.min_ticks is not None:
        text += f" of {stats.served} served; of {stats.coalesced} coalesced nothing is known"
    return _with(text, late(stats))


def greatest(stats: Stats, hz: int) -> str:
    """The maximum: its known range, and the share that takes longer."""
    longest_text = most(stats, hz)
    return (
        longest_text
        if longest_text == "-"
        else _with(f"{longest_text}; {longer(stats)}", late(stats))
    )


def most(stats: Stats, hz: int) -> str:
    """The maximum in words: its known range."""
    if stats.max_ticks is None or stats.longer is None:
        return "-"
    if stats.timed_out:
        text = f"more than {plain(stats.timeout_ticks, hz)}: {unanswered(stats)}"
        text += f"; longest answered {time(stats.max_ticks, hz)}"
    elif stats.coalesced:
        text = f"{time(stats.max_ticks, hz)} of {stats.served} served; {unanswered(stats)}"
    else:
        text = f"{time(stats.max_ticks, hz)} of N = {stats.n}"
    return text


def longest(all_stats: Sequence[Stats], hz: int) -> str:
    """The greatest latency of all channels, in short: bounded where some were not answered."""
    if late := [stats.timeout_ticks for stats in all_stats if stats.timed_out]:
        return f"more than {plain(max(late), hz)}"
    maxima = [stats.max_ticks for stats in all_stats if stats.max_ticks is not None]
    if not maxima:
        return "unknown"
    of = " of those served" if any(stats.coalesced for stats in all_stats) else ""
    return f"{plain(max(maxima), hz)}{of}"


def exact(run: RunRecord, stats: Stats, p: float) -> int | None:
    """A quantile in ticks, or None unless N carries it and it is one sample's value.

    Of a foreign histogram it is that end of the quantile's bin by which its tool names bins.
    """
    for quantile in stats.quantiles:
        if quantile.p == p and not quantile.note:
            low, high = quantile.sample_ticks
            if run.capture is None or high is None:
                return quantile.value_ticks
            return high if run.capture.named_by_end else low
    return None


def mean(stats: Stats, hz: int) -> str:
    """Mean of the latencies as they are, with deviation and range; only if all were answered."""
    if stats.served != stats.n or stats.min_ticks is None or stats.max_ticks is None:
        return "-"
    text = plain(stats.sum_ticks / stats.n, hz)
    if stats.deviation_ticks is not None:
        text += f", standard deviation {plain(stats.deviation_ticks, hz)}"
    return f"{text}, range {plain(stats.max_ticks - stats.min_ticks, hz)}"


def rate(stats: Stats) -> str:
    """Stimuli in a second of target time."""
    return "-" if stats.rate_hz is None else shown_rate(stats.rate_hz)


def longer(stats: Stats) -> str:
    """Share that takes longer than the timeout, where it was met, or than the maximum.

    A cluster of long ones counts once: a run in which none was met says nothing of their size.
    """
    if stats.longer is None:
        return ""
    if reason := alike(stats):
        return f"no bound on longer ones: {reason}"
    percentage = f"{100 * stats.longer.at_most:.2g} %"
    if not stats.longer.at_least:
        return f"at most {percentage} are longer, a cluster counted once"
    return f"at least {100 * stats.longer.at_least:.2g} % and at most {percentage} are longer"


def quantile(run: RunRecord, stats: Stats, p: float) -> str:
    """A quantile with its known precision; for a twin's median also the model's assumptions."""
    matches = [q for q in stats.quantiles if q.p == p]
    if not matches:
        return "-"
    text = _quantile(run, stats, matches[0])
    model = run.model
    if p == _MEDIAN and model and model.assumptions:
        text += f"; {assumed(model.assumptions)}"
    return _with(text, late(stats))


def _with(text: str, remark: str) -> str:
    return f"{text}; {remark}" if remark else text


def _quantile(run: RunRecord, stats: Stats, q: QuantileStats) -> str:
    hz, reason = run.tick_hz, alike(stats)
    if q.note:
        return (
            f"{q.note}; no interval: {reason}"
            if reason
            else f"at least {plain(q.lower_ticks or 0, hz)}; {q.note}"
        )
    low, high = q.sample_ticks
    if q.value_ticks is not None:
        text = time(q.value_ticks, hz)
    elif high is not None:
        text = f"within {plain(low, hz)} to {plain(high, hz)}"
    elif low > stats.timeout_ticks and stats.timed_out:
        text = f"open: more than {plain(stats.timeout_ticks, hz)}, those timed out"
    else:
        text = f"open: at least {plain(low, hz)}"
    if reason:
        return f"{text}; no interval: {reason}"
    if simulated(run) and q.lower_ticks == q.upper_ticks == q.value_ticks:
        return text  # a model that says the same every time knows no more for it
    return f"{text} {between(q.lower_ticks, q.upper_ticks, low, hz)}"


def alike(stats: Stats) -> str:
    """Why intervals and bounds may not be given; empty where nothing speaks against them."""
    reasons = [_FAILS[answer.test] for answer in failing(stats)]
    return "not independent" if len(reasons) > 1 else "".join(reasons)


def failing(stats: Stats) -> tuple[Answer, ...]:
    """Answers of the tests of independence that fail."""
    result = stats.independence
    return tuple(a for a in result.answers if a.fails) if result else ()


def intervals(run: RunRecord, stats: Stats) -> tuple[QuantileStats, ...]:
    """Quantiles whose intervals may be shown."""
    return () if grid(run) or failing(stats) else stats.quantiles


def grid(run: RunRecord) -> str:
    """Why latencies of a run are not a sample of a distribution; empty if they may be one."""
    return kind_of(run.experiment).grid


def independence(stats: Stats, hz: int) -> str:
    """Whether the samples look alike and independent. ``hz``: rate of the clock."""
    outcome = stats.independence
    if outcome is None:
        return "not looked at: that is done when a run ends; intervals and bounds assume it"
    if outcome.untested:
        return f"cannot tell: {outcome.untested}; intervals and bounds assume it"
    if failing(stats):
        timed = stats.rate_hz is not None
        failures = (f"{_FAILS[a.test]} ({_effect(a, hz, timed)})" for a in failing(stats))
        return f"NOT independent: {'; '.join(failures)}: no intervals, no bounds"
    reasons: dict[str, list[str]] = {}
    for answer in outcome.answers:
        if answer.untestable:
            reasons.setdefault(answer.untestable, []).append(answer.test)
    passes = [_passed(a, outcome.lags) for a in outcome.answers if not a.untestable]
    if not passes:
        return f"cannot tell: N = {outcome.n}, {', '.join(reasons)}; intervals and bounds assume it"
    if not reasons:
        return f"samples look alike and independent (N = {outcome.n}): {', '.join(passes)}"
    untested = "; ".join(f"{', '.join(tests)} ({reason})" for reason, tests in reasons.items())
    return (
        f"{len(passes)} of {len(outcome.answers)} tests could show dependence, and did not "
        f"(N = {outcome.n}): {', '.join(passes)}; not testable, but assumed by intervals "
        f"and bounds: {untested}"
    )


def _effect(answer: Answer, hz: int, timed: bool) -> str:
    """The effect of a test that fails, in words. ``timed``: the times of stimuli are known."""
    if answer.test == CLUSTERS:
        return f"the {answer.longest} longest in clusters of {answer.at:.2g} on average"
    if answer.test == INTERFERENCE:
        return "; ".join(_period(one, hz, timed) for one in answer.periods)
    text = f"{answer.test} {answer.effect:+.2f}"
    if answer.test in (SERIAL, ECHO, SPREAD):
        text += f" at lag {answer.at:.0f}"
    elif answer.test == PERIODIC:
        text += f", every {answer.at:.3g} stimuli"
    return text


def _period(period: PeriodStats, hz: int, timed: bool) -> str:
    """A period in which the longest come again, in words; in stimuli if their times are unknown."""
    length, window = period.length_ticks, period.length_ticks * period.width
    every, within = plain(length, hz), plain(window, hz)
    if not timed:
        every, within = f"{digits(length)} stimuli", digits(window)
    text = (
        f"the {period.longest} longest every {every}, eight of ten in {within} at phase "
        f"{period.phase:.3f}, power {period.power:.2f}, chance {period.p:.1g}"
    )
    if period.alias:
        text += "; as stimuli come regularly, a part of it or another shorter period looks alike"
    return text


def _passed(answer: Answer, lags: int) -> str:
    """Describes a passed test, and the effect that it would have found."""
    text = _PASSES[answer.test]
    if answer.test == SERIAL:
        text += f" up to lag {lags}"
    return text if answer.shows is None else f"{text} ({answer.shows:.2g} would show)"


def simulated(run: RunRecord) -> bool:
    """Whether the numbers come from a timing profile."""
    return run.source is not None and run.source.profile is not None


#: Text that replaces a range of throughput.
REPEATS = "a deterministic model repeats itself"


def repeats(run: RunRecord, entry: Throughput) -> bool:
    """Whether phases are alike because a simulation counted them.

    One handler more or less is where a phase ends.
    """
    return run.is_simulated and max(entry.stops) - min(entry.stops) <= 1


def assumed(assumptions: Assumptions) -> str:
    """Range of the median, and over what."""
    return f"{span(assumptions.median)} over {_varied(assumptions)}"


def assumed_by_stm(assumptions: Assumptions) -> str:
    """Range of the median by the second stamp, with its scope; empty without one."""
    return "" if assumptions.stm is None else f"{span(assumptions.stm)} over {_varied(assumptions)}"


def span(range_ns: Range) -> str:
    """A range in words."""
    return f"{range_ns.low_ns} to {range_ns.high_ns} ns"


def _varied(assumptions: Assumptions) -> str:
    constants = f"the {assumptions.constants} unsourced constants of {assumptions.profile}"
    if assumptions.draws is None:
        return f"{constants}, one at a time"
    placed = (
        f" and {assumptions.layouts} layouts of the code" if (assumptions.layouts or 1) > 1 else ""
    )
    return f"{assumptions.draws} joint draws of {constants}{placed}"


def model(run: RunRecord) -> str:
    """Describes a twin's profile and the limits of its assumptions; empty for a board."""
    if run.source is None or run.source.profile is None:
        return ""
    profile, stored = run.source.profile, run.model
    text = f"{profile}, a model"
    if profile == FIXED:
        text = (
            f"{FIXED}: times of devices are fixed and memory costs nothing; it shows that "
            "everything works and predicts no latency"
        )
    if stored is not None and stored.assumptions is not None:
        return f"{text}; over its assumptions {_spread(stored.assumptions)}"
    if profile == FIXED:
        return text
    why = "" if stored is None or stored.unknown is None else f": {stored.unknown}"
    return f"{text}; spread over its assumptions unknown{why}"


def _spread(assumptions: Assumptions) -> str:
    """Describes the joint ranges of least, median and greatest, and their source.

    Also the constants that move the median most.
    """
    spans = (("min", assumptions.least), ("p50", assumptions.median), ("max", assumptions.greatest))
    text = ", ".join(f"{name} {each.low_ns} to {each.high_ns}" for name, each in spans)
    draws = "" if assumptions.draws is None else f"{assumptions.draws} joint draws, "
    text = f"{text} ns ({draws}{assumptions.named}, N = {assumptions.n} each)"
    if assumptions.stm is not None:
        text += f"; by STM p50 {span(assumptions.stm)}"
    alone = [f"{one.name} ({one.low_ns} to {one.high_ns})" for one in assumptions.strongest]
    if alone:
        lead = "p50 moves most by" if assumptions.draws is None else "one alone moves p50 most:"
        text += f"; {lead} {', '.join(alone)}"
    if assumptions.layout is not None and (assumptions.layouts or 1) > 1:
        text += f"; layout of the code alone: p50 {span(assumptions.layout)}"
    return text


def number(ticks: int, hz: int) -> int:
    """A time in ns; in cycles where the clock is nominal."""
    return ticks if isinstance(hz, NominalHz) else ticks_to_ns(ticks, hz)


def per_tick(hz: int) -> float:
    """Length of one tick in ns, or in cycles of a nominal clock; not rounded."""
    return 1.0 if isinstance(hz, NominalHz) else NS_PER_S / hz


def unit(hz: int) -> str:
    """The unit of :func:`number`: ns, or cycles where the clock is nominal."""
    return "cycles" if isinstance(hz, NominalHz) else "ns"


def plain(ticks: float, hz: int) -> str:
    """A time with a unit that fits: whole ns, longer ones and fractions to four digits."""
    if isinstance(hz, NominalHz):
        return (
            "1 cycle"
            if ticks == 1
            else f"{ticks if isinstance(ticks, int) else digits(ticks)} cycles"
        )
    return shown_ns(ticks_to_ns(ticks, hz) if isinstance(ticks, int) else ticks * per_tick(hz))


def between(lower: int | None, upper: int | None, of: int, hz: int) -> str:
    """An interval, in the unit in which :func:`plain` shows ``of``."""
    size = 1 if isinstance(hz, NominalHz) else unit_of(ticks_to_ns(of, hz))[0]

    def end(ticks: int) -> str:
        value = number(ticks, hz)
        return str(value) if size == 1 else digits(value / size)

    return f"[{end(lower or 0)}, {'open' if upper is None else end(upper)}]"


def time(ticks: int | None, hz: int) -> str:
    """A time in ns and in ticks; in cycles and in ns where the clock is nominal."""
    if ticks is None:
        return "-"
    if isinstance(hz, NominalHz):
        return f"{plain(ticks, hz)} ({ticks_to_ns(ticks, hz)} ns)"
    return f"{plain(ticks, hz)} ({ticks} tick{'' if ticks == 1 else 's'})"


def interrupt(run: RunRecord) -> str:
    """The measured interrupt, as the machine calls it."""
    name = run.experiment.interrupt
    if name != "none" and run.identity is not None:
        with contextlib.suppress(ValueError):  # it has none of that name, and the run ended by that
            name = interrupt_of(run.identity.machine, name).name
    return name.upper()
