"""The scripts that start a board.

Over JTAG: run by tclsh against a recorder of XSDB's commands; the same scripts in Vitis's Python,
with a stand-in for its package xsdb in front of the same recorder. By a boot image: run with
stand-ins for Vitis and bootgen.

What that shows: commands, options and order are those of the reference, and failures are named.
It cannot show that a board behaves like the recorder.
"""

import ast
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


#: For each machine a board, what builds leave, and the folder of the firmware.
BOARDS = {
    "zynqmp": ("zcu102", "psu_init.tcl", "fw"),
    "zynq7000": ("zedboard", "ps7_init.tcl", "fw-zynq7000"),
}
MACHINE_OF = {board: machine for machine, (board, _, _) in BOARDS.items()}


@pytest.fixture
def tree(tmp_path):
    """A copy of the scripts with files as builds leave them."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    for board, init, firmware in BOARDS.values():
        hardware = f"vivado/{board}"
        names = [f"{hardware}/irqscope.bit", f"{hardware}/{init}", f"{hardware}/irqscope.xsa"]
        for name in (*names, f"{firmware}/irqscope.elf"):
            path = tmp_path / "build" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
    return tmp_path


def recorders(machine):
    """The files that play XSDB and a board of the machine."""
    return [str(TESTS / name) for name in ("recorder.tcl", "xsdb.tcl", f"xsdb_{machine}.tcl")]


def xsdb(tree, script, *arguments, machine="zynqmp", **settings):
    """Runs a script; returns its exit code, its output, and the calls as text."""
    lines = [f"set settings({name}) {{{value}}}" for name, value in settings.items()]
    main = tree / "main.tcl"
    main.write_text(
        "\n".join(
            [
                *lines,
                *(f"source {{{file}}}" for file in recorders(machine)),
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
    assert "irqscope-freertos.elf; make -C fw STACK=freertos makes it" in printed
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
        ({"init_fails": "1"}, "psu_init stopped: timeout reached"),
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
    ("settings", "message"),
    [
        (
            {"ddr_alias": 14},
            "DDR has no address bit 14: 0x00300000 and 0x00304000 are one place; a module with "
            "x16 chips (MTA4ATF51264HZ) or another one than the preset's: make program "
            "BOARD=zcu102 MEMORY=ocm needs none",
        ),
        ({"ddr_alias": 30}, "DDR has no address bit 30: 0x00300000 and 0x40300000"),
        ({"ddr_stuck": 0x100}, "DDR does not hold bit 8 at 0x00300000"),
        ({"ddr_dead": "Memory write error: bus timeout"}, "DDR does not answer (Memory write"),
    ],
)
def test_memory_that_does_not_hold_a_program_is_named_before_it_is_loaded(tree, settings, message):
    code, printed, calls = xsdb(tree, "program.tcl", "zcu102", **settings)
    assert code == 1
    assert message in printed, printed
    assert "while executing" not in printed
    assert not any(call.startswith("dow") for call in calls)


@needs_tclsh
def test_the_firmware_on_chip_needs_no_ddr(tree):
    code, printed, _ = xsdb(tree, "program.tcl", "zcu102", "memory=ocm", ddr_dead="dead")
    assert code == 1
    assert "build/fw-ocm/irqscope.elf; make -C fw MEMORY=ocm makes it" in printed
    (tree / "build/fw-ocm").mkdir()
    (tree / "build/fw-ocm/irqscope.elf").write_text("")
    code, printed, calls = xsdb(tree, "program.tcl", "zcu102", "memory=ocm", ddr_dead="dead")
    assert code == 0, printed
    (loaded,) = [call for call in calls if call.startswith("dow")]
    assert loaded.rstrip("}").endswith("build/fw-ocm/irqscope.elf")
    places = {int(call.split()[3].strip("{"), 0) for call in calls if call.startswith("mwr")}
    assert not any(place < 0x80000000 for place in places)
    assert {0xFFFC0000, 0xFFFC0000 + 0x3F000} <= places


@needs_tclsh
def test_an_fsbl_sets_memory_up_and_is_stopped_before_it_hands_over(tree):
    loader = tree / "fsbl.elf"
    loader.write_text("")
    code, printed, calls = xsdb(tree, "program.tcl", "zcu102", f"fsbl={loader}", ddr_alias=14)
    assert code == 0, printed
    names = [call.split()[0] for call in calls]
    assert "psu_init" not in names
    order = ["bpadd", "bpremove", "fpga", "psu_ps_pl_isolation_removal"]
    assert [name for name in names if name in order] == order
    assert names.count("dow") == 2
    code, printed, _ = xsdb(tree, "program.tcl", "zcu102", f"fsbl={loader}", fsbl_hangs=1)
    assert code == 1
    assert "the FSBL does not come to its end: timeout" in printed


@needs_tclsh
@pytest.mark.parametrize(
    ("board", "machine", "words", "message"),
    [
        ("zcu102", "zynqmp", ("fsbl=none.elf",), "there is no none.elf; make sdcard BOARD=zcu102"),
        ("zcu102", "zynqmp", ("memory=tcm",), "memory=tcm: there is no such firmware for zcu102"),
        ("zedboard", "zynq7000", ("memory=ocm",), "memory=ocm: there is no such firmware for zed"),
    ],
)
def test_what_a_board_has_not_is_said_before_it_is_touched(tree, board, machine, words, message):
    code, printed, calls = xsdb(tree, "program.tcl", board, *words, machine=machine)
    assert (code, calls) == (1, [])
    assert message in printed


@needs_tclsh
@pytest.mark.parametrize("script", ["program.tcl", "smoke.tcl"])
def test_a_design_of_ones_own_is_elsewhere(tree, script):
    code, printed, calls = xsdb(tree, script, "zcu102", "design=mine", "tcp:lab:3121")
    assert (code, calls) == (1, [])
    assert "there is no mine/irqscope.bit; write_hw_platform -include_bit" in printed
    code, printed, _ = xsdb(tree, script, "zcu102", *"abcdef")
    assert code == 1 and f"usage: xsdb {script} BOARD" in printed


@needs_tclsh
def test_a_zedboards_memory_is_tested_above_the_first_mb(tree):
    code, printed, calls = zedboard(tree, ddr_alias=20)
    assert code == 1
    assert "DDR has no address bit 20: 0x00300000 and 0x00200000 are one place" in printed


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
        ("use_target [dict get $machine core]", 'use_target "PSU"', "on target PSU"),
        ("-clear-registers", "-clear-register", "has no option"),
        ("$firmware\ncon", "$firmwares\ncon", "no such variable"),
    ],
)
def test_the_recorder_finds_a_slip(tree, old, new, message):
    assert message in with_slip(tree, "zynqmp", old, new)


def with_slip(tree, machine, old, new):
    """Output of program.tcl with a mistake in one of its scripts."""
    names = ("board.tcl", "program.tcl", f"{machine}.tcl")
    scripts = [tree / "scripts" / "jtag" / name for name in names]
    (script,) = (path for path in scripts if old in path.read_text())
    slip(script, old, new)
    code, printed, _ = xsdb(tree, "program.tcl", BOARDS[machine][0], machine=machine)
    assert code != 0
    return printed


# ---- init scripts of the shape that Vivado writes ------------------------------------------------

#: Waits as in public files that Vivado 2020 to 2023 wrote: `poll` prints after 10^8 reads,
#: `mask_poll` after 1,000, and both go on. `done` tells the recorder that the procedure ran.
VIVADO_PSU_INIT = """
proc mask_read {addr mask} {
  return [expr {"0x[string range [mrd -force $addr] end-8 end]" & $mask}]
}
proc mask_poll {addr mask} {
  for {set count 1} {[mask_read $addr $mask] == 0} {incr count} {
    if {$count == 1000} { puts "Timeout Reached. Mask poll failed at ADDRESS: $addr"; break }
  }
}
proc poll {addr mask data} {
  for {set count 1} {[mask_read $addr $mask] != $data} {incr count} {
    if {$count == 100000000} { puts "Timeout Reached. Mask poll failed"; break }
  }
}
proc psu_ddr_phybringup_data {} {
  mwr -force 0xFD080004 0x00040073
  OWN_LOOP
  poll 0xFD080030 0x0000000F 0x0000000F
}
proc psu_init {} {
  mask_poll 0XFF5E0040 0x00000001
  psu_ddr_phybringup_data
  mask_poll 0XFD4063E4 0x00000010
  done psu_init
}
"""

VIVADO_PS7_INIT = """
proc mask_poll {addr mask} {
  for {set count 1} {("0x[string range [mrd $addr] end-8 end]" & $mask) == 0} {incr count} {
    if {$count == 100000000} { puts "Timeout Reached"; break }
  }
}
proc ps7_init {} {
  mask_poll 0XF800010C 0x00000001
  done ps7_init
}
"""


@pytest.fixture
def vivado_tree(tree):
    """A tree whose init scripts are of Vivado's shape, with firmware in on-chip memory."""
    hardware = tree / "build/vivado"
    (hardware / "zcu102/psu_init.tcl").write_text(VIVADO_PSU_INIT.replace("OWN_LOOP", ""))
    (hardware / "zedboard/ps7_init.tcl").write_text(VIVADO_PS7_INIT)
    (tree / "build/fw-ocm").mkdir()
    (tree / "build/fw-ocm/irqscope.elf").write_text("")
    return tree


