"""Thumb instructions as the engine decodes them, and as capstone does."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import capstone
import pytest
from capstone import arm

from irqscope_twin import build
from irqscope_twin.toolchain import compiler

HERE = Path(__file__).parent
BEGIN = 0x1000
KINDS = (
    "plain",
    "multiply",
    "multiply_long",
    "divide",
    "load",
    "store",
    "status",
    "if_then",
    "nothing",
    "wait",
    "wait_event",
    "send_event",
    "barrier_data",
    "barrier_fetch",
    "supervisor",
    "breakpoint",
    "undefined",
    "coprocessor",
    "floating",
    "floating_move",
    "floating_multiply_add",
    "floating_divide",
    "branch",
    "branch_if",
    "call",
    "branch_to",
    "table_branch",
    "call_to",
    "ret",
    "exception_return",
)
FLOWS = ("on", "call", "back", "trap", "from_trap")
SP, LR, PC = 13, 14, 15
FLAGS = 1 << 16
NAMES = [*(f"r{n}" for n in range(9)), "sb", "sl", "fp", "ip", "sp", "lr", "pc"]

#: What capstone 5 reports falsely, and what only other cores have (Armv8-M, SIMD, coprocessors).
FALSE = {
    "reads": {
        "ssat", "usat", "ssat16", "usat16", "pkhtb", "pkhbt", "uxtah", "sxtah", "uxtab", "sxtab",
        "uxtab16", "sxtab16", "smlal", "umlal", "umaal", "smlald", "smlaldx", "smlsld", "smlsldx",
        "smlalbb", "smlalbt", "smlaltb", "smlaltt", "strbt", "strht", "strt", "pld", "pldw", "pli",
        "vpush", "vpop", "vmsr", "msr", "msreq",
    },
    "writes": {"strbt", "strht", "strt", "stm", "stmdb", "vpush", "vpop", "svc"},
}  # fmt: skip
FOREIGN = (
    "ldc", "stc", "mcr", "mrc", "mrr", "cdp", "vld1", "vld2", "vld3", "vld4", "vst1", "vst2",
    "vst3", "vst4", "tt", "bxns", "blxns", "stl", "lda", "vudot", "vsdot", "vcmla", "vcadd",
    "fldm", "fstm",
)  # fmt: skip


class Decoded(NamedTuple):
    size: int
    kind: str
    reads: int
    writes: int
    base: int
    words: int
    multiple: bool
    offset: int
    flow: str


Decode = Callable[[int, int], Decoded]


@pytest.fixture(scope="module")
def decode(tmp_path_factory: pytest.TempPathFactory) -> Decode:
    """The engine's function: two halfwords."""
    folder = tmp_path_factory.mktemp("thumb")
    flags, objects = ["-O1", "-std=c++20", "-fPIC", "-fno-exceptions", f"-I{build.ENGINE}"], []
    cpu = build.ENGINE / "cpu"
    for source in (cpu / "thumb.cpp", cpu / "thumb_wide.cpp", HERE / "thumb.cpp"):
        objects.append(str(folder / f"{source.parent.name}-{source.stem}.o"))
        subprocess.run([*compiler(), *flags, "-c", source, "-o", objects[-1]], check=True)
    library = folder / "thumb.so"
    link = [*compiler(), "-shared", "-nostdlib", *objects, "-o", str(library)]
    subprocess.run(link, check=True)
    function = ctypes.CDLL(str(library)).decode

    def decoded(first: int, second: int = 0) -> Decoded:
        out = (ctypes.c_int32 * 9)()
        function(ctypes.c_uint16(first), ctypes.c_uint16(second), out)
        size, kind, reads, writes, base, words, multiple, offset, flow = out
        return Decoded(
            size, KINDS[kind], reads, writes, base, words, bool(multiple), offset, FLOWS[flow]
        )

    return decoded


@pytest.fixture(scope="module")
def witness() -> capstone.Cs:
    cs = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS)
    cs.detail = True
    return cs


