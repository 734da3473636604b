"""Runs the scripts of this folder in Vitis's Python, without ``xsdb``.

Usage: ``vitis -s scripts/jtag/program.py zcu102 [STACK] [tcp:HOST:3121]``, and
``vitis -s scripts/jtag/program.py smoke.tcl zcu102`` or ``cores.tcl`` for the other scripts

The Tcl scripts remain the only description of the steps, their order and their addresses: they, and
the psu_init.tcl that they source, run in a Tcl interpreter whose XSDB commands are calls of Vitis's
Python package xsdb (UG1400, "Python XSDB Commands").

NOT VERIFIED: no Vitis has run this file; the tests run it against a recorder of that package.
"""
# Runs in Vitis's own Python: 3.8 in 2023.2 to 2024.2. `make lint` holds it to that.

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, List, Sequence, Tuple

import xsdb  # of AMD's Vitis, which runs this file with its own Python

try:
    import tkinter
except ImportError:
    sys.exit("irqscope: this Python has no Tcl (tkinter); use xsdb scripts/jtag/program.tcl")

FOLDER = Path(__file__).resolve().parent


class Commands:
    """The XSDB commands that the scripts and psu_init.tcl use, on a session of the package."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def connect(self, *words: str) -> Any:
        """``connect [-url URL]``: without one, a hw_server on this machine."""
        return self._session.connect(**({"url": words[1]} if words else {}))

    def disconnect(self) -> None:
        """``disconnect``."""
        self._session.disconnect()

    def targets(self, *words: str) -> None:
        """``targets -set -nocase -filter {name =~ "NAME"}``: the package's names have no quotes."""
        self._session.targets("--set", filter=words[-1].replace('"', ""))

    def rst(self, *words: str) -> None:
        """``rst -system`` or ``rst -processor [-clear-registers]``."""
        options = ["--clear_registers"] if "-clear-registers" in words else []
        self._session.rst(*options, type=words[0].lstrip("-"))

    def mwr(self, *words: str) -> None:
        """``mwr -force ADDRESS VALUE``."""
        address, value = (int(word, 0) for word in words[-2:])
        self._session.mwr(address, "-f", words=value)

    def mrd(self, *words: str) -> str:
        """``mrd -force [-value] ADDRESS``: a number, or as XSDB prints it, which psu_init reads."""
        address = int(words[-1], 0)
        value = self._session.mrd(address, "-f", "-v")
        value = value[0] if isinstance(value, list) else value
        return str(value) if "-value" in words else f"{address:X}:   {value:08X}\n"

    def mask_write(self, *words: str) -> None:
        """``mask_write ADDRESS MASK VALUE``."""
        address, mask, value = (int(word, 0) for word in words)
        before = int(self.mrd("-value", str(address)))
        self.mwr(str(address), str(before & ~mask | value & mask))

    def configparams(self, *words: str) -> str:
        """``configparams force-mem-accesses [1]``: every access here is forced, so it is 1."""
        if words[0] != "force-mem-accesses":
            raise ValueError(f"no parameter {words[0]} here")
        return "1"

    def fpga(self, *words: str) -> None:
        """``fpga -file FILE``."""
        self._session.fpga(file=words[-1])

    def dow(self, file: str) -> None:
        """``dow FILE``."""
        self._session.dow(file)

    def bpadd(self, *words: str) -> Any:
        """``bpadd -addr &SYMBOL``."""
        return self._session.bpadd(addr=words[-1])

    def bpremove(self, breakpoint: str) -> None:
        """``bpremove NUMBER``: it is the only one."""
        self._session.bpremove("--all")

    def con(self, *words: str) -> None:
        """``con`` or ``con -block -timeout SECONDS``."""
        if words:
            self._session.con("-b", timeout=int(words[-1]))
        else:
            self._session.con()


#: ``init_ps DATA`` carries out the lists of psu_init.tcl, in which mask_delay is another command
#: than that file's procedure. mask_poll is the bounded one of waits.tcl.
INIT_PS = """
namespace eval init_ps {
  proc mask_delay {address milliseconds} { after $milliseconds }
}
proc init_ps {data} { namespace eval init_ps $data }
"""


def interpreter(session: Any) -> Any:
    """A Tcl interpreter that knows the commands; what fails in one is an error there."""
    tcl = tkinter.Tcl()
    commands = Commands(session)

    def carry_out(name: str, *words: str) -> Tuple[str, Any]:
        try:
            return "", getattr(commands, name)(*words) or ""
        except Exception as error:  # noqa: BLE001 - the package raises nothing narrower
            return str(error) or type(error).__name__, ""

    tcl.createcommand("in_python", carry_out)
    for name in (name for name in vars(Commands) if not name.startswith("_")):
        tcl.eval(
            f"proc {name} args {{\n"
            f"  lassign [in_python {name} {{*}}$args] failure result\n"
            "  if {$failure ne {}} { error $failure }\n"
            "  return $result\n"
            "}"
        )
    tcl.eval(INIT_PS)
    return tcl


def run(script: str, words: Sequence[str]) -> None:
    """Runs a script of this folder with its arguments; ends this process as it would."""
    tcl = interpreter(xsdb.start_debug_session())
    codes: List[int] = []

    def leave(code: str = "0") -> None:
        codes.append(int(code))
        raise SystemExit  # which ends the script, as an error of the interpreter

    tcl.createcommand("exit", leave)
    tcl.setvar("argv", tuple(words))
    try:
        tcl.call("source", str(FOLDER / script))
    except tkinter.TclError as error:
        sys.exit(codes[0] if codes else f"irqscope: {error}")


if __name__ == "__main__":
    named = sys.argv[1].endswith(".tcl") if sys.argv[1:] else False
    run(sys.argv[1] if named else "program.tcl", sys.argv[1 + named :])