def ddr_accesses(calls):
    """Writes to DDR, its controller or its PHY."""
    writes = [int(call.split()[3].strip("{"), 0) for call in calls if call.startswith("mwr")]
    return [at for at in writes if at < 0x80000000 or 0xFD070000 <= at < 0xFD090000]


@needs_tclsh
@pytest.mark.parametrize("memory", [(), ("memory=ocm",)])
def test_an_init_script_of_vivados_shape_sets_a_sound_board_up(vivado_tree, memory):
    code, printed, calls = xsdb(vivado_tree, "program.tcl", "zcu102", *memory)
    assert code == 0, printed
    assert bool(ddr_accesses(calls)) == (not memory)


@needs_tclsh
def test_ddr_that_does_not_train_ends_with_the_register_and_a_way_without_it(vivado_tree):
    code, printed, calls = xsdb(vivado_tree, "program.tcl", "zcu102", pgsr=0)
    assert code == 1
    assert "psu_init stopped: 0xFD080030 reads 0x00000000 after 1000 reads" in printed
    assert "make program BOARD=zcu102 MEMORY=ocm needs none" in printed
    assert not any(call.startswith("fpga") for call in calls)


@needs_tclsh
def test_firmware_on_chip_starts_on_a_board_whose_ddr_does_not_train(vivado_tree):
    code, printed, calls = xsdb(vivado_tree, "program.tcl", "zcu102", "memory=ocm", pgsr=0)
    assert code == 0, printed
    assert "without DDR" in printed
    assert ddr_accesses(calls) == []