def general(witness: capstone.Cs, registers: list[int]) -> int:
    """Registers as bits, without PC, of which capstone says nothing in many instructions."""
    names = [witness.reg_name(register) for register in registers]
    return sum({1 << NAMES.index(name) for name in names if name in NAMES[:PC]})


def expected_kinds(found: capstone.CsInsn) -> set[str]:
    """The kinds that the instruction may be."""
    name = found.mnemonic.split(".")[0]
    jumps = found.group(capstone.CS_GRP_JUMP) or found.group(capstone.CS_GRP_BRANCH_RELATIVE)
    if name in ("tbb", "tbh"):
        return {"table_branch"}
    if name == "bl":
        return {"call"}
    if name == "blx":
        return {"call_to"}
    moves = name in ("mov", "add", "pop", "ldm", "ldmdb", "ldr")
    if name == "bx" or (moves and "pc" in found.op_str.replace("[pc", "")):
        return {"ret", "branch_to", "load", "plain"}
    if name in ("cbz", "cbnz") or (jumps and name.startswith("b") and name not in ("b", "bkpt")):
        return {"branch_if"}
    if name == "b":
        return {"branch"}
    for begin, kind in (
        ("push", "store"), ("pop", "load"), ("ldr", "load"), ("ldm", "load"), ("str", "store"),
        ("stm", "store"), ("vldr", "load"), ("vldm", "load"), ("vpop", "load"), ("vstr", "store"),
        ("vstm", "store"), ("vpush", "store"), ("sdiv", "divide"), ("udiv", "divide"),
        ("svc", "supervisor"), ("bkpt", "breakpoint"), ("wfi", "wait"), ("wfe", "wait_event"),
        ("sev", "send_event"), ("isb", "barrier_fetch"), ("dsb", "barrier_data"),
        ("dmb", "barrier_data"), ("mrs", "status"), ("msr", "status"), ("cps", "status"),
        ("vdiv", "floating_divide"), ("vsqrt", "floating_divide"),
        ("vmla", "floating_multiply_add"), ("vfma", "floating_multiply_add"),
        ("mul", "multiply"), ("mla", "multiply"), ("mls", "multiply"),
        ("smull", "multiply_long"), ("umull", "multiply_long"), ("smlal", "multiply_long"),
    ):  # fmt: skip
        if name.startswith(begin):
            return {kind}
    return set(KINDS) - {"load", "store", "ret", "call", "branch", "branch_if", "branch_to"}


def differences(witness: capstone.Cs, found: capstone.CsInsn, it: Decoded) -> list[str]:
    name = found.mnemonic.split(".")[0]
    invalid = []
    if found.size != it.size:
        invalid.append("size")
    reads, writes = found.regs_access()
    for side, registers, own in (("reads", reads, it.reads), ("writes", writes, it.writes)):
        if name not in FALSE[side] and general(witness, registers) != own & ~(1 << PC) & ~FLAGS:
            invalid.append(side)
    if it.kind not in expected_kinds(found):
        invalid.append("kind")
    targets = [each.imm for each in found.operands[-1:] if each.type == arm.ARM_OP_IMM]
    if it.kind in ("branch", "branch_if", "call") and targets not in ([], [BEGIN + 4 + it.offset]):
        invalid.append("target")
    return invalid


def vector(found: capstone.CsInsn) -> str:
    """The mnemonic of an instruction of the FPU, or an empty string."""
    return found.mnemonic if found.mnemonic.startswith("v") else ""


def unpredictable(found: capstone.CsInsn) -> bool:
    """Whether it would write PC, and must not."""
    legal = ("bx", "blx", "mov", "add", "pop", "ldm", "ldr.", "tbb", "tbh")
    first = found.op_str.split(",")[0]
    pair = found.mnemonic.startswith("ldrd") and "pc" in found.op_str.split("[")[0]
    word = found.mnemonic if found.mnemonic != "ldr" else "ldr."
    return pair or (found.size == 4 and first == "pc" and not word.startswith(legal))


