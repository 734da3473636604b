"""scripts/jtag/smoke.tcl against the gateware itself.

XSDB's mrd and mwr reach the GPIO controller, whose pins are connected to the simulated top module.
This file models the few registers of the GPIO and the pending bits of the interrupt controller; all
other values come from the gateware.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from irqscope_hw import regmap

from .test_board_start import VIVADO_PSU_INIT
from .test_top import Instrument
from .tools import needs_tclsh

ROOT = Path(__file__).parents[2]
TESTS = Path(__file__).parent
ALL = 0xFFFFFFFF
#: An access over JTAG takes far longer; the gateware is done in these.
TICKS_PER_ACCESS = 40


@dataclass(frozen=True)
class Machine:
    """Addresses of a machine, where the script meets them.

    ``plain``: registers of the GPIO that hold what was written; ``masked``: with their shift;
    ``pins``: inputs, lower and upper bank. ``shared`` and ``private``: registers of pending bits,
    with the bit; ``raw``: register of the private line's level.
    """

    board: str
    init: str
    ticks_per_ms: int
    core: str
    plain: dict[int, str]
    masked: dict[int, int]
    pins: tuple[int, int]
    shared: tuple[int, int]
    private: tuple[int, int]
    raw: int
    said: str
    #: Enable of the distributor, and the target byte's register, where they are looked at.
    distributor: tuple[int, int] | None = None


ZYNQMP = Machine(
    board="zcu102",
    init="psu_init.tcl",
    ticks_per_ms=250_000,
    core="Cortex-A53 #0",
    plain={
        0xFF0A004C: "data_0", 0xFF0A0050: "data_1", 0xFF0A02C4: "dirm_0", 0xFF0A02C8: "oen_0",
        0xFF0A0304: "dirm_1", 0xFF0A0308: "oen_1",
    },
    masked={0xFF0A0018: 0, 0xFF0A001C: 16},  # MASK_DATA_3_LSW and MSW
    pins=(0xFF0A006C, 0xFF0A0070),
    shared=(0xF901020C, 25),
    private=(0xF9010200, 31),
    raw=0xF9010D00,
    said="SPI 121",
)  # fmt: skip
ZYNQ7000 = Machine(
    board="zedboard",
    init="ps7_init.tcl",
    ticks_per_ms=125_000,
    core="ARM Cortex-A9 MPCore #0",
    plain={
        0xE000A048: "data_0", 0xE000A04C: "data_1", 0xE000A284: "dirm_0", 0xE000A288: "oen_0",
        0xE000A2C4: "dirm_1", 0xE000A2C8: "oen_1",
    },
    masked={0xE000A010: 0, 0xE000A014: 16},  # MASK_DATA_2_LSW and MSW
    pins=(0xE000A068, 0xE000A06C),
    shared=(0xF8F01204, 29),
    private=(0xF8F01200, 31),
    raw=0xF8F01D00,
    said="SPI 61",
    distributor=(0xF8F01000, 0xF8F0183C),
)  # fmt: skip
MACHINES = {"zynqmp": ZYNQMP, "zynq7000": ZYNQ7000}

#: Connection between the script and this process: a line each way for the model's answers.
BRIDGE = """
proc ask args {
  puts "@ [join $args]"
  flush stdout
  return [gets stdin]
}
proc board_read {target address} { return [ask read $target $address] }
proc board_write {address value} { ask write $address $value }
proc board_wait {milliseconds} { ask wait $milliseconds }
"""


class Board(Instrument):
    """The processor's side of the pins. ``broken``: fault of this board."""

    def __init__(self, machine, broken):
        super().__init__()
        self.machine, self.broken = machine, broken
        self.registers = dict.fromkeys(machine.plain.values(), 0)
        self.distributor = dict.fromkeys(machine.distributor or (), 0)

    def pins(self, bank):
        r = self.registers
        return r[f"data_{bank}"] & r[f"dirm_{bank}"] & r[f"oen_{bank}"]

    async def carry_out(self, words):
        match words:
            case ["read", *target, address]:
                return self.read(" ".join(target), int(address, 0))
            case ["write", address, value]:
                await self.write(int(address, 0), int(value, 0))
            case ["wait", milliseconds]:
                until = self.now + int(milliseconds) * self.machine.ticks_per_ms
                await self.advance(until, skip=True)
            case _:
                raise AssertionError(words)
        return 0

    def looked_at(self):
        """Whether the distributor is on and the shared interrupt has a target."""
        if not self.distributor:
            return True
        enable, targets = self.machine.distributor
        return bool(self.distributor[enable] & 1 and self.distributor[targets] >> 8 & 1)

    def read(self, target, address):
        get, top, machine = self.ctx.get, self.top, self.machine
        if address in machine.plain:
            return self.registers[machine.plain[address]]
        if address == machine.pins[0]:
            return 0 if "isolated" in self.broken else get(top.emio_i3)
        if address == machine.pins[1]:
            return get(top.emio_i4) ^ (0x10 if "bit" in self.broken else 0)
        assert target == machine.core  # private interrupts are banked
        if address in self.distributor:
            return self.distributor[address]
        spi = get(top.pl_ps_irq0) & 1 and "spi" not in self.broken and self.looked_at()
        ppi = (get(top.pl_ps_apugic_irq) & 1) ^ ("ppi" in self.broken)
        return {
            machine.shared[0]: spi << machine.shared[1],
            machine.private[0]: ppi << machine.private[1],
            machine.raw: (ppi ^ 1) << 15,
        }[address]

    async def write(self, address, value):
        machine = self.machine
        if address in self.distributor:
            self.distributor[address] = value
            return
        if address in machine.masked:
            if machine.masked[address] == 0 and "marker" in self.broken:
                return
            shift = machine.masked[address]
            written = (~value >> 16 & 0xFFFF) << shift
            self.registers["data_0"] &= ~written
            self.registers["data_0"] |= (value & 0xFFFF) << shift & written
        else:
            self.registers[machine.plain[address]] = value & ALL
        self.ctx.set(self.top.emio_o3, self.pins(0))
        self.ctx.set(self.top.emio_o4, self.pins(1))
        until = self.now + TICKS_PER_ACCESS
        await self.advance(self.now + 1)  # in which the pins change
        await self.advance(until, skip=True)


