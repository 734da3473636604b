"""scripts/jtag/smoke.tcl against the gateware itself.

XSDB's mrd and mwr reach the GPIO controller, and behind its pins stands the simulated top. Modelled
<<<<<<< HEAD
here are the few registers of the GPIO and the pending bits of the interrupt controller; what the
=======
here are the GPIO's few registers and the pending bits of the interrupt controller; what the
>>>>>>> e33e8eb (hw: WIP 5)
gateware says comes out of the gateware.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from irqscope_hw import regmap

from .test_top import Instrument
from .tools import needs_tclsh

ROOT = Path(__file__).parents[2]
TESTS = Path(__file__).parent
ALL = 0xFFFFFFFF
TICKS_PER_MS = 250_000
#: An access over JTAG takes far longer; the gateware is done in these.
TICKS_PER_ACCESS = 40

#: Registers of the GPIO controller that are plain: their name here.
PLAIN = {
    0xFF0A004C: "data_3", 0xFF0A0050: "data_4", 0xFF0A02C4: "dirm_3", 0xFF0A02C8: "oen_3",
    0xFF0A0304: "dirm_4", 0xFF0A0308: "oen_4",
}  # fmt: skip
MASKED = {0xFF0A0018: 0, 0xFF0A001C: 16}  #: MASK_DATA_3_LSW and MSW: shift
DATA_3_RO, DATA_4_RO = 0xFF0A006C, 0xFF0A0070
ISPENDR0, ISPENDR3, PPISR = 0xF9010200, 0xF901020C, 0xF9010D00

#: Between the script and this process: a line each way for what the model answers.
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
    """The processor's side of the pins. ``broken``: what is wrong with this board."""

    def __init__(self, broken):
        super().__init__()
        self.broken = broken
        self.registers = dict.fromkeys(PLAIN.values(), 0)

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
                until = self.now + int(milliseconds) * TICKS_PER_MS
                await self.advance(until, skip=True)
            case _:
                raise AssertionError(words)
        return 0

    def read(self, target, address):
        get, top = self.ctx.get, self.top
        if address in PLAIN:
            return self.registers[PLAIN[address]]
        if address == DATA_3_RO:
            return 0 if "isolated" in self.broken else get(top.emio_i3)
        if address == DATA_4_RO:
            return get(top.emio_i4) ^ (0x10 if "bit" in self.broken else 0)
        assert target == "Cortex-A53 #0"  # private interrupts are banked
        spi = get(top.pl_ps_irq0) & 1 and "spi" not in self.broken
        ppi = (get(top.pl_ps_apugic_irq) & 1) ^ ("ppi" in self.broken)
        return {ISPENDR3: spi << 25, ISPENDR0: ppi << 31, PPISR: (ppi ^ 1) << 15}[address]

    async def write(self, address, value):
        if address in MASKED:
            if address == 0xFF0A0018 and "marker" in self.broken:
                return
            shift = MASKED[address]
            written = (~value >> 16 & 0xFFFF) << shift
            self.registers["data_3"] &= ~written
            self.registers["data_3"] |= (value & 0xFFFF) << shift & written
        else:
            self.registers[PLAIN[address]] = value & ALL
        self.ctx.set(self.top.emio_o3, self.pins(3))
        self.ctx.set(self.top.emio_o4, self.pins(4))
        await self.advance(self.now + TICKS_PER_ACCESS)


def smoke(tree, *broken, **settings):
    """Runs the script; its exit code, what it printed, and the board."""
    shutil.copytree(ROOT / "scripts", tree / "scripts")
    for name in ("irqscope.bit", "psu_init.tcl"):
        path = tree / "build/vivado/zcu102" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    main = tree / "main.tcl"
    main.write_text(
        "\n".join(
            [
                *(f"set settings({name}) {{{value}}}" for name, value in settings.items()),
                f"source {{{TESTS / 'recorder.tcl'}}}",
                f"source {{{TESTS / 'xsdb.tcl'}}}",
                BRIDGE,
                "set argv zcu102",
                f"source {{{tree / 'scripts/jtag/smoke.tcl'}}}",
            ]
        )
    )
    board = Board(broken)
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
def test_a_sound_board_passes_and_magic_and_version_are_the_gatewares_own(tmp_path):
    printed, board = smoke(tmp_path)
    assert printed.endswith("exit 0"), printed
    version = sum(f.reset << f.lsb for f in regmap.IRQSCOPE["version"].fields)
    assert f"register map 0x{version:08X}, build 0x00C0FFEE" in printed
    assert "pending as SPI 121 and as PPI 31; GICD_PPISR bit 15 went from 1 to 0" in printed
    assert "the marker was counted and took the line back" in printed
    high = [(pin, level) for _, pin, level in board.edges if pin.startswith("pl_ps")]
    assert sorted(high) == [
        ("pl_ps_apugic_irq", 0), ("pl_ps_apugic_irq", 1), ("pl_ps_irq0", 0), ("pl_ps_irq0", 1)
    ]  # fmt: skip


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
    printed, _ = smoke(tmp_path, *broken, **settings)
    assert message in printed, printed
    assert printed.endswith("exit 1")
    assert "while executing" not in printed
