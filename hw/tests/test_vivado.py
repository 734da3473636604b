"""The scripts for Vivado, run to their end by tclsh against a recorder of Vivado's commands.

What that shows: no unknown command, option, property or pin, no unset variable, the order, each
connection, and that every check can fail. It cannot show that Vivado does the same.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from irqscope_hw.fpga import component, cores

from .tools import needs_tclsh

ROOT = Path(__file__).parents[2]
TESTS = Path(__file__).parent
SCRIPTS = ROOT / "scripts" / "vivado"

pytestmark = needs_tclsh


def rows(name):
    """The words of each row of a list, without comments."""
    lines = (TESTS / name).read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


class Machine:
    """Settings of a processor system in public designs.

    ``properties``: by name, each value with its source; ``ports``: name, direction, width,
    property=default, kind, source of the net; ``preset``: of the board's own file.
    """

    def __init__(self, core, prefix, preset=""):
        self.core, self.prefix, self.preset = core, prefix, preset
        property_rows = rows(f"{prefix}_properties.txt")
        self.properties = {
            row[0]: dict(word.replace("~", " ").split(":") for word in row[1:])
            for row in property_rows
        }
        self.ports = rows(f"{prefix}_ports.txt")
        self.init = f"{prefix}_init.tcl"


def preset(crystal, cpu, uart, io_pll="1000.000"):
    """The words of a board's preset on a Zynq-7000."""
    return (
        f"PCW_CRYSTAL_PERIPHERAL_FREQMHZ {crystal} PCW_ACT_APU_PERIPHERAL_FREQMHZ {cpu} "
        f"PCW_IO_IO_PLL_FREQMHZ {io_pll} "
        f"PCW_UART0_PERIPHERAL_ENABLE {int(uart == 0)} PCW_UART1_PERIPHERAL_ENABLE {int(uart == 1)}"
    )


ZYNQMP = Machine(cores.ZYNQMP, "psu")
ZEDBOARD = Machine(cores.ZYNQ7000, "ps7", preset("33.333333", "666.666687", 1))
PYNQZ2 = Machine(cores.ZYNQ7000, "ps7", preset("50", "650.000000", 0))
MACHINES = {"zedboard": ZEDBOARD, "pynqz2": PYNQZ2}
BOARDS = ["zcu102", "zcu104", "kv260", "zedboard", "pynqz2"]


def tcl_dictionary(properties):
    """Each value in braces: some have blanks."""
    return " ".join(
        f"{name} {{{' '.join(f'{{{value}}}' for value in values)}}}"
        for name, values in properties.items()
    )


def core_ports(core):
    """Name, direction, width and kind of the core's ports, as Tcl."""
    source = (component.IP / f"{core.top}.v").read_text()
    parameters, ports = component.parse(core.top, source)
    interfaces = core.interfaces.values()
    kinds = {port: each.bus[1] for each in interfaces for port in each.ports.values()}
    words = []
    for port in ports:
        left = port.left or "0"
        for name, value in parameters.items():
            left = left.replace(name, str(value))
        width = str(eval(left) + 1)  # noqa: S307
        words += [port.name, port.direction, width, kinds.get(port.name, "data")]
    return " ".join(words)


