"""What the ELF's code does, instruction by instruction: vector paths and stores to the PL."""

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
    assert path.stores["handler"] <= HANDLER_FLOOR


def test_markers_alternate_their_toggle_and_protect_the_other_cores(build, vector_path):
    machine = vector_path.Machine(vector_path.Elf(build / "irqscope.elf"))
    machine.prepare("paper", "direct")
    machine.call("baremetal_begin", 0)
    words = [machine.interrupt()[0][0][1] for _ in range(4)]
    assert [word >> 16 for word in words] == [0xFFF0] * 4  # 0 is written, 1 protected
    assert [word & 0xF for word in words] == [0xA, 0x2, 0xA, 0x2]  # handler, toggle in bit 3


def test_a_request_changes_its_toggle_in_a_store_of_its_own(build, vector_path):
    machine = vector_path.Machine(vector_path.Elf(build / "irqscope.elf"))
    address, write, request = 0x123, 1 << 14, 1 << 15
    for toggle in (request, 0):  # from 0, and back
        machine.call("emio_write", address, 0xCAFE)
        assert [store[1:] for store in machine.stores] == [
            (vector_path.DATA_4, 0xCAFE),
            (vector_path.MASK_DATA_3_MSW, address | write | (toggle ^ request)),
            (vector_path.MASK_DATA_3_MSW, address | write | toggle),
        ]
