"""The scripts that start a board.

Over JTAG: run by tclsh against a recorder of XSDB's commands; the same scripts in Vitis's Python,
with a stand-in for its package xsdb in front of the same recorder. By a boot image: run with
stand-ins for Vitis and bootgen.

What that shows: commands, options and order are those of the reference, and failures are named.
What it cannot show: that a board does what the recorder does.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .tools import needs_tclsh, needs_tkinter

ROOT = Path(__file__).parents[2]
TESTS = Path(__file__).parent


@pytest.fixture
def tree(tmp_path):
    """A copy of the scripts beside files that builds would have left."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    for name in ("vivado/zcu102/irqscope.bit", "vivado/zcu102/psu_init.tcl", "fw/irqscope.elf"):
        path = tmp_path / "build" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "build/vivado/zcu102/irqscope.xsa").write_text("")
    return tmp_path


def xsdb(tree, script, *arguments, **settings):
    """Runs a script; gives its exit code, what it printed, and the calls as text."""
    lines = [f"set settings({name}) {{{value}}}" for name, value in settings.items()]
    main = tree / "main.tcl"
    main.write_text(
        "\n".join(
            [
                *lines,
                f"source {{{TESTS / 'recorder.tcl'}}}",
                f"source {{{TESTS / 'xsdb.tcl'}}}",
                f"set argv {{{' '.join(arguments)}}}",
                f"source {{{tree / 'scripts' / 'jtag' / script}}}",
                'foreach call $calls { puts "CALL $call" }',
            ]
        )
    )
    run = subprocess.run(["tclsh", main], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr, re.findall(r"CALL (.*)", run.stdout)


@needs_tclsh
@pytest.mark.parametrize("url", [(), ("tcp:lab:3121",)])
def test_the_board_is_programmed_and_the_firmware_started(tree, url):
    code, printed, calls = xsdb(tree, "program.tcl", "zcu102", *url)
    assert code == 0, printed
    connect = calls[0]
    assert ("tcp:lab:3121" in connect) == bool(url)
    names = [call.split()[0] for call in calls]
    order = ["rst", "psu_init", "fpga", "psu_ps_pl_isolation_removal", "psu_ps_pl_reset_config"]
    places = [names.index(name) for name in [*order, "dow", "con"]]
    assert places == sorted(places)
    assert "irqscope: running" in printed


@needs_tclsh
@pytest.mark.parametrize("url", [(), ("tcp:lab:3121",)])
def test_another_stack_is_another_program(tree, url):
    code, printed, calls = xsdb(tree, "program.tcl", "zcu102", "freertos", *url)
    assert (code, calls) == (1, [])
    assert "irqscope-freertos.elf; make stacks STACKS=freertos makes it" in printed
    (tree / "build/fw/irqscope-freertos.elf").write_text("")
    code, printed, calls = xsdb(tree, "program.tcl", "zcu102", "freertos", *url)
    assert code == 0, printed
    assert ("tcp:lab:3121" in calls[0]) == bool(url)
    (loaded,) = [call for call in calls if call.startswith("dow")]
    assert loaded.rstrip("}").endswith("build/fw/irqscope-freertos.elf")


@needs_tclsh
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"targets": "PSU"}, "no target Cortex-A53 #0"),
        ({"targets": ""}, "no target PSU: is the board on"),
        ({"done": "0"}, "the PL does not report DONE"),
        ({"psu_fails": "1"}, "psu_init stopped: timeout reached"),
    ],
)
def test_what_fails_is_named_in_one_line(tree, settings, message):
    code, printed, _ = xsdb(tree, "program.tcl", "zcu102", **settings)
    assert code == 1
    assert message in printed
    assert "while executing" not in printed


@needs_tclsh
def test_another_clock_is_told_but_does_not_stop(tree):
    code, printed, _ = xsdb(tree, "program.tcl", "zcu102", clock=0x01010F00)
    assert code == 0
    assert "PL0_REF_CTRL reads 0x01010F00; 250 MHz" in printed


@needs_tclsh
@pytest.mark.parametrize(
    ("missing", "maker"), [("vivado/zcu102/irqscope.bit", "build.tcl"), ("fw/irqscope.elf", "make")]
)
def test_a_missing_file_is_named_with_what_makes_it(tree, missing, maker):
    (tree / "build" / missing).unlink()
    code, printed, calls = xsdb(tree, "program.tcl", "zcu102")
    assert code == 1
    assert re.search(rf"there is no \S+{missing}; .*{maker}", printed), printed
    assert calls == []


def slip(script, old, new):
    """A mistake in a script."""
    text = script.read_text()
    assert old in text
    script.write_text(text.replace(old, new, 1))


