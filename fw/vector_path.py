"""Counts the instructions from an interrupt's vector entry to each of its marker stores.

    python fw/vector_path.py [ELF]

The ELF's own code runs on an emulated core, a Cortex-A53 at EL3 or a Cortex-A9: the stack is
prepared by its functions, the exception is entered as the architecture says, and each store to the
marker port is reported with the number of instructions executed since the vector's first one,
itself included.
"""

from __future__ import annotations

import argparse
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import unicorn
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from unicorn import arm64_const as arm64
from unicorn import arm_const as arm

from irqscope.constants import Marker
from irqscope.link.messages import Dispatcher, Markers
from irqscope.machines.generated import MACHINES

FIRMWARE = Path(__file__).resolve().parent
DEFAULT_ELF = FIRMWARE.parent / "build" / "fw" / "irqscope.elf"

DISPATCHERS = [dispatcher.name.lower() for dispatcher in Dispatcher]
STANDALONE = "standalone_interrupt"  # a function of that stack, which has a table alone
MARKERS = [marker.name.lower() for marker in Marker]

DESCRIBED = {machine.name: machine for machine in MACHINES}
DDR, OCM = DESCRIBED["zynqmp"].placements  # on zynq7000 they begin alike
DDR_SIZE = 0x0010_0000  # as much as the program takes, and a call stack
PAGE = 0x1000
# The GPIO of both machines: by bank, of which the EMIO has two (fw/machine/zynq/gpio.h).
MASK_DATA_3_MSW, DATA_4, DATA_3_RO = 0x004 + 8 * 3, 0x040 + 4 * 4, 0x060 + 4 * 3
IRQ_VECTOR = 0x280
EL3H_MASKED, EL3H_IRQ_UNMASKED = 0x3CD, 0x34D  # PSTATE
TPIDR_EL0 = (13, 0, 3, 3, 2)  # CRn, CRm, op0, op1, op2
SPSR_EL3 = (4, 0, 3, 6, 0)
ESR_EL3, CPTR_EL3 = (5, 2, 3, 6, 0), (1, 1, 3, 6, 2)
FP_ACCESS, CPTR_TFP = 0x07 << 26, 1 << 10  # ESR_EL3.EC
SYNC_VECTOR = 0x200
GENERAL = [
    *range(arm64.UC_ARM64_REG_X0, arm64.UC_ARM64_REG_X0 + 29),
    arm64.UC_ARM64_REG_X29,
    arm64.UC_ARM64_REG_X30,
]
LONGEST_RUN = 10_000_000  # instructions


def numbers(machine: str, header: str) -> dict[str, int]:
    """The plain numbers that a header of the firmware's binding defines."""
    text = (FIRMWARE / "machine" / machine / "bound" / header).read_text(encoding="utf-8")
    defined = re.findall(r"(?m)^#define (\w+) (0x[0-9A-F]+|\d+)\b", text)
    return {name: int(value, 0) for name, value in defined}


class Elf:
    """Loaded segments and symbols of an ELF file.

    Raises ELFError if the file is not an ELF file.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            elf = ELFFile(file)
            self.bits: int = elf.elfclass
            #: (physical address, bytes) of each segment; what only memory holds is left out.
            self.segments = [
                (segment["p_paddr"], segment.data())
                for segment in elf.iter_segments()
                if segment["p_type"] == "PT_LOAD"
            ]
            #: Address of each symbol.
            table = elf.get_section_by_name(".symtab")
            if table is None:
                raise ELFError("it has no symbols")
            self.symbols: dict[str, int] = {
                symbol.name: symbol["st_value"] for symbol in table.iter_symbols()
            }


@dataclass(frozen=True)
class VectorPath:
    """One path, in instructions from the vector's first one to the named one, both included."""

    markers: str
    dispatcher: str
    stores: dict[str, int]  #: marker, or "stm": its store
    total: int  #: the return from the exception


