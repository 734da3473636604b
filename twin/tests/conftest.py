import sys
from pathlib import Path

import pytest

from irqscope_twin import build
from objects import once_a_run

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session", autouse=True)
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine, up to date. A missing tool fails every test here: nothing is skipped."""
    once_a_run(tmp_path_factory, "twin", build.build)
    return build.EXECUTABLE
