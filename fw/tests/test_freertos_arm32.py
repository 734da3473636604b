"""FreeRTOS on the Cortex-A9, instruction by instruction: the code before its own port."""

import re
import subprocess

import pytest

MEASURED, OTHER = 61, 70  # the interrupt of a case, and one that nobody asked for
DIRECT = "direct"
#: A task's values of r0 to r14; the stack pointer points into memory.
REGISTERS = [0x1111_1111 * n for n in range(13)] + [0x001F_0000, 0xEEEE_EEEE]
SYSTEM_UNMASKED = 0x15F
#: Instructions from the vector to the first marker: a branch, a push, one for the marker's word,
#: two for the port's address, the store.
VECTOR = 6
#: Functions that hold FP instructions. The port's three execute them only for a task with an FP
#: context, which no task has; after switch_before_exit the linker leaves the port's own
#: vApplicationIRQHandler, which ours replaces. The last function turns FP on.
WITH_FP = {
    "FreeRTOS_SWI_Handler",
    "vPortRestoreTaskContext",
    "switch_before_exit",
    "freertos_fp_on",
}


@pytest.fixture
def kernel(freertos_zynq7000, vector_path):
    machine = vector_path.machine(vector_path.Elf(freertos_zynq7000))
    machine.call("set_interrupt_call_stack", 0)
    return machine


def taken(kernel, markers, interrupt):
    kernel.interrupt_id = MEASURED
    kernel.prepare(markers, DIRECT)
    kernel.call("stack_begin")
    kernel.interrupt_id = interrupt
    return kernel.interrupt_task(REGISTERS)


# What is measured by stages wakes a task, which takes a kernel that was started.
@pytest.mark.parametrize(
    ("markers", "interrupt"), [("paper", MEASURED), ("paper", OTHER), ("stages", OTHER)]
)
def test_a_task_finds_its_registers_behind_an_interrupt(kernel, markers, interrupt):
    _, actual = taken(kernel, markers, interrupt)
    assert [hex(value) for value in actual] == [hex(v) for v in [*REGISTERS, SYSTEM_UNMASKED]]


def test_stages_marks_the_vector_at_once_and_paper_the_handler_alone(kernel):
    ((at, word),) = taken(kernel, "stages", OTHER)[0]
    assert (at, word & 7) == (VECTOR, 1)
    ((at, word),) = taken(kernel, "paper", MEASURED)[0]
    assert 20 < at < 60 and word & 7 == 2


def test_no_instruction_uses_the_registers_that_no_handler_saves(freertos_zynq7000, need):
    """Only the port's code for tasks with an FP context uses them, and no task can have one."""
    objdump = need("arm-none-eabi-objdump", "binutils-arm-none-eabi")
    text = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", freertos_zynq7000],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    unique, function = set(), ""
    for line in text.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            function = head[1]
        elif re.match(r" *[0-9a-f]+:\t(v[a-z]|fm[rx])", line):
            unique.add(function)
    assert unique == WITH_FP
    assert "vPortTaskUsesFPU" not in text
