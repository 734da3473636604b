"""Folders of runs that are only looked at: gone with the next one, unless they are kept."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from irqscope.files import storage
from irqscope.results.folder import new_folder


class Viewed:
    """At most one such folder at a time. A run in it is a run like any other."""

    def __init__(self) -> None:
        self._above: Path | None = None

    def folder(self, name: str) -> Path:
        """A new one, in place of the one before. Raises StorageError."""
        self.forget()
        with storage(Path(tempfile.gettempdir())):
            self._above = Path(tempfile.mkdtemp(prefix="irqscope-"))
        return self._above / name

    def holds(self, folder: Path | None) -> bool:
        """Whether a folder is one that is not kept."""
        return folder is not None and self._above in folder.parents

    def keep(self, folder: Path, runs: Path) -> Path:
        """Moves a run that has ended below ``runs``; returns its folder. Raises StorageError."""
        assert self._above is not None  # it holds the folder
        place = new_folder(folder.relative_to(self._above).parts[0], runs)
        with storage(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(self._above / folder.relative_to(self._above).parts[0], place)
        kept = place / Path(*folder.relative_to(self._above).parts[1:])
        self.forget()
        return kept

    def forget(self) -> None:
        """Removes all folders that are only looked at and were not kept."""
        if self._above is not None:
            shutil.rmtree(self._above, ignore_errors=True)
            self._above = None
