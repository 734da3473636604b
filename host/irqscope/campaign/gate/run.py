"""Carries a gate out: its experiments are measured, judged or accepted, and recorded."""

from __future__ import annotations

from pathlib import Path

import irqscope
from irqscope.acquire.callbacks import Progress, Stop, Untold
from irqscope.analysis.stats import pooled
from irqscope.campaign.gate import baseline, exact
from irqscope.campaign.gate.baseline import Taken
from irqscope.campaign.gate.judging import check_comparable, judge
from irqscope.campaign.gate.load import Entry, Loaded
from irqscope.campaign.gate.measuring import Measured, Measuring, Sides
from irqscope.campaign.gate.record import FILE, Figure, GateRecord, ItemRecord
from irqscope.campaign.gate.statement import FAIL, PASS, overall
from irqscope.errors import ExitCode, ExperimentError
from irqscope.files import storage
from irqscope.kinds.capture.live import PREFIX
from irqscope.report import wording
from irqscope.results import jsonfile
from irqscope.results.folder import now
from irqscope.units import NS_PER_S

#: Exit codes of the three verdicts.
EXIT = {PASS: ExitCode.VALID, FAIL: ExitCode.FAILED}


def run_gate(
    loaded: Loaded,
    sides: Sides,
    out: Path,
    *,
    accept: bool = False,
    mixed: bool = False,
    progress: Progress | None = None,
    stop: Stop = lambda: False,
) -> GateRecord:
    """Measures, judges, and writes ``out/gate.json``.

    ``accept``: writes the measurement as the new baselines, and reports the changes. ``mixed``:
    compares a side even with one of another experiment, machine or profile. Raises ExperimentError,
    TargetError, LinkError, StorageError, Interrupted; InvalidRun if a run is not valid.
    """
    began = now()
    for side in (sides.target, sides.against):
        if sides.recorded is None and side is not None and side.startswith("replay:"):
            raise baseline.replay_error(side)
    olds = [_old(entry, sides, accept) for entry in loaded.entries]
    with storage(out):
        out.mkdir(parents=True, exist_ok=True)
    measuring = Measuring(loaded.gate, sides, out, progress or Untold(), stop)
    items = []
    for entry, old in zip(loaded.entries, olds, strict=True):
        items.append(measuring.item(entry, old))
        # The file to be replaced may have any content.
        if not accept:
            check_comparable(items[-1], sides.against or entry.baseline, mixed=mixed)
    accepted = {item.entry.name: _accept(item, measuring) for item in items} if accept else {}
    statements = () if accept else tuple(judge(items, loaded.gate, measuring))
    record = GateRecord(
        gate=loaded.gate.name,
        description=loaded.gate.description,
        program=irqscope.__version__,
        target=_target(items, sides),
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


def _target(items: list[Measured], sides: Sides) -> str:
    """The judged target; files of other instruments have none."""
    targets = {item.new.source.target for item in items}
    live = sides.target.startswith(PREFIX)
    return "capture" if targets == {"capture"} and not live else sides.target


def exit_code(record: GateRecord) -> ExitCode:
    """Exit code of the command."""
    return EXIT.get(record.state, ExitCode.TOO_FEW)


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


def _accept(item: Measured, measuring: Measuring) -> tuple[str, ...]:
    """Writes the baseline; what changed against the one before, line by line."""
    where, old = item.entry.baseline, item.old
    if where is None:
        return ("it has limits alone",)
    new = measuring.with_path(item)
    baseline.store(new, where)
    if old is None:
        return (f"{where} is new",)
    if why := baseline.why_other(old, new):
        return (f"{where} was of {why}",)
    if item.exact and len(old.runs[0].channels) == len(new.runs[0].channels):
        return exact.differences(old, new) or ("nothing changed",)
    before, here = (_medians(side) for side in (old, new))
    return (f"{where}: medians {before}, now {here}",)


def _told(item: Measured, quantiles: tuple[float, ...]) -> ItemRecord:
    distribution = pooled(item.new.distributions(0))
    ns = NS_PER_S / item.new.tick_hz
    bounded = not any(run.doubt for run in item.new.runs)
    return ItemRecord(
        runs=item.folders,
        against=item.against,
        seconds=round(item.seconds, 3),
        n=distribution.n,
        figures=tuple(Figure.of(distribution.quantile(p), ns, bounded=bounded) for p in quantiles)
        if distribution.n
        else (),
    )


def _medians(side: Taken) -> str:
    ticks = [pooled(side.distributions(p)).quantile(0.5) for p in range(len(side.runs[0].channels))]
    return ", ".join(wording.plain(one.value[0], side.clock) for one in ticks)
