"""Stand-in for Vitis's package xsdb, as far as scripts/jtag/program.py uses it.

Each call becomes the equivalent XSDB command on the recorder of the Tcl scripts (recorder.tcl,
xsdb.tcl), so that both forms are checked against one board. Sources of the arguments: UG1400,
"Python XSDB Usage Examples"; XD260, "Deploy and Debug firmware using XSDB Python API"; the
package's own texts of connect, loadhw and targets; of bpadd, bpremove and con: a public script that
starts an FSBL (it says ``bpadd(addr=...)``, ``con("-b", timeout=...)``, ``bpremove("--all")``).

The environment names the recorder's files and the test's settings; the calls are printed at the
end.
"""

import atexit
import json
import os
import tkinter

_recorder = tkinter.Tcl()
_settings, *_files = json.loads(os.environ["XSDB_RECORDER"])
for _name, _value in _settings.items():
    _recorder.setvar(f"settings({_name})", _value)
for _file in _files:
    _recorder.call("source", _file)

#: Writes by which the test's psu_init.tcl or ps7_init.tcl tells which of its procedures ran.
PROCEDURES = (
    "psu_init", "psu_post_config", "psu_ps_pl_isolation_removal", "psu_ps_pl_reset_config",
    "psu_protection", "ps7_init", "ps7_post_config",
)  # fmt: skip
_Tcl = tkinter.Tcl


def _hurried():
    """Time does not pass here."""
    tcl = _Tcl()
    tcl.createcommand("after", lambda time: _command("after", time))
    return tcl


tkinter.Tcl = _hurried


@atexit.register
def _print_calls():
    print(_recorder.eval('join [lmap call $calls {string cat "CALL " $call}] "\n"'))


def _command(*words):
    try:
        return _recorder.call(*words)
    except tkinter.TclError as error:
        raise Exception(str(error)) from None  # noqa: TRY002 - as the package does


class Session:
    def connect(self, *, url=None):
        _command("connect", *(("-url", url) if url else ()))

    def disconnect(self):
        _command("disconnect")

    def targets(self, option, *, filter):
        assert option == "--set"
        assert '"' not in filter
        name = filter[len("name =~ ") :]
        _command("targets", "-set", "-nocase", "-filter", f'name =~ "{name}"')

    def rst(self, *options, type):
        assert set(options) <= {"--clear_registers"}
        assert type in ("system", "processor")
        _command("rst", f"-{type}", *("-clear-registers" for _ in options))

    def mwr(self, address, option, *, words):
        assert option == "-f"
        if address < len(PROCEDURES):
            _command(PROCEDURES[address])
        else:
            _command("mwr", "-force", f"0x{address:08X}", f"0x{words:X}")

    def mrd(self, address, *options):
        assert set(options) == {"-f", "-v"}
        return [int(_command("mrd", "-force", "-value", f"0x{address:08X}"))]

    def fpga(self, *, file):
        _command("fpga", "-file", file)

    def dow(self, file):
        _command("dow", file)

    def bpadd(self, *, addr):
        return _command("bpadd", "-addr", addr)

    def bpremove(self, option):
        assert option == "--all"
        _command("bpremove", "7")

    def con(self, *options, timeout=None):
        assert (options, timeout) in [((), None), (("-b",), 60)]
        _command("con", *(("-block", "-timeout", "60") if options else ()))


start_debug_session = Session
