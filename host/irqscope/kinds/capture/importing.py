"""Makes a run folder from files that another instrument wrote."""

from __future__ import annotations

import hashlib
import math
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

import irqscope
from irqscope.acquire.callbacks import Progress
from irqscope.acquire.figures import independence_of
from irqscope.acquire.measure import Result
from irqscope.acquire.running import FLUSH_S
from irqscope.acquire.until import Until
from irqscope.analysis.stats import OPEN, Distribution
from irqscope.errors import Interrupted, IrqscopeError, one_line
from irqscope.experiment.tables import MOST_CHANNELS, Channel
from irqscope.experiment.values import Event
from irqscope.kinds.capture.clock import LONGEST_LATENCY, parse_rate
from irqscope.kinds.capture.columns import LatencyColumn
from irqscope.kinds.capture.figures import Gathered
from irqscope.kinds.capture.histograms import Histograms
from irqscope.kinds.capture.live import Address, Live
from irqscope.kinds.capture.model import Capture, CaptureError, Changes, Ticks
from irqscope.kinds.capture.opening import Opened, open_files
from irqscope.kinds.capture.pairing import Paired, Pairing
from irqscope.kinds.capture.parts import Parts
from irqscope.kinds.capture.recipe import Pair, Recipe, experiment_of, parse_event
from irqscope.results.capture import Captured, CapturedFile, span
from irqscope.results.folder import RunFolder, now
from irqscope.results.reader import Run
from irqscope.results.record import Host, Program, RunRecord, Source
from irqscope.results.stimuli import State
from irqscope.results.tables import BATCHES, DRIFT, SAMPLES
from irqscope.units import Duration, ns_to_ticks

_NONE = np.empty(0, np.int64)


#: Period at which a live measurement is looked at, s.
_LOOK_S = 0.1


class Stop(Protocol):
    """Whether the user asks for an end."""

    def __call__(self) -> bool | str: ...


@dataclass(frozen=True)
class LiveNews:
    """What a live measurement has added since it was last looked at.

    Attributes:
        run: ``run.json`` as it would be now.
        distributions: All latencies so far, by channel.
        rows: Stimuli that have ended since then, as SAMPLES.
        begins: Ticks from the run's start to that of each section, by its number.
        drift: Figures of parts that have ended since then, as DRIFT.
    """

    run: RunRecord
    distributions: dict[int, Distribution]
    rows: Any
    begins: dict[int, int]
    drift: Any


def import_run(
    recipe: Recipe,
    path: Path,
    progress: Progress,
    stop: Stop = lambda: False,
) -> Result:
    """Reads the files of a recipe and writes the run folder ``path``.

    Args:
        recipe: Files, starts and stops.
        path: Folder that is not there yet.
        progress: Told how far it is.
        stop: Asked between blocks whether to end.

    Raises:
        CaptureError: A file cannot be read, or lacks what is asked of it. No folder is left.
        StorageError: The folder cannot be written.
    """
    files = [Path(name) for name in recipe.files]
    hz = None
    if recipe.sample_rate is not None:
        try:
            hz = parse_rate(recipe.sample_rate)
        except ValueError as error:
            raise CaptureError(f"--sample-rate: {error}") from error
    progress.step("open")
    opened = open_files(files, hz=hz, unit=recipe.unit, column=recipe.column)
    if isinstance(opened, Histograms):
        return _Importing(recipe, path, progress, stop).histograms(opened)
    if isinstance(opened, LatencyColumn):
        return _Importing(recipe, path, progress, stop).latencies(opened)
    return _Importing(recipe, path, progress, stop).edges(opened)


