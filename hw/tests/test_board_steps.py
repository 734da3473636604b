"""make bitstream, smoke, program and sdcard, with stand-ins of AMD's tools.

The stand-ins run the project's own scripts, on the recorders of hw/tests, and end as the tools do:
Vitis's launcher ends with 0 even if the script fails. So each step is judged by its output
files.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .tools import needs_tclsh

ROOT = Path(__file__).parents[2]
RECORDERS = Path(__file__).parent
STEP = "scripts/steps/board_step.py"

XSDB = """#!/bin/bash
script=$1; shift
cat > "$HOME/main.tcl" <<END
source {recorders}/recorder.tcl
source {recorders}/xsdb.tcl
source {recorders}/xsdb_zynqmp.tcl
${{SETTINGS:-}}
set argv {{$*}}
source $script
END
exec tclsh "$HOME/main.tcl"
"""

# Files that build.tcl leaves, or the step at which it stops.
VIVADO = """#!/bin/bash
[ "$1 $2 $3 $4 $5" = "-mode batch -nolog -nojournal -source" ] || exit 9
[ "$6 $7" = "scripts/vivado/build.tcl -tclargs" ] && [ -f "$6" ] || exit 8
echo "$0 builds $8"
[ -z "$STOPS" ] || { echo "irqscope: setup is violated by -0.1 ns"; exit 1; }
[ -z "$LEAVES_NOTHING" ] || exit 0
mkdir -p build/vivado/$8; touch build/vivado/$8/irqscope.bit
echo "irqscope: $PWD/build/vivado/$8 holds irqscope.bit, irqscope.xsa and psu_init.tcl"
"""

# The launcher of Vitis's Python; its exit code is not the script's.
VITIS = """#!/bin/bash
[ "$1" = -s ] || exit 9
shift
{python} "$@"
exit 0
"""

VITIS_PACKAGE = """
from pathlib import Path
class Platform:
    def build(self):
        folder = Path(workspace) / "irqscope/export/irqscope/sw/boot"
        folder.mkdir(parents=True)
        for name in ("fsbl.elf", "pmufw.elf"):
            (folder / name).write_text("")
class Client:
    def set_workspace(self, path):
        global workspace
        workspace = path
    def create_platform_component(self, name, hw_design, os, cpu):
        return Platform()
