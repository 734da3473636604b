"""The system on an ECP5, as far as no tool has to place it: UART, memory image, description."""

import re

import pytest
from amaranth.hdl import ClockDomain, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from irqscope_hw.ecp5 import routed
from irqscope_hw.ecp5.board import constraints, placed
from irqscope_hw.ecp5.build import (
    BuildError,
    around,
    met,
    part_options,
    run,
    written_with_attributes,
)
from irqscope_hw.ecp5.description import ROOT, boards, memory
from irqscope_hw.ecp5.image import ImageError, image
from irqscope_hw.ecp5.pll import LOOP_FILTER, Pll
from irqscope_hw.ecp5.reset import STABLE_TICKS, Reset
from irqscope_hw.ecp5.uart import Uart

DIVISOR = 100
BYTES = (0x00, 0x55, 0xA3, 0xFF)


@pytest.mark.parametrize("ratio", [1.0, 0.97, 1.03])
def test_a_uart_hears_what_another_one_sends_at_a_rate_a_little_off(ratio):
    m = Module()
    m.submodules.sender = sender = Uart()
    m.submodules.receiver = receiver = Uart()
    m.d.comb += [
        receiver.rx.eq(sender.tx),
        sender.rx.eq(1),
        sender.divisor.eq(round(DIVISOR * ratio)),
        receiver.divisor.eq(DIVISOR),
    ]
    heard, damaged = [], []

    async def testbench(ctx):
        for byte in BYTES:
            while ctx.get(sender.sending):
                await ctx.tick()
            ctx.set(sender.send_data, byte)
            ctx.set(sender.send, 1)
            await ctx.tick()
            ctx.set(sender.send, 0)
        for _ in range(14 * DIVISOR):
            damaged.append(ctx.get(receiver.damaged))
            await ctx.tick()
        while ctx.get(receiver.received):
            heard.append(ctx.get(receiver.received_data))
            ctx.set(receiver.take, 1)
            await ctx.tick()
            ctx.set(receiver.take, 0)
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-8)
    simulator.add_testbench(testbench)
    simulator.run()
    assert tuple(heard) == BYTES
    assert not any(damaged)


@pytest.mark.parametrize("board", boards())
def test_every_pin_is_placed_once_and_the_clock_is_stated(board):
    text = constraints(board).read_text()
    sites = re.findall(r'(?m)^LOCATE COMP "([\w\[\]]+)" SITE "(\w+)";', text)
    assert len({site for _, site in sites}) == len(sites)
    names = [name for name, _ in sites]
    assert {f"{bus}[{n}]" for bus in ("pmod", "pmod_in") for n in range(8)} < set(names)
    assert set(re.findall(r'IOBUF PORT "([\w\[\]]+)"', text)) == set(names)
    assert {"clk", "rx", "tx"} < placed(board)
    assert 'FREQUENCY PORT "clk" 25 MHZ;' in text


def test_the_boards_verilog_keeps_the_loop_filter_of_the_pll():
    """As attributes, where nextpnr looks for it: without one it takes 0."""
    text = around("ulx3s")
    cell = text.index("EHXPLLL #(")
    before = text[text.rindex(";", 0, cell) : cell]
    for name, value in LOOP_FILTER.items():
        assert f'(* {name} = "{value}" *)' in before


class PllAlone(wiring.Component):
    """A board's PLL, and a flip-flop that its clock moves."""

    clk: In(1)
    led: Out(3)

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        m.submodules.pll = pll = Pll(boards()["ulx3s"]["tick_hz"])
        m.d.comb += [pll.oscillator.eq(self.clk), domain.clk.eq(pll.clk)]
        m.d.sync += self.led.eq(self.led + pll.locked)
        return m


