"""Properties of the ELF files from every compiler."""

import io
import re
import struct
import subprocess
import sys

import pytest
from elftools.elf.elffile import ELFFile

ELFS = ("irqscope.elf", "irqscope-freertos.elf", "irqscope-standalone.elf", "selftest.elf")
#: The port's instructions for tasks with an FP context, which do not exist here.
PORT_WITH_FP = {"FreeRTOS_SWI_Handler", "vPortRestoreTaskContext", "FreeRTOS_IRQ_Handler"}
#: Code run by a handler's first use of FP, and its reverse.
TRAP_WITH_FP = {"standalone_sync", "standalone_irq_paper", "standalone_irq_stages"}
DDR = range(0x0010_0000, 0x0020_0000)

PT_LOAD, PF_X, PF_W = 1, 1, 2


def segments(path):
    """(flags, address, size in memory) of each segment that is loaded."""
    image = path.read_bytes()
    at, size, count = struct.unpack_from("<Q14xHH", image, 32)
    for i in range(count):
        kind, flags, _, _, address, _, memory = struct.unpack_from("<IIQQQQQ", image, at + i * size)
        if kind == PT_LOAD:
            yield flags, address, memory


@pytest.fixture(params=ELFS)
def elf(request, build):
    for stack in ("freertos", "standalone"):
        if stack in request.param:
            request.getfixturevalue(stack)
    return build / request.param


def functions(elf, objdump):
    """(mnemonic, operands) of each instruction, by the name in front of it."""
    text = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", elf], capture_output=True, text=True, check=True
    ).stdout
    by_key = {}
    for line in text.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            function = by_key.setdefault(head[1], [])
        elif body := re.match(r" *[0-9a-f]+:\t(\S+)(?:\t([^/<]*))?", line):
            function.append((body[1], (body[2] or "").strip()))
    assert sum(map(len, by_key.values())) > 1000
    return by_key


@pytest.fixture
def instructions(elf, need):
    """(address, mnemonic, operands) of each instruction."""
    objdump = need("aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu")
    listing = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", elf], capture_output=True, text=True, check=True
    ).stdout
    lines = re.findall(r"^ *([0-9a-f]+):\t(\S+)(?:\t(.*))?$", listing, re.MULTILINE)
    assert len(lines) > 1000
    return [(int(address, 16), name, operands) for address, name, operands in lines]


def test_is_loaded_into_ddr_and_starts_there(elf):
    loaded = list(segments(elf))
    assert struct.unpack_from("<Q", elf.read_bytes(), 24) == (DDR.start,)
    assert all(address in DDR and address + size - 1 in DDR for _, address, size in loaded)
    assert not any(flags & PF_X and flags & PF_W for flags, _, _ in loaded)


def test_no_instruction_uses_the_registers_that_no_handler_saves(elf, need):
    """The port's code for a task with an FP context may: no task has one, or can ask for one."""
    objdump = need("aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu")
    simd = re.compile(r"\b[bhsdqv]([12]?\d|3[01])(\.\w+)?\b")
    code = functions(elf, objdump)
    unique = {name for name in code if any(simd.search(operands) for _, operands in code[name])}
    allowed = {"irqscope-freertos.elf": PORT_WITH_FP, "irqscope-standalone.elf": TRAP_WITH_FP}
    assert unique == allowed.get(elf.name, set())
    assert "vPortTaskUsesFPU" not in code


def test_the_kernels_vector_marks_with_its_fourth_instruction_or_is_the_ports(freertos, need):
    code = functions(freertos, need("aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu"))
    irq = 0x80 // 4  # from a task, on SP_EL0
    stages, paper = code["freertos_vectors_stages"], code["_freertos_vector_table"]
    assert [name for name, _ in stages[irq : irq + 4]] == ["stp", "mrs", "mov", "str"]
    assert paper[irq][0] == "b"


def test_a_system_error_is_taken_only_when_it_can_be_reported(elf, need):
    """An earlier program may have left one pending.

    The core takes it when it unmasks it, so stack, cleared memory and UART have to be set up first.
    """
    code = functions(elf, need("aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu"))
    unmasking = {
        name
        for name, listing in code.items()
        if any(i == "msr" and operands.startswith("daifclr, #0x4") for i, operands in listing)
    }
    assert "_start" in code and "_start" not in unmasking
    assert len(unmasking) >= 2  # core 0, and the others


PUSHES = ["stp"] * 11
CONTEXT = ["mrs", "mrs", "mrs", "stp", "str", "mrs", "orr", "msr"]
BEFORE_THE_CALL = {
    "6.6": [*PUSHES, *CONTEXT, "isb"],
    "6.2": [*PUSHES, *CONTEXT],
    "6.1": PUSHES,
}


@pytest.mark.parametrize("release", BEFORE_THE_CALL)
def test_the_standalone_vector_has_the_releases_shape(release, standalone, variant, need):
    """Embeddedsw's asm_vectors.S of that release, instruction by instruction."""
    elf = standalone if release == "6.6" else variant(release)
    code = functions(elf, need("aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu"))
    irq = 0x280 // 4
    assert code["standalone_vectors_paper"][irq][0] == "b"
    path = code["standalone_irq_paper"]
    call = next(i for i, (name, _) in enumerate(path) if name == "bl")
    assert [name for name, _ in path[:call]] == BEFORE_THE_CALL[release]
    pairs = [operands.split(", [")[0] for _, operands in path[:11]]
    assert pairs == [*(f"x{n}, x{n + 1}" for n in range(0, 20, 2)), "x29, x30"]
    stages = code["standalone_vectors_stages"]
    assert stages[irq][0] == "b"
    names = [name for name, _ in code["standalone_irq_stages"][:4]]
    assert names == ["stp", "mrs", "mov", "str"]


