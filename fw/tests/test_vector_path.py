"""Executes the ELF's code instruction by instruction: vector paths and stores to the PL."""

import struct

import pytest

VECTOR_FLOOR, HANDLER_FLOOR = 5, 25  # instructions


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


@pytest.mark.parametrize("dispatcher", ["direct", "table"])
def test_the_second_store_leaves_the_first_where_it_was_and_follows_at_once(paths, dispatcher):
    alone = paths["paper", dispatcher].stores["handler"]
    emio_first, stm_first = (paths[m, dispatcher].stores for m in ("paper+stm", "stm+paper"))
    # One instruction more to make the second address, then the two stores.
    assert emio_first == {"handler": alone + 1, "stm": alone + 2}
    assert stm_first == {"stm": alone + 1, "handler": alone + 2}
    totals = {paths[m, dispatcher].total for m in ("paper+stm", "stm+paper")}
    assert totals == {paths["paper", dispatcher].total + 2}


# ---- the stack in the shape of the vendor's ------------------------------------------------------

REGISTERS = [0x0101_0101_0101_0101 * n for n in range(31)]
VECTORS = [n << 64 | n * 3 for n in range(1, 33)]


def interrupted(vector_path, elf, markers="paper"):
    """(stores and loads, registers afterwards, machine) of an interrupt of that stack."""
    machine = vector_path.Machine(vector_path.Elf(elf))
    machine.start()
    machine.prepare(markers, "table")
    machine.call("stack_begin")
    machine.set_registers(REGISTERS, VECTORS)
    return machine.interrupt(), machine.registers(), machine


@pytest.mark.parametrize("markers", ["paper", "stages"])
def test_the_standalone_vector_gives_every_register_back(standalone, vector_path, markers):
    (stores, _), registers, machine = interrupted(vector_path, standalone, markers)
    assert registers == (REGISTERS, VECTORS)
    names = {"paper": ["handler"], "stages": ["vector", "handler", "done"]}
    assert [vector_path.MARKERS[word & 7] for _, word in stores] == names[markers]
    assert machine.read(machine.symbols["standalone_fp_used"], 1) == b"\0"


def test_each_release_of_the_vendors_vector_is_as_much_longer(standalone, variant, vector_path):
    paths = {
        name: interrupted(vector_path, elf)[0]
        for name, elf in {
            "6.6": standalone,
            "6.2": variant("6.2"),
            "6.1": variant("6.1"),
        }.items()
    }
    handler = {name: stores[0][0] for name, (stores, _) in paths.items()}
    assert handler["6.6"] == handler["6.2"] + 1  # ISB
    assert handler["6.2"] == handler["6.1"] + 8  # three reads, two stores, CPTR_EL3 again


def test_a_handler_that_uses_fp_gets_it_trapped_and_every_register_comes_back(
    standalone, variant, vector_path
):
    (stores, total), registers, machine = interrupted(vector_path, variant("6.6 with FP"))
    (plain, shortest), _, _ = interrupted(vector_path, standalone)
    assert registers == (REGISTERS, VECTORS)
    assert machine.trapped == 1
    assert stores[0][0] - plain[0][0] > 22 + 16  # both frames, and the stores of q0 to q31
    assert total - shortest > 22 + 32


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
        machine.call("port_write", address, 0xCAFE)
        assert [store[1:] for store in machine.stores] == [
            (vector_path.DATA_4, 0xCAFE),
            (vector_path.MASK_DATA_3_MSW, address | write | (toggle ^ request)),
            (vector_path.MASK_DATA_3_MSW, address | write | toggle),
        ]


@pytest.mark.parametrize("dispatcher", ["direct", "table"])
@pytest.mark.parametrize("markers", ["paper", "stages"])
def test_the_path_is_the_same_in_on_chip_memory(build, vector_path, paths, markers, dispatcher):
    machine = vector_path.Machine(vector_path.Elf(build / "irqscope.elf"))
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
    ("places", "stride", "offsets"), [(64, 64, [0]), (4, 1024, [0, 192, 960]), (1, 4096, [64, 128])]
)
def test_a_random_load_has_the_instructions_that_its_budget_counts_and_keeps_to_its_lines(
    build, vector_path, loads, calls, padding, places, stride, offsets
):
    """ACCESSES_FIXED, ACCESSES_EACH and ACCESSES_PADDING of stacks/baremetal/cases/accesses.h."""
    machine = vector_path.Machine(vector_path.Elf(build / "irqscope.elf"))
    data, code, fields = 0x1000_0000, 0x1010_0000, 0x1020_0000
    lines = {place * stride + offset for place in range(places) for offset in offsets}
    machine.write(data, bytes(4096))
    machine.write(code, bytes(4096))  # no instruction but RET at the lines
    for line in lines:
        machine.write(code + line, b"\xc0\x03\x5f\xd6")
    numbers = 1, data, code, places, stride, len(offsets), loads, calls, padding
    machine.write(fields, struct.pack("<9Q12I", *numbers, *(offsets + [4095] * 12)[:12]))
    assert machine.call("accesses_run", fields) == 12 + 16 * (loads + calls) + 2 * padding
    words = struct.unpack("<1024I", machine.read(data, 4096))
    stored = {4 * place for place, word in enumerate(words) if word}
    assert stored <= lines
    if loads > 20 * len(lines):
        assert stored == lines
    elif loads > 100:
        assert len(stored) > len(lines) / 2


def test_a_stack_gets_its_data_as_the_loader_left_it(freertos, vector_path):
    machine = vector_path.Machine(vector_path.Elf(freertos))
    data, end = machine.symbols["stack_data_start"], machine.symbols["stack_data_end"]
    bss, bss_end = machine.symbols["stack_bss_start"], machine.symbols["stack_bss_end"]
    machine.call("stack_load")
    loaded = machine.read(data, end - data)
    assert (9999).to_bytes(8, "little") in loaded  # the kernel's nesting before its start
    machine.write(data, bytes(end - data))
    machine.write(bss, b"\xff" * (bss_end - bss))
    machine.call("stack_load")
    assert machine.read(data, end - data) == loaded
    assert not any(machine.read(bss, bss_end - bss))
