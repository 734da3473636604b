"""ELF files of others: read once and bounded, and no name of theirs does harm."""

from __future__ import annotations

import os
import random
import struct
import time
from pathlib import Path

import pytest
from irqscope_fake.elf import AARCH64, ARM, BASE, elf

from irqscope.machines import elf as reader
from irqscope.machines.elf import ProgramError, handed_over, read_elf
from irqscope.machines.firmware_file import firmware
from irqscope.machines.program_file import Kind, Program

RV32 = Kind("EM_RISCV", 32, "this core takes RV32")


def written(folder, data, name="p.elf"):
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("wide", [False, True])
def test_what_a_file_holds(tmp_path, wide):
    actual = read_elf(written(tmp_path, elf(wide=wide, code=bytes(range(64)))))
    assert (actual.machine, actual.bits) == ("EM_RISCV", 64 if wide else 32)
    assert [(s.name, s.address, s.size, s.function) for s in actual.symbols] == [
        ("_start", BASE, 4, True),
        ("main", BASE + 4, 4, True),
    ]
    assert [(s.address, s.data) for s in actual.segments] == [(BASE, bytes(range(64)))]
    assert actual.lines("main.c") is None
    assert Program(actual).place("main+0x10") == (BASE + 0x14, 4)


def test_a_function_of_thumb_is_where_its_code_is(tmp_path):
    data = elf(machine=ARM)
    unusual = data.replace(struct.pack("<II", BASE + 4, 4), struct.pack("<II", BASE + 5, 4))
    assert unusual != data
    assert read_elf(written(tmp_path, unusual)).functions == {BASE: "_start", BASE + 4: "main"}


def test_functions_of_one_name_are_told_apart(tmp_path):
    names = [b"step", b"step", b"other", b"twice", b"twice", b"twice (1)"]
    actual = read_elf(written(tmp_path, elf(names)))
    assert actual.told_apart == {
        BASE: "step (1)",
        BASE + 4: "step (2)",
        BASE + 12: f"twice (1) at {BASE + 12:#x}",
        BASE + 16: "twice (2)",
    }


ODD = [
    b"caf\xe9", b"\xff\xfe", b'a"b', b"a\nb", b"a\xe2\x80\xa8b", b"a\x1b[2Jb", b"a,b", b"a\rb",
    b"\xe2\x80\xae", b"x" * 200_000, b"\x7f", "ü".encode(), b" ", b"a\tb",
]  # fmt: skip


def test_names_are_one_line_each_and_short(tmp_path):
    actual = read_elf(written(tmp_path, elf(ODD)))
    names = [symbol.name for symbol in actual.symbols]
    assert len(names) == len(ODD)
    for name in names:
        assert name.isprintable() and name.encode() and len(name) <= 4 * reader.MOST_NAME
    assert "ü" in names and "caf\\xe9" in names and "a\\x1b[2Jb" in names


def test_a_simulation_gets_the_bytes_that_were_read_and_nobody_can_change_them(tmp_path):
    path = written(tmp_path, elf(ODD))
    actual = read_elf(path)
    path.write_bytes(elf())
    words = handed_over(actual)
    settings = dict(zip(words[::2], words[1::2], strict=True))
    program, symbols = settings["--program"], settings["--symbols"]
    assert read_elf(Path(program)).data == actual.data
    lines = [line.partition(" ") for line in Path(symbols).read_text().splitlines()]
    assert {int(at, 16): name for at, _, name in lines if name} == actual.functions
    with pytest.raises(PermissionError):
        os.truncate(program, 0)
    for word in (program, symbols):
        os.close(int(word.rpartition("/")[2]))


def test_no_function_goes_on_after_the_bytes_of_the_program(tmp_path):
    """Else an address far away would be told as that of the last function, or of a label there."""
    data = elf([b"_start", b"main", b"stack_top"], code=bytes(8))
    _, program, _, _, _, symbols = handed_over(read_elf(written(tmp_path, data)))
    lines = Path(symbols).read_text().splitlines()
    for word in (program, symbols):
        os.close(int(word.rpartition("/")[2]))
    assert lines == [f"{BASE:x} _start", f"{BASE + 4:x} main", f"{BASE + 8:x} "]


def test_a_pipe_and_a_sparse_file_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(8 << 30)
    started = time.monotonic()
    for name, message in (
        ("pipe", "regular file"),
        ("sparse", "too long"),
        ("none", "No such file"),
    ):
        with pytest.raises(ProgramError, match=f"{name}: .*{message}.*; name a program"):
            read_elf(tmp_path / name)
    assert time.monotonic() - started < 5


def lying(data, at, form, value):
    return data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form) :]


def section(data, number, field):
    """Offset of a field of a section header in a 32-bit file."""
    return len(data) - 4 * 40 + 40 * number + 4 * field


