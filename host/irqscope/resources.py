"""Locates all files of irqscope apart from its Python: in a checkout and in a wheel.

A wheel carries it in the folder ``carried``, in the places that it has in a checkout
(scripts/wheel.py). Products compiled on the user's machine go into the user's cache.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CARRIED = _PACKAGE / "carried"
#: Whether this is an installed wheel, which nobody can run make in.
INSTALLED = _CARRIED.is_dir()
_ROOT = _CARRIED if INSTALLED else _PACKAGE.parents[1]


def resource(path: str) -> Path:
    """Location of a file or folder that a checkout has at ``path``; it need not exist."""
    return _ROOT / path


def compiled(path: str) -> Path:
    """Returns where a product compiled from the sources of twin and cores is, or will be.

    A checkout has it in ``build``. Two installed copies do not share it: it knows the folders of
    the packages that it is linked with.
    """
    if not INSTALLED:
        return _ROOT / "build" / path
    from importlib.metadata import version  # here: a checkout starts without it

    copy = hashlib.sha256(str(_PACKAGE).encode()).hexdigest()[:8]
    return user_cache() / f"{version('irqscope')}-{copy}" / path


def user_cache() -> Path:
    """Return the folder of irqscope among the user's caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "irqscope"


def remedy(make: str, installed: str) -> str:
    """Remedy for a missing product: a target of make, or a step for a wheel's user."""
    return installed if INSTALLED else f"run `{make}`"


def extra(name: str) -> str:
    """Return how the user of a wheel installs one of its extras; no index has the package."""
    from importlib.metadata import version  # here: few need it

    wheel = f"irqscope-{version('irqscope')}-py3-none-any.whl"
    return f"install the file of the wheel with its extra: pip install './{wheel}[{name}]'"