def measure_live(
    recipe: Recipe,
    target: str,
    count: int,
    path: Path,
    progress: Progress,
    stop: Stop = lambda: False,
    watch: Callable[[LiveNews], None] | None = None,
    until: Until | None = None,
) -> Result:
    """Measures with an analyser that sigrok-cli drives, until ``count`` stimuli have started.

    Args:
        recipe: Starts, stops and timeouts.
        target: ``sigrok:DRIVER[:conn=...]:samplerate=RATE``.
        count: Starts of the first channel after which it ends.
        path: Folder that is not there yet.
        progress: Told how far it is.
        stop: Asked after each block whether to end.
        watch: Called about ten times a second with what is new, in this thread.
        until: Ends the run before its count; a duration replaces the count.

    Raises:
        TargetError: sigrok-cli or the device is missing.
        CaptureError: A signal or timeout is missing.
        StorageError: The folder cannot be written.
    """
    missing = next((pair for pair in recipe.channels if pair.timeout is None), None)
    if missing is not None or not recipe.channels:
        raise CaptureError("a live measurement needs channels with start, stop and timeout")
    until, recipe = until or Until(), recipe.model_copy(update={"count": count})
    address = Address.parse(target)
    progress.step("look for the analyser")
    importing = _Importing(recipe, path, progress, stop)

    def enough(samples: int) -> bool:
        started = importing.gathered[0].books.starts
        done, of = started, count
        if until.duration_s is not None:
            done, of = samples // address.hz, math.ceil(until.duration_s)
        progress.advance(min(done, of), of)
        if asked := stop():
            who = asked if isinstance(asked, str) else "interrupted by Ctrl-C"
            importing.error = Interrupted(f"{who} after {started} stimuli; run again")
        for one in importing.gathered:
            late, longest = one.books.timed_out, one.greatest
            importing.error = importing.error or until.longer(
                one.channel, address.hz, late, longest, f"after {started}"
            )
        return done >= of or importing.error is not None

    importing.live = live = Live(address, enough)
    importing.watch, importing.until = watch, until
    progress.step("measure")
    progress.advance(0, count)
    return importing.edges(live)


@dataclass
class _Side:
    """Edges that begin or answer stimuli, and the level that their signal had last."""

    signal: int
    edge: str | None
    level: int = -1

    def edges(self, changes: Changes) -> Ticks:
        """Returns the ticks of the edges in a block, shape (n,)."""
        if changes.gap:
            self.level = -1
        of_it = changes.signals == self.signal
        levels, ticks = changes.levels[of_it], changes.ticks[of_it]
        known = levels >= 0  # x and z leave the last known level
        levels, ticks = levels[known], ticks[known]
        if not len(levels):
            return _NONE
        before = np.concatenate(([self.level], levels[:-1]))
        self.level = int(levels[-1])
        to = {"rise": (0, 1), "fall": (1, 0)}.get(self.edge or "")
        if to is None:
            chosen = (before >= 0) & (before != levels)
        else:
            chosen = (before == to[0]) & (levels == to[1])
        return np.asarray(ticks[chosen], np.int64)


@dataclass
class _Channel:
    """A channel under way: its two sides, its pairing and what it gathered."""

    start: _Side
    stop: _Side
    pairing: Pairing
    gathered: Gathered
    place: int = 0
    glitches: dict[str, int] = field(default_factory=dict)


