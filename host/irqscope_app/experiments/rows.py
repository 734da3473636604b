"""Rows of the queue's table: one for each run, grouped by job, in the order of the jobs."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QTableWidget, QTableWidgetItem

from irqscope_app.experiments.jobs import Job

COLUMNS = (
    "suite", "run", "state", "stimuli", "p50, ns", "p99.9, ns", "max, ns", "time", "command",
)  # fmt: skip
STATE, STIMULI, TIME, COMMAND = map(COLUMNS.index, ("state", "stimuli", "time", "command"))
#: Columns of a run's row in the library, by those of this table.
RESULTS = {STIMULI: "N"} | {
    COLUMNS.index(name): name for name in ("p50, ns", "p99.9, ns", "max, ns")
}

#: A run of a job.
Place = tuple[Job, str]


class Rows:
    """Texts belong to the run and move with it."""

    def __init__(self, table: QTableWidget) -> None:
        self._table = table
        self._places: list[Place] = []
        self._cells: dict[tuple[int, str], list[QTableWidgetItem]] = {}

    def arrange(self, jobs: Sequence[Job]) -> None:
        """Shows the runs of these jobs; the current row stays current if it still exists."""
        current = self.at(self._table.currentRow())
        places = [(job, name) for job in jobs for name in job.runs]
        self._table.blockSignals(True)
        for row in range(self._table.rowCount()):
            for column in range(self._table.columnCount()):
                self._table.takeItem(row, column)
        self._table.setRowCount(len(places))
        before, self._cells, self._places = self._cells, {}, places
        for row, (job, name) in enumerate(places):
            key = (id(job), name)
            self._cells[key] = before.get(key) or self._made()
            for column, item in enumerate(self._cells[key]):
                self._table.setItem(row, column, item)
        self._table.blockSignals(False)
        unchanged = [row for row, (job, name) in enumerate(places) if _same(current, job, name)]
        if unchanged:
            self._table.selectRow(unchanged[0])
        else:
            self._table.clearSelection()
            self._table.setCurrentCell(-1, -1)

    def at(self, row: int) -> Place | None:
        """The job and the run name of a row, or None if the row does not exist."""
        return self._places[row] if 0 <= row < len(self._places) else None

    def text(self, job: Job, name: str, column: int) -> str:
        """The text in a run's cell."""
        return self._cells[id(job), name][column].text()

    def write(self, job: Job, name: str, column: int, text: str) -> None:
        """Writes a text into a run's cell."""
        item = self._cells[id(job), name][column]
        if item.text() != text:
            item.setText(text)

    def explain(self, job: Job, name: str, column: int, text: str) -> None:
        """Sets the tool tip of a run's row."""
        self._cells[id(job), name][column].setToolTip(text)

    def _made(self) -> list[QTableWidgetItem]:
        items = [QTableWidgetItem() for _ in range(self._table.columnCount())]
        for column in RESULTS:
            items[column].setTextAlignment(
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
        return items


def _same(place: Place | None, job: Job, name: str) -> bool:
    return place is not None and place[0] is job and place[1] == name