@needs_tclsh
def test_a_wait_that_is_a_loop_of_the_script_itself_ends_too(vivado_tree):
    script = vivado_tree / "build/vivado/zcu102/psu_init.tcl"
    loop = "while {[mask_read 0xFD080030 0x1] != 1} {}"
    script.write_text(VIVADO_PSU_INIT.replace("OWN_LOOP", loop))
    slip(vivado_tree / "scripts/jtag/waits.tcl", "init_seconds 60", "init_seconds 1")
    code, printed, _ = xsdb(vivado_tree, "program.tcl", "zcu102", pgsr=0)
    assert code == 1
    assert "psu_init stopped: no end after 1 seconds; it last read 0xFD080030" in printed
    assert "MEMORY=ocm" in printed


@needs_tclsh
def test_a_transceiver_without_a_clock_is_printed_and_does_not_stop_the_start(vivado_tree):
    code, printed, _ = xsdb(vivado_tree, "program.tcl", "zcu102", serdes=0)
    assert code == 0, printed
    assert "going on without a block that does not start (0XFD4063E4 reads 0x00000000" in printed


@needs_tclsh
@pytest.mark.parametrize(
    ("board", "machine", "settings", "message"),
    [
        ("zcu102", "zynqmp", {"pll": 0}, "psu_init stopped: 0XFF5E0040 reads 0x00000000"),
        ("zcu102", "zynqmp", {"apll": 0}, "psu_init ended, and the APLL is not locked"),
        ("zedboard", "zynq7000", {"pll": 0}, "ps7_init stopped: 0XF800010C reads 0x00000000"),
    ],
)
def test_a_pll_that_does_not_lock_is_named(vivado_tree, board, machine, settings, message):
    code, printed, _ = xsdb(vivado_tree, "program.tcl", board, machine=machine, **settings)
    assert code == 1
    assert message in printed