def compare(witness: capstone.Cs, decode: Decode, opcodes: list[tuple[int, int]]) -> int:
    """Number of instructions that both know, all of which agree."""
    expected, invalid = 0, []
    for first, second in opcodes:
        raw = first.to_bytes(2, "little") + second.to_bytes(2, "little")
        actual = next(witness.disasm(raw, BEGIN, 1), None)
        if actual is None or actual.mnemonic.startswith(FOREIGN) or "16" in vector(actual):
            continue
        if unpredictable(actual) or first & 0xEF00 == 0xEF00:  # SIMD
            continue
        expected += 1
        it = decode(first, second)
        if parts := differences(witness, actual, it):
            invalid.append(
                f"{first:04x} {second:04x} {actual.mnemonic} {actual.op_str}: {parts} {it}"
            )
    assert invalid == []
    return expected


def test_instructions_of_16_bits_are_those_of_capstone(
    witness: capstone.Cs, decode: Decode
) -> None:
    opcodes = [(first, 0) for first in range(0, 0xE800, 5)]
    assert compare(witness, decode, opcodes) > 11_000


def test_instructions_of_32_bits_are_those_of_capstone(
    witness: capstone.Cs, decode: Decode
) -> None:
    random = Random(1)
    opcodes = [(random.randrange(0xE800, 0x10000), random.getrandbits(16)) for _ in range(16_000)]
    assert compare(witness, decode, opcodes) > 4_000


@pytest.mark.parametrize(
    ("first", "second", "kind", "flow"),
    [
        (0x4770, 0, "ret", "back"),  # bx lr
        (0xBD10, 0, "ret", "back"),  # pop {r4, pc}
        (0xE8BD, 0x8010, "ret", "back"),  # pop.w {r4, pc}
        (0xF85D, 0xFB04, "ret", "back"),  # ldr.w pc, [sp], #4
        (0x46F7, 0, "ret", "back"),  # mov pc, lr
        (0x4718, 0, "branch_to", "on"),  # bx r3
        (0x4798, 0, "call_to", "call"),  # blx r3
        (0xF000, 0xF801, "call", "call"),  # bl
        (0xF000, 0xE802, "call", "call"),  # blx to ARM code
        (0xE8DF, 0xF000, "table_branch", "on"),  # tbb [pc, r0]
        (0xF3DE, 0x8F00, "exception_return", "from_trap"),  # eret, subs pc, lr, #0
        (0xE9BD, 0xC000, "exception_return", "from_trap"),  # rfeia sp!
        (0xBF08, 0, "if_then", "on"),  # it eq
        (0xBF00, 0, "nothing", "on"),
        (0xDE00, 0, "undefined", "on"),  # udf
        (0xEE1D, 0x3F70, "coprocessor", "on"),  # mrc p15, 0, r3, c13, c0, 3
    ],
)
def test_what_an_instruction_does_to_the_flow(
    first: int, second: int, kind: str, flow: str, decode: Decode
) -> None:
    it = decode(first, second)
    assert (it.kind, it.flow) == (kind, flow)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (0xB5F0, 0, 5),  # push {r4-r7, lr}
        (0xE92D, 0x4FF0, 9),  # push {r4-r11, lr}
        (0xE9D0, 0x1200, 2),  # ldrd r1, r2, [r0]
        (0x6800, 0, 1),  # ldr r0, [r0]
        (0x7800, 0, 1),  # ldrb
        (0xED2D, 0x8A10, 16),  # vpush {s16-s31}
        (0xED93, 0x7B00, 2),  # vldr d7
        (0xEDD3, 0x7A00, 1),  # vldr s15
        (0x1840, 0, 0),  # adds
    ],
)
def test_the_words_that_an_access_takes(
    first: int, second: int, words: int, decode: Decode
) -> None:
    assert decode(first, second).words == words


def test_flags_are_read_by_what_depends_on_them(decode: Decode) -> None:
    assert decode(0xD001, 0).reads & FLAGS  # beq
    assert decode(0x4148, 0).reads & FLAGS  # adcs r0, r1
    assert not decode(0x1840, 0).reads & FLAGS  # adds r0, r0, r1
    assert decode(0x1840, 0).writes & FLAGS
    assert not decode(0xEB00, 0x0001).writes & FLAGS  # add.w r0, r0, r1
