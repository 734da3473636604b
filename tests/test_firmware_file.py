"""The rule for the firmware's file is in three languages' files, and is one."""

from __future__ import annotations

import runpy
import subprocess
import sys
from types import ModuleType

import pytest

from instrument import ROOT
from irqscope.machines.firmware_file import BUILD, firmware, program


@pytest.mark.parametrize("stack", ["baremetal", "freertos"])
@pytest.mark.parametrize("machine", ["zynqmp", "zynq7000", "soft"])
def test_make_puts_it_where_it_is_looked_for(machine: str, stack: str) -> None:
    where = "where: ; @echo $(abspath $(BUILD)/$(PROGRAM))"
    command = ["make", "-s", "-C", "fw", "--eval", where, "where"]
    process = subprocess.run(
        [*command, f"MACHINE={machine}", f"STACK={stack}"],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert process.stdout.strip() == str(firmware(machine, stack))


def test_a_boot_image_takes_it_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vitis's own Python runs that file, without the host."""
    monkeypatch.setitem(sys.modules, "vitis", ModuleType("vitis"))
    image = runpy.run_path(str(ROOT / "scripts" / "boot" / "image.py"))
    assert len(image["MACHINES"]) > 1
    for name, machine in image["MACHINES"].items():
        for stack in ("baremetal", "freertos"):
            existing = BUILD / machine.firmware / image["program"](stack)
            assert existing == firmware(name, stack)
    assert image["program"]("mine") == program("mine")
