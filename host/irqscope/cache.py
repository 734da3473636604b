"""The user's cache of compiled or proved results, by the content that they depend on.

All checkouts and processes of a user share it: ``$XDG_CACHE_HOME/irqscope``, or the folder in
``IRQSCOPE_CACHE``. An empty ``IRQSCOPE_CACHE`` switches it off. An entry is one file: the SHA-256
of its body in hexadecimal, a newline, the body. It appears by a rename, so two processes may write
it at once; an entry with another hash is removed and counts as missing.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import tarfile
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from .resources import compiled, user_cache

#: Entries that nobody used for that long are removed.
UNUSED_S = 60 * 24 * 3600
_HEX = 64
#: Kinds of entries, a subfolder each: files of a step, headers that it read, proofs that succeeded.
KINDS = ("products", "headers", "outcomes")


def folder() -> Path | None:
    """Return the folder of the cache, or None if it is switched off."""
    named = os.environ.get("IRQSCOPE_CACHE")
    if named is None:
        return user_cache()
    return Path(named).expanduser().absolute() if named else None


def compiler_folder() -> Path:
    """Return the folder of the compiler's own cache (``ZIG_GLOBAL_CACHE_DIR`` if that is set)."""
    named = os.environ.get("ZIG_GLOBAL_CACHE_DIR")
    return Path(named) if named else (folder() or compiled("")) / "zig"


def load(kind: str, key: str) -> bytes | None:
    """Return the body of an entry, or None without an intact one."""
    path = _path(kind, key)
    if path is None:
        return None
    try:
        content = path.read_bytes()
    except OSError:
        return None
    body = content[_HEX + 1 :]
    if content[: _HEX + 1] != _head(body):
        path.unlink(missing_ok=True)
        return None
    with contextlib.suppress(OSError):  # another user's folder may be readable only
        os.utime(path)
    return body


def save(kind: str, key: str, body: bytes) -> None:
    """Store the body of an entry. A folder that cannot be written stores nothing."""
    path = _path(kind, key)
    if path is None:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, _head(body) + body)


def load_files(kind: str, key: str, base: Path) -> bool:
    """Write the files of an entry below ``base``, each by a rename. Return whether it exists."""
    body = load(kind, key)
    if body is None:
        return False
    base.mkdir(parents=True, exist_ok=True)
    with (
        tarfile.open(fileobj=io.BytesIO(body)) as archive,
        tempfile.TemporaryDirectory(dir=base, prefix=".cache-") as name,
    ):
        archive.extractall(name, filter="data")
        for member in archive.getnames():
            (base / member).parent.mkdir(parents=True, exist_ok=True)
            (Path(name) / member).replace(base / member)
    return True


def save_files(kind: str, key: str, base: Path, files: Iterable[Path]) -> None:
    """Store files, which are below ``base``, as one entry."""
    if folder() is None:
        return
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for path in sorted(files):
            about = tarfile.TarInfo(str(path.relative_to(base)))
            about.mode, about.mtime = path.stat().st_mode, int(time.time())
            content = path.read_bytes()
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    save(kind, key, stream.getvalue())


def prune() -> None:
    """Remove the entries that were not used for UNUSED_S."""
    root, limit = folder(), time.time() - UNUSED_S
    for kind in KINDS:
        for path in (root / kind).glob("??/*") if root else ():
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < limit:
                    path.unlink()


def _path(kind: str, key: str) -> Path | None:
    root = folder()
    return root / kind / key[:2] / key if root else None


def _head(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode() + b"\n"


def _write(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
