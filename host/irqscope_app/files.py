"""Kind of an opened or dropped path: experiment, suite, run, a folder of these, or a capture."""

from __future__ import annotations

import re
from pathlib import Path

from PyQt6.QtCore import QMimeData

from irqscope.experiment.shipped import SUITE
from irqscope.report.compare import MOST
from irqscope.results.suite_record import FILE as SUITE_RECORD

#: Files that open their folder.
_STANDING = {"run.json", SUITE_RECORD, "card.html", "card.json", "report.html"}
#: Ends of the names of captures and histograms.
_MEASURED = {
    ".csv", ".bin", ".sr", ".vcd", ".parquet", ".hist", ".hgrm", ".json", ".txt", ".log",
}  # fmt: skip
#: Number of characters searched for a suite's first item.
_LOOK = 20_000


def dropped(data: QMimeData | None) -> list[Path]:
    """The dragged paths, if they can be opened: one path, or run folders to compare.

    A file in the folder of a run or suite stands for its folder. Empty if nothing can be opened.
    """
    urls = [] if data is None else data.urls()
    if not urls or not all(url.isLocalFile() for url in urls):
        return []
    paths = [Path(url.toLocalFile()) for url in urls]
    paths = [path.parent if path.name in _STANDING else path for path in paths]
    kinds = [kind(path) for path in paths]
    if len(paths) == 1:
        return paths if kinds[0] else []
    return paths if len(paths) <= MOST and set(kinds) == {"run"} else []


def kind(path: Path) -> str:
    """Returns what a path holds, or an empty string if nothing that the window opens.

    One of "run", "card" (folder of a suite), "suite" (its file), "experiment", "import" (a capture,
    a histogram, or the file that names some) and "runs" (a folder that contains some).
    """
    if (path / "run.json").exists():
        return "run"
    if (path / SUITE_RECORD).exists():
        return "card"
    if path.is_dir():
        below = (path.glob(pattern) for pattern in ("*/run.json", "*/*/run.json"))
        return "runs" if any(any(matches) for matches in below) else ""
    if not path.is_file():
        return ""
    if path.suffix != ".toml":
        return "import" if path.suffix.lower() in _MEASURED else ""
    text = _start(path)
    if path.name == SUITE or "[[items]]" in text:
        return "suite"
    return "import" if re.search(r'^machine *= *"capture"', text, re.MULTILINE) else "experiment"


def _start(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LOOK)
    except OSError:
        return ""  # the opener reports the reason
