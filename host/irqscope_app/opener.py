"""Opens chosen, dropped or recent paths, each on the screen that shows it."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QMimeData, QObject, pyqtSignal
from PyQt6.QtWidgets import QFileDialog

from irqscope.acquire.callbacks import Untold
from irqscope.errors import IrqscopeError
from irqscope.kinds.capture.importing import import_run
from irqscope.kinds.capture.recipe import load, of_file
from irqscope.results.folder import new_folder
from irqscope_app import files
from irqscope_app.compare import COMPARISON
from irqscope_app.control.station import Station
from irqscope_app.pattern.screen import Pattern
from irqscope_app.preferences import Preferences
from irqscope_app.screens import Screens


class Opener(QObject):
    """Opens paths; ``remembered`` is emitted when the list of recent paths has changed."""

    remembered = pyqtSignal()

    def __init__(
        self, station: Station, preferences: Preferences, pattern: Pattern, screens: Screens
    ) -> None:
        super().__init__(station)
        self._station, self._preferences = station, preferences
        self._pattern, self._screens = pattern, screens
        self._by_kind = {
            "run": self.open_run,
            "experiment": self._open_experiment,
            "suite": self._open_suite,
            "card": self._open_card,
            "runs": self._open_runs,
            "import": self._import,
        }
        station.opened.connect(self._on_opened)
        station.connected.connect(self._remember)
        pattern.file_used.connect(self._remember_path)
        screens.experiments.open_asked.connect(self.open_run)
        screens.library.open_asked.connect(self.open_run)
        screens.library.compare_asked.connect(self.compare)

    def open(self, path: Path) -> None:
        """Shows a run, an experiment, a suite or a folder of runs, and remembers it."""
        what = files.kind(path)
        if what not in ("run", "experiment"):  # remembered once they are open
            self._remember_path(path)
        self._by_kind[what](path)

    def open_run(self, folder: Path) -> None:
        """Shows a run folder on the Scope screen."""
        self._station.folders.open(folder)

    def open_dropped(self, data: QMimeData | None) -> bool:
        """Opens dropped paths; compares several runs. Returns False if none can be opened."""
        paths = files.dropped(data)
        if len(paths) > 1:
            self.compare(paths)
        elif paths:
            self.open(paths[0])
        return bool(paths)

    def ask_folder(self) -> None:
        """Asks for the folder of a run, of a suite, or of runs, and opens it."""
        name = QFileDialog.getExistingDirectory(
            self._screens, "Open a folder: of a run, of a suite, of runs",
            str(self._preferences.runs),
        )  # fmt: skip
        if name and files.kind(Path(name)):
            self.open(Path(name))
        elif name:
            self.open_run(Path(name))  # reports the reason

    def ask_import(self) -> None:
        """Asks for a capture, a histogram, or a file that names some, and makes a run of it."""
        name, _ = QFileDialog.getOpenFileName(
            self._screens, "Import a capture, a histogram, or a TOML file that names some"
        )
        if name:
            self._import(Path(name))

    def compare(self, folders: list[Path]) -> None:
        """Shows a comparison of runs."""
        compare = self._screens.compare
        try:
            compare.show_runs(folders)
            self._station.mended(COMPARISON)
            mixed = ["--mixed"] if compare.mixed else []
            self._station.say_command("compare", *mixed, *folders)
        except IrqscopeError as error:
            compare.clear()
            self._station.report_fault(error, COMPARISON)
        self._screens.go_to("Compare")

    def _open_experiment(self, path: Path) -> None:
        self._pattern.load(path)
        self._screens.edit_pattern()

    def _open_suite(self, path: Path) -> None:
        """Shows the queue, where the runs of a suite's file can be selected."""
        self._screens.go_to("Experiments")
        self._screens.experiments.show_queue()
        self._screens.experiments.chooser.use(path)

    def _open_card(self, folder: Path) -> None:
        self._screens.go_to("Experiments")
        self._screens.experiments.show_card_of(folder)

    def _open_runs(self, folder: Path) -> None:
        """Shows a folder of runs in the library."""
        self._screens.library.look_into(folder)
        self._screens.go_to("Library")

    def _import(self, path: Path) -> None:
        """Makes a run of what another instrument measured, as ``irqscope import`` does."""
        if self._station.state.signals and self._took_edges(path):
            return

        def imported() -> Path:
            recipe = of_file(path)
            folder = new_folder(recipe.name, self._preferences.runs)
            import_run(recipe, folder, Untold())
            return folder

        self._station.say_command("import", path)
        self._station.begin(imported, self.open_run)

    def _took_edges(self, path: Path) -> bool:
        """Takes a file without files to read, for a live measurement, into the fields next to Run.
        Returns False for another one.
        """
        try:
            recipe = load(path) if path.suffix == ".toml" else None
            if recipe is None or recipe.files:
                return False
            self._screens.scope.strip.edges.take(recipe)
        except IrqscopeError as error:
            self._station.report_fault(error)
        self._screens.go_to("Scope")
        return True

    def _on_opened(self) -> None:
        folder = self._station.state.folder
        if folder is not None:
            self._remember_path(folder)
        self._screens.go_to("Scope")

    def _remember_path(self, path: Path) -> None:
        self._remember(str(path.resolve()))

    def _remember(self, one: str) -> None:
        self._preferences.remember(one)
        self.remembered.emit()
