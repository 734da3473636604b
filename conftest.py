"""Gives every test a clean environment for its child processes, and loads the plugin of costs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cost import Costs
from irqscope import cache

#: What is meant for the pytest that was started, and not for one that a test starts.
OF_PYTEST = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")
#: A pipe has 100 columns in tests, on a machine that says otherwise, too.
os.environ.pop("COLUMNS", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--quick`` for `make check`; ``--cost FILE``: see tests/cost.py."""
    parser.addoption(
        "--quick", action="store_true", help="run the tests that are marked `quick` alone"
    )
    parser.addoption("--cost", metavar="FILE", help="write what each test costs to FILE")


def pytest_configure(config: pytest.Config) -> None:
    """Runs before the workers of pytest-xdist start, and in each."""
    for name in OF_PYTEST:
        os.environ.pop(name, None)
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache.compiler_folder()))
    if config.getoption("quick"):
        config.option.markexpr = "quick and not soak"
    if config.getoption("cost"):
        config.pluginmanager.register(Costs(config), "cost")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out files without a quick test: collecting all costs more than running these."""
    if not config.getoption("quick") or not collection_path.name.startswith("test_"):
        return None
    return True if b"mark.quick" not in collection_path.read_bytes() else None
