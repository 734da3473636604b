"""Carries a gate out: measures each experiment and judges it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import irqscope
from irqscope import wording
from irqscope.errors import ExitCode, ExperimentError, IrqscopeError
from irqscope.files import storage
from irqscope.gate import baseline, exact, path, statistical
from irqscope.gate.baseline import Taken
from irqscope.gate.load import Entry, Loaded
from irqscope.gate.record import FILE, Figure, GateRecord, ItemRecord
from irqscope.gate.statement import FAIL, PASS, Statement, overall
from irqscope.measure import measure
from irqscope.onlookers import Progress, Untold
from irqscope.results import jsonfile
from irqscope.results.folder import now
from irqscope.results.reader import Run, read
from irqscope.stats import pooled
from irqscope.units import NS_PER_S

#: Exit codes of the three verdicts.
EXIT = {PASS: ExitCode.VALID, FAIL: ExitCode.FAILED}


@dataclass(frozen=True)
class Sides:
    """Who is measured. ``target``: what is judged; ``against``: what it is compared with in place
    of the baselines. ``load``, ``load_against``: called before each run, to load a firmware.
    ``recorded``: folder of runs that are judged in place of new ones.
    """

    target: str
    against: str | None = None
    load: Callable[[], None] = lambda: None
    load_against: Callable[[], None] = lambda: None
    recorded: Path | None = None


@dataclass
class _Measured:
    """One experiment of a gate, measured. ``old``: its baseline; None if it has limits alone."""

    entry: Entry
    old: Taken | None
    new: Taken
    folders: tuple[str, ...]
    against: tuple[str, ...]
    seconds: float
    statements: list[Statement] = field(default_factory=list)


def run_gate(
    loaded: Loaded,
    sides: Sides,
    out: Path,
    *,
    accept: bool = False,
    mixed: bool = False,
    progress: Progress | None = None,
    stop: Callable[[], bool | str] = lambda: False,
) -> GateRecord:
    """Measures, judges, and writes ``out/gate.json``.

    ``accept``: writes what was measured as the new baselines, and tells what changed. ``mixed``:
    compares a side even with one of another experiment, machine or profile. Raises ExperimentError,
    TargetError, LinkError, StorageError, Interrupted; InvalidRun if a run is not valid.
    """
    began = now()
    olds = {entry.name: _old(entry, sides, accept) for entry in loaded.entries}
    with storage(out):
        out.mkdir(parents=True, exist_ok=True)
    one = _Gate(loaded, sides, out, mixed, progress or Untold(), stop)
    items = [one.item(entry, olds[entry.name]) for entry in loaded.entries]
    accepted = {item.entry.name: one.accept(item) for item in items} if accept else {}
    if not accept:
        one.judge(items)
    statements = tuple(statement for item in items for statement in item.statements)
    record = GateRecord(
        gate=loaded.gate.name,
        description=loaded.gate.description,
        program=irqscope.__version__,
        target=sides.target,
        label=items[0].new.source.label,
        started=began,
        ended=now(),
        state=overall(statements),
        items={item.entry.name: _told(item, loaded.gate.quantiles) for item in items},
        statements=statements,
        accepted=accepted,
    )
    jsonfile.write(out / FILE, record)
    return record


def exit_code(record: GateRecord) -> ExitCode:
    """Exit code of the command."""
    return EXIT.get(record.state, ExitCode.TOO_FEW)


class InvalidRun(IrqscopeError):
    """Raised if a run that a gate needs is not valid."""

    exit_code = ExitCode.INVALID
    reason = "invalid"


def _old(entry: Entry, sides: Sides, accept: bool) -> Taken | None:
    """The baseline of an experiment, read before anything is measured."""
    where = entry.baseline
    if where is None or sides.against is not None:
        return None
    if accept and where.is_dir():
        raise ExperimentError(
            f"{where} is a run folder, and --accept writes a file; name one in the gate"
        )
    if accept and not where.exists():
        return None
    return baseline.load(where)


class _Gate:
    """A gate while it is carried out."""

    def __init__(
        self,
        loaded: Loaded,
        sides: Sides,
        out: Path,
        mixed: bool,
        progress: Progress,
        stop: Callable[[], bool | str],
    ) -> None:
        self._gate = loaded.gate
        self._sides = sides
        self._out = out
        self._mixed = mixed
        self._progress = progress
        self._stop = stop

    def item(self, entry: Entry, old: Taken | None) -> _Measured:
        """Measures one experiment, on both sides where both are given."""
        began = time.monotonic()
        sides = self._sides
        others: list[Run] = []
        if sides.recorded is not None:
            runs = _recorded(sides.recorded, entry.name)
        else:
            runs, others = self._runs(entry)
        new = baseline.taken(runs)
        if others:
            old = baseline.taken(others)
        folders, before = (tuple(run.path.name for run in side) for side in (runs, others))
        if old is not None:
            self._check(entry, old, new)
        return _Measured(entry, old, new, folders, before, time.monotonic() - began)

    def judge(self, items: list[_Measured]) -> None:
        """All at once: the level is shared by all statements that chance can make fail."""
        limits = sum(len(i.entry.item.limits) * len(i.new.runs[0].channels) for i in items)
        compared = [i for i in items if i.old is not None and not self._exact(i)]
        count = limits + sum(
            statistical.groups(i.old, i.new, self._gate) for i in compared if i.old is not None
        )
        level = self._gate.level / max(1, count)
        for item in items:
            name = item.entry.name
            if item.old is not None and self._exact(item):
                item.statements.append(self._exactly(item, item.old))
            elif item.old is not None:
                item.statements += statistical.judge(name, item.old, item.new, self._gate, level)
            item.statements += self._limits(item, level)

    def accept(self, item: _Measured) -> tuple[str, ...]:
        """Writes the baseline; what changed against the one before, line by line."""
        where = item.entry.baseline
        if where is None:
            return ("it has limits alone",)
        new = self._with_path(item)
        old = item.old
        baseline.store(new, where)
        if old is None:
            return (f"{where} is new",)
        if (
            old.simulated
            and new.simulated
            and len(old.runs[0].channels) == len(new.runs[0].channels)
        ):
            return exact.differences(old, new) or ("nothing changed",)
        before, here = (_medians(side) for side in (old, new))
        return (f"{where}: medians {before}, now {here}",)

    def _exact(self, item: _Measured) -> bool:
        return item.old is not None and item.old.simulated and item.new.simulated

    def _exactly(self, item: _Measured, old: Taken) -> Statement:
        """Judges tick by tick. The path is measured where there is a change to explain."""
        budget = item.entry.item.budget.ticks(item.new.tick_hz)
        found = exact.judge(item.entry.name, old, item.new, budget)
        if found.state == PASS:
            return found
        if self._sides.against is not None:
            taken = path.measured(
                item.entry.experiment, self._sides.against, self._progress, self._stop
            )
            old = old.model_copy(update={"path": taken})
        return exact.judge(item.entry.name, old, self._with_path(item), budget)

    def _with_path(self, item: _Measured) -> Taken:
        tells = self._sides.target.partition(":")[0] in path.TELLING
        if self._sides.recorded is not None or not tells:
            return item.new
        self._progress.step("path")
        taken = path.measured(item.entry.experiment, self._sides.target, self._progress, self._stop)
        return item.new.model_copy(update={"path": taken})

    def _limits(self, item: _Measured, level: float) -> Iterator[Statement]:
        channels = item.new.runs[0].channels
        for limit in item.entry.item.limits:
            for place, channel in enumerate(channels):
                of = f"channel {channel.books.channel}, " if len(channels) > 1 else ""
                doubt = next((run.doubt for run in item.new.runs if run.doubt), "")
                found = pooled(item.new.distributions(place))
                verdict = limit.judge(found, item.new.clock, level) if found.n else None
                yield Statement(
                    item=item.entry.name,
                    name=f"{of}{limit}",
                    state=verdict.state if verdict and not doubt else "too few samples",
                    said=f"cannot tell: {doubt}" if doubt else verdict.said if verdict else "none",
                    needed=verdict.needed if verdict and not doubt else None,
                )

    def _check(self, entry: Entry, old: Taken, new: Taken) -> None:
        where = entry.baseline if self._sides.against is None else self._sides.against
        if old.tick_hz != new.tick_hz:
            raise ExperimentError(
                f"{entry.name}: {where} has ticks of {old.tick_hz} Hz, here {new.tick_hz} Hz: they "
                "do not compare; measure it anew with --accept"
            )
        if len(old.runs[0].channels) != len(new.runs[0].channels):
            raise ExperimentError(
                f"{entry.name}: {where} has {len(old.runs[0].channels)} channels, here are "
                f"{len(new.runs[0].channels)}; measure it anew with --accept"
            )
        if not self._mixed and (why := baseline.why_other(old, new)):
            raise ExperimentError(
                f"{entry.name}: {where} is of {why}; measure it anew with --accept, or compare all "
                "the same with --mixed"
            )

    def _runs(self, entry: Entry) -> tuple[list[Run], list[Run]]:
        """Runs of both sides, interleaved: new, old, old, new, ... A simulation repeats itself."""
        sides = self._sides
        news: list[Run] = []
        olds: list[Run] = []
        for number in range(self._gate.repeats):
            pair = [(news, sides.target, sides.load, "")]
            if sides.against is not None:
                pair.append((olds, sides.against, sides.load_against, ".against"))
            for runs, target, load, suffix in pair if number % 2 == 0 else reversed(pair):
                load()
                runs.append(self._run(entry, number, target, f"{entry.name}{suffix}"))
            if news[0].run.identified.is_simulated:
                break
        return news, olds

    def _run(self, entry: Entry, number: int, target: str, name: str) -> Run:
        one = entry.experiment.model_copy(update={"seed": entry.experiment.seed + number})
        folder = self._out / (f"{name}.{number + 1}" if self._gate.repeats > 1 else name)
        self._progress.step(folder.name)
        result = measure(one, target, folder, progress=self._progress, stop=self._stop)
        if result.error is not None:
            raise result.error
        if not result.run.valid:
            raise InvalidRun(f"{folder} is not valid: {'; '.join(result.run.reasons)}")
        return read(folder)


def _recorded(folder: Path, name: str) -> list[Run]:
    """Run folders NAME, or NAME.1, NAME.2, ..."""
    places = [folder / name] if (folder / name).is_dir() else []
    places += sorted(folder.glob(f"{name}.[0-9]*"), key=lambda place: (len(place.name), place.name))
    if not places:
        raise ExperimentError(f"{folder} holds no run {name}; name a folder that does")
    runs = [read(place) for place in places]
    for run in runs:
        if not run.run.valid:
            raise InvalidRun(f"{run.path} is not valid: {'; '.join(run.run.reasons)}")
    return runs


def _told(item: _Measured, quantiles: tuple[float, ...]) -> ItemRecord:
    found = pooled(item.new.distributions(0))
    ns = NS_PER_S / item.new.tick_hz
    bounded = not any(run.doubt for run in item.new.runs)
    return ItemRecord(
        runs=item.folders,
        against=item.against,
        seconds=round(item.seconds, 3),
        n=found.n,
        figures=tuple(Figure.of(found.quantile(p), ns, bounded=bounded) for p in quantiles)
        if found.n
        else (),
    )


def _medians(side: Taken) -> str:
    ticks = [pooled(side.distributions(p)).quantile(0.5) for p in range(len(side.runs[0].channels))]
    return ", ".join(wording.plain(one.value[0], side.clock) for one in ticks)
