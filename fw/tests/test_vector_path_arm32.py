"""Executes the code for the Cortex-A9 instruction by instruction."""

import struct

import pytest

pytestmark = pytest.mark.quick

#: push; the GIC's address, IAR; the measured ID, compared; call; the marker's word, address, store.
PAPER = {"handler": 12}
VECTOR = 5


@pytest.fixture(scope="session")
def elf(build_zynq7000, vector_path):
    return vector_path.Elf(build_zynq7000 / "irqscope.elf")


@pytest.fixture(scope="session")
def paths(elf, vector_path):
    return {(path.markers, path.dispatcher): path for path in vector_path.measure_all(elf)}


@pytest.mark.parametrize("dispatcher", ["direct", "table"])
def test_paper_stores_the_handler_marker_alone_and_early(paths, dispatcher):
    assert paths["paper", dispatcher].stores == PAPER


@pytest.mark.parametrize("dispatcher", ["direct", "table"])
def test_stages_stores_the_vector_marker_at_once_then_handler_and_done(paths, dispatcher):
    path = paths["stages", dispatcher]
    assert list(path.stores) == ["vector", "handler", "done"]
    assert path.stores["vector"] == VECTOR
    assert path.stores["handler"] <= VECTOR + 14


def test_there_is_no_second_stamp(paths):
    assert set(paths) == {(m, d) for m in ("paper", "stages") for d in ("direct", "table")}


def test_markers_alternate_their_toggle_and_protect_the_other_cores(elf, vector_path):
    machine = vector_path.machine(elf)
    machine.prepare("paper", "direct")
    machine.call("baremetal_begin", 0)
    words = [machine.interrupt()[0][0][1] for _ in range(4)]
    assert [word >> 16 for word in words] == [0xFFF0] * 4  # 0 is written, 1 protected
    assert [word & 0xF for word in words] == [0xA, 0x2, 0xA, 0x2]  # handler, toggle in bit 3


@pytest.mark.parametrize("dispatcher", ["direct", "table"])
@pytest.mark.parametrize("markers", ["paper", "stages"])
def test_the_path_is_the_same_in_on_chip_memory(elf, vector_path, paths, markers, dispatcher):
    machine = vector_path.machine(elf)
    machine.prepare(markers, dispatcher, on_chip=True)
    machine.call("baremetal_begin", 0)
    # None of it may remain in DDR.
    code = machine.symbols["stack_code_start"], machine.symbols["stack_code_end"]
    machine.write(code[0], bytes(code[1] - code[0]))
    stores, total = machine.interrupt()
    expected = paths[markers, dispatcher]
    assert [at for at, _ in stores] == list(expected.stores.values())
    assert total == expected.total


@pytest.mark.parametrize(
    ("loads", "calls", "padding"), [(0, 0, 0), (7, 0, 3), (0, 5, 1), (300, 64, 9)]
)
@pytest.mark.parametrize(
    ("places", "stride", "offsets"), [(64, 32, [0]), (4, 1024, [0, 192, 960]), (1, 4096, [64, 128])]
)
def test_a_random_load_has_the_instructions_that_its_budget_counts_and_keeps_to_its_lines(
    elf, vector_path, loads, calls, padding, places, stride, offsets
):
    """ACCESSES_FIXED, ACCESSES_EACH and ACCESSES_PADDING of stacks/baremetal/cases/accesses.h."""
    machine = vector_path.machine(elf)
    data, code, fields = 0x1000_0000, 0x1010_0000, 0x1020_0000
    lines = {place * stride + offset for place in range(places) for offset in offsets}
    machine.write(data, bytes(4096))
    machine.write(code, bytes(4096))  # no instruction but BX LR at the lines
    for line in lines:
        machine.write(code + line, b"\x1e\xff\x2f\xe1")
    numbers = 1, 0, data, code, places, stride, len(offsets), loads, calls, padding
    machine.write(fields, struct.pack("<10I12I", *numbers, *(offsets + [4095] * 12)[:12]))
    assert machine.call("accesses_run", fields) == 12 + 16 * (loads + calls) + 2 * padding
    words = struct.unpack("<1024I", machine.read(data, 4096))
    stored = {4 * place for place, word in enumerate(words) if word}
    assert stored <= lines
    if loads > 20 * len(lines):
        assert stored == lines
    elif loads > 100:
        assert len(stored) > len(lines) / 2