@needs_tclsh
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  psu_ps_pl_isolation_removal\n", "\n", "isolation comes first"),
        ("  psu_ps_pl_reset_config\n", "\n", "reset_config comes first"),
        ("  rst -system\n", "\n", "system_reset comes first"),
        ('use_target "Cortex-A53 #0"', 'use_target "PSU"', "on target PSU"),
        ("-clear-registers", "-clear-register", "has no option"),
        ("$firmware\ncon", "$firmwares\ncon", "no such variable"),
    ],
)
def test_the_recorder_finds_a_slip(tree, old, new, message):
    scripts = [tree / "scripts" / "jtag" / name for name in ("board.tcl", "program.tcl")]
    (script,) = (path for path in scripts if old in path.read_text())
    slip(script, old, new)
    code, printed, _ = xsdb(tree, "program.tcl", "zcu102")
    assert code != 0
    assert message in printed, printed


@needs_tclsh
def test_cores_that_a_debugger_caught_are_let_go(tree):
    code, printed, _ = xsdb(tree, "cores.tcl", halted="{Cortex-A53 #2}")
    assert code == 0, printed
    assert "core 2 goes on" in printed
    assert "core 1: Already running" in printed


# ---- the same in Vitis's Python ------------------------------------------------------------------

#: In the form of files that Vivado wrote, as far as reading and waiting go (public ones: RESBI,
#: ZU4EV-PL-to-PS-DDR-TEST; OpenHardware-Initiative, DMA-LED-ADD); each procedure tells that it ran.
PSU_INIT = """
proc mask_read { addr mask } {
  set curval "0x[string range [mrd -force $addr] end-8 end]"
  return [expr {$curval & $mask}]
}
set psu_clock_init_data {
    # Register : PL0_REF_CTRL @ 0XFF5E00C0</p>
    #(OFFSET, MASK, VALUE)      (0XFF5E00C0, 0x013F3F07U ,0x01010600U)  */
    mask_write 0XFF5E00C0 0x013F3F07 0x01010600
    mask_poll 0XFF5E00C0 0x00000600
    mask_poll 0XFF5E00C0 0x80000000 0x00000000
    mask_delay 0x00000000 1
}
proc mask_poll { addr mask } { error "that of this file is not what init_ps calls" }
proc psu_init {} {
  set saved_mode [configparams force-mem-accesses]
  configparams force-mem-accesses 1
  variable psu_clock_init_data
  mwr -force 0x0 0x0
  init_ps [subst {$psu_clock_init_data }]
  if {[mask_read 0xFF5E00C0 0x00003F00] != 0x600} { error "clock not read" }
  configparams force-mem-accesses $saved_mode
}
proc psu_post_config {} { mwr -force 0x1 0x0 }
proc psu_ps_pl_isolation_removal {} { mwr -force 0x2 0x0 }
proc psu_ps_pl_reset_config {} { mwr -force 0x3 0x0 }
proc psu_protection {} { mwr -force 0x4 0x0 }
"""


def vitis(tree, *arguments, **settings):
    """As xsdb(), by the Python form."""
    (tree / "build/vivado/zcu102/psu_init.tcl").write_text(PSU_INIT)
    recorder = [settings, *(str(TESTS / name) for name in ("recorder.tcl", "xsdb.tcl"))]
    run = subprocess.run(
        [sys.executable, tree / "scripts" / "jtag" / "program.py", *arguments],
        env=os.environ
        | {"PYTHONPATH": str(TESTS / "stand_ins"), "XSDB_RECORDER": json.dumps(recorder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout + run.stderr, re.findall(r"CALL (.*)", run.stdout)


def on_the_board(calls):
    """The calls with numbers in one form, without what psu_init sets and waits for here."""
    kept = [call for call in calls if "0xFF5E00C0" not in call.replace("0X", "0x")]
    kept = [call for call in kept if call != "after {} 1"]
    return [re.sub(r"0x[0-9A-F]+", lambda number: hex(int(number[0], 16)), call) for call in kept]


@needs_tclsh
@needs_tkinter
@pytest.mark.parametrize("url", [(), ("tcp:lab:3121",)])
def test_both_forms_do_the_same_on_the_board(tree, url):
    code, printed, calls = vitis(tree, "zcu102", *url)
    assert code == 0, printed
    assert "irqscope: running" in printed
    (tree / "build/vivado/zcu102/psu_init.tcl").write_text("")
    tcl = xsdb(tree, "program.tcl", "zcu102", *url)
    assert tcl[0] == 0
    assert on_the_board(calls) == on_the_board(tcl[2])


@needs_tkinter
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"targets": "PSU"}, "no target Cortex-A53 #0"),
        ({"targets": ""}, "no target PSU: is the board on"),
        ({"done": "0"}, "the PL does not report DONE"),
        ({"psu_fails": "1"}, "psu_init stopped: timeout reached"),
    ],
)
def test_what_fails_in_python_is_named_in_one_line(tree, settings, message):
    code, printed, _ = vitis(tree, "zcu102", **settings)
    assert code == 1
    assert message in printed
    assert "Traceback" not in printed
    assert "while executing" not in printed


