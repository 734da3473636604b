"""Stimuli of one line that had no answer, by their time from those of another line."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from irqscope.constants import StartKind
from irqscope.results.reader import Run

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LostBetweenLines:
    """Offsets of a line's unanswered rises from the nearest rise of another line.

    Attributes:
        line: The line.
        other: The other line.
        unanswered: Its stimuli without an answer.
        n: All its stimuli.
        first_ticks: Earliest offset of an unanswered one; negative before the other line's rise.
        last_ticks: Latest such offset.
        answered_between: Its stimuli that were answered at offsets from the first to the last.
    """

    line: int
    other: int
    unanswered: int
    n: int
    first_ticks: int
    last_ticks: int
    answered_between: int


def lost_between_lines(run: Run) -> list[LostBetweenLines]:
    """Return what each line lost, by the other line from which the losses lie closest together.

    A run tells it if it keeps every stimulus and measures from two lines at least. Raises
    StorageError.
    """
    channels = _channels(run)
    whole = all(stats.served == stats.n for stats in run.run.stats)
    if run.run.experiment.samples.which != "all" or len(channels) < 2 or whole:
        return []
    rises = {line: _rises(run, channel) for line, channel in channels.items()}
    by_line = dict[int, LostBetweenLines]()
    for line, other in permutations(rises, 2):
        (at, answered), (others, _) = rises[line], rises[other]
        if answered.all() or not len(others):
            continue
        offsets = _offsets(at, others)
        lost = offsets[~answered]
        first, last = int(lost.min()), int(lost.max())
        between = answered & (offsets >= first) & (offsets <= last)
        loss = LostBetweenLines(line, other, len(lost), len(at), first, last, int(between.sum()))
        best = by_line.get(line)
        if best is None or last - first < best.last_ticks - best.first_ticks:
            by_line[line] = loss
    return list(by_line.values())


def _channels(run: Run) -> dict[int, int]:
    """The first channel that starts at each line."""
    channels = dict[int, int]()
    for channel in run.run.experiment.channels:
        if channel.start.kind is StartKind.LINE:
            channels.setdefault(channel.start.line, channel.index)
    return channels


def _rises(run: Run, channel: int) -> tuple[Ticks, npt.NDArray[np.bool_]]:
    """Rises that start a channel, ticks of the run, ascending, and whether each was answered."""
    starts = {
        row["batch"]: row["start_tick"]
        for row in run.batches().select(["batch", "start_tick"]).to_pylist()
    }
    times, answers = [np.zeros(0, np.int64)], [np.zeros(0, np.bool_)]
    for part in run.parts(["channel", "batch", "edge_ticks", "latency_ticks"]):
        rows = part.filter(pc.equal(part["channel"], channel))
        batch_starts = np.array([starts[batch] for batch in rows["batch"].to_pylist()], np.int64)
        times.append(batch_starts + rows["edge_ticks"].to_numpy())
        answers.append(pc.is_valid(rows["latency_ticks"]).to_numpy(zero_copy_only=False))
    at = np.concatenate(times)
    order = np.argsort(at, kind="stable")
    return at[order], np.concatenate(answers)[order]


def _offsets(at: Ticks, others: Ticks) -> Ticks:
    """Time of each rise from the nearest of the others, negative before it."""
    place = np.searchsorted(others, at)
    before = at - others[np.maximum(place - 1, 0)]
    after = at - others[np.minimum(place, len(others) - 1)]
    return np.where(np.abs(before) <= np.abs(after), before, after)
