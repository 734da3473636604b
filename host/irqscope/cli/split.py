"""``irqscope run --split``: a count divided over twins, whose runs are merged after them."""

from __future__ import annotations

import os
from pathlib import Path

from irqscope.acquire.callbacks import Progress
from irqscope.campaign.merge import merge, split
from irqscope.campaign.suite import Entry
from irqscope.campaign.suite.carry_out import Outcome
from irqscope.campaign.suite.hello import ask
from irqscope.campaign.suite.resume import move_aside, why_stale
from irqscope.campaign.suite.workers import Work, run_side_by_side
from irqscope.cli import show
from irqscope.cli.bars import TotalBar
from irqscope.cli.signals import orderly_stop
from irqscope.errors import ExitCode, ExperimentError, TargetError
from irqscope.experiment import Experiment
from irqscope.files import storage

#: Name of the merged run, below the folder of its parts.
MERGED = "merged"


def run_split(experiment: Experiment, parts: int, target: str, out: Path, as_json: bool) -> int:
    """Runs the parts as ``out``/1, 2, ..., merges them, and returns the exit code.

    As many run at a time as there are cores; the merged run is ``out``/merged. Parts that are
    there, complete and valid, are kept.

    Raises ExperimentError, StorageError, Interrupted, TargetError if a part failed.
    """
    if target.partition(":")[0] != "twin":
        raise ExperimentError(f"--split: {target} is not a twin and has one run at a time")
    works = [
        Work(Entry(f"{number}", one, {}), target, out / f"{number}", _no_report)
        for number, one in enumerate(split(experiment, parts), 1)
    ]
    occupied = out.exists() and (not out.is_dir() or any(out.iterdir()))
    if occupied and not (out / "1" / "run.json").exists():
        raise ExperimentError(f"{out} is there already; name a new folder with --out")
    with storage(out):
        out.mkdir(parents=True, exist_ok=True)
    missing = _missing(works, out) if occupied else works
    failed = dict[str, Outcome]()
    with orderly_stop() as stop, TotalBar() as bar:
        bar.plan({work.entry.name: float(work.entry.experiment.count) for work in missing})

        def begin(entry: Entry) -> Progress:
            return bar.begin(entry.name)

        def done(entry: Entry, outcome: Outcome) -> None:
            bar.finish(entry.name)
            if outcome.ends is not None:
                raise outcome.ends
            if outcome.state != "valid":
                failed[entry.name] = outcome

        def died(entry: Entry, how: str) -> None:
            if (out / entry.name).exists():
                how += f", and its folder moved to {move_aside(out / entry.name).name}"
            bar.say(f"part {entry.name}: {how}")
            bar.finish(entry.name)

        run_side_by_side(missing, begin, done, died, stop, os.cpu_count() or 1)
    if failed:
        first = min(failed, key=int)  # not the one that ended first: which that is, is chance
        why = "; ".join(failed[first].reasons)
        reason = f"part {first} of {parts} is {failed[first].state}: {why}; nothing was merged"
        raise TargetError(reason)
    record = merge([work.folder for work in works], out / MERGED)
    if as_json:
        show.print_json(record.model_dump(mode="json"))
    else:
        show.print_run(record)
    show.err.print(f"run folder: {out / MERGED}", soft_wrap=True)
    show.report(out / MERGED)
    return ExitCode.VALID if record.valid else ExitCode.INVALID


def _missing(works: list[Work], out: Path) -> list[Work]:
    """Returns the parts without a valid folder.

    Other files of their names are moved aside, as is an earlier merged run. Raises TargetError,
    StorageError.
    """
    first = works[0]
    answering = ask(first.target, [first.entry.experiment.stack])
    missing = []
    for work in works:
        if work.folder.exists():
            why = why_stale(work.folder, work.entry.experiment, answering)
            if why is None:
                continue
            aside = move_aside(work.folder).name
            text = f"part {work.entry.name}: {why}; moved to {aside}, run again"
            show.err.print(text, soft_wrap=True, markup=False)
        missing.append(work)
    if (out / MERGED).exists():
        move_aside(out / MERGED)
    show.err.print(f"{len(works) - len(missing)} of {len(works)} parts are kept", soft_wrap=True)
    return missing


def _no_report(folder: Path) -> None:
    """Makes no report: the parts of a run have none."""
