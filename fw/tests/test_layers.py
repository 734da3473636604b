"""Layers point downwards: batch code does not know controllers, addresses or registers."""

import re
from graphlib import TopologicalSorter

import pytest

from includes import includes, needs

pytestmark = pytest.mark.quick

#: They use interfaces alone; assembly of a stack is in a folder of its architecture.
ABOVE = ("cases", "link", "stacks", "boot")
#: They implement interfaces, and know nobody who uses them.
BELOW = ("machine", "arch", "irqchip", "lib")
ARCHITECTURES = ("aarch64", "arm32", "rv32")

#: Registers and blocks by name, addresses of devices, encodings of instructions.
NAMES = (
    r"\bGIC[CDHV]\b|\bGICD_|\bGICC_|\bGPIO|\bgpio_|\bEMIO_|\bemio_|\bCRF_|\bCRL_|\bCSU_|\bPMU_|\bAPU_"
    r"|\bSTM_[A-Z]+_BASE|\bETF_|_EL[0-3]\b|_el[0-3]\b|SYSREG|\bmmio_|\b__asm__ volatile\(\"[a-z]"
    r"|\b0xF[0-9A-Fa-f]{4}000\b"
)
#: Numbers of the machine's interrupts, where one is meant.
IDS = (
    r"(?:\bid\b|_ID|ID\b|irq\w*\(|IRQ_\w+) *(?:==|!=|=|\() *(?:29|31|53|12[1-8]|13[6-9]|14[0-3])\b"
)


def above(firmware):
    for folder in ABOVE:
        for path in sorted((firmware / folder).rglob("*.[chS]")):
            if not set(path.parent.parts) & set(ARCHITECTURES):
                yield path


def code(path):
    """A file's text without comments and includes."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.DOTALL)
    return re.sub(r"^#include.*$", "", text, flags=re.MULTILINE)


def test_what_is_above_uses_interfaces_alone(firmware):
    collected = []
    for path in above(firmware):
        for name in includes(path):
            folder, _, rest = name.partition("/")
            interface = folder == "machine" and "/" not in rest
            if folder in (*BELOW, "bound") and not interface and folder != "lib":
                collected.append(f"{path.relative_to(firmware)}: {name}")
    assert collected == []


def test_what_is_below_knows_nobody_above(firmware):
    paths = [path for folder in BELOW for path in sorted((firmware / folder).rglob("*.[chS]"))]
    assert len(paths) > 40
    collected = [
        f"{path.relative_to(firmware)}: {name}"
        for path in paths
        for name in includes(path)
        if name.partition("/")[0] in ABOVE
    ]
    assert collected == []


def test_no_files_include_each_other_in_a_circle(firmware):
    actual = needs(firmware)
    assert sum(map(len, actual.values())) > 500
    TopologicalSorter(actual).prepare()  # a CycleError names those in the circle


def test_arch_and_controller_know_no_machine(firmware):
    """They include addresses and the memory map, which have the same name on each machine."""
    collected = [
        f"{path.relative_to(firmware)}: {name}"
        for folder in ("arch", "irqchip")
        for path in sorted((firmware / folder).rglob("*.[chS]"))
        for name in includes(path)
        if re.match(r"machine/\w+/", name)
    ]
    assert collected == []


@pytest.mark.parametrize("pattern", [NAMES, IDS], ids=["registers", "interrupts"])
def test_no_register_and_no_number_of_an_interrupt_stands_above(firmware, pattern):
    collected = [
        f"{path.relative_to(firmware)}: {line.strip()}"
        for path in above(firmware)
        for line in code(path).splitlines()
        if re.search(pattern, line)
    ]
    assert collected == []
