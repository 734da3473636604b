"""The scripts for Vivado, run to their end by tclsh against a recorder of Vivado's commands.

What that shows: no unknown command, option, property or pin, no unset variable, the order, each
connection, and that every check can fail. What it cannot show: that Vivado does the same.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from irqscope_hw.fpga import component

from .tools import needs_tclsh

ROOT = Path(__file__).parents[2]
TESTS = Path(__file__).parent
SCRIPTS = ROOT / "scripts" / "vivado"
CORE = (component.IP / f"{component.TOP}.v").read_text()

pytestmark = needs_tclsh


def rows(name):
    """The words of each row of a list, without comments."""
    lines = (TESTS / name).read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


#: Known properties of the processor system: by name, each value with its source.
PROPERTIES = {
    row[0]: dict(word.split(":") for word in row[1:]) for row in rows("psu_properties.txt")
}
#: Its ports: name, direction, width, property=default, kind, source of the net.
PORTS = rows("psu_ports.txt")
SOURCES = "ABCDYT-"


def tcl_dictionary(properties):
    return " ".join(f"{name} {{{' '.join(values)}}}" for name, values in properties.items())


def core_ports():
    """Name, direction, width and kind of the core's ports, as Tcl."""
    parameters, ports = component.parse(CORE)
    interfaces = component.INTERFACES.values()
    kinds = {port: each.bus[1] for each in interfaces for port in each.ports.values()}
    words = []
    for port in ports:
        left = port.left or "0"
        for name, value in parameters.items():
            left = left.replace(name, str(value))
        width = str(eval(left) + 1)  # noqa: S307
        words += [port.name, port.direction, width, kinds.get(port.name, "data")]
    return " ".join(words)


def build(folder, board="zcu102", scripts=SCRIPTS, **settings):
    """Runs build.tcl; gives its exit code, what it printed, and Vivado's commands in order."""
    known = {
        "properties": tcl_dictionary(PROPERTIES),
        "ports": " ".join(" ".join(row[:5]).replace("=", " ") for row in PORTS),
        "core_ports": core_ports(),
        "port_widths": " ".join(
            f"{name} {interface.parameters['PortWidth']}"
            for name, interface in component.INTERFACES.items()
            if "PortWidth" in interface.parameters
        ),
    }
    settings = {**known, **settings}
    lines = [f"set settings({name}) {{{value}}}" for name, value in settings.items()]
    script = "\n".join(
        [
            *lines,
            f"source {{{TESTS / 'recorder.tcl'}}}",
            f"source {{{TESTS / 'vivado.tcl'}}}",
            f"set argv {{{board} {folder / 'out'}}}",
            f"source {{{scripts / 'build.tcl'}}}",
            'foreach call $calls { puts "CALL [lindex $call 0]" }',
            "puts [list CORE $bd::properties(CONFIG.BOARD) $bd::properties(CONFIG.TICK_HZ)]",
        ]
    )
    main = folder / "main.tcl"
    main.write_text(script)
    run = subprocess.run(["tclsh", main], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr, re.findall(r"CALL (\w+)", run.stdout)


@pytest.mark.parametrize("board", ["zcu102", "zcu104", "kv260"])
def test_a_build_runs_to_its_end(tmp_path, board):
    code, printed, calls = build(tmp_path, board)
    assert code == 0, printed
    assert ("CARRIER" in printed) == (board == "kv260")
    assert (tmp_path / "out" / "irqscope.bit").is_file()
    assert (tmp_path / "out" / "psu_init.tcl").is_file()
    assert calls[-1] == "write_hw_platform"
    assert "was not tried yet" in printed
    reports = {path.name for path in (tmp_path / "out" / "reports").iterdir()}
    assert {"utilization.txt", "timing.txt", "check_timing.txt"} <= reports


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"board": "zcu999"}, "name a board: zcu102 or zcu104 or kv260"),
        ({"part": ""}, "it takes a paid licence; zcu104 is in the free edition"),
        ({"part": "", "board": "zcu104"}, "install the family"),
        ({"board_parts": ""}, "no board file"),
    ],
)
def test_what_is_missing_is_named_in_one_line(tmp_path, settings, message):
    code, printed, _ = build(tmp_path, **settings)
    assert code == 1
    assert message in printed
    assert "while executing" not in printed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"slack": "-0.01"}, "setup is violated by -0.01 ns"),
        ({"no_clock": "7"}, "7 registers have no clock"),
        ({"period": "10.0"}, "the clock's period is 10.0 ns"),
        ({"skew": "3000"}, "the bits of core 1's marker arrive 2200 ps apart"),
        ({"unmarked": "*port/first_reg:0"}, "0 of 1 registers *core/port/first_reg"),
        (
            {"stray": "system/core/control/armed_reg/D"},
            "EMIO reaches control/armed_reg/D, which is not made for a crossing",
        ),
        ({"stray": "other/q_reg/D"}, "EMIO reaches other/q_reg/D, which is not"),
        ({"unreached": "port/first_reg/D"}, "EMIO does not reach port/first_reg/D"),
        ({"processor": ""}, "the processor system has no EMIO pins"),
    ],
)
def test_a_failed_check_fails_the_build_and_marks_the_bitstream(tmp_path, settings, message):
    code, printed, calls = build(tmp_path, **settings)
    assert code == 1
    assert message in printed
    assert "write_hw_platform" not in calls
    assert not (tmp_path / "out" / "irqscope.bit").exists()
    assert (tmp_path / "out" / "irqscope_failed.bit").is_file()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"port_widths": ""}, "pl_ps_irq0: highest bit '0', inputs '1'; expected 7 and 8"),
        ({"port_width": "7"}, "pl_ps_irq1: highest bit '6', inputs '7'; expected 7 and 8"),
        ({"megahertz": "100.0"}, "PL0 is 100.0 MHz; expected 250"),
    ],
)
def test_a_wrong_block_design_is_not_built(tmp_path, settings, message):
    code, printed, calls = build(tmp_path, **settings)
    assert code == 1
    assert "the block design is wrong" in printed
    assert message in printed
    assert "launch_runs" not in calls