# ---- a Zynq-7000 ---------------------------------------------------------------------------------


def zedboard(tree, *arguments, **settings):
    return xsdb(tree, "program.tcl", "zedboard", *arguments, machine="zynq7000", **settings)


@needs_tclsh
@pytest.mark.parametrize("url", [(), ("tcp:lab:3121",)])
def test_a_zynq_7000_is_programmed_and_the_firmware_started(tree, url):
    code, printed, calls = zedboard(tree, *url)
    assert code == 0, printed
    names = [call.split()[0] for call in calls]
    order = ["rst", "ps7_init", "fpga", "ps7_post_config", "dow", "con"]
    places = [names.index(name) for name in order]
    assert places == sorted(places)
    # No reset of the system, nor another ps7_init, after the level shifters went on.
    assert "ps7_init" not in names[places[3] :]
    assert [call for call in calls[places[3] :] if call.startswith("rst")] == [
        "rst {-processor 1 -clear-registers 1} {}"
    ]
    (loaded,) = [call for call in calls if call.startswith("dow")]
    assert loaded.rstrip("}").endswith("build/fw-zynq7000/irqscope.elf")
    assert "irqscope: running" in printed


@needs_tclsh
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"targets": "APU xc7z020"}, "no target *Cortex-A9*#0"),
        ({"targets": ""}, "no target APU*: is the board on"),
        ({"mode": "5"}, "the boot jumpers say SD card and not JTAG (BOOT_MODE reads 5)"),
        ({"mode": "3"}, "the boot jumpers say something else and not JTAG"),
        ({"init_fails": "1"}, "ps7_init stopped: timeout reached"),
        ({"pll": "3"}, "a PLL is not locked"),
        ({"clock": 0x00100A00}, "FCLK_CLK0 is 100.000 MHz by its dividers, not 125"),
        ({"fdiv": "20"}, "the IO PLL runs at 666.7 MHz, not 1000"),
        ({"clock": 0x00100820}, "FCLK_CLK0 does not come from the IO PLL"),
        ({"clock": 0}, "FCLK_CLK0 does not come from the IO PLL"),
        ({"shifters": "10"}, "ps7_post_config left the level shifters off"),
        ({"reset": "1"}, "ps7_post_config left FCLK_RESET0_N on"),
    ],
)
def test_what_fails_on_a_zynq_7000_is_named_in_one_line(tree, settings, message):
    code, printed, calls = zedboard(tree, **settings)
    assert code == 1
    assert message in printed
    assert "while executing" not in printed
    assert not any(call.startswith("dow") for call in calls)


@needs_tclsh
def test_the_rate_is_that_of_the_boards_own_crystal(tree):
    """50 MHz x 20 / 8; on a ZedBoard these dividers would be wrong."""
    shutil.copytree(tree / "build/vivado/zedboard", tree / "build/vivado/pynqz2")
    run = xsdb(tree, "program.tcl", "pynqz2", machine="zynq7000", fdiv=20)
    assert run[0] == 0, run[1]
    code, printed, _ = xsdb(tree, "program.tcl", "pynqz2", machine="zynq7000", fdiv=30)
    assert code == 1
    assert "the IO PLL runs at 1500.0 MHz" in printed


