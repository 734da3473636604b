"""Faults of a core, its firmware or its name are reported in one line."""

import subprocess
import sys

import pytest

from irqscope.acquire.measure import measure
from irqscope.errors import IrqscopeError, TargetError
from irqscope.experiment import load
from irqscope.machines.firmware_file import firmware
from irqscope.targets import open_target
from irqscope_rtl import cores
from irqscope_rtl.cores import ROOT, CoreError

EXPERIMENT = ROOT / "experiments" / "horst2020" / "t1.toml"  # watches no symbol
FASTIRQ = ROOT / "experiments" / "cv32rt" / "fastirq.toml"
#: It loops, and never looks at its UART.
DEAF = ".globl _start\n_start: j _start\n"


def refused(target, **options):
    with pytest.raises(TargetError) as caught, open_target(target, **options):
        pass
    text = str(caught.value)
    assert "\n" not in text
    return text


def compiled(folder, text, *flags):
    source, script, program = (folder / f"program.{end}" for end in ("S", "ld", "elf"))
    source.write_text(text)
    script.write_text("SECTIONS { . = 0x100000; .text : { *(.text) } }")
    command = [sys.executable, "-m", "ziglang", "cc", "-nostdlib", "-static", *flags]
    command += ["-T", str(script), str(source), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    return program


def test_a_core_that_there_is_not():
    names = "cv32e40p, cv32e40p-clic, cv32e40p-fastirq, cv32e40x, cv32e40x-clic, cv32rt, ibex"
    assert f"there is no core 'cv32e40q'; there are: {names}" in refused("rtl:cv32e40q")


def test_no_core_at_all_lists_them(soft):
    assert "rtl:cv32e40p (1." in refused("rtl:")


def test_an_option_that_there_is_not():
    assert 'a core has no option "fast"' in refused("rtl:cv32e40p:fast")


def test_a_core_that_is_not_installed(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "core.toml").write_text(
        'title = "Mine"\npackage = "pythondata-cpu-none"\nmodule = "pythondata_cpu_none"\n'
        "sources = []\n"
    )
    text = refused(f"rtl:{tmp_path / 'mine'}")
    assert "mine is not installed (pythondata-cpu-none): run `make cores CORES=" in text


def test_a_symbol_that_there_is_not(soft):
    text = refused("rtl:cv32e40p", watches=(("pc:nowhere", 2),))
    assert "irqscope.elf has no symbol nowhere" in text


def test_a_stack_that_is_not_built(soft):
    text = refused("rtl:cv32e40p", stack="other")
    assert "irqscope-other.elf is missing: run `make stacks MACHINE=soft STACKS=other`" in text


def test_a_core_that_does_not_save_registers_itself(soft, tmp_path):
    for core, stack in (("cv32e40p", "emret"), ("cv32e40p-clic", "nested-fastirq")):
        refusal = f"{core} has no {stack}: it needs a core that saves registers itself"
        assert refusal in refused(f"rtl:{core}", stack=stack)
    program = firmware("soft", "fastirq")
    result = measure(load(FASTIRQ), f"rtl:cv32e40p:elf={program}", tmp_path / "run")
    assert "this core does not save registers itself" in str(result.error)
    assert not result.run.valid


def test_a_stack_that_the_core_cannot_run(soft):
    text = refused("rtl:cv32e40x-clic", stack="jalnxti")
    assert "cv32e40x-clic has no jalnxti: jalmnxti is in the core of CV32RT alone" in text


@pytest.mark.parametrize(
    ("core", "stack", "said"),
    [
        ("cv32e40p", "nxti", "soft has no nxti: mnxti is a register of a CLIC"),
        ("cv32rt", "freertos", "clic has no freertos: the kernel's port for RISC-V knows"),
        ("picorv32", "nested", "picorv32 has no nested: its handlers nest by the CSRs of a RISC-V"),
    ],
)
def test_a_stack_that_is_not_for_the_machine(soft, core, stack, said):
    """Not as one that is missing, which `make stacks` could build."""
    assert said in refused(f"rtl:{core}", stack=stack)


def test_a_program_of_another_processor(soft, tmp_path):
    program = compiled(tmp_path, DEAF.replace("j ", "b "), "-target", "aarch64-freestanding-none")
    assert "ELF file" in refused(f"rtl:cv32e40p:elf={__file__}")
    assert "another processor" in refused(f"rtl:cv32e40p:elf={program}")


def test_a_program_of_another_abi(soft, tmp_path):
    flags = ("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+f+d", "-mabi=ilp32d")
    assert "another ABI" in refused(f"rtl:cv32e40p:elf={compiled(tmp_path, DEAF, *flags)}")


def test_a_core_that_never_answers_ends_the_run_with_its_counters_closed(soft, tmp_path):
    program = compiled(tmp_path, DEAF, "-target", "riscv32-freestanding-none", "-mcpu=generic_rv32")
    target = f"rtl:cv32e40p:elf={program}"
    result = measure(load(EXPERIMENT), target, tmp_path / "run")
    assert isinstance(result.error, IrqscopeError)
    assert "the core does not take what its UART has" in str(result.error)
    assert "PC 0x100000" in str(result.error)
    assert not result.run.valid


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = 1 1", "core.toml: "),
        ('title = "x"\nversion = "1"\n', "sources is missing"),
        ('title = "x"\nsources = []\n', "give package and module, or version"),
        ('title = "x"\nsources = []\nversion = "1"\nsource = 1\n', "unknown key 'source'"),
    ],
)
def test_a_description_that_does_not_hold(tmp_path, text, said):
    (tmp_path / "core.toml").write_text(text)
    with pytest.raises(CoreError) as caught:
        cores.find(str(tmp_path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