@pytest.mark.soak
def test_the_routed_configuration_has_the_loop_filter_of_the_pll(tmp_path):
    """Binary words of the configuration that ecppack takes; a PLL without attributes has zeros."""
    (tmp_path / "top.v").write_text(written_with_attributes(PllAlone(), "top"))
    pins = "\n".join(re.findall(r'(?m)^.*"(?:clk|led\[\d\])".*$', constraints("ulx3s").read_text()))
    (tmp_path / "top.lpf").write_text(pins)
    run(
        "yosys",
        "-q",
        "-p",
        "read_verilog top.v; synth_ecp5 -top top -json top.json",
        folder=tmp_path,
    )
    part = part_options(boards()["ulx3s"]["part"])
    words = ["--json", "top.json", "--lpf", "top.lpf", "--textcfg", "top.config"]
    run("nextpnr-ecp5", *part, *words, folder=tmp_path)
    config = (tmp_path / "top.config").read_text()
    for name, value in LOOP_FILTER.items():
        (word,) = re.findall(rf"(?m)^word: {name} (\d+)$", config)
        assert int(word, 2) == int(value)


def test_the_esp32_of_every_ulx3s_is_kept_from_loading_another_bitstream():
    text = constraints("ulx3s").read_text()
    assert {"L2", "F1"} == set(re.findall(r'"hold\[\d\]" SITE "(\w+)"', text))