create_client = Client
def dispose(): pass
"""


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Place:
    """A repository with a board's build in it, and a computer without any of AMD's tools."""

    def __init__(self, folder):
        self.tree, self.home, self.bin = folder / "tree", folder / "home", folder / "bin"
        for needed in ("scripts", "machines"):
            shutil.copytree(ROOT / needed, self.tree / needed)
        self.home.mkdir()
        hardware = self.tree / "build/vivado/zcu102"
        hardware.mkdir(parents=True)
        for name in ("irqscope.bit", "irqscope.xsa", "psu_init.tcl"):
            (hardware / name).write_text("")
            os.utime(hardware / name, (1, 1))  # of long ago
        # `make -C fw ...` is not what is tested here.
        make = (
            'echo "$@" >> "$HOME/made"; mkdir -p build/fw; touch build/fw/irqscope{,-freertos}.elf'
        )
        program(self.bin / "make", f"#!/bin/bash\n{make}\n")

    def install(self, place, name, text):
        """A tool in the folder of an installation, with the settings64.sh that installers write."""
        folder = self.home / place
        program(folder / "bin" / name, text)
        (folder / "settings64.sh").write_text(f'export PATH="{folder}/bin:$PATH"\n')
        return folder

    def install_vitis(self, place="Xilinx/2025.2/Vitis"):
        folder = self.install(place, "vitis", VITIS.format(python=sys.executable))
        program(folder / "bin" / "bootgen", '#!/bin/sh\necho image > "$6"\n')
        package = folder / "python" / "vitis.py"
        package.parent.mkdir()
        package.write_text(VITIS_PACKAGE)
        with (folder / "settings64.sh").open("a") as settings:
            settings.write(f'export PYTHONPATH="{package.parent}"\n')
        return folder

    def step(self, *words, **environment):
        path = f"{self.bin}:/usr/bin:/bin"
        run = subprocess.run(
            [sys.executable, self.tree / STEP, *words],
            env={"HOME": str(self.home), "PATH": path, **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in run.stderr
        return run.returncode, run.stdout + run.stderr


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_the_newest_vivado_of_both_layouts_builds_and_its_log_is_kept(place):
    for folder in ("Xilinx/Vivado/2023.2", "Xilinx/2025.2/Vivado", "Xilinx/Vivado/2024.2"):
        place.install(folder, "vivado", VIVADO)
    code, printed = place.step("bitstream", "zcu104")
    assert code == 0, printed
    assert "2025.2/Vivado/bin/vivado builds zcu104" in printed
    assert "builds zcu104" in (place.tree / "build/log/bitstream-zcu104.log").read_text()


@pytest.mark.parametrize("named", ["", "bin", "settings64.sh", "bin/vivado"])
def test_a_variable_comes_before_everything_else(place, named):
    place.install("Xilinx/2025.2/Vivado", "vivado", VIVADO)
    folder = place.install("old/2024.2", "vivado", VIVADO)
    code, printed = place.step("bitstream", "zcu104", f"VIVADO={folder / named}")
    assert code == 0, printed
    assert "old/2024.2/bin/vivado builds" in printed


def test_path_comes_before_the_usual_folders(place):
    place.install("Xilinx/2025.2/Vivado", "vivado", VIVADO)
    program(place.bin / "vivado", VIVADO)
    code, printed = place.step("bitstream", "zcu104")
    assert code == 0, printed
    assert f"{place.bin}/vivado builds" in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bitstream", "zcu102"), "without it no bitstream can be built"),
        (("program", "zcu102"), "without it no board can be reached over JTAG"),
        (("sdcard", "zcu102"), "without it there is no boot loader for an SD card"),
        (("bitstream", "zcu102", "VIVADO=/nowhere"), "VIVADO=/nowhere: there is no vivado"),
        (("bitstream", "zcu999"), "BOARD=zcu999: there is none; there are zcu102, zcu104"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(place, words, message):
    code, printed = place.step(*words)
    assert code == 2
    assert message in printed.splitlines()[-1]


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"STOPS": "1"}, "its program ended with 1; all that it printed is in build/log/"),
        ({"LEAVES_NOTHING": "1"}, "it ended without"),
    ],
)
def test_a_build_that_makes_nothing_failed_whatever_vivado_says(place, environment, message):
    place.install("Xilinx/2025.2/Vivado", "vivado", VIVADO)
    code, printed = place.step("bitstream", "zcu102", **environment)
    assert code == 1
    assert message in printed.splitlines()[-1]


@needs_tclsh
def test_a_board_is_programmed_with_the_stack_that_is_asked_for(place):
    place.install("Xilinx/2025.2/Vivado", "xsdb", XSDB.format(recorders=RECORDERS))
    code, printed = place.step("program", "zcu102", "STACK=freertos", "URL=tcp:lab:3121")
    assert code == 0, printed
    assert "irqscope: running" in printed
    command_log = (place.home / "made").read_text()
    assert "-C fw MACHINE=zynqmp BOARD=zcu102 STACK=freertos" in command_log


@needs_tclsh
def test_a_design_of_ones_own_is_taken_out_of_its_hardware_description(place):
    place.install("Xilinx/2025.2/Vivado", "xsdb", XSDB.format(recorders=RECORDERS))
    shutil.rmtree(place.tree / "build/vivado")
    xsa = place.home / "mine.xsa"
    for held, message in (
        ((), "it holds 0 files *.bit; one is needed"),
        (("mine.bit",), "it holds 0 files *psu_init.tcl; one is needed"),
        (("mine.bit", "psu_init.tcl"), ""),
    ):
        with zipfile.ZipFile(xsa, "w") as archive:
            for name in held:
                archive.writestr(name, f"# {name}\n")
        code, printed = place.step("program", "zcu102", f"XSA={xsa}")
        assert code == (2 if message else 0), printed
        assert message in printed
    assert (place.tree / "build/xsa/zcu102/irqscope.bit").read_text() == "# mine.bit\n"
    code, printed = place.step("program", "zcu102")
    assert code == 1 and "build/vivado/zcu102/irqscope.bit; vivado/build.tcl makes it" in printed
    xsa.write_text("none")
    code, printed = place.step("smoke", "zcu102", f"XSA={xsa}")
    assert (code, printed.splitlines()[-1]) == (2, f"make smoke: XSA={xsa}: File is not a zip file")


@needs_tclsh
def test_a_board_that_is_off_fails_the_step(place):
    place.install("Xilinx/2025.2/Vivado", "xsdb", XSDB.format(recorders=RECORDERS))
    code, printed = place.step("program", "zcu102", SETTINGS="set settings(targets) {}")
    assert code == 1
    assert "no target PSU: is the board on" in printed
    assert "build/log/program-zcu102.log" in printed.splitlines()[-1]


def test_an_sd_card_is_made_twice(place):
    place.install_vitis()
    for _ in range(2):
        code, printed = place.step("sdcard", "zcu102")
        assert code == 0, printed
        image = place.tree / "build/boot/zcu102/BOOT.BIN"
        assert image.read_text() == "image\n"
        image.unlink()


def test_vitis_ends_with_0_and_the_step_fails_all_the_same(place):
    folder = place.install_vitis()
    (folder / "bin" / "bootgen").unlink()
    code, printed = place.step("sdcard", "zcu102")
    assert code == 1
    assert "no new build/boot/zcu102/BOOT.BIN" in printed.splitlines()[-1]


def test_a_bitstream_of_packages_is_loaded_by_the_boards_name_and_never_without_one(place):
    code, printed = place.step("program", "ulx3s")
    assert code == 2 and "apt-get install openfpgaloader" in printed
    program(place.bin / "openFPGALoader", '#!/bin/bash\necho "loads $@"\n')
    code, printed = place.step("program", "ulx3s")
    assert code == 2 and "run `make bitstream BOARD=ulx3s`" in printed
    bitstream = place.tree / "build/ecp5/ulx3s/irqscope.bit"
    bitstream.parent.mkdir(parents=True)
    bitstream.write_text("")
    code, printed = place.step("program", "ulx3s")
    assert code == 0, printed
    assert "loads -b ulx3s build/ecp5/ulx3s/irqscope.bit" in printed
