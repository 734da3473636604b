"""The screens, one of which is shown, and the rail to switch between them."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QActionGroup, QKeySequence
from PyQt6.QtWidgets import QMainWindow, QStackedWidget, QToolBar

from irqscope_app.compare import Compare
from irqscope_app.connect import Connect
from irqscope_app.experiments.screen import Experiments
from irqscope_app.library.screen import Library
from irqscope_app.scope.screen import Scope

#: Screens in the order of the rail and of the keys Ctrl+1 to Ctrl+5.
SCREENS = ("Connect", "Scope", "Experiments", "Library", "Compare")


class Screens(QStackedWidget):
    """All screens of the window, of which one is shown. ``by_name``: each by its name."""

    def __init__(
        self,
        connect: Connect,
        scope: Scope,
        experiments: Experiments,
        library: Library,
        compare: Compare,
    ) -> None:
        super().__init__()
        self.scope, self.experiments = scope, experiments
        self.library, self.compare = library, compare
        screens = (connect, scope, experiments, library, compare)
        self.by_name = dict(zip(SCREENS, screens, strict=True))
        for screen in screens:
            self.addWidget(screen)
        group = QActionGroup(self)
        self._actions: dict[str, QAction] = {}
        for number, name in enumerate(SCREENS, 1):
            action = QAction(name, self)
            action.setCheckable(True)
            action.setShortcut(QKeySequence(f"Ctrl+{number}"))
            action.setToolTip(f"{name} (Ctrl+{number})")
            action.triggered.connect(lambda _, n=name: self.go_to(n))
            group.addAction(action)
            self._actions[name] = action

    def add_rail(self, window: QMainWindow) -> None:
        """Puts the rail, with a button for each screen, on the left of a window."""
        rail = QToolBar("Screens")
        rail.setObjectName("rail")
        rail.setMovable(False)
        rail.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        rail.addActions(self._actions.values())
        window.addToolBar(Qt.ToolBarArea.LeftToolBarArea, rail)

    def go_to(self, name: str) -> None:
        """Shows a screen and gives it the focus."""
        self._actions[name].setChecked(True)
        screen = self.by_name[name]
        self.setCurrentWidget(screen)
        first = screen.pages.first if isinstance(screen, Experiments | Library) else screen
        first.setFocus()

    def edit_pattern(self) -> None:
        """Shows the Scope screen with the complete pattern."""
        self.go_to("Scope")
        self.scope.show_pattern()
