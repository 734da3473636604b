"""Files that are whole or absent, never half."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from irqscope.errors import StorageError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def replace(
    path: Path,
    write: Callable[[Path], object],
    before: Callable[[Path], object] = lambda temporary: None,
) -> None:
    """Has ``write`` make a file beside ``path``, syncs it and renames it. Raises StorageError.

    ``before``: is told the whole file before it takes its name.
    """
    temporary = path.with_name(f".{path.name}.new")
    with storage(path):
        try:
            write(temporary)
            _sync(temporary)
            before(temporary)
            temporary.replace(path)
            _sync(path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


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


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