@needs_tclsh
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  ps7_post_config\n", "\n", "left the level shifters off"),
        ("  rst -system\n", "\n", "system_reset comes first"),
        ('  use_target "xc7z*"\n', "\n", "fpga on target APU"),
        ("  fpga -file $bitstream\n", "\n", "fpga comes first"),
        ("use_target [dict get $machine core]", 'use_target "APU*"', "on target APU"),
    ],
)
def test_the_recorder_finds_a_slip_on_a_zynq_7000(tree, old, new, message):
    assert message in with_slip(tree, "zynq7000", old, new)


@needs_tclsh
@pytest.mark.parametrize(
    ("words", "maker"),
    [
        ((), "make -C fw MACHINE=zynq7000"),
        (("freertos",), "make -C fw MACHINE=zynq7000 STACK=freertos"),
    ],
)
def test_the_firmware_of_a_zynq_7000_is_not_that_of_the_other_machine(tree, words, maker):
    (tree / "build/fw-zynq7000/irqscope.elf").unlink()
    (tree / "build/fw/irqscope-freertos.elf").write_text("")
    code, printed, calls = zedboard(tree, *words)
    assert (code, calls) == (1, [])
    assert f"; {maker} makes it" in printed


@needs_tclsh
def test_a_board_that_there_is_not_is_named(tree):
    code, printed, calls = xsdb(tree, "program.tcl", "zcu999")
    assert (code, calls) == (1, [])
    assert "there is no board zcu999; there are zcu102, zcu104, kv260, zedboard, pynqz2" in printed


@needs_tclsh
def test_core_1_of_a_zynq_7000_is_let_go(tree):
    caught = "{ARM Cortex-A9 MPCore #1}"
    run = xsdb(tree, "cores.tcl", "zynq7000", machine="zynq7000", halted=caught)
    assert run[0] == 0, run[1]
    assert "core 1 goes on" in run[1]
    code, printed, _ = xsdb(tree, "cores.tcl", "zynq7001")
    assert code == 1
    assert "usage" in printed


@needs_tclsh
def test_cores_that_a_debugger_caught_are_let_go(tree):
    code, printed, _ = xsdb(tree, "cores.tcl", halted="{Cortex-A53 #2}")
    assert code == 0, printed
    assert "core 2 goes on" in printed
    assert "core 1: Already running" in printed


# ---- the same in Vitis's Python ------------------------------------------------------------------

#: The oldest Python of a Vitis that has the package, 2023.2; `make lint` looks for syntax and
#: modules that it lacks. Methods of objects are beyond that check: these came later.
OLDEST = "3.8"
#: That of 2025.1 and 2025.2.
NEWEST = "3.13"
LATER = {"removeprefix", "removesuffix", "is_relative_to", "with_stem", "hardlink_to", "walk"}
FOREIGN = ["boot/image.py", "jtag/program.py"]


@pytest.mark.parametrize("script", FOREIGN)
def test_a_script_of_vitis_uses_nothing_that_its_oldest_python_lacks(script):
    text = (ROOT / "scripts" / script).read_text()
    assert f"Vitis's own Python: {OLDEST}" in text
    tree = ast.parse(text, feature_version=(3, 8))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not names & LATER
    assert not [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.BitOr)  # of dictionaries
    ]


def test_no_other_script_is_for_vitis():
    scripts = (ROOT / "scripts").rglob("*.py")
    importing = [
        path for path in scripts if re.search("(?m)^import (vitis|xsdb)", path.read_text())
    ]
    assert sorted(str(path.relative_to(ROOT / "scripts")) for path in importing) == FOREIGN


def pythons(version):
    """Finds interpreters of a version in PATH and in the folders of pyenv and uv."""
    yield from filter(None, [shutil.which(f"python{version}")])
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from pyenv.glob(f"versions/{version}.*/bin/python")
    yield from Path.home().glob(f".local/share/uv/python/cpython-{version}.*/bin/python")