class Machine:
    """A Cortex-A53 at EL3 with memory, marker port and a GIC that says ``interrupt_id``."""

    machine = "zynqmp"
    marker_port = "GPIO_MASK_DATA_3_LSW"
    _park = DDR.base + DDR_SIZE - PAGE  # functions return to here; below: the call stack
    _pc, _link, _first_argument = (
        arm64.UC_ARM64_REG_PC,
        arm64.UC_ARM64_REG_X30,
        arm64.UC_ARM64_REG_X0,
    )

    def __init__(self, elf: Elf) -> None:
        described = DESCRIBED[self.machine]
        self.marker_sets = described.has.markers
        self.interrupt_id = described.interrupts.shared.ids[0]
        self.finished_id = described.interrupts.finished
        self.known = numbers(self.machine, "addresses.h") | numbers(self.machine, "marker.h")
        self.symbols = elf.symbols
        self._executed = 0
        self._acknowledge = 0
        #: Each store to the GPIO in the last run: (instructions executed, offset, word).
        self.stores: list[tuple[int, int, int]] = []
        self.stm_stores: list[int] = []  #: instructions executed before each byte to the STM's port
        self._stop_at: set[int] = set()
        self.trapped = 0  #: instructions that used FP registers where that is trapped
        self._uc = uc = self._core()
        uc.mem_map(DDR.base, DDR_SIZE)
        uc.mem_map(OCM.base, OCM.size)
        self._moved = 0  # from where the vector path was linked to where it runs
        for address, image in elf.segments:
            uc.mem_write(address, image)
        self._map_devices()
        uc.hook_add(unicorn.UC_HOOK_CODE, self._instruction)

    def _core(self) -> unicorn.Uc:
        uc = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        uc.ctl_set_cpu_model(arm64.UC_CPU_ARM64_A53)
        uc.reg_write(arm64.UC_ARM64_REG_PSTATE, EL3H_MASKED)
        # Only a write of a system register makes the translator notice the exception level.
        uc.reg_write(arm64.UC_ARM64_REG_CP_REG, (*TPIDR_EL0, 0))
        uc.reg_write(arm64.UC_ARM64_REG_SP, self._park)
        return uc

    def _map_devices(self) -> None:
        uc, words = self._uc, self.known
        uc.mmio_map(words["GPIO_BASE"], PAGE, self._gpio_read, None, self._gpio_write, None)
        uc.mmio_map(words["STM_PORTS_BASE"], PAGE, lambda *_: 0, None, self._stm_write, None)
        uc.mmio_map(words["GICD_BASE"], PAGE, lambda *_: 0, None, lambda *_: None, None)
        uc.mmio_map(words["GICC_BASE"], PAGE, self._gicc_read, None, lambda *_: None, None)

    def _instruction(self, uc: unicorn.Uc, address: int, _size: int, _data: object) -> None:
        if address in self._stop_at:
            uc.emu_stop()
        elif self._is_trapped(address):
            self.trapped += 1
            uc.reg_write(arm64.UC_ARM64_REG_ELR_EL3, address)
            uc.reg_write(arm64.UC_ARM64_REG_CP_REG, (*SPSR_EL3, EL3H_MASKED))
            uc.reg_write(arm64.UC_ARM64_REG_CP_REG, (*ESR_EL3, FP_ACCESS))
            vbar = uc.reg_read(arm64.UC_ARM64_REG_VBAR_EL3)
            uc.reg_write(arm64.UC_ARM64_REG_PC, vbar + SYNC_VECTOR)
        else:
            self._executed += 1

    def _is_trapped(self, address: int) -> bool:
        """Use of an FP register where CPTR_EL3 traps it, which Unicorn does not.

        By two bits of the encoding: capstone's groups hold no loads and stores of FP registers.
        """
        (opcode,) = struct.unpack("<I", self._uc.mem_read(address, 4))
        memory, arithmetic = opcode >> 25 & 5 == 4, opcode >> 25 & 7 == 7
        if not (arithmetic or (memory and opcode >> 26 & 1)):
            return False
        return bool(self._uc.reg_read(arm64.UC_ARM64_REG_CP_REG, CPTR_EL3) & CPTR_TFP)

    def _gpio_write(
        self, _uc: unicorn.Uc, offset: int, _size: int, value: int, _data: object
    ) -> None:
        self.stores.append((self._executed, offset, value))
        if offset == MASK_DATA_3_MSW:
            self._acknowledge = value >> 15 & 1  # each request of the EMIO port, at once

    def _stm_write(
        self, _uc: unicorn.Uc, offset: int, size: int, _value: int, _data: object
    ) -> None:
        if (offset, size) == (self.known["MARKER_STM_PORT"], 1):
            self.stm_stores.append(self._executed)

    def _gpio_read(self, _uc: unicorn.Uc, offset: int, _size: int, _data: object) -> int:
        return self._acknowledge if offset == DATA_3_RO else 0

    def _gicc_read(self, _uc: unicorn.Uc, offset: int, _size: int, _data: object) -> int:
        return self.interrupt_id if offset == self.known["GICC_IAR"] else 0

    def _run(self, start: int, stop_at: set[int]) -> None:
        self._executed, self.stores, self._stop_at = 0, [], stop_at
        self.stm_stores = []
        self._uc.emu_start(start, 0, count=LONGEST_RUN)
        stopped = self._uc.reg_read(self._pc)
        if stopped not in stop_at:
            raise RuntimeError(f"the code from {start:#x} on does not end; it is at {stopped:#x}")

    def call(self, function: str, *arguments: int) -> int:
        """Calls a C function with integer arguments; returns the instructions executed."""
        for register, argument in enumerate(arguments):
            self._uc.reg_write(self._first_argument + register, argument)
        self._uc.reg_write(self._link, self._park)
        self._run(self.symbols[function], {self._park})
        return self._executed

    def start(self) -> None:
        """The stack starts, with an application that does nothing."""
        self.call("stack_start", self._park)

    def prepare(self, markers: str, dispatcher: str, on_chip: bool = False) -> None:
        """Sets a vector path up, in DDR or in on-chip memory."""
        path = Markers[markers.upper().replace("+", "_")], Dispatcher[dispatcher.upper()]
        self.call("stack_prepare", self.interrupt_id, self.finished_id, *path, int(on_chip))
        self._moved = OCM.base - self.symbols["stack_code_start"] if on_chip else 0

    def write(self, address: int, data: bytes) -> None:
        """Into memory, which is mapped there if it is not yet."""
        if not any(first <= address <= last for first, last, _ in self._uc.mem_regions()):
            self._uc.mem_map(address & -PAGE, -(-len(data) // PAGE) * PAGE + PAGE)
        self._uc.mem_write(address, data)

    def read(self, address: int, size: int) -> bytes:
        """Reads memory."""
        return bytes(self._uc.mem_read(address, size))

    def set_registers(self, general: list[int], vector: list[int]) -> None:
        """Sets x0 to x30 and q0 to q31."""
        for number, value in enumerate(general):
            self._uc.reg_write(GENERAL[number], value)
        for number, value in enumerate(vector):
            self._uc.reg_write(arm64.UC_ARM64_REG_Q0 + number, value)

    def registers(self) -> tuple[list[int], list[int]]:
        """Returns x0 to x30 and q0 to q31."""
        vector = [self._uc.reg_read(arm64.UC_ARM64_REG_Q0 + number) for number in range(32)]
        return [self._uc.reg_read(number) for number in GENERAL], vector

    def interrupt(self) -> tuple[list[tuple[int, int]], int]:
        """Takes an interrupt in the idle loop, or in a place of no loop of another stack.

        Returns (instructions, word) of each store to the marker port, and the instructions up to
        the return from the exception.
        """
        standalone = STANDALONE in self.symbols
        interrupted = self._park if standalone else self.symbols["idle_first"] + self._moved
        entry = self._enter(interrupted)
        # A task that the handler woke is where the exception returns to instead.
        self._run(entry, {interrupted, self.symbols["idle_wake"] + self._moved})
        return self._markers(), self._executed

    def _markers(self) -> list[tuple[int, int]]:
        port = self.known[self.marker_port]
        return [(at, word) for at, offset, word in self.stores if offset == port]

    def _enter(self, interrupted: int) -> int:
        """Puts the core where the exception begins; returns its address."""
        self._uc.reg_write(arm64.UC_ARM64_REG_ELR_EL3, interrupted)
        self._uc.reg_write(arm64.UC_ARM64_REG_CP_REG, (*SPSR_EL3, EL3H_IRQ_UNMASKED))
        return self._uc.reg_read(arm64.UC_ARM64_REG_VBAR_EL3) + IRQ_VECTOR


class MachineA32(Machine):
    """A Cortex-A9 in supervisor mode with the same parts; its GIC belongs to the cores."""

    machine = "zynq7000"
    marker_port = "GPIO_MASK_DATA_2_LSW"
    _pc, _link, _first_argument = arm.UC_ARM_REG_PC, arm.UC_ARM_REG_LR, arm.UC_ARM_REG_R0

    _SCR, _VBAR = (15, 0, 1, 1, 1, 0, 0), (15, 0, 1, 12, 0, 0, 0)  # CP15, 32 bits, secure
    _SVC_MASKED, _SVC, _IRQ_MASKED, _SYSTEM = 0x1D3, 0x153, 0x1D2, 0x15F  # CPSR
    _VECTOR = 0x18

    def _core(self) -> unicorn.Uc:
        uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
        uc.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_A9)
        uc.reg_write(arm.UC_ARM_REG_CP_REG, (*self._SCR, 0))
        uc.reg_write(arm.UC_ARM_REG_CPSR, self._SVC_MASKED)
        return uc

    def _map_devices(self) -> None:
        uc, words = self._uc, self.known
        uc.mmio_map(words["GPIO_BASE"], PAGE, lambda *_: 0, None, self._gpio_write, None)
        uc.mmio_map(words["SCU_BASE"], 3 * PAGE, self._private_read, None, lambda *_: None, None)

    def _private_read(self, uc: unicorn.Uc, offset: int, size: int, data: object) -> int:
        gicc = self.known["GICC_BASE"] - self.known["SCU_BASE"]
        return self._gicc_read(uc, offset - gicc, size, data)

    def _is_trapped(self, address: int) -> bool:
        return False

    def call(self, function: str, *arguments: int) -> int:
        """Calls a C function with integer arguments; returns the instructions executed.

        What does not fit into four registers goes onto the call stack.
        """
        self._uc.reg_write(arm.UC_ARM_REG_CPSR, self._SVC_MASKED)
        rest = arguments[4:]
        top = self._park - 8 * len(rest)
        self._uc.reg_write(arm.UC_ARM_REG_SP, top)
        self._uc.mem_write(top, struct.pack(f"<{len(rest)}I", *rest))
        return super().call(function, *arguments[:4])

    def _enter(self, interrupted: int) -> int:
        self._uc.reg_write(arm.UC_ARM_REG_CPSR, self._IRQ_MASKED)
        self._uc.reg_write(arm.UC_ARM_REG_SPSR, self._SVC)
        self._uc.reg_write(arm.UC_ARM_REG_LR, interrupted + 4)
        return self._uc.reg_read(arm.UC_ARM_REG_CP_REG, self._VBAR) + self._VECTOR

    def interrupt_task(self, registers: list[int]) -> tuple[list[tuple[int, int]], list[int]]:
        """Takes an interrupt in a kernel's task, in system mode, with r0 to r14 as given.

        Returns (instructions, word) of each store to the marker port; and the task's r0 to r14 and
        CPSR afterwards.
        """
        names = [*range(arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R0 + 13)]
        names += [arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR]
        self._uc.reg_write(arm.UC_ARM_REG_CPSR, self._SYSTEM)
        for name, value in zip(names, registers, strict=True):
            self._uc.reg_write(name, value)
        self._uc.reg_write(arm.UC_ARM_REG_CPSR, self._IRQ_MASKED)
        self._uc.reg_write(arm.UC_ARM_REG_SPSR, self._SYSTEM)
        self._uc.reg_write(arm.UC_ARM_REG_LR, self._park + 4)
        entry = self._uc.reg_read(arm.UC_ARM_REG_CP_REG, self._VBAR) + self._VECTOR
        self._run(entry, {self._park})
        return self._markers(), [self._uc.reg_read(name) for name in [*names, arm.UC_ARM_REG_CPSR]]


def machine(elf: Elf) -> Machine:
    """The machine that a program was built for, by its bits."""
    return Machine(elf) if elf.bits == 64 else MachineA32(elf)


def measure(elf: Elf, markers: str, dispatcher: str) -> VectorPath:
    """Runs one marker set with one dispatcher."""
    core = machine(elf)
    core.prepare(markers, dispatcher)
    core.call("stack_begin")
    stores, total = core.interrupt()
    counts = {MARKERS[word & 7]: instructions for instructions, word in stores}
    if core.stm_stores:
        (counts["stm"],) = core.stm_stores
    return VectorPath(markers, dispatcher, counts, total)


def measure_all(elf: Elf) -> list[VectorPath]:
    """Every marker set with every dispatcher that the stack has."""
    dispatchers = DISPATCHERS[1:] if STANDALONE in elf.symbols else DISPATCHERS
    sets = machine(elf).marker_sets
    return [measure(elf, m, d) for m in sets for d in dispatchers]


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Instructions from vector entry to each marker.")
    parser.add_argument(
        "elf", nargs="?", type=Path, default=DEFAULT_ELF, help="bare metal or stack standalone"
    )
    elf = parser.parse_args().elf
    columns = ("vector", "handler", "stm", "done")
    try:
        paths = measure_all(Elf(elf))
    except OSError as error:
        print(f"{elf}: {error.strerror}; run `make build`", file=sys.stderr)
        return 2
    except (ELFError, unicorn.UcError) as error:
        print(f"{elf}: no program that this can run ({error}); see --help", file=sys.stderr)
        return 2
    print("markers    dispatcher  " + "".join(f"{name:>9}" for name in (*columns, "return")))
    for path in paths:
        cells = [str(path.stores.get(name, "-")) for name in columns] + [str(path.total)]
        print(f"{path.markers:10} {path.dispatcher:11} " + "".join(f"{cell:>9}" for cell in cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