def build(folder, board="zcu102", scripts=SCRIPTS, words="", **settings):
    """Runs build.tcl; returns its exit code, its output, and Vivado's commands in order."""
    machine = MACHINES.get(board, ZYNQMP)
    variables = {
        "properties": tcl_dictionary(machine.properties),
        "preset": machine.preset,
        "ports": " ".join(" ".join(row[:5]).replace("=", " ") for row in machine.ports),
        "core_ports": core_ports(machine.core),
        "optional": " ".join(component.OPTIONAL),
        "port_widths": " ".join(
            f"{name} {interface.parameters['PortWidth']}"
            for name, interface in machine.core.interfaces.items()
            if "PortWidth" in interface.parameters
        ),
    }
    settings = {**variables, **settings}
    lines = [f"set settings({name}) {{{value}}}" for name, value in settings.items()]
    script = "\n".join(
        [
            *lines,
            f"source {{{TESTS / 'recorder.tcl'}}}",
            f"source {{{TESTS / 'vivado.tcl'}}}",
            f"set argv {{{board} {folder / 'out'} {words}}}",
            f"source {{{scripts / 'build.tcl'}}}",
            'foreach call $calls { puts "CALL [lindex $call 0]" }',
            "puts [list DDR {*}[array get bd::properties PSU_*DDR*]]",
            "puts [list UART1 {*}[lmap name [array names bd::properties PSU__UART1*IO] {"
            "  set bd::properties($name)}]]",
            "puts [list CORE $bd::properties(CONFIG.BOARD) $bd::properties(CONFIG.TICK_HZ)]",
        ]
    )
    main = folder / "main.tcl"
    main.write_text(script)
    run = subprocess.run(["tclsh", main], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr, re.findall(r"CALL (\w+)", run.stdout)


@pytest.mark.parametrize("board", BOARDS)
def test_a_build_runs_to_its_end(tmp_path, board):
    code, printed, calls = build(tmp_path, board)
    assert code == 0, printed
    assert ("CARRIER" in printed) == (board == "kv260")
    assert (tmp_path / "out" / "irqscope.bit").is_file()
    assert (tmp_path / "out" / MACHINES.get(board, ZYNQMP).init).is_file()
    assert calls[-1] == "write_hw_platform"
    assert "was not tried yet" in printed
    reports = {path.name for path in (tmp_path / "out" / "reports").iterdir()}
    assert {"utilization.txt", "timing.txt", "check_timing.txt"} <= reports


def test_another_memory_is_asked_for_by_name(tmp_path):
    code, printed, _ = build(tmp_path, words="ddr=x16")
    assert code == 0, printed
    (message,) = re.findall(r"^DDR (.*)", printed, re.MULTILINE)
    assert "PSU__DDRC__BG_ADDR_COUNT 1" in message and "PSU__DDRC__DRAM_WIDTH {16 Bits}" in message
    assert "PSU_DYNAMIC_DDR_CONFIG_EN 0" in message
    code, printed, _ = build(tmp_path, words="")
    assert (code, re.findall(r"^DDR$", printed, re.MULTILINE)) == (0, ["DDR"])


@pytest.mark.parametrize(("board", "kind"), [("zcu104", "x16"), ("zcu102", "x4"), ("pynqz2", "x8")])
def test_a_memory_that_a_board_is_not_known_to_have_is_refused(tmp_path, board, kind):
    code, printed, calls = build(tmp_path, board, words=f"ddr={kind}")
    assert code == 1
    assert f"ddr={kind}: no such memory is known of {board}" in printed
    assert "create_project" not in calls


def test_the_placer_may_copy_a_register_that_samples_what_stands_still(tmp_path):
    copy = "system/core/port/bus__address_reg[3]_replica_1/D"
    code, printed, _ = build(tmp_path, stray=f"{{{copy}}}")
    assert code == 0, printed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"board": "zcu999"}, "name a board: zcu102 or zcu104 or kv260 or zedboard or pynqz2"),
        ({"part": ""}, "it takes a paid licence; zcu104 is in the free edition"),
        ({"part": "", "board": "zcu104"}, "install the family Zynq UltraScale+ MPSoC"),
        ({"part": "", "board": "zedboard"}, "install the family Zynq-7000"),
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
        ({"unmarked": "*port/first_reg:0"}, "0 of 1 registers *core/port/first_reg are marked"),
        (
            {"stray": "system/core/control/armed_reg/D"},
            "EMIO reaches control/armed_reg/D, which is not made for a crossing",
        ),
        ({"stray": "other/q_reg/D"}, "EMIO reaches other/q_reg/D, which is not"),
        (
            {"stray": "system/core/port/first_reg_replica/D"},
            "EMIO reaches port/first_reg_replica/D, which is not",
        ),
        ({"pulse": "-0.3"}, "pulse widths are violated by -0.3 ns in all"),
        ({"processor": ""}, "the processor system has no EMIO pins"),
        ({"board": "zedboard", "period": "10.0"}, "period is 10.0 ns; expected 8.0 ns"),
        (
            {"board": "zedboard", "skew": "5000"},
            "the bits of core 1's marker arrive 4200 ps apart; limit 4000",
        ),
        ({"board": "zedboard", "stray": "other/q_reg/D"}, "EMIO reaches other/q_reg/D"),
        ({"board": "zedboard", "processor": ""}, "the processor system has no EMIO pins"),
    ],
)
def test_a_failed_check_fails_the_build_and_marks_the_bitstream(tmp_path, settings, message):
    code, printed, calls = build(tmp_path, **settings)
    assert code == 1
    assert message in printed
    assert "write_hw_platform" not in calls
    assert not (tmp_path / "out" / "irqscope.bit").exists()
    assert (tmp_path / "out" / "irqscope_failed.bit").is_file()