@pytest.fixture(params=["this", OLDEST, NEWEST])
def interpreter(request):
    """Python; and those of the oldest and the newest Vitis, if this computer has them."""
    if request.param == "this":
        return sys.executable
    for python in pythons(request.param):
        # What is found may be a launcher of a version that is not there.
        if subprocess.run([python, "-c", ""], capture_output=True).returncode == 0:
            return python
    return pytest.skip(f"there is no Python {request.param}; uv python install {request.param}")


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


#: The same of a ps7_init.tcl: it waits by a loop of its own, and asks for the silicon's version.
PS7_INIT = """
proc mask_poll { addr mask } {
  set curval "0x[string range [mrd $addr] end-8 end]"
  while {[expr {$curval & $mask}] == 0} { set curval "0x[string range [mrd $addr] end-8 end]" }
}
proc ps_version { } {
  set si_ver "0x[string range [mrd 0xF800025C] end-8 end]"
  return "0x[expr {$si_ver >> 28}]"
}
proc ps7_init {} {
  set saved_mode [configparams force-mem-accesses]
  configparams force-mem-accesses 1
  set version [ps_version]
  mwr -force 0x5 0x0
  mask_poll 0XF800010C 0x00000001
  configparams force-mem-accesses $saved_mode
}
proc ps7_post_config {} { mwr -force 0x6 0x0 }
"""


