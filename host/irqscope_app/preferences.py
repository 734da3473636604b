"""Settings that the window remembers between sessions; all can be reset."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QByteArray, QSettings

#: Version of the layout; layouts of other versions do not fit this window's docks and splitters.
_LAYOUT = 5
#: Targets and folders that are remembered.
_RECENT = 6


class Preferences:
    """Typed access to QSettings; ``settings`` may use a separate file, as in tests."""

    def __init__(self, settings: QSettings | None = None) -> None:
        self._settings = settings or QSettings("irqscope", "irqscope")

    @property
    def theme(self) -> str:
        """Name of the theme: ``dark`` or ``light``."""
        return str(self._settings.value("theme", "dark"))

    @theme.setter
    def theme(self, name: str) -> None:
        self._settings.setValue("theme", name)

    @property
    def unit(self) -> str:
        """Unit of latencies: ns, ticks or cycles."""
        return str(self._settings.value("unit", "ns"))

    @unit.setter
    def unit(self, name: str) -> None:
        self._settings.setValue("unit", name)

    @property
    def tables(self) -> bool:
        """Whether the tables of the Scope screen are shown."""
        return str(self._settings.value("tables", "false")) == "true"

    @tables.setter
    def tables(self, shown: bool) -> None:
        self._settings.setValue("tables", "true" if shown else "false")

    @property
    def runs(self) -> Path:
        """Folder that holds the run folders."""
        return Path(str(self._settings.value("runs", "runs")))

    @runs.setter
    def runs(self, path: Path) -> None:
        self._settings.setValue("runs", str(path))

    @property
    def recent(self) -> list[str]:
        """Recent targets and run folders, latest first; folders are absolute paths."""
        stored = self._settings.value("recent", [])
        return [str(one) for one in stored] if isinstance(stored, list) else [str(stored)]

    def remember(self, one: str) -> None:
        """Adds a target that answered, or an opened folder, to the recent ones."""
        self._settings.setValue("recent", [one, *(x for x in self.recent if x != one)][:_RECENT])

    def layout(self) -> dict[str, QByteArray] | None:
        """The saved geometry, docks and splitters by name, or None."""
        if self._settings.value("layout/number") not in (_LAYOUT, str(_LAYOUT)):
            return None
        parts = self._settings.value("layout/parts")
        if not isinstance(parts, dict):
            return None
        return {str(name): part for name, part in parts.items() if isinstance(part, QByteArray)}

    def save_layout(self, parts: dict[str, QByteArray]) -> None:
        """Saves geometry, docks and splitters."""
        self._settings.setValue("layout/number", _LAYOUT)
        self._settings.setValue("layout/parts", parts)

    @property
    def layouts(self) -> dict[str, dict[str, QByteArray]]:
        """Names of the named layouts."""
        stored = self._settings.value(f"layouts/{_LAYOUT}")
        return dict(stored) if isinstance(stored, dict) else {}

    def name_layout(self, name: str, parts: dict[str, QByteArray]) -> None:
        """Saves a layout under a name."""
        self._settings.setValue(f"layouts/{_LAYOUT}", self.layouts | {name: parts})

    def forget(self) -> None:
        """Resets all settings except layouts."""
        for key in ("theme", "unit", "tables", "runs", "recent"):
            self._settings.remove(key)
