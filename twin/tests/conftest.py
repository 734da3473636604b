import sys
from pathlib import Path

import pytest

from irqscope_twin import build

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session", autouse=True)
def engine() -> Path:
    """The engine, up to date. A missing tool fails every test here: nothing is skipped."""
    return build.build()
