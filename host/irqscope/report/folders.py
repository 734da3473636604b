"""All runs below a folder, each in one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from irqscope.errors import StorageError
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.report import summary
from irqscope.results.note import Note
from irqscope.results.note import read as read_note
from irqscope.results.reader import read
from irqscope.results.record import RunRecord
from irqscope.results.statistics import Stats
from irqscope.units import ticks_to_ns

COLUMNS = (
    "started", "name", "case", "source", "N", "p50, ns", "p99.9, ns", "max, ns", "verdict", "tags",
    "note",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A run folder in one row; ``error``: why it cannot be opened."""

    path: Path
    run: RunRecord | None
    error: str = ""
    note: Note = Note()

    @classmethod
    def of(cls, folder: Path) -> Entry:
        """Entry of one folder, also of one that is damaged."""
        try:
            run = read(folder).run
        except StorageError as error:
            return cls(folder, None, error=str(error))
        try:
            note = read_note(folder)
        except StorageError as error:
            note = Note(note=str(error))  # which hides no run
        return cls(folder, run, note=note)

    @property
    def cells(self) -> dict[str, str]:
        """Texts, by column. With several channels, the first one's figures."""
        run = self.run
        if run is None:
            blank = dict.fromkeys(COLUMNS, "")
            return blank | {"name": self.path.name, "verdict": self.error}
        stats = run.stats[0] if run.stats else None
        values = (
            run.started.replace("T", " ").rstrip("Z"),
            self.name,
            _case(run),
            run.label,
            str(stats.n if stats else run.stimuli),
            self._quantile(stats, 0.5),
            self._quantile(stats, 0.999),
            "" if stats is None else self._greatest(stats),
            summary.verdict(run),
            " ".join(self.note.tags),
            " ".join(self.note.note.split()),
        )
        return dict(zip(COLUMNS, values, strict=True))

    @property
    def name(self) -> str:
        """Returns the name of the run: the user's, if any, followed by the experiment's."""
        if self.run is None:
            return self.path.name
        experiment = self.run.experiment.name
        return f"{self.note.name} ({experiment})" if self.note.name else experiment

    def _quantile(self, stats: Stats | None, p: float) -> str:
        for quantile in [] if stats is None else stats.quantiles:
            if quantile.p == p:
                open_ended = quantile.sample_ticks[1] is None
                binned = self.run is not None and self.run.capture is not None
                exact = quantile.sample_ticks[0] if binned else quantile.value_ticks
                value = "open" if open_ended else self._ns(exact)
                return "N too small" if quantile.note else value
        return ""

    def _greatest(self, stats: Stats) -> str:
        if stats.timed_out:
            return f"> {self._ns(stats.timeout_ticks)}"
        of = " of served" if stats.coalesced and stats.max_ticks is not None else ""
        return self._ns(stats.max_ticks) + of

    def _ns(self, ticks: int | None) -> str:
        if ticks is None or self.run is None:
            return ""
        return str(ticks_to_ns(ticks, self.run.tick_hz))


def _case(run: RunRecord) -> str:
    """Name of the case; also that of a software stack that is not the usual one."""
    if run.capture is not None:
        return run.capture.what
    case, stack = run.experiment.case, run.experiment.stack
    return case if stack == DEFAULT_STACK else f"{case} on {stack}"


def entries(folder: Path) -> list[Entry]:
    """All run folders below ``folder``, the latest first."""
    listed = [Entry.of(path.parent) for path in folder.rglob("run.json")]
    return sorted(listed, key=lambda e: "" if e.run is None else e.run.started, reverse=True)


#: What tells runs apart, if it is not the same in all of them.
_TELLING = ("name", "case", "source", "N", "tags", "note")
#: A user's own name is always shown.
_GIVEN = ("name", "tags", "note")


def differences(listed: Sequence[Entry]) -> list[str]:
    """Return for each run its name, the values that differ between runs, tags and note."""
    cells = [entry.cells for entry in listed]
    opened = [cell for cell, entry in zip(cells, listed, strict=True) if entry.run is not None]
    names = [
        name for name in _TELLING if name in _GIVEN or len({cell[name] for cell in opened}) > 1
    ]
    return [
        ", ".join(
            f"N = {cell[name]}" if name == "N" else cell[name] for name in names if cell[name]
        )
        for cell in cells
    ]