def vitis(tree, *arguments, machine="zynqmp", interpreter=sys.executable, **settings):
    """Same as xsdb(), by the Python form."""
    board, init, _ = BOARDS[machine]
    text = PSU_INIT if machine == "zynqmp" else PS7_INIT
    (tree / "build/vivado" / board / init).write_text(text)
    recorder = [settings, *recorders(machine)]
    run = subprocess.run(
        [interpreter, tree / "scripts" / "jtag" / "program.py", *arguments],
        env=os.environ
        | {"PYTHONPATH": str(TESTS / "stand_ins"), "XSDB_RECORDER": json.dumps(recorder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout + run.stderr, re.findall(r"CALL (.*)", run.stdout)


def on_the_board(calls):
    """The calls with numbers in one form, without what psu_init sets and waits for here."""
    remaining = [call for call in calls if "0xFF5E00C0" not in call.replace("0X", "0x")]
    remaining = [call for call in remaining if call != "after {} 1"]
    return [
        re.sub(r"0x[0-9A-F]+", lambda number: hex(int(number[0], 16)), call) for call in remaining
    ]


@needs_tclsh
@needs_tkinter
@pytest.mark.parametrize("url", [(), ("tcp:lab:3121",)])
def test_both_forms_do_the_same_on_the_board(tree, url, interpreter):
    code, printed, calls = vitis(tree, "zcu102", *url, interpreter=interpreter)
    assert code == 0, printed
    assert "irqscope: running" in printed
    (tree / "build/vivado/zcu102/psu_init.tcl").write_text("")
    tcl = xsdb(tree, "program.tcl", "zcu102", *url)
    assert tcl[0] == 0
    assert on_the_board(calls) == on_the_board(tcl[2])


@needs_tclsh
@needs_tkinter
def test_both_forms_do_the_same_on_a_zynq_7000(tree):
    code, printed, calls = vitis(tree, "zedboard", machine="zynq7000")
    assert code == 0, printed
    assert "irqscope: running" in printed
    (tree / "build/vivado/zedboard/ps7_init.tcl").write_text("")
    tcl = zedboard(tree)
    assert tcl[0] == 0
    # ps7_init of this test reads two of the registers that the script reads.
    actual, expected = (
        [call for call in on_the_board(each) if not re.search("0xf800(025|010)c", call)]
        for each in (calls, tcl[2])
    )
    assert actual == expected


@needs_tkinter
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"targets": "PSU"}, "no target Cortex-A53 #0"),
        ({"targets": ""}, "no target PSU: is the board on"),
        ({"done": "0"}, "the PL does not report DONE"),
        ({"init_fails": "1"}, "psu_init stopped: timeout reached"),
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
        ('type=words[0].lstrip("-")', "kind=words[0]", "unexpected keyword argument 'kind'"),
        ('mwr(address, "-f", words=value)', "mwr(address, value)", "missing 1 required"),
        ("fpga(file=words[-1])", "fpga(words[-1])", "positional argument"),
        ("{value:08X}\\n", "{value:08X}", "non-numeric string"),
        ("proc init_ps", "proc init_psu", "init_ps"),
        ("def configparams", "def configparam", "configparams"),
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
                with open({executables}.get(name, "/dev/null"), "rb") as executable:
                    (folder / name).write_bytes(executable.read())
class Client:
    def set_workspace(self, path):
        global workspace
        workspace = path
    def create_platform_component(self, name, {xsa}, os, cpu):
        assert {xsa}.endswith("irqscope.xsa") and cpu == {cpu!r}
        assert not (Path(workspace) / name).exists(), "there is such a component"
        return Platform()
create_client = Client
def dispose(): pass
"""


def boot_image(
    tree,
    *arguments,
    files=("fsbl.elf", "pmufw.elf"),
    cpu="psu_cortexa53_0",
    xsa="hw_design",
    executables=None,
    bootgen="",
    interpreter=sys.executable,
):
    """Runs image.py.

    Args:
        tree: folder with what builds leave.
        arguments: of the script.
        files: loaders that Vitis makes.
        cpu: the one that Vitis is asked for.
        xsa: keyword by which Vitis takes a hardware description.
        executables: path of the file whose bytes a loader has, by loader; others are empty.
        bootgen: name of the real bootgen in PATH, or an empty string for a stand-in.
        interpreter: Python that runs it.
    """
    stand_ins = tree / "stand_ins"
    stand_ins.mkdir(exist_ok=True)
    names = {"files": repr(files), "cpu": cpu, "xsa": xsa, "executables": repr(executables or {})}
    (stand_ins / "vitis.py").write_text(VITIS.format(**names))
    place = stand_ins / "bootgen"
    if bootgen:
        place.symlink_to(shutil.which(bootgen))
    else:
        place.write_text('#!/bin/sh\necho "$@" > "$6.arguments"; touch "$6"\n')
        place.chmod(0o755)
    return subprocess.run(
        [interpreter, tree / "scripts" / "boot" / "image.py", *arguments],
        env={"PYTHONPATH": str(stand_ins), "PATH": f"{stand_ins}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_boot_image_holds_loader_bitstream_and_firmware_in_order(tree, interpreter):
    run = boot_image(tree, "zcu102", interpreter=interpreter)
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


@pytest.mark.parametrize("xsa", ["hw", "hw_design"])
def test_vitis_of_2023_2_and_later_ones_make_images_one_after_the_other(tree, xsa):
    for _ in range(2):
        run = boot_image(tree, "zcu102", xsa=xsa)
        assert run.returncode == 0, run.stderr
    assert (tree / "build/boot/zcu102/fsbl.elf").is_file()


def test_a_vitis_that_takes_neither_word_is_named(tree):
    run = boot_image(tree, "zcu102", xsa="hardware")
    assert run.returncode == 1
    assert "Vitis makes no platform of" in run.stderr
    assert "hw_design: " in run.stderr and "hw: " in run.stderr


def test_an_image_without_bootgen_is_refused_before_vitis_works(tree):
    (tree / "stand_ins").mkdir()
    code = (ROOT / "scripts/boot/image.py").read_text().replace('which("bootgen")', 'which("none")')
    (tree / "scripts/boot/image.py").write_text(code)
    run = boot_image(tree, "zcu102")
    assert run.returncode == 1
    assert "bootgen is not in PATH" in run.stderr
    assert not (tree / "build/boot/zcu102/workspace").exists()


def test_a_boot_image_of_a_zynq_7000_has_no_other_loader(tree):
    run = boot_image(tree, "zedboard", files=("fsbl.elf",), cpu="ps7_cortexa9_0")
    assert run.returncode == 0, run.stderr
    output = tree / "build" / "boot" / "zedboard"
    lines = (output / "irqscope.bif").read_text().split("{")[1].split("}")[0].splitlines()
    names = [Path(line.split()[-1]).name for line in lines if line.strip()]
    assert names == ["fsbl.elf", "irqscope.bit", "irqscope.elf"]
    assert lines[1].split()[0] == "[bootloader]"
    assert "build/fw-zynq7000/irqscope.elf" in lines[3]
    assert (output / "BOOT.BIN.arguments").read_text().split()[:2] == ["-arch", "zynq"]


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
        (("zcu999",), (), "there is no board zcu999; there are zcu102"),
        (("kv260",), (), "there is no"),
        (("zcu102",), ("fsbl.elf",), "holds no pmufw.elf"),
    ],
)
def test_an_image_that_cannot_be_made_says_why(tree, arguments, files, message):
    run = boot_image(tree, *arguments, files=files)
    assert run.returncode == 1
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def bitstream(part):
    """The beginning of a bitstream of Vivado's, without configuration.

    Design, part, date, time and length of the data; then dummy words, the synchronisation word, and
    words that do nothing (UG470, and the same fields on UltraScale+).
    """
    fields = {"a": "irqscope", "b": part, "c": "2026/01/01", "d": "00:00:00"}
    texts = [
        key.encode() + (len(text) + 1).to_bytes(2) + text.encode() + b"\0"
        for key, text in fields.items()
    ]
    words = b"\xff" * 16 + bytes.fromhex("aa995566") + bytes.fromhex("20000000") * 59
    magic = bytes.fromhex("0009 0ff0 0ff0 0ff0 0ff0 00 0001")
    return magic + b"".join(texts) + b"e" + len(words).to_bytes(4) + words


def swapped(image):
    """The image with the bytes of each word turned round, as the configuration port takes them."""
    return b"".join(image[at : at + 4][::-1] for at in range(0, len(image), 4))


@pytest.mark.soak
@pytest.mark.skipif(
    shutil.which("bootgen") is None,
    reason="AMD's bootgen is not in PATH; its public source builds with g++ and OpenSSL",
)
@pytest.mark.parametrize(
    ("board", "part", "files", "cpu", "firmware"),
    [
        ("zcu102", "xczu9eg", ("fsbl.elf", "pmufw.elf"), "psu_cortexa53_0", "fw"),
        ("zedboard", "7z020clg484", ("fsbl.elf",), "ps7_cortexa9_0", "fw-zynq7000"),
    ],
)
def test_amds_bootgen_accepts_the_image(tree, board, part, files, cpu, firmware):
    """Firmware also replaces the loaders; that of the PMU is a 32-bit ELF file."""
    for machine in BOARDS:
        subprocess.run(["make", "-s", "-C", ROOT / "fw", f"MACHINE={machine}"], check=True)
    built = ROOT / "build" / firmware / "irqscope.elf"
    shutil.copy(built, tree / "build" / firmware / "irqscope.elf")
    narrow = ROOT / "build/fw-zynq7000/irqscope.elf"
    loaders = {"fsbl.elf": str(built), "pmufw.elf": str(narrow)}
    (tree / "build/vivado" / board / "irqscope.bit").write_bytes(bitstream(part))
    run = boot_image(tree, board, files=files, cpu=cpu, executables=loaders, bootgen="bootgen")
    assert run.returncode == 0, run.stderr + run.stdout
    image = (tree / "build/boot" / board / "BOOT.BIN").read_bytes()
    # Boot header (UG1085, UG585): width detection, and the name of the format.
    assert image[0x20:0x28] == bytes.fromhex("665599aa") + b"XNLX"
    assert bitstream(part)[-240:] in swapped(image)