class _Importing:
    """One import under way."""

    def __init__(self, recipe: Recipe, path: Path, progress: Progress, stop: Stop) -> None:
        self.recipe = recipe
        self.path = path
        self.progress = progress
        self._stop = stop
        self.gathered: list[Gathered] = []
        self.live: Live | None = None
        self.watch: Callable[[LiveNews], None] | None = None
        self.until = Until()
        self.error: IrqscopeError | None = None  #: why a live measurement ended early
        self.notes: list[str] = []
        self.reasons: list[str] = []

    def edges(self, capture: Capture) -> Result:
        """Pairs the edges of signals."""
        pairs = self.recipe.channels
        if not pairs:
            raise CaptureError(
                f"{_names(capture)} holds edges of signals; name what begins and answers a "
                f'stimulus with --start "{capture.signals[0]} rise" and --stop; there are '
                f"{_listed(capture.signals)}"
            )
        ends = [
            (_side(capture, pair.start, "--start"), _side(capture, pair.stop, "--stop"))
            for pair in pairs
        ]
        tick_hz = capture.clock.tick_hz
        wanted = sorted({place for pair in ends for place, _ in pair})
        timeouts = self._timeouts(capture, pairs, ends, wanted)
        channels = tuple(
            Channel(
                index=place,
                start=start,
                stop=stop,
                timeout=Duration.parse(timeout),
            )
            for place, ((_, start), (_, stop), timeout) in enumerate(
                (*ends_, timeout) for ends_, timeout in zip(ends, timeouts, strict=True)
            )
        )
        under_way = list[_Channel]()
        for channel, ((first, start), (second, stop)) in zip(channels, ends, strict=True):
            ticks = channel.timeout.ticks(tick_hz)
            self.until.require_timeout(channel.index, channel.timeout, tick_hz)
            gathered = Gathered(channel.index, ticks, 1)
            under_way.append(
                _Channel(
                    _Side(wanted.index(first), start.edge),
                    _Side(wanted.index(second), stop.edge),
                    Pairing(ticks, period=(first, start.edge) == (second, stop.edge)),
                    gathered,
                )
            )
            gathered.books = under_way[-1].pairing.books
        self.gathered = [channel.gathered for channel in under_way]
        captured = Captured(
            what="edges",
            tool=capture.tool,
            form=capture.form,
            files=self._files(capture.paths),
            tick_hz=tick_hz,
            sampled=capture.clock.sampled,
            basis=capture.clock.basis,
            resolution_ticks=1,
        )
        with _Folder(self, captured, channels) as folder:
            sections = _Sections(folder, under_way, tick_hz)
            for changes in capture.changes(wanted, self._advance):
                if self.live is None:
                    self._ask()
                sections.add(changes)
                folder.tell(sections)
            sections.end()
            folder.tell(sections, last=True)
            self.notes += [*capture.remarks, *sections.notes()]
            self.reasons += sections.reasons()
            if self.live is not None and self.live.lost:
                self.reasons.append(f"samples were lost: {'; '.join(self.live.lost[:3])}")
            folder.captured = captured.model_copy(
                update={"first_tick": sections.first, "sections": max(1, sections.number)}
            )
        return folder.result()

    def latencies(self, column: LatencyColumn) -> Result:
        """Takes latencies that are there one by one."""
        self._refuse_channels(_names(column), "a list of latencies")
        tick_hz = column.clock.tick_hz
        name = one_line(column.paths[0].name)
        channels = (_stamped(0, name, "stimulus", LONGEST_LATENCY),)
        gathered = Gathered(0, LONGEST_LATENCY, 1)
        self.gathered = [gathered]
        captured = Captured(
            what="latencies",
            tool=column.tool,
            form=column.form,
            files=self._files(column.paths),
            tick_hz=tick_hz,
            sampled=False,
            basis=column.clock.basis,
            resolution_ticks=1,
        )
        with _Folder(self, captured, channels) as folder:
            number = 0
            for block in column.latencies(self._advance):
                self._ask()
                served = block >= 0
                # Of a stimulus without a latency nothing is known, as of a coalesced one.
                states = np.where(served, State.SERVED, State.COALESCED).astype(np.int8)
                edges = np.arange(number, number + len(block), dtype=np.int64)
                books = gathered.books
                books.starts += len(block)
                books.served += int(served.sum())
                books.stops = books.served
                books.coalesced += len(block) - int(served.sum())
                folder.add(gathered.add(Paired(edges, states, block), 0, number, 0))
                number += len(block)
            gathered.span = None  # the file has no times
            folder.batch(0, number, 0, 0, number)
            self.notes += column.remarks
            if lacking := gathered.books.coalesced:
                self.notes.append(
                    f"{lacking} rows have no latency: nothing is known of them, and they count as "
                    "coalesced"
                )
            self.notes.append("the file has no times: stimuli are placed a tick apart")
        return folder.result()

    def histograms(self, found: Histograms) -> Result:
        """Takes bins with counts; there are no samples."""
        self._refuse_channels(str(found.path), "a histogram")
        if len(found.channels) > MOST_CHANNELS:
            raise CaptureError(
                f"{found.path}: {len(found.channels)} histograms, {MOST_CHANNELS} are read; "
                "measure fewer threads or CPUs in one file"
            )
        widest = 1
        channels = list[Channel]()
        for place, one in enumerate(found.channels):
            rows = sorted(one.bins.items(), key=lambda item: item[0][0])
            lower = np.array([low for (low, _), _ in rows], np.int64)
            upper = np.array([OPEN if up is None else up - 1 for (_, up), _ in rows], np.int64)
            counts = np.array([count for _, count in rows], np.int64)
            for name, value, at in (("least", one.least, 0), ("greatest", one.greatest, -1)):
                if value is not None and not lower[at] <= value <= upper[at]:
                    raise CaptureError(
                        f"{found.path}: {one.name}: the {name} latency is stated as "
                        f"{span(value, found.tick_hz)}, and the bins hold another; the file is "
                        "damaged"
                    )
            closed = upper != OPEN
            widest = max(widest, int((upper - lower + 1)[closed].max(initial=1)))
            ends = int(np.where(closed, upper, lower).max()) + 1
            gathered = Gathered(place, max(ends, one.greatest or 0), 0)
            gathered.least, gathered.greatest = one.least, one.greatest
            gathered.bins(lower, upper, counts)
            self.gathered.append(gathered)
            channels.append(_stamped(place, one.name, "due", gathered.timeout))
        captured = Captured(
            what="histogram",
            tool=found.tool,
            form=found.form,
            files=self._files((found.path,)),
            tick_hz=found.tick_hz,
            sampled=False,
            basis="by its unit",
            resolution_ticks=0,
            bin_ticks=widest,
        )
        self.recipe = self.recipe.model_copy(
            update={"samples": type(self.recipe.samples).parse("none")}
        )
        self.notes += found.remarks
        with _Folder(self, captured, tuple(channels)) as folder:
            pass
        return folder.result()

    def _timeouts(
        self,
        capture: Capture,
        pairs: Sequence[Pair],
        ends: Sequence[tuple[tuple[int, Event], tuple[int, Event]]],
        wanted: Sequence[int],
    ) -> list[str]:
        """Returns a timeout for each pair: the stated one, or one from the first starts."""
        tick_hz, found = capture.clock.tick_hz, list[str]()
        for pair, ((place, start), _) in zip(pairs, ends, strict=True):
            if pair.timeout is not None:
                try:
                    ticks = Duration.parse(pair.timeout).ticks(tick_hz)
                except ValueError as error:
                    raise CaptureError(f"--timeout: {error}") from error
                if not 1 <= ticks <= LONGEST_LATENCY:
                    most = span(LONGEST_LATENCY, tick_hz)
                    unit = "" if ticks else ", or state the unit of the file's times with --unit"
                    raise CaptureError(
                        f"--timeout {pair.timeout}: {ticks} ticks of {tick_hz} Hz; give 1 tick to "
                        f"{most}{unit}"
                    )
                found.append(pair.timeout)
                continue
            side = _Side(wanted.index(place), start.edge)
            gaps = _NONE
            remarks = list(capture.remarks)
            for changes in capture.changes(wanted, lambda done, of: None):
                gaps = np.concatenate((gaps, np.diff(side.edges(changes))))
                if len(gaps) > 1000:
                    break
            capture.remarks[:] = remarks
            gaps = gaps[gaps > 0]
            # Without the bounces of a contact: they are far shorter than what is usual.
            usual = gaps[gaps >= np.median(gaps) / 2] if len(gaps) else gaps
            ticks = (
                max(1, int(usual.min()) * 9 // 10) if len(usual) else ns_to_ticks(10**9, tick_hz)
            )
            ticks = min(ticks, LONGEST_LATENCY)
            found.append(f"{ticks} ticks")
            self.notes.append(
                f"timeout {span(ticks, tick_hz)}: nine tenths of the shortest usual time between "
                "two starts; --timeout states another"
                if len(usual)
                else f"timeout {span(ticks, tick_hz)}; --timeout states another"
            )
        return found

    def _refuse_channels(self, name: str, what: str) -> None:
        if self.recipe.channels:
            raise CaptureError(f"{name} is {what} and has no edges; leave --start and --stop out")

    def _files(self, paths: Sequence[Path]) -> tuple[CapturedFile, ...]:
        return tuple(self._hashed(path) for path in paths)

    def _hashed(self, path: Path) -> CapturedFile:
        self.progress.step(f"hash {path.name}")
        whole, size, total = hashlib.sha256(), 0, path.stat().st_size
        with path.open("rb") as file:
            while block := file.read(1 << 22):
                whole.update(block)
                size += len(block)
                self.progress.advance(size, total)
                self._ask()
        self.progress.step("read")
        return CapturedFile(name=one_line(path.name), bytes=size, sha256=whole.hexdigest())

    def _advance(self, done: int, of: int) -> None:
        self.progress.advance(done, max(of, 1))

    def _ask(self) -> None:
        if self._stop():
            raise Interrupted("interrupted by Ctrl-C; import again")


class _Folder:
    """The run folder of an import; one that fails leaves none."""

    def __init__(
        self, importing: _Importing, captured: Captured, channels: tuple[Channel, ...]
    ) -> None:
        self.captured = captured
        self._importing = importing
        self._path = importing.path
        self._recipe = importing.recipe
        self._channels = channels
        self._folder: RunFolder | None = None
        self._unflushed, self._flushed = 0, time.monotonic()
        self._untold, self._told = _Untold(), time.monotonic()

    def __enter__(self) -> _Folder:
        self._folder = RunFolder(self._path, self._record())
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        folder = self._folder
        assert folder is not None
        if error is not None:
            folder.discard()
            return
        try:
            self._close(folder)
        except BaseException:
            folder.discard()
            raise

    def add(self, rows: Any) -> None:
        """Keeps rows of samples, and writes them when they are many."""
        folder = self._folder
        assert folder is not None
        if not self.drifts and len(rows):
            folder.add_samples(rows)
            self._unflushed += len(rows)
            if self._importing.watch is not None:
                self._untold.rows.append(rows)
        late = self._importing.live is not None and time.monotonic() - self._flushed > FLUSH_S
        if self._unflushed >= 1 << 19 or late:
            self._flush(folder)

    @property
    def drifts(self) -> bool:
        """Whether the figures of each part are kept, and not every stimulus."""
        return self._recipe.samples.which != "all"

    def add_drift(self, rows: Any) -> None:
        """Keeps the figures of a part."""
        assert self._folder is not None
        if len(rows):
            self._folder.add_drift(rows)
            self._untold.drift.append(rows)

    def tell(self, sections: _Sections, *, last: bool = False) -> None:
        """Shows what is new to the one who watches, if it is time."""
        watch, folder, now = self._importing.watch, self._folder, time.monotonic()
        if watch is None or (now - self._told < _LOOK_S and not last):
            return
        assert folder is not None
        run = self._so_far(folder)
        run.notes = tuple(sections.notes())
        known = {one.channel: one.distribution for one in self._importing.gathered}
        untold, self._untold, self._told = self._untold, _Untold(), now
        watch(
            LiveNews(
                run,
                known,
                pa.concat_tables([SAMPLES.empty_table(), *untold.rows]),
                dict(sections.begins),
                pa.concat_tables([DRIFT.empty_table(), *untold.drift]),
            )
        )

    def batch(self, number: int, count: int, first: int, begin: int, end: int) -> None:
        """Keeps a row of the table of batches: a section of the files."""
        folder = self._folder
        assert folder is not None
        row = {
            "batch": number, "first": first, "count": count, "since_ticks": begin,
            "start_tick": begin, "end_tick": max(begin, end), "first_timer_tick": None,
            "errors": None, "case": "{}", "lines": "[]", "channels": "[]", "recorder": "{}",
        }  # fmt: skip
        folder.add_batch(pa.Table.from_pylist([row], schema=BATCHES))

    def result(self) -> Result:
        """Returns what the import has come to."""
        assert self._folder is not None
        return Result(self._path, self._folder.run, self._importing.error)

    def _record(self) -> RunRecord:
        label = self.captured.label
        return RunRecord(
            program=Program(name="irqscope", version=irqscope.__version__),
            host=Host(python=platform.python_version(), system=platform.platform()),
            started=now(),
            target="capture",
            capture=self.captured,
            source=Source(target="capture", profile=None, profile_hash=None, label=label),
            experiment=experiment_of(
                self._recipe, self._channels, self._recipe.count if self._importing.live else 1
            ),
            batch_s=1.0,
        )

    def _so_far(self, folder: RunFolder) -> RunRecord:
        run = folder.run.model_copy()
        gathered = self._importing.gathered
        run.capture = self.captured
        run.counters = tuple(one.counters() for one in gathered)
        run.stats = tuple(one.stats(self.captured.tick_hz) for one in gathered)
        run.stimuli = max((one.books.starts for one in gathered), default=0)
        return run

    def _flush(self, folder: RunFolder) -> None:
        histogram = pa.concat_tables([one.histogram() for one in self._importing.gathered])
        folder.flush(histogram, self._so_far(folder))
        self._unflushed, self._flushed = 0, time.monotonic()

    def _close(self, folder: RunFolder) -> None:
        importing, error = self._importing, self._importing.error
        starts = max((one.books.starts for one in importing.gathered), default=0)
        experiment = experiment_of(self._recipe, self._channels, starts)
        folder.run = folder.run.model_copy(update={"experiment": experiment})
        self._flush(folder)
        importing.progress.step("statistics")
        run = folder.run
        read = Run(folder.path, run)
        run.stats = tuple(
            one.model_copy(
                update={"independence": independence_of(read, one.channel, one.timeout_ticks)}
            )
            for one in run.stats
        )
        reasons = [*importing.reasons] if error is None else [str(error), *importing.reasons]
        for one in importing.gathered:
            books, name = one.books, f"channel {one.channel}"
            if not books.closed:
                reasons.append(f"{name}: the counters disagree")
            if not books.starts - books.unanswerable:
                reasons.append(f"{name}: nothing starts: the edge never came")
            elif not books.served:
                reasons.append(f"{name}: none of {books.starts} stimuli was answered")
        run.notes = tuple(dict.fromkeys(importing.notes))
        run.reasons, run.valid = tuple(reasons), not reasons
        read_from = ", ".join(file.name for file in self.captured.files) or self.captured.tool
        folder.log(f"read {read_from}")
        folder.end(error.reason if error else "complete", str(error or ""))


@dataclass
class _Untold:
    """Tables that have not been shown yet to the one who watches."""

    rows: list[Any] = field(default_factory=list)
    drift: list[Any] = field(default_factory=list)


class _Sections:
    """Goes through the changes of a capture, section by section."""

    def __init__(self, folder: _Folder, channels: list[_Channel], tick_hz: int) -> None:
        self.first: int | None = None  #: tick of the file at which the run's time begins
        self.number = 0
        self._folder = folder
        self._channels = channels
        self._tick_hz = tick_hz
        self._begin = 0  # tick of the file at which the section begins
        self._since = 0  # the same in the run's time
        self._last = 0
        self._starts = 0  # before the section
        self._gaps: list[str] = []
        self.begins: dict[int, int] = {}  #: begin of each section in the run's time, by number
        gathered = [channel.gathered for channel in channels]
        self._parts = Parts(gathered, tick_hz) if folder.drifts else None
        self._part_since = 0  # begin of the part in the run's time

    def add(self, changes: Changes) -> None:
        """Takes a block in."""
        if self.first is None:
            self._open(changes, 0)
        elif changes.gap:
            self._gaps.append(changes.gap)
            since = self._since + max(0, self._last - self._begin)
            self._close()
            first = int(changes.ticks[0]) if len(changes.ticks) else changes.last_tick
            # Where time goes on, so does the run's; where it runs backwards, the parts follow.
            self._open(changes, max(since, self._since + first - self._begin))
        pieces = [(False, changes)] if self._parts is None else self._parts.cut(changes)
        for ends_before, piece in pieces:
            if ends_before:
                self._end_part()
            self._last = max(self._last, piece.last_tick)
            for channel in self._channels:
                starts, stops = channel.start.edges(piece), channel.stop.edges(piece)
                self._take(channel, channel.pairing.add(starts, stops, piece.last_tick))

    def end(self) -> None:
        """Ends the last section."""
        if self.first is not None:
            self._close()

    def notes(self) -> Iterator[str]:
        """Yields what must stand with N."""
        for channel in self._channels:
            books, name = channel.pairing.books, f"channel {channel.gathered.channel}"
            for count, what in (
                (books.coalesced, "starts came while one was open: quantiles are censored"),
                (books.timed_out, "stimuli timed out: quantiles are censored"),
                (books.pending, "stimuli were open where the capture ends, and are not in N"),
                (books.unmatched, "stops came without an open stimulus"),
                (books.unanswerable, "ends of the capture have no next edge, and no period"),
            ):
                if count:
                    yield f"{name}: {count} {what}"

    def reasons(self) -> Iterator[str]:
        """Yields why the run is not valid."""
        back = [gap for gap in self._gaps if "backwards" in gap]
        if back:
            often = "once" if len(back) == 1 else f"{len(back)} times, first"
            span = back[0].removeprefix("time runs backwards, ")
            yield f"time stamps run backwards {often}: {span}"
        lost = [gap for gap in self._gaps if "backwards" not in gap]
        if lost:
            many = "a gap" if len(lost) == 1 else f"{len(lost)} gaps"
            yield f"{many} in the capture{', first' * (len(lost) > 1)}: {lost[0]}"

    def _open(self, changes: Changes, since: int) -> None:
        first = int(changes.ticks[0]) if len(changes.ticks) else changes.last_tick
        self.first = first if self.first is None else self.first
        self._begin, self._since, self._last = first, since, first
        self._starts = self._channels[0].pairing.books.starts
        self._part_since = self.begins[self.number] = since
        self.number += 1
        for channel in self._channels:
            channel.place = 0

    def _close(self) -> None:
        for channel in self._channels:
            self._take(channel, channel.pairing.end(self._last))
        self._end_part()
        count = self._channels[0].pairing.books.starts - self._starts
        end = self._since + self._last - self._begin
        self._folder.batch(self.number - 1, count, self._starts, self._since, end)

    def _end_part(self) -> None:
        if self._parts is None:
            return
        until = self._since + self._last - self._begin
        rows = self._parts.end(self.number - 1, (self._part_since, until))
        self._part_since = until
        self._folder.add_drift(rows)

    def _take(self, channel: _Channel, paired: Paired) -> None:
        gathered = channel.gathered
        if self._parts is not None:
            self._parts.add(gathered.channel, paired.served)
        before = gathered.span
        rows = gathered.add(paired, self.number - 1, channel.place, self._begin)
        if gathered.span is not None and len(paired):
            shift = self._since - self._begin
            first = before[0] if before else int(paired.edges[0]) + shift
            gathered.span = first, int(paired.edges[-1]) + shift
        channel.place += len(paired)
        self._folder.add(rows)


def _side(capture: Capture, text: str, option: str) -> tuple[int, Event]:
    """Returns the place of the signal that a text names, and the edge."""
    event = parse_event(text, option)
    signals = capture.signals
    if event.signal in signals:
        return signals.index(event.signal), event
    plain = [name.strip().lower() for name in signals]
    wanted = (event.signal or "").strip().lower()
    if plain.count(wanted) == 1:
        place = plain.index(wanted)
        return place, event.model_copy(update={"signal": signals[place]})
    raise CaptureError(
        f'{option}: {_names(capture)} has no signal "{event.signal}"; it has {_listed(signals)}'
    )


def _stamped(index: int, name: str, start: str, timeout: int) -> Channel:
    """A channel between stamps that other software made."""
    return Channel(
        index=index,
        start=Event.parse(f"stamp:{start}"),
        stop=Event.parse(f"stamp:{name or 'latency'}"),
        timeout=Duration.parse(timeout),
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f'"{one_line(name, 60)}"' for name in names[:20])
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown


def _names(opened: Opened) -> str:
    paths = (opened.path,) if isinstance(opened, Histograms) else opened.paths
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


__all__ = ["IrqscopeError", "import_run"]