def test_reset_lasts_until_the_clock_was_stable_and_comes_back_with_an_unstable_one():
    reset = Reset()
    running = []

    async def testbench(ctx):
        for locked, ticks in [(0, 40), (1, STABLE_TICKS // 2), (0, 1), (1, STABLE_TICKS + 2)]:
            ctx.set(reset.locked, locked)
            for _ in range(ticks):
                await ctx.tick()
                running.append(ctx.get(reset.running))
        assert not any(running)
        await ctx.tick()
        assert ctx.get(reset.running)
        ctx.set(reset.locked, 0)
        await ctx.tick().repeat(3)
        assert ctx.get(reset.running)
        await ctx.tick()
        assert not ctx.get(reset.running)

    simulator = Simulator(reset)
    simulator.add_clock(1e-8)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("board", boards())
def test_its_part_and_its_rate_are_ones_that_the_build_can_make(board):
    found = boards()[board]
    assert part_options(found["part"])[-2:] == ["--speed", "6"]
    assert found["tick_hz"] >= 100_000_000
    with pytest.raises(BuildError, match="none that this build knows"):
        part_options("XC7Z020")


def test_a_clock_that_is_missed_or_not_stated_is_not_met():
    def report(reached, wanted):
        return {"fmax": {"clk": {"achieved": reached, "constraint": wanted}}}

    assert met(report(100.1, 100.0), 100.0)
    assert not met(report(99.9, 100.0), 100.0)
    assert not met(report(120.0, 12.0), 100.0)  # nextpnr's own wish, where the PLL states none


def test_the_image_has_the_program_at_its_place_and_fills_the_memory(tmp_path):
    base, size = memory()
    elf = tmp_path / "it.elf"
    header = bytearray(0x34 + 0x20)
    header[:20] = b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x02\x00\xf3\x00"
    header[20:24] = (1).to_bytes(4, "little")
    for at, value in ((28, 0x34), (0x34, 1), (0x38, 0x54), (0x3C, base + 8), (0x40, base + 8)):
        header[at : at + 4] = value.to_bytes(4, "little")
    for at, value in ((40, 0x34), (42, 0x20), (44, 1), (46, 40)):
        header[at : at + 2] = value.to_bytes(2, "little")
    header[0x44:0x48] = header[0x48:0x4C] = (4).to_bytes(4, "little")
    elf.write_bytes(bytes(header) + bytes([0x78, 0x56, 0x34, 0x12]))
    words = image(elf).split()
    assert len(words) == size // 4
    assert words[2] == "12345678" and set(words[:2]) == {"00000000"}
    header[0x40:0x44] = (base + size - 2).to_bytes(4, "little")
    elf.write_bytes(bytes(header) + bytes(4))
    with pytest.raises(ImageError, match="outside the memory"):
        image(elf)
    with pytest.raises(ImageError, match="make -C fw MACHINE=ecp5"):
        image(tmp_path / "none.elf")


def test_the_firmware_is_linked_into_the_memory_of_the_description():
    header = (ROOT / "fw" / "generated" / "ecp5" / "description.h").read_text()
    base = int(re.search(r"MACHINE_DDR_BASE (\w+)", header)[1], 0)
    size = int(re.search(r"MACHINE_DDR_SIZE (\w+)", header)[1], 0)
    arrays = int(re.search(r"MACHINE_ARRAYS_BASE (\w+)", header)[1], 0)
    assert (base, base + size) == (memory()[0], arrays)


def netlist(**cells):
    """As nextpnr writes it: kind, parameters, and wires of each cell; an output has a capital O."""
    return {
        "modules": {
            "top": {
                "ports": {},
                "cells": {
                    name: {
                        "type": kind,
                        "parameters": parameters,
                        "attributes": {"NEXTPNR_BEL": "X1/Y1"},
                        "connections": wires,
                        "port_directions": {
                            port: "output" if port in ("Q", "F", "FCO", "DOA0") else "input"
                            for port in wires
                        },
                    }
                    for name, (kind, parameters, wires) in cells.items()
                },
            }
        }
    }


def test_what_nextpnr_leaves_open_is_a_constant_in_the_netlist_of_a_simulation():
    ff = {"CLK": [2], "LSR": [], "CE": [], "Q": [4]}
    ram = {"WEA": [], "ADA4": [], "CEA": [], "DIA0": [8], "DOA0": [9]}
    found = routed.plain(
        netlist(
            own=("TRELLIS_FF", {"SD": "0 ", "CEMUX": "CE"}, {**ff, "M": [3]}),
            lut=("TRELLIS_FF", {"SD": "1 ", "LSRMUX": "INV"}, {**ff, "DI": [5]}),
            gate=("TRELLIS_COMB", {"INITVAL": f"{1:016b}"}, {"A": [6], "B": [], "F": [7]}),
            carry=(
                "TRELLIS_COMB",
                {"MODE": "CCU2", "INITVAL": "0" * 16, "CCU2_INJECT1": "NO"},
                {"A": [6], "FCO": [10], "FCI": []},
            ),
            write=("TRELLIS_COMB", {"MODE": "RAMW_BLOCK"}, {"A": []}),
            ram=("DP16KD", {"WEAMUX": "INV", "ADA4MUX": "0 ", "CEAMUX": "CEA"}, ram),
        ),
        "named",
    )
    cells = found["modules"]["named"]["cells"]
    wires = {name: cell["connections"] for name, cell in cells.items()}
    assert wires["own"] == {"CLK": [2], "LSR": ["0"], "CE": ["1"], "Q": [4], "DI": [3]}
    assert wires["lut"] == {"CLK": [2], "LSR": ["1"], "CE": ["1"], "Q": [4], "DI": [5]}
    table = wires["gate"].pop("TABLE")
    assert wires["gate"] == {"A": [6], "F": [7], "B": ["1"], "C": ["1"], "D": ["1"]}
    assert table == ["1", *"000000000000000"]
    assert cells["carry"]["type"] == "irqscope_carry" and "write" not in cells
    assert wires["carry"]["CHAINED"] == ["1"]
    assert wires["ram"] == {"WEA": ["0"], "ADA4": ["0"], "CEA": ["1"], "DIA0": [8], "DOA0": [9]}


@pytest.mark.parametrize(
    "cell",
    [
        ("MULT18X18D", {}, {}),
        ("TRELLIS_FF", {"CLKMUX": "INV"}, {"CLK": [2]}),
        ("DP16KD", {"REGMODE_A": "OUTREG"}, {}),
        ("DP16KD", {"WEAMUX": "INV"}, {"WEA": [3]}),
        ("DCCA", {}, {"CE": [4]}),
        ("TRELLIS_IO", {"DIR": "BIDIR"}, {"B": [5], "T": [6]}),
    ],
)
def test_what_no_model_is_written_for_is_refused_by_name(cell):
    with pytest.raises(routed.NetlistError, match="strange: "):
        routed.plain(netlist(strange=cell), "named")