def test_no_code_that_erratum_843419_makes_wrong(instructions):
    """Checks for the sequence that Arm's erratum 843419 describes (EPM048406).

    It is ADRP in the last two words of a page, then a load or store, and one or two instructions
    later a load or store by the register that ADRP wrote.
    """
    code = {address: (name, operands) for address, name, operands in instructions}

    def access(address):
        name, operands = code.get(address, ("", ""))
        return operands if name.startswith(("ld", "st")) else ""

    def hit(address):
        base = f"[{code[address][1].split(',')[0]}"
        third, fourth = access(address + 8), access(address + 12)
        return access(address + 4) and any(
            re.search(rf"{re.escape(base)}\b", operands) for operands in (third, fourth)
        )

    at_end = [a for a, (name, _) in code.items() if name == "adrp" and a % 0x1000 in (0xFF8, 0xFFC)]
    assert [hex(address) for address in at_end if hit(address)] == []


def test_the_vector_path_names_nothing_outside_but_by_pointer(build, instructions, elf, need):
    """It is copied as one piece: a branch or address relative to the PC would miss its target."""
    nm = need("aarch64-linux-gnu-nm", "binutils-aarch64-linux-gnu")
    listing = subprocess.run([nm, elf], capture_output=True, text=True, check=True).stdout
    symbols = {name: int(at, 16) for at, _, name in map(str.split, listing.splitlines())}
    first, end = symbols["stack_code_start"], symbols["stack_code_end"]
    if elf.name == "selftest.elf":
        assert first == end
        return
    by_distance = re.compile(r"b|bl|b\.\w+|cbn?z|tbn?z|adrp?")
    piece = [i for i in instructions if first <= i[0] < end]
    targets = [
        int(re.search(r"\b([0-9a-f]+) <", operands)[1], 16)
        for _, name, operands in piece
        if by_distance.fullmatch(name)
    ]
    assert len(targets) > 40
    assert [hex(target) for target in targets if not first <= target < end] == []


def word(path, firmware_hash):
    """The hash stored in the program at a path."""
    with path.open("rb") as file:
        at = firmware_hash.place(ELFFile(file))
    return int.from_bytes(path.read_bytes()[at : at + firmware_hash.SIZE], "little")


def computed(content, firmware_hash):
    """The expected hash of a program with this file content."""
    return firmware_hash.firmware_hash(ELFFile(io.BytesIO(content)))


def test_the_program_tells_the_hash_of_what_it_has_loaded(build, firmware_hash):
    tells_what_is_loaded(build / "irqscope.elf", firmware_hash)


def test_so_does_that_of_another_machine(build_zynq7000, firmware_hash):
    tells_what_is_loaded(build_zynq7000 / "irqscope.elf", firmware_hash)


def tells_what_is_loaded(program, firmware_hash):
    content = program.read_bytes()
    reported = word(program, firmware_hash)
    assert reported == computed(content, firmware_hash) not in (0, 0xFFFFFFFF)
    with program.open("rb") as file:
        elf = ELFFile(file)
        place = firmware_hash.place(elf)
        places = [
            (segment["p_offset"], segment["p_filesz"])
            for segment in elf.iter_segments()
            if segment["p_type"] == "PT_LOAD" and segment["p_filesz"]
        ]
        debug = elf.get_section_by_name(".debug_line")["sh_offset"]
    assert len(places) >= 2

    def with_another(at):
        other = bytearray(content)
        other[at] ^= 1
        return computed(bytes(other), firmware_hash)

    for at in (at for offset, size in places for at in (offset, offset + size - 1)):
        assert (with_another(at) == reported) is (place <= at < place + 4)
    assert with_another(debug) == reported
    assert [with_another(place + i) for i in range(4)] == [reported] * 4


def test_stacks_are_programs_of_their_own(build, standalone, firmware_hash):
    assert word(build / "irqscope.elf", firmware_hash) != word(standalone, firmware_hash)


def test_a_file_without_place_for_a_hash_is_refused(build, firmware, tmp_path):
    (tmp_path / "text").write_text("no program")
    for path, why in (
        (build / "selftest.elf", "not one variable firmware_hash of 4 bytes"),
        (tmp_path / "text", "Magic number does not match"),
        (tmp_path / "none", "No such file or directory"),
    ):
        process = subprocess.run(
            [sys.executable, firmware / "firmware_hash.py", path],
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert process.returncode == 1
        assert process.stderr.count("\n") == 1
        assert f"{path}: " in process.stderr and why in process.stderr


@pytest.mark.parametrize(
    ("machine", "stack", "said"),
    [
        ("soft", "nxti", "soft has no nxti: mnxti is a register of a CLIC."),
        (
            "zynqmp",
            "nested",
            "zynqmp has no nested: its handlers nest by the CSRs of a RISC-V core.",
        ),
        ("zynq7000", "standalone", "zynq7000 has no standalone: it is written after the vendor's"),
        ("clic", "freertos", "clic has no freertos: the kernel's port for RISC-V knows the CSRs"),
        ("picorv32", "emret", "picorv32 has no emret: a core that saves registers itself is"),
        ("soft", "nowhere", "there is no stack nowhere: stacks/nowhere/stack.mk is missing."),
    ],
)
def test_a_stack_that_is_not_for_the_machine_is_not_built(firmware, tmp_path, machine, stack, said):
    command = ["make", "-s", f"MACHINE={machine}", f"STACK={stack}", f"BUILD={tmp_path / 'fw'}"]
    process = subprocess.run(
        command, cwd=firmware, capture_output=True, text=True, check=False, timeout=60
    )
    assert process.returncode == 2
    (line,) = process.stderr.splitlines()
    assert said in line
    assert not (tmp_path / "fw").exists()
