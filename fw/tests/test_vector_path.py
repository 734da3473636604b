"""Length of the vector paths, and where the first stores stand."""

import importlib.util
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "vector_path.py"

VECTOR_FLOOR, HANDLER_FLOOR = 5, 25  # instructions


@pytest.fixture(scope="session")
def vector_path():
    spec = importlib.util.spec_from_file_location("vector_path", SOURCE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclass looks for its annotations
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def paths(build, vector_path):
    measured = vector_path.measure_all(vector_path.Elf(build / "irqscope.elf"))
    return {(path.markers, path.dispatcher): path for path in measured}


@pytest.mark.parametrize("dispatcher", ["direct", "table"])
def test_paper_stores_the_handler_marker_alone_and_early(paths, dispatcher):
    path = paths["paper", dispatcher]
    assert list(path.stores) == ["handler"]
    assert path.stores["handler"] <= HANDLER_FLOOR


@pytest.mark.parametrize("dispatcher", ["direct", "table"])
def test_stages_stores_the_vector_marker_at_once_then_handler_and_done(paths, dispatcher):
    path = paths["stages", dispatcher]
    assert list(path.stores) == ["vector", "handler", "done"]
    assert path.stores["vector"] <= VECTOR_FLOOR
    # Behind the vector marker the path is no longer than without it.
    assert path.stores["handler"] - path.stores["vector"] <= HANDLER_FLOOR