STRATEGY = re.compile(r"(?m)^STRATEGY (.*)$")


def test_another_strategy_is_tried_until_one_meets_the_clock(tmp_path):
    code, printed, calls = build(tmp_path, slack="-0.2 -0.1 0.05")
    assert code == 0, printed
    assert len(STRATEGY.findall(printed)) == len(set(STRATEGY.findall(printed))) == 3
    assert (calls.count("reset_run"), calls.count("launch_runs")) == (2, 4)
    assert "Vivado Implementation Defaults: setup is violated by -0.2 ns" in printed
    assert (tmp_path / "out" / "irqscope.bit").is_file()


def test_a_clock_that_the_defaults_meet_is_built_once(tmp_path):
    _, printed, calls = build(tmp_path)
    assert STRATEGY.findall(printed) == ["Vivado Implementation Defaults"]
    assert calls.count("launch_runs") == 2


def test_a_clock_that_no_strategy_meets_fails_after_all_of_them(tmp_path):
    code, printed, _ = build(tmp_path, slack="-0.01")
    assert code == 1
    assert len(STRATEGY.findall(printed)) == 5
    assert "setup is violated by -0.01 ns" in printed


@pytest.mark.parametrize(("carriers", "version"), [("1.2 1.3", "1.3"), ("1.9 1.10", "1.10")])
def test_the_newest_carrier_that_is_there_is_taken(tmp_path, carriers, version):
    code, printed, _ = build(tmp_path, "kv260", carriers=carriers)
    assert code == 0, printed
    assert f"kv260_carrier:som240_1_connector:{version}" in printed


def test_a_carrier_without_a_board_file_is_named(tmp_path):
    code, printed, calls = build(tmp_path, "kv260", carriers="")
    assert code == 1
    assert "no board file xilinx.com:kv260_carrier beside xilinx.com:kv260_som" in printed
    assert "while executing" not in printed


