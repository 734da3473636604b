"""The step in which the instrument measures what is known: every line and channel, in the PL."""

from __future__ import annotations

from irqscope.constants import HIST_BINS
from irqscope.doctor import by_hand
from irqscope.doctor.by_hand import HIGH, LOW
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.step import Notes
from irqscope.link import messages

#: Pulses of each line; all of them fit into the time that a look at the board may take.
_PULSES = 48
#: Added to each low phase: random, from one seed, so that lines keep their distance.
_DITHER_BITS = 12
#: Ticks by which line n rises before line 0. No two alike, and the latencies that follow from them
#: have every bit of a bin's number set, and clear; of a histogram with fewer bins, in proportion.
AHEAD = (0, 1, 2, 85, 170, 1365, 2730, 4090)
_CHECK = "the bitstream's timing report, at the temperature of this board; nothing leaves the PL"


def known_answers(dut: DeviceUnderTest, notes: Notes) -> None:
    """Line n rises a known time before line 0, whose loop-back ends every channel's stimulus.

    So every latency from line n on is the same number, and counters and histogram follow. Where
    lines are more than channels, the pattern is repeated until each was measured.
    """
    dut.set_up_cores(1)
    sizes = dut.session.identity
    all_ahead = _ahead(sizes.lines, dut.machine.sizes.bins)
    pairs = [(n % sizes.channels, n % sizes.lines) for n in range(max(sizes.channels, sizes.lines))]
    good = 0
    for first in range(0, len(pairs), sizes.channels):
        measured = pairs[first : first + sizes.channels]
        if not _repeat(dut, notes, all_ahead, measured):
            return
        for channel, line in measured:
            # The line is sampled in the tick after its rise; then as any marker.
            good += _told(dut, notes, channel, all_ahead[line] + 1 + dut.marker_delay)
    shortest, longest = (all_ahead[n] + 1 + dut.marker_delay for n in (0, -1))
    if sizes.lines == sizes.channels:
        counted = f"{good} of {sizes.channels} channels count {_PULSES} stimuli of {sizes.lines}"
        notes.see(f"{counted} lines as they must: {shortest} to {longest} ticks")
    else:
        notes.see(
            f"{good} of {len(pairs)} counts of {_PULSES} stimuli are as they must be: "
            f"{sizes.lines} lines, {sizes.channels} channels, {shortest} to {longest} ticks"
        )


def _ahead(lines: int, bins: int) -> list[int]:
    """AHEAD as it fits; of fewer lines the two shortest and the longest."""
    scaled = [ticks * bins // HIST_BINS if ticks > 2 else ticks for ticks in AHEAD]
    return [*scaled[:2], *scaled[2 + len(AHEAD) - lines :]][:lines]


def _repeat(
    dut: DeviceUnderTest, notes: Notes, all_ahead: list[int], measured: list[tuple[int, int]]
) -> bool:
    """Runs the pattern; ``measured``: channels, each with its line. Whether it ended."""
    lines = [
        by_hand.line(n, count=_PULSES, dither_bits=_DITHER_BITS, start_delay=LOW - ticks)
        for n, ticks in enumerate(all_ahead)
    ]
    channels = [
        by_hand.channel(0) | {"index": channel, "start_line": line, "timeout": HIGH + LOW - 10}
        for channel, line in measured
    ]
    watched = dut.watch(lines, channels, loopback=True)
    return notes.expect(
        bool(watched.finished) and not watched.errors,
        f"the pattern never ended, or with errors ({watched.errors:#x})",
        _CHECK,
    )


def _told(dut: DeviceUnderTest, notes: Notes, channel: int, expected: int) -> bool:
    """Whether a channel's counters and histogram say ``expected`` ticks of every pulse."""
    counters = dut.link.request(messages.COUNTERS, channel=channel)
    every = {"first_bin": 0, "end_bin": dut.machine.sizes.bins}
    histogram = dut.link.request(messages.HISTOGRAM, channel=channel, **every).tail
    reported = {
        "starts": counters.starts,
        "served": counters.served,
        "coalesced": counters.coalesced,
        "timed out": counters.timed_out,
        "least": counters.min_ticks,
        "greatest": counters.max_ticks,
        "sum": counters.sum_ticks,
    }
    expected_counts = {
        "starts": _PULSES,
        "served": _PULSES,
        "coalesced": 0,
        "timed out": 0,
        "least": expected,
        "greatest": expected,
        "sum": _PULSES * expected,
    }
    mismatches = [
        f"{name} {reported[name]}, not {value}"
        for name, value in expected_counts.items()
        if reported[name] != value
    ]
    assert expected < dut.machine.sizes.bins
    bins = dict(zip(histogram["bin"].tolist(), histogram["count"].tolist(), strict=True))
    if bins != {expected: _PULSES}:
        mismatches.append(f"bins {bins}, not {expected}: {_PULSES}")
    return notes.expect(not mismatches, f"channel {channel}: {'; '.join(mismatches)}", _CHECK)