@pytest.mark.parametrize(
    ("board", "megahertz", "number", "hz"),
    [
        ("zcu102", "249.975", 1, 249_975_000),
        ("zcu104", "249.997498", 2, 249_997_498),
        ("kv260", "249.997498", 3, 249_997_498),
    ],
)
def test_the_core_says_which_board_it_is_and_how_fast_its_clock_is(
    tmp_path, board, megahertz, number, hz
):
    _, printed, _ = build(tmp_path, board, megahertz=megahertz)
    assert f"CORE {number} {hz}" in printed


SLIPS = [
    ("misspelt command", "build.tcl", "validate_bd_design", "validate_design", "unknown command"),
    ("misspelt option", "build.tcl", "-include_bit", "-include_bits", "has no option"),
    ("unset variable", "build.tcl", "-quiet $part", "-quiet $parts", "no such variable"),
    ("unknown property", "design.tcl", "USE__IRQ1", "USE_IRQ1", "has no PSU__USE_IRQ1"),
    ("unseen value", "design.tcl", "FREQMHZ 250", "FREQMHZ 251", "FREQMHZ cannot be 251"),
    ("property off", "design.tcl", "USE__STM 1", "USE__STM 0", "there is no pin ps/stm_event"),
    ("master left on", "design.tcl", "M_AXI_GP1 0", "M_AXI_GP1 1", "nothing drives ps/maxihpm1"),
    ("width", "design.tcl", "PERIPHERAL__IO 64", "PERIPHERAL__IO 95", "widths"),
    (
        "net forgotten",
        "design.tcl",
        "    pl_resetn0       resetn\n",
        "",
        "nothing drives irqscope/re",
    ),
    (
        "clock for reset",
        "design.tcl",
        "    pl_clk0          clk\n    pl_resetn0       resetn\n",
        "    pl_clk0          resetn\n    pl_resetn0       clk\n",
        "ps/pl_clk0 to irqscope/resetn: kinds reset clock",
    ),
    (
        "vectors swapped",
        "design.tcl",
        "    pl_ps_irq0       pl_ps_irq0\n    pl_ps_irq1       pl_ps_irq1\n",
        "    pl_ps_irq0       pl_ps_irq1\n    pl_ps_irq1       pl_ps_irq0\n",
        "irqscope/pl_ps_irq1 belongs to ps/pl_ps_irq1, not to ps/pl_ps_irq0",
    ),
    ("wrong pin", "design.tcl", "pl_ps_irq1       pl_ps_irq1", "pl_ps_irq0 pl_ps_irq1", "has two"),
    ("order", "design.tcl", "apply_bd_automation", "#", "preset comes first"),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"), [s[1:] for s in SLIPS], ids=[s[0] for s in SLIPS]
)
def test_the_recorder_finds_a_slip(tmp_path, file, old, new, message):
    scripts = tmp_path / "scripts" / "vivado"
    shutil.copytree(SCRIPTS, scripts)
    (tmp_path / "ip").symlink_to(ROOT / "ip")
    (tmp_path / "constraints").symlink_to(ROOT / "constraints")
    text = (scripts / file).read_text()
    assert old in text
    (scripts / file).write_text(text.replace(old, new, 1))
    code, printed, _ = build(tmp_path, scripts=scripts)
    assert code != 0
    assert message in printed, printed


@pytest.mark.parametrize(("board", "leds"), [("zcu102", 4), ("zcu104", 4), ("kv260", 0)])
def test_every_port_of_the_design_has_a_pin_of_its_own(board, leds):
    text = (ROOT / "constraints" / f"{board}.xdc").read_text()
    pins = re.findall(r"PACKAGE_PIN (\w+) .*\[get_ports \{(\w+\[\d\])\}\]", text)
    names = [name for _, name in pins]
    assert names == [f"pmod[{i}]" for i in range(8)] + [f"led[{i}]" for i in range(leds)]
    assert len({pin for pin, _ in pins}) == 8 + leds


def test_what_no_public_design_has_is_listed_as_not_verified():
    """Each value and each net has a source; those without stand in the manual's one list."""
    sources = [source for values in PROPERTIES.values() for source in values.values()]
    assert set(sources) | {row[5] for row in PORTS} == set(SOURCES)
    design = (SCRIPTS / "design.tcl").read_text()
    used = dict(re.findall(r"CONFIG\.(PSU__\w+) (\w+)\n", design))
    assert used.keys() == PROPERTIES.keys()
    unseen = [f"`{n}` = {v}" for n, v in used.items() if PROPERTIES[n][v] == "-"]
    unseen += [f"`{row[0]}`" for row in PORTS if row[5] == "-"]
    assert len(unseen) == 6
    manual = (ROOT / "docs" / "board.md").read_text()
    listed = manual.split("## What has not been verified on silicon")[1]
    for words in unseen:
        assert words in listed