def smoke(tree, *broken, machine="zynqmp", edit=lambda text: text, init="", **settings):
    """Runs the script with its machine's part edited; returns its output, and the board.

    ``init`` is the text of Vivado's init script; the recorder has its procedures.
    """
    shutil.copytree(ROOT / "scripts", tree / "scripts")
    part = tree / "scripts" / "jtag" / f"{machine}.tcl"
    part.write_text(edit(part.read_text()))
    of = MACHINES[machine]
    for name in ("irqscope.bit", of.init):
        path = tree / "build/vivado" / of.board / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(init if name == of.init else "")
    main = tree / "main.tcl"
    main.write_text(
        "\n".join(
            [
                *(f"set settings({name}) {{{value}}}" for name, value in settings.items()),
                f"source {{{TESTS / 'recorder.tcl'}}}",
                f"source {{{TESTS / 'xsdb.tcl'}}}",
                f"source {{{TESTS / f'xsdb_{machine}.tcl'}}}",
                BRIDGE,
                f"set argv {of.board}",
                f"source {{{tree / 'scripts/jtag/smoke.tcl'}}}",
            ]
        )
    )
    board = Board(of, broken)
    printed = []

    async def played(board):
        with subprocess.Popen(
            ["tclsh", main],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
        ) as script:
            for line in script.stdout:
                if line.startswith("@ "):
                    answer = await board.carry_out(line.split()[1:])
                    script.stdin.write(f"{answer}\n")
                else:
                    printed.append(line)
        printed.append(f"exit {script.returncode}")

    board.run(played)
    return "".join(printed), board


