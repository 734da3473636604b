"""Sums over the files of a run folder, which reveal a later change.

``SHA256SUMS`` has the form of ``sha256sum``: `sha256sum -c SHA256SUMS` checks a folder that was
closed. While a run goes on, the sum of a file is added and synced before the file takes its name,
so a run killed in between does not look changed: a file may have any listed sum. At the end only
the last of each is left.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
from collections.abc import Callable
from io import BufferedRandom, BufferedReader
from pathlib import Path
from typing import IO

from irqscope.errors import StorageError
from irqscope.files import read_bytes, replace, require_regular, storage

FILE = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")


class Sums:
    """Writes files into ``folder``, and their sums. Files are named by their path in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last: dict[str, str] = {}
        self._failed = False

    def write(self, name: str, write: Callable[[IO[bytes]], object]) -> None:
        """Writes a file as :func:`replace` does, its sum first. Raises StorageError."""
        paths = []
        try:
            replace(self._folder / name, write, lambda whole: paths.append(self._add(name, whole)))
        except StorageError:
            self._failed = True  # whether the file has its name or not is not known
            raise
        self._last[name] = paths[0]

    def rename(self, name: str, becomes: str) -> None:
        """Gives a file that was written another name, its sum first. Raises StorageError."""
        path = self._folder / name
        try:
            with storage(path), path.open("rb") as file:
                self._last[becomes] = self._add(becomes, file)
                path.replace(self._folder / becomes)
        except StorageError:
            self._failed = True
            raise
        self._last.pop(name, None)

    def remove(self, name: str) -> None:
        """Removes a file and its sum."""
        (self._folder / name).unlink(missing_ok=True)
        self._last.pop(name, None)

    def close(self) -> None:
        """Leaves the last sum of each file. Where something went wrong, all stay."""
        if self._failed:
            return
        text = "".join(f"{digest}  {name}\n" for name, digest in sorted(self._last.items()))
        with contextlib.suppress(StorageError):
            replace(self._folder / FILE, lambda file: file.write(text.encode()))

    def _add(self, name: str, file: BufferedReader | BufferedRandom) -> str:
        """Sum of a file that is about to take the name. Raises OSError, and leaves no half line."""
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        path = self._folder / FILE
        with path.open("ab") as sums:
            whole = sums.tell()
            try:
                sums.write(f"{digest}  {name}\n".encode())
                sums.flush()
                os.fsync(sums.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    os.truncate(path, whole)
                raise
        return digest


def read_sums(folder: Path) -> dict[str, set[str]] | None:
    """Sums by the name of the file, or None without a file of sums.

    Lines of another form are ignored.
    """
    try:
        text = read_bytes(folder / FILE).decode(errors="replace")
    except FileNotFoundError:
        return None
    except OSError:
        return {}  # then no file has one
    digests: dict[str, set[str]] = {}
    for line in text.splitlines():
        if match := _LINE.fullmatch(line):
            digests.setdefault(match[2], set()).add(match[1])
    return digests


def unchanged(path: Path, digests: set[str]) -> bool:
    """Whether the file is there, can be read, and has one of the sums."""
    try:
        require_regular(path)
        stat = path.stat()
        return _kept(path, stat.st_ino, stat.st_size, stat.st_mtime_ns) in digests
    except OSError:
        return False


@functools.lru_cache(maxsize=4096)
def _kept(path: Path, inode: int, size: int, mtime_ns: int) -> str:
    """Sum of a file, kept while the file does not change, because it is looked at often."""
    return _digest(path)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