@needs_tkinter
def test_cores_are_let_go_from_python(tree):
    code, printed, calls = vitis(tree, "cores.tcl", halted="{Cortex-A53 #2}")
    assert code == 0, printed
    assert "core 2 goes on" in printed
    assert "core 1: Already running" in printed


@needs_tkinter
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"--set", filter', '"--sets", filter', "AssertionError"),
        ('.replace(\'"\', "")', "", "AssertionError"),
        ('type=words[0].removeprefix("-")', "kind=words[0]", "unexpected keyword argument 'kind'"),
        ('mwr(address, "-f", words=value)', "mwr(address, value)", "missing 1 required"),
        ("fpga(file=words[-1])", "fpga(words[-1])", "positional argument"),
        ("{value:08X}\\n", "{value:08X}", "non-numeric string"),
        ("proc init_ps", "proc init_psu", "init_ps"),
        ("def configparams", "def configparam", "configparams"),
        ("proc mask_poll", "proc mask_pole", "is not what init_ps calls"),
    ],
)
def test_the_stand_in_finds_a_slip(tree, old, new, message):
    slip(tree / "scripts" / "jtag" / "program.py", old, new)
    code, printed, _ = vitis(tree, "zcu102")
    assert code != 0
    assert message in printed, printed


# ---- boot image ---------------------------------------------------------------------------------

VITIS = """
from pathlib import Path
class Platform:
    def build(self):
        for place in ("zynqmp_fsbl/build", "export/irqscope/sw/boot"):
            folder = Path(workspace) / "irqscope" / place
            folder.mkdir(parents=True)
            for name in {files}:
                (folder / name).write_text("")
class Client:
    def set_workspace(self, path):
        global workspace
        workspace = path
    def create_platform_component(self, name, hw_design, os, cpu):
        assert hw_design.endswith("irqscope.xsa") and cpu == "psu_cortexa53_0"
        return Platform()
create_client = Client
def dispose(): pass
"""


def boot_image(tree, *arguments, files=("fsbl.elf", "pmufw.elf")):
    stand_ins = tree / "stand_ins"
    stand_ins.mkdir()
    (stand_ins / "vitis.py").write_text(VITIS.format(files=repr(files)))
    bootgen = stand_ins / "bootgen"
    bootgen.write_text('#!/bin/sh\necho "$@" > "$6.arguments"\n')
    bootgen.chmod(0o755)
    return subprocess.run(
        [sys.executable, tree / "scripts" / "boot" / "image.py", *arguments],
        env={"PYTHONPATH": str(stand_ins), "PATH": f"{stand_ins}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_boot_image_holds_loader_bitstream_and_firmware_in_order(tree):
    run = boot_image(tree, "zcu102")
    assert run.returncode == 0, run.stderr
    output = tree / "build" / "boot" / "zcu102"
    partitions = re.findall(r"\[(.*?)\] (\S+)", (output / "irqscope.bif").read_text())
    assert [Path(path).name for _, path in partitions] == [
        "fsbl.elf",
        "pmufw.elf",
        "irqscope.bit",
        "irqscope.elf",
    ]
    assert "export" in Path(partitions[0][1]).parts
    assert partitions[3][0] == "destination_cpu=a53-0, exception_level=el-3"
    for _, path in partitions:
        assert Path(path).is_file()
    arguments = (output / "BOOT.BIN.arguments").read_text()
    assert arguments.split()[:3] == ["-arch", "zynqmp", "-image"]


def test_a_boot_image_holds_another_stack_when_asked(tree):
    (tree / "build/fw/irqscope-freertos.elf").write_text("")
    run = boot_image(tree, "zcu102", "freertos")
    assert run.returncode == 0, run.stderr
    bif = (tree / "build/boot/zcu102/irqscope.bif").read_text()
    assert "build/fw/irqscope-freertos.elf" in bif and "irqscope.elf" not in bif


@pytest.mark.parametrize(
    ("arguments", "files", "message"),
    [
        ((), (), "usage"),
        (("zcu102", "freertos"), (), "irqscope-freertos.elf"),
        (("zcu999",), (), "there is no"),
        (("zcu102",), ("fsbl.elf",), "holds no pmufw.elf"),
    ],
)
def test_an_image_that_cannot_be_made_says_why(tree, arguments, files, message):
    run = boot_image(tree, *arguments, files=files)
    assert run.returncode == 1
    assert message in run.stderr
    assert "Traceback" not in run.stderr
