"""Temporary run folders, deleted when the next run begins unless the user keeps them."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from irqscope.files import storage
from irqscope.results.folder import new_folder


class Viewed:
    """Holds at most one temporary folder. A run in it is a run like any other."""

    def __init__(self) -> None:
        self._above: Path | None = None

    def folder(self, name: str) -> Path:
        """Creates a new folder in place of the previous one. Raises StorageError."""
        self.forget()
        with storage(Path(tempfile.gettempdir())):
            self._above = Path(tempfile.mkdtemp(prefix="irqscope-"))
        return self._above / name

    def holds(self, folder: Path | None) -> bool:
        """Whether a folder is temporary."""
        return folder is not None and self._above in folder.parents

    def keep(self, folder: Path, runs: Path) -> Path:
        """Moves a finished run into ``runs``; returns its folder. Raises StorageError."""
        assert self._above is not None  # it holds the folder
        place = new_folder(folder.relative_to(self._above).parts[0], runs)
        with storage(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(self._above / folder.relative_to(self._above).parts[0], place)
        target = place / Path(*folder.relative_to(self._above).parts[1:])
        self.forget()
        return target

    def forget(self) -> None:
        """Removes all temporary folders."""
        if self._above is not None:
            shutil.rmtree(self._above, ignore_errors=True)
            self._above = None