@needs_tclsh
@pytest.mark.parametrize("machine", MACHINES)
def test_a_sound_board_passes_and_magic_and_version_are_the_gatewares_own(tmp_path, machine):
    printed, board = smoke(tmp_path, machine=machine)
    assert printed.endswith("exit 0"), printed
    fields = {f.name: f.reset << f.lsb for f in regmap.IRQSCOPE["version"].fields}
    fields["pins"] = 8 << regmap.IRQSCOPE["version"].field("pins").lsb
    version = sum(fields.values())
    words = f"register map 0x{version:08X}, build 0x00C0FFEE"
    assert words in printed
    assert words in (ROOT / "docs" / "board.md").read_text()
    shared = MACHINES[machine].said
    assert f"pending as {shared} and as PPI 31; its raw level went from 1 to 0" in printed
    assert "DDR holds what is written" in printed
    assert "the marker was counted and took the line back" in printed
    assert f"now: make program BOARD={MACHINES[machine].board}\n" in printed
    high = [(pin, level) for _, pin, level in board.edges if pin.startswith("pl_ps")]
    assert sorted(high) == [
        ("pl_ps_apugic_irq", 0), ("pl_ps_apugic_irq", 1), ("pl_ps_irq0", 0), ("pl_ps_irq0", 1)
    ]  # fmt: skip
    if board.distributor:
        assert board.distributor[board.machine.distributor[0]] == 0  # as it was


@needs_tclsh
def test_a_module_of_another_kind_is_named_and_the_gateware_looked_at_all_the_same(tmp_path):
    printed, _ = smoke(tmp_path, ddr_alias=14)
    assert "DDR has no address bit 14: 0x00300000 and 0x00304000 are one place" in printed
    assert "now: make program BOARD=zcu102 MEMORY=ocm" in printed
    assert printed.endswith("exit 0")


@needs_tclsh
def test_ddr_that_does_not_train_is_named_after_the_gateware_was_looked_at(tmp_path):
    printed, _ = smoke(tmp_path, init=VIVADO_PSU_INIT.replace("OWN_LOOP", ""), pgsr=0)
    assert "the marker was counted and took the line back" in printed
    assert "DDR does not train (0xFD080030 reads 0x00000000 after 1000 reads" in printed
    assert "now: make program BOARD=zcu102 MEMORY=ocm" in printed
    assert printed.endswith("exit 0")


def named(printed, message):
    assert message in printed, printed
    assert printed.endswith("exit 1")
    assert "while executing" not in printed


@needs_tclsh
@pytest.mark.parametrize(
    ("broken", "settings", "message"),
    [
        ((), {"pll": 0}, "the IOPLL is not locked"),
        ((), {"clock": 0x00010600}, "the PL clock is off"),
        (("isolated",), {}, "the gateware does not acknowledge"),
        (("bit",), {}, "magic reads 0x49525143 and not 0x49525153"),
        (("ppi",), {}, "pending at rest: SPI 121 0, PPI 31 of core 0 1"),
        (("spi",), {}, "line 0 is high, SPI 121 is not pending"),
        (("marker",), {}, "one marker was sent: channel 0 counted 0 and served 0"),
    ],
)
def test_what_is_wrong_is_named_in_one_line(tmp_path, broken, settings, message):
    named(smoke(tmp_path, *broken, **settings)[0], message)


@needs_tclsh
@pytest.mark.parametrize(
    ("broken", "settings", "message"),
    [
        ((), {"gates": 0x01AC044D}, "the GPIO controller has no clock"),
        ((), {"shifters": 10}, "left the level shifters off"),
        # The lines of the script are those that the other machine's boards have shown already.
        pytest.param(
            ("isolated",), {}, "the gateware does not acknowledge", marks=pytest.mark.soak
        ),
        pytest.param(
            ("ppi",), {}, "pending at rest: SPI 61 0, PPI 31 of core 0 1", marks=pytest.mark.soak
        ),
        pytest.param(
            ("spi",), {}, "line 0 is high, SPI 61 is not pending: IRQ_F2P", marks=pytest.mark.soak
        ),
        pytest.param(
            ("marker",), {}, "one marker was sent: channel 0 counted 0", marks=pytest.mark.soak
        ),
    ],
)
def test_what_is_wrong_on_a_zynq_7000_is_named_in_one_line(tmp_path, broken, settings, message):
    named(smoke(tmp_path, *broken, machine="zynq7000", **settings)[0], message)


@needs_tclsh
@pytest.mark.parametrize("line", ["mwr -force 0xF8F01000 0x1", "mwr -force 0xF8F0183C"])
def test_a_distributor_that_does_not_look_would_be_found(tmp_path, line):
    """Off, or without a target for the interrupt: the script's remedy is needed."""

    def without(text):
        assert text.count(line) == 1
        return text.replace(line, "list")

    printed, _ = smoke(tmp_path, machine="zynq7000", edit=without)
    named(printed, "line 0 is high, SPI 61 is not pending")
