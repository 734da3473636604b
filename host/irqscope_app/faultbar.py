"""The bar that shows a failure or a suspicious run.

It replaces the last line of the log as long as the fault lasts, so that the layout does not move.
"""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from irqscope_app.control.station import Station
from irqscope_app.widgets.common import SpareLabel, button, style_as


class FaultBar(QFrame):
    """``cause`` and ``remedy``: its sentences. Red: a failure; amber: the run continues."""

    def __init__(self, station: Station) -> None:
        super().__init__()
        self._station = station
        self.setObjectName("fault")
        self.cause, self.remedy = SpareLabel(""), SpareLabel("")
        texts = QVBoxLayout()
        texts.setSpacing(0)
        for text in (self.cause, self.remedy):
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            texts.addWidget(text)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 1, 4, 1)
        row.addLayout(texts, 1)
        self.dismiss = button("Dismiss", station.dismiss)
        row.addWidget(self.dismiss)
        station.changed.connect(self._on_state)
        self._on_state()

    def _on_state(self) -> None:
        state = self._station.state
        fault = state.fault or state.hint
        self.setVisible(fault is not None)
        if fault is None:
            return
        style_as(self, "bad" if state.fault else "warning")
        self.dismiss.setVisible(state.fault is not None)
        self.cause.setText(fault.cause if state.fault else f"! {fault.cause}")
        self.remedy.setText(fault.remedy and f"What to do: {fault.remedy}.")
        self.remedy.setVisible(bool(fault.remedy))
