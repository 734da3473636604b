"""Words that a user pins to a run. They have a file of their own: ``run.json`` is a record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from irqscope.errors import ExperimentError, StorageError
from irqscope.files import read_bytes, replace, storage
from irqscope.results.reader import read

FILE = "tags.txt"
_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def tags(folder: Path) -> tuple[str, ...]:
    """Tags of a run folder, sorted. Raises StorageError."""
    path = folder / FILE
    try:
        text = read_bytes(path).decode(errors="replace")
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}; remove it") from error
    return tuple(sorted(set(text.split())))


def change(folder: Path, words: Iterable[str]) -> tuple[str, ...]:
    """Adds ``+TAG`` and takes ``-TAG`` away; returns the tags that there are now.

    Raises ExperimentError for any other word, StorageError.
    """
    read(folder)  # only what is a run folder is tagged
    known = set(tags(folder))
    for word in words:
        sign, tag = word[:1], word[1:]
        if sign not in "+-" or not _TAG.fullmatch(tag):
            raise ExperimentError(
                f'"{word}" changes no tag; write +TAG or -TAG, of letters, digits, ".", "_", "-"'
            )
        if sign == "+":
            known.add(tag)
        else:
            known.discard(tag)
    path = folder / FILE
    if known:
        text = "".join(f"{tag}\n" for tag in sorted(known))
        replace(path, lambda file: file.write(text.encode()))
    else:
        with storage(path):
            path.unlink(missing_ok=True)
    return tuple(sorted(known))
