"""Writes files whole or not at all, and opens regular files only."""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from irqscope.errors import StorageError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
#: Bytes by which a file's kind is known.
_HEAD = 4096
#: No file that is read as a whole is longer, bytes.
MOST = 1 << 30


def require_regular(path: Path) -> int:
    """The size of a file, bytes. Raises OSError unless it is a regular file.

    Opening a pipe waits for its other end, and a device may never end: so this checks first.
    """
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "no regular file", str(path))
    return status.st_size


def read_bytes(path: Path, limit: int = MOST) -> bytes:
    """All of a regular file. Raises OSError, also for another kind and for more than ``limit``."""
    if require_regular(path) > limit:
        raise OSError(errno.EFBIG, "too long", str(path))
    return path.read_bytes()


def require_replaceable(path: Path, kind: bytes) -> None:
    """Check that writing a file destroys nothing but an older file of its kind.

    Args:
        path: Where it will be.
        kind: Regular expression for how a file of its kind begins.

    Raises:
        StorageError: The path holds something other than a regular file, or a file of another kind.
    """
    with storage(path):
        try:
            size = require_regular(path)
        except FileNotFoundError:
            return
        with path.open("rb") as file:
            head = file.read(_HEAD)
    if size and not re.match(kind, head):
        raise StorageError(
            f"{path} is there already, and is a file of another kind; name another file"
        )


def require_folder_of(path: Path) -> None:
    """Raises StorageError unless the folder in which ``path`` will be written is there."""
    if not path.parent.is_dir():
        raise StorageError(f"{path.parent} is no folder; make it, or name another file")


def replace(
    path: Path,
    write: Callable[[IO[bytes]], object],
    before: Callable[[io.BufferedRandom], object] = lambda file: None,
    kind: bytes = b"",
) -> None:
    """Has ``write`` fill a new file next to ``path``, syncs it and renames it. Raises StorageError.

    ``before``: receives the whole file, from its start, before it takes its name. ``kind``: of the
    file that it may replace, as in :func:`require_replaceable`.
    """
    require_replaceable(path, kind)
    with storage(path):
        temporary, file = _created(path)
        try:
            with file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
                file.seek(0)
                before(file)
            temporary.replace(path)
            _sync(path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextmanager
def as_text(file: IO[bytes]) -> Iterator[io.TextIOWrapper]:
    """Yields a text file over a binary one: UTF-8, line ends unchanged."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        yield text
    finally:
        text.detach()


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Turns what the file system says about ``path`` into a StorageError."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            cause = "the disk is full or the file is over its limit"
            remedy = "make room or choose another place"
        else:
            cause = error.strerror or str(error)
            remedy = "choose another place"
        raise StorageError(f"cannot write {path}: {cause}; {remedy}") from error


def _created(path: Path) -> tuple[Path, io.BufferedRandom]:
    """Creates a new file next to ``path``; it does not follow a link at that place."""
    temporary = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.new")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return temporary, os.fdopen(os.open(temporary, flags, 0o666), "w+b")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