GOOD = elf()
LIES = {
    "no magic": (0, "<I", 0, "it is not an ELF file"),
    "neither width": (4, "<B", 7, "of neither 32 nor 64 bits"),
    "big-endian": (5, "<B", 2, "it is a big-endian ELF file"),
    "sections outside": (32, "<I", 1 << 31, "cut short or damaged: it ends before its sections"),
    "odd sections": (46, "<H", 3, "entries of 3 bytes"),
    "65535 segments": (44, "<H", 0xFFFF, "it ends before its segments"),
    "4 GB of symbols": (section(GOOD, 2, 5), "<I", 0xFFFFFFF0, "has 268435455 symbols"),
    "4 GB of names": (
        section(GOOD, 3, 5),
        "<I",
        0xFFFFFFFF,
        "it ends before the names of its symbols",
    ),
    "names that take no place": (section(GOOD, 3, 1), "<I", 8, "its symbols have no names"),
    "names elsewhere": (section(GOOD, 2, 6), "<I", 77, "its symbols have no names"),
    "a segment outside": (52 + 16, "<I", 0x7000, "it ends before a segment"),
    "a segment of 4 GB": (52 + 16, "<I", 0xFFFFFFFF, "its segments hold more than the file"),
    "a segment around the end": (52 + 20, "<I", 0xFFFFFFFF, "takes 4294967295 bytes of memory"),
    "a segment in less": (52 + 20, "<I", 1, "has 256 bytes and takes 1 bytes"),
    "symbols of no size": (section(GOOD, 2, 9), "<I", 0, "entries of 0 bytes"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_header_that_lies_is_one_line(tmp_path, lie):
    at, form, value, output = LIES[lie]
    with pytest.raises(ProgramError, match=f"p.elf: .*{output}.*; name a program") as caught:
        read_elf(written(tmp_path, lying(GOOD, at, form, value)))
    assert "\n" not in str(caught.value)


def test_segments_on_each_other_are_refused(tmp_path):
    """The second segment is the first again, or a word after its end."""
    good = elf()
    header = good[52 : 52 + 32]
    for begin, message in (
        (BASE + 8, f"two of its segments are at {BASE + 8:#x}"),
        (BASE + 256, ""),
    ):
        second = bytearray(header)
        struct.pack_into("<III", second, 4, 52, begin, begin)
        struct.pack_into("<II", second, 16, 8, 8)
        data = bytearray(good + header + second)
        struct.pack_into("<I", data, 28, len(good))
        struct.pack_into("<H", data, 44, 2)
        if message:
            with pytest.raises(ProgramError, match=f"p.elf: .*{message}; name a program"):
                read_elf(written(tmp_path, bytes(data)))
        else:
            assert len(read_elf(written(tmp_path, bytes(data))).segments) == 2


def test_symbols_that_share_one_endless_name_take_no_time(tmp_path, monkeypatch):
    """A million symbols, each with the end of the file as its name."""
    monkeypatch.setattr(reader, "MOST_NAMES", 1 << 20)
    names = [b"x"] * 5000
    data = elf(names).replace(b"\0x\0x", b"xxxx")
    started = time.monotonic()
    with pytest.raises(ProgramError, match="names of more than"):
        read_elf(written(tmp_path, data.replace(b"x\0", b"xx")))
    assert time.monotonic() - started < 5


def test_a_place_is_an_address_of_the_program(tmp_path):
    program = Program(read_elf(written(tmp_path, elf())))
    for text in (
        "main+1_0",
        "main+\u0661",
        "main+zz",
        "main+" + "9" * 5000,
        "main.c:" + "9" * 5000,
    ):
        with pytest.raises(ProgramError, match="has no symbol"):
            program.place(text)
    with pytest.raises(ProgramError, match="no address of 32 bits"):
        program.place("main+0x80000000")


def test_what_it_is_built_for(tmp_path):
    with pytest.raises(ProgramError, match="p.elf: it is built for aarch64, 64 bits; this core"):
        Program(read_elf(written(tmp_path, elf(machine=AARCH64, wide=True))), RV32)


# ---- files that nobody wrote on purpose ------------------------------------------------------


def mutated(chance, good):
    """One of the files with lies, noise and cuts in it."""
    data = bytearray(chance.choice(good))
    for _ in range(chance.choice((0, 1, 1, 2, 4, 16))):
        # Headers are at both ends, and decide most.
        ends = chance.random() < 0.7
        at = chance.choice((chance.randrange(80), -chance.randrange(1, 700))) if ends else 0
        at = at % len(data) if ends else chance.randrange(len(data))
        size = chance.choice((1, 2, 4, 8))
        value = chance.choice((0, 1, 0x7F, 1 << 31, (1 << 64) - 1, chance.getrandbits(64)))
        data[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    if chance.random() < 0.1:
        del data[chance.randrange(len(data)) :]
    if chance.random() < 0.1:
        at = chance.randrange(len(data) + 1)
        data[at:at] = chance.randbytes(chance.randrange(64))
    return bytes(data)


def fuzz(folder, files, of_lines, seed):
    """Reads a number of mutated files; for one in ``of_lines`` also the line information."""
    chance = random.Random(seed)
    good = [elf(), elf(wide=True), elf(ODD, ARM), elf([b"a" * 3000] * 40, AARCH64, wide=True)]
    with_lines = firmware("zynqmp", "baremetal").read_bytes()
    read, refused = 0, 0
    for number in range(files):
        lines = number % of_lines == of_lines - 1
        data = mutated(chance, [with_lines] if lines else good)
        started = time.monotonic()
        try:
            actual = read_elf(written(folder, data))
            assert all(symbol.name.isprintable() for symbol in actual.symbols)
            program = Program(actual)
            for symbol in actual.symbols[:3]:
                program.place(symbol.name)
            if lines:
                actual.lines("link.c")
            read += 1
        except ProgramError as error:
            assert "\n" not in str(error) and "p.elf" in str(error)
            refused += 1
        except Exception as error:
            raise AssertionError(f"seed {seed}, file {number}") from error
        assert time.monotonic() - started < 90
    assert read and refused
    return read, refused


def test_of_mutated_files_none_is_unforeseen(tmp_path):
    fuzz(tmp_path, 600, 300, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_of_20000_mutated_files_none_is_unforeseen(tmp_path):
    print("read, refused:", fuzz(tmp_path, 20_000, 20, seed=2))