def test_emio_that_misses_a_register_fails_no_build_whose_width_reads_back_right(tmp_path):
    code, printed, _ = build(tmp_path, unreached="port/first_reg/D")
    assert code == 0, printed
    assert "EMIO does not reach port/first_reg/D, though it is wide enough" in printed
    narrow = copied(tmp_path, "design.tcl", ">= 63}]", ">= 64}]")
    code, printed, _ = build(tmp_path, scripts=narrow, unreached="port/first_reg/D")
    assert code == 1
    assert "irqscope: EMIO does not reach port/first_reg/D\n" in printed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"port_widths": ""}, "pl_ps_irq0: highest bit '0', inputs '1'; expected 7 and 8"),
        ({"port_width": "7"}, "pl_ps_irq1: highest bit '6', inputs '7'; expected 7 and 8"),
        ({"megahertz": "100.0"}, "the PL clock is 100.0 MHz; expected 250"),
        (
            {"board": "zedboard", "port_widths": ""},
            "IRQ_F2P: highest bit '0', inputs '1'; expected 15 and 16",
        ),
        ({"board": "zedboard", "megahertz": "100.0"}, "is 100.0 MHz; expected 125"),
        (
            {"board": "zedboard", "preset": preset("50", "666.666687", 1)},
            "preset gives CONFIG.PCW_CRYSTAL_PERIPHERAL_FREQMHZ 50; expected 33.333333",
        ),
        (
            {"board": "zedboard", "preset": preset("33.333333", "650", 1)},
            "preset gives CONFIG.PCW_ACT_APU_PERIPHERAL_FREQMHZ 650; expected 666.667",
        ),
        (
            {"board": "pynqz2", "preset": preset("50", "650", 0, "1600.000")},
            "preset gives CONFIG.PCW_IO_IO_PLL_FREQMHZ 1600.000; expected 1000",
        ),
        (
            {"board": "pynqz2", "preset": preset("50", "650", 1)},
            "preset leaves UART0 off, which is the console",
        ),
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
        ("zcu104", "249.999998", 2, 249_999_998),
        ("kv260", "249.997500", 3, 249_997_500),
        ("zedboard", "125.000000", 1, 125_000_000),
        ("pynqz2", "125.000000", 2, 125_000_000),
    ],
)
def test_the_core_says_which_board_it_is_and_how_fast_its_clock_is(
    tmp_path, board, megahertz, number, hz
):
    _, printed, _ = build(tmp_path, board, megahertz=megahertz)
    assert f"CORE {number} {hz}" in printed


@pytest.mark.parametrize(
    ("set_there", "hertz"), [("", 249_999_998), ("CONFIG.TICK_HZ 250001000", 250_001_000)]
)
def test_a_core_in_a_design_of_ones_own_takes_its_clocks_rate(tmp_path, set_there, hertz):
    """Checks TICK_HZ where no script sets it; a value that the user set stays."""
    set_by_script = "CONFIG.TICK_HZ [expr {round(1e6 * $megahertz)}]"
    scripts = copied(tmp_path, "design.tcl", set_by_script, set_there)
    code, printed, _ = build(tmp_path, "zcu104", scripts=scripts, megahertz="249.999998")
    assert code == 0, printed
    assert f"CORE 2 {hertz}" in printed


def copied(folder, file, old, new):
    """A copy of the scripts with a change."""
    scripts = folder / "scripts" / "vivado"
    shutil.copytree(SCRIPTS, scripts)
    (folder / "ip").symlink_to(ROOT / "ip")
    (folder / "constraints").symlink_to(ROOT / "constraints")
    text = (scripts / file).read_text()
    assert old in text
    (scripts / file).write_text(text.replace(old, new, 1))
    return scripts


