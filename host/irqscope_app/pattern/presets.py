"""The experiments shipped with irqscope, searchable, each with its purpose."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QWidget

from irqscope.errors import ExperimentError, IrqscopeError
from irqscope.experiment.load import check, load
from irqscope.experiment.tomlfile import read
from irqscope.machines.model import Machine
from irqscope_app.pattern.shipped import presets
from irqscope_app.widgets.search import Search

_COLUMNS = ("experiment", "case", "what it is")


class Presets(Search):
    """Dialog of the presets. ``chosen``: emitted with the selected file; :meth:`open` shows it."""

    chosen = pyqtSignal(Path)

    def __init__(self, parent: QWidget) -> None:
        hint = "words of folder, name, case and description"
        super().__init__(parent, "Presets", _COLUMNS, hint, "Open")
        for path in presets():
            self._add(path)
        self.show_all()

    def accept(self) -> None:
        """Chooses the current experiment and closes the dialog."""
        if self.current is not None:
            self.chosen.emit(self.of(self.current))
            super().accept()

    def leave_out(self, unable: frozenset[Path]) -> None:
        """Hides experiments that the target cannot run and shows their number."""
        self.hidden, before = unable, self.current
        if unable:
            self.setWindowTitle(f"Presets; {len(unable)} more need another target")
        self.filter()
        if unable and not self.shown() and not self.search.text():
            self.whole.setText("None of them is for this target; Open … takes a file of your own")
        if before is not None and not before.isHidden():
            self.list.setCurrentItem(before)

    def _add(self, path: Path) -> None:
        try:
            _, table = read(path)
        except ExperimentError as error:
            table = {"description": str(error)}  # opening it shows the reason
        texts = (f"{path.parent.name}: {path.stem}", table.get("case"), table.get("description"))
        self.add(
            tuple(str(text or "") for text in texts), path, f"{path}\n{texts[-1] or ''}".strip()
        )


def unable(machine: Machine, tick_hz: int, of_program: bool) -> frozenset[Path]:
    """The experiments that a target cannot run, without unreadable ones. Takes a second."""
    reasons = []
    for path in presets():
        try:
            experiment = load(path)
        except IrqscopeError:
            continue  # opened, it says why
        try:
            check(experiment, machine, tick_hz, of_program)
        except IrqscopeError:
            reasons.append(path)
    return frozenset(reasons)
