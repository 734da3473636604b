"""Experiments and suites that come with irqscope, found by name."""

from __future__ import annotations

from pathlib import Path

from irqscope.errors import ExperimentError
from irqscope.resources import resource

#: File name of a suite, one a folder.
SUITE = "suite.toml"


def experiments() -> dict[str, Path]:
    """Files of all experiments by name: "t2" where one folder has it, else "wake-up/wfi"."""
    files = [path for path in _files() if path.name != SUITE]
    stems = [path.stem for path in files]
    return {
        path.stem if stems.count(path.stem) == 1 else _with_folder(path): path for path in files
    }


def suites() -> dict[str, Path]:
    """Files of all suites by name, which is their folder's."""
    return {path.parent.name: path for path in _files() if path.name == SUITE}


def find_experiment(name: Path | str) -> Path:
    """The file that is meant: ``name`` itself where it exists, else what came along by that name.

    A folder may come before a name. Raises ExperimentError for a name that several folders have.
    """
    matches = [
        path for path in experiments().values() if str(name) in (path.stem, _with_folder(path))
    ]
    if not matches or Path(name).exists():
        return Path(name)
    if len(matches) > 1:
        ways = " or ".join(map(_with_folder, matches))
        raise ExperimentError(f"there is more than one experiment {name}; say {ways}")
    return matches[0]


def beside(folder: Path, name: str) -> Path:
    """Resolves ``name`` in a file of ``folder``: a path from there, or a shipped file."""
    path = find_experiment(name) if not (folder / name).exists() else folder / name
    return path if path.exists() else folder / name


def find_suite(name: Path | str) -> Path:
    """The file or folder that is meant: ``name`` where it exists, else the suite of that name."""
    path = suites().get(str(name))
    return Path(name) if path is None or Path(name).exists() else path


def _files() -> list[Path]:
    return sorted(resource("experiments").glob("*/*.toml"))


def _with_folder(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"