SLIPS = {
    "misspelt command": ("build.tcl", "validate_bd_design", "validate_design", "unknown command"),
    "misspelt option": ("build.tcl", "-include_bit", "-include_bits", "has no option"),
    "unset variable": ("build.tcl", "-quiet $part", "-quiet $parts", "no such variable"),
    "unknown property": ("zynqmp.tcl", "USE__IRQ1", "USE_IRQ1", "has no PSU__USE_IRQ1"),
    "unseen value": ("zynqmp.tcl", "FREQMHZ 250", "FREQMHZ 251", "FREQMHZ cannot be 251"),
    "property off": ("zynqmp.tcl", "USE__STM 1", "USE__STM 0", "there is no pin ps/stm_event"),
    "master left on": ("zynqmp.tcl", "M_AXI_GP1 0", "M_AXI_GP1 1", "nothing drives ps/maxihpm1"),
    "width": ("zynqmp.tcl", "PERIPHERAL__IO 64", "PERIPHERAL__IO 95", "widths"),
    "net forgotten": (
        "zynqmp.tcl",
        "    pl_resetn0       resetn\n",
        "",
        "nothing drives irqscope/re",
    ),
    "clock for reset": (
        "zynqmp.tcl",
        "    pl_clk0          clk\n    pl_resetn0       resetn\n",
        "    pl_clk0          resetn\n    pl_resetn0       clk\n",
        "ps/pl_clk0 to irqscope/resetn: kinds reset clock",
    ),
    "vectors swapped": (
        "zynqmp.tcl",
        "    pl_ps_irq0       pl_ps_irq0\n    pl_ps_irq1       pl_ps_irq1\n",
        "    pl_ps_irq0       pl_ps_irq1\n    pl_ps_irq1       pl_ps_irq0\n",
        "irqscope/pl_ps_irq1 belongs to ps/pl_ps_irq1, not to ps/pl_ps_irq0",
    ),
    "wrong pin": ("zynqmp.tcl", "pl_ps_irq1       pl_ps_irq1", "pl_ps_irq0 pl_ps_irq1", "has two"),
    "order": ("design.tcl", "apply_bd_automation", "#", "preset comes first"),
    "no core there": ("build.tcl", "paths $root/ip", "paths $root/hw", "catalogue has no irqscope"),
}
SLIPS_ZYNQ7000 = {
    "clock off": ("EN_CLK0_PORT 1", "EN_CLK0_PORT 0", "EN_CLK0_PORT cannot be 0"),
    "width": ("GPIO_IO 64", "GPIO_IO 8", "widths"),
    "private line off": ("CORE1_IRQ_INTR 1", "CORE1_IRQ_INTR 0", "no pin ps/Core1_nIRQ"),
    "vector off": ("IRQ_F2P_INTR 1", "IRQ_F2P_INTR 0", "there is no pin ps/IRQ_F2P"),
    "master left on": ("M_AXI_GP0 0", "M_AXI_GP0 1", "nothing drives ps/M_AXI_GP0_ACLK"),
    "memory not led out": ("make_external {FIXED_IO, DDR} ", "", "the preset is not applied"),
    "cores swapped": (
        "    Core0_nIRQ    core0_nirq\n    Core1_nIRQ    core1_nirq\n",
        "    Core0_nIRQ    core1_nirq\n    Core1_nIRQ    core0_nirq\n",
        "belongs to ps/Core",
    ),
    "reset forgotten": ("    FCLK_RESET0_N resetn\n", "", "nothing drives irqscope/resetn"),
    "the other machine's core": ("irqscope_zynq7000:1.0", "irqscope:1.0", "another processor"),
    "the other machine's rule": (
        "bd_rule:processing_system7",
        "bd_rule:zynq_ultra_ps_e",
        "no rule",
    ),
}


def slip(folder, file, old, new, board):
    """Output of a build with a mistake in a script."""
    code, printed, _ = build(folder, board, scripts=copied(folder, file, old, new))
    assert code != 0
    return printed


#: A query of each check, and the check that is skipped without it.
UNKNOWN = {
    "get_clocks": "the core's clock",
    "get_net_delays": "skew of the markers",
    "all_fanout": "what EMIO reaches",
}


@pytest.mark.parametrize("query", UNKNOWN)
def test_a_query_that_vivado_does_not_know_ends_no_build(tmp_path, query):
    scripts = copied(tmp_path, "checks.tcl", f"[{query} ", f"[{query}_of_old ")
    code, printed, _ = build(tmp_path, scripts=scripts)
    assert code == 0, printed
    assert f"irqscope: not checked: {UNKNOWN[query]} (unknown command {query}_of_old" in printed
    assert (tmp_path / "out" / "irqscope.bit").is_file()


def test_other_names_of_registers_are_told_and_end_no_build(tmp_path):
    """Objects that are not found by name are not checked; timing is checked in any case."""
    code, printed, _ = build(tmp_path, renamed="1")
    assert code == 0, printed
    unchecked = re.findall(r"irqscope: not checked: (.*?) \((?:no|EMIO reaches none)", printed)
    assert unchecked == [
        "the core's clock",
        "synchronisers",
        "skew of the markers",
        "what EMIO reaches",
    ]
    code, printed, _ = build(tmp_path, renamed="1", slack="-0.01")
    assert code == 1 and "setup is violated" in printed


@pytest.mark.parametrize(("file", "old", "new", "message"), SLIPS.values(), ids=SLIPS)
def test_the_recorder_finds_a_slip(tmp_path, file, old, new, message):
    assert message in slip(tmp_path, file, old, new, "zcu102")


@pytest.mark.parametrize(("old", "new", "message"), SLIPS_ZYNQ7000.values(), ids=SLIPS_ZYNQ7000)
def test_the_recorder_finds_a_slip_on_a_zynq_7000(tmp_path, old, new, message):
    assert message in slip(tmp_path, "zynq7000.tcl", old, new, "zedboard")


@pytest.mark.parametrize("board", BOARDS)
def test_every_port_of_the_design_has_a_pin_of_its_own(board):
    text = (ROOT / "constraints" / f"{board}.xdc").read_text()
    pins = re.findall(r"PACKAGE_PIN (\w+) .*\[get_ports \{(\w+\[\d\])\}\]", text)
    boards = (SCRIPTS / "boards.tcl").read_text()
    facts = re.search(rf"(?ms)^  {board} \{{\n(.*?)^  \}}", boards)[1]
    width = {name: int(n) for name, n in re.findall(r"(?m)^    (\w+) +(\d)$", facts)}
    counts = {"pmod": width["outputs"], "led": 4 * width["leds"], "pmod_in": width["inputs"]}
    assert {name for _, name in pins} == {
        f"{port}[{i}]" for port, width in counts.items() for i in range(width)
    }
    assert len({pin for pin, _ in pins}) == sum(counts.values())


def test_a_board_with_one_pmod_has_outputs_and_inputs_and_its_own_uart(tmp_path):
    """Four each; the pin front may keep eight or four registers."""
    for front in (4, 8):
        code, printed, _ = build(tmp_path, "kv260", front=front)
        assert code == 0, printed
        assert "NARROW pmod 4" in printed and "NARROW pmod_in 4" in printed
        assert "UART1 {MIO 36 .. 37}" in printed
    for board, front in (("kv260", 3), ("zcu102", 4)):
        code, printed, _ = build(tmp_path, board, front=front)
        assert code == 1
        assert f"{front} registers *core/pin_front_end/first_reg*, expected" in printed


def test_a_board_file_of_the_store_is_found_in_batch_mode(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    store = tmp_path / ".Xilinx/Vivado/2024.2/xhub/board_store/xilinx_board_store"
    for boards in (store, store / "XilinxBoardStore/Vivado/2024.2/boards"):
        code, printed, _ = build(tmp_path, store=boards)
        assert code == 1 and "no board file xilinx.com:zcu102" in printed
        boards.mkdir(parents=True)
        code, printed, _ = build(tmp_path, store=boards)
        assert code == 0, printed


@pytest.mark.parametrize(
    ("machine", "script", "sources", "number"),
    [(ZYNQMP, "zynqmp.tcl", "ABCDGKLSYT-", 3), (ZEDBOARD, "zynq7000.tcl", "LTU-", 1)],
    ids=["zynqmp", "zynq7000"],
)
def test_what_no_public_design_has_is_listed_as_not_verified(machine, script, sources, number):
    """Each value and each net has a source; those without are in the manual's one list."""
    properties = machine.properties
    origins = {source for values in properties.values() for source in values.values()}
    assert origins | {row[5] for row in machine.ports} == set(sources)
    design = (SCRIPTS / script).read_text()
    if script == "zynqmp.tcl":
        design += (SCRIPTS / "boards.tcl").read_text()
    configured = re.findall(r"    CONFIG\.(P\w+) (?:\{(.*)\}|(\d+|[A-Z]+))\n", design)
    used = {name: several or one for name, several, one in configured}
    assert used.keys() == properties.keys()
    unseen = [f"`{n}` = {v}" for n, v in used.items() if properties[n][v] == "-"]
    unseen += [f"`{row[0]}`" for row in machine.ports if row[5] == "-"]
    assert len(unseen) == number
    manual = (ROOT / "docs" / "board.md").read_text()
    listed = manual.split("## What has not been verified on silicon")[1]
    for words in unseen:
        assert words in listed
