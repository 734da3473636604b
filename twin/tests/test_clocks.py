"""The gateware with a clock for each part: nothing changes when a part at rest is not clocked."""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path

import pytest

from irqscope_hw import regmap
from irqscope_twin import build, clocks

SOURCE = build.GATEWARE.read_text()
REGISTERS = {register.path: register for register in regmap.IRQSCOPE.registers}
#: The clear that follows a reset is over.
FIRST_TICK = 4400
#: An access takes less, that of a histogram too.
ACCESS_TICKS = 40


class Software:
    """Random actions of software at the pins, as rows of a stimulus."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rows: list[str] = []
        self.tick = FIRST_TICK
        self._first = 0

    def _put(self, signal: str, value: int) -> None:
        self.rows.append(f"{self.tick},{signal},{value:#x}\n")

    def access(self, address: int, value: int | None = None) -> None:
        """A write, or of no value a read."""
        self._first = self._first & 0x8000_FFFF | address << 16 | (value is not None) << 30
        self._put("emio_o4", value or 0)
        self._put("emio_o3", self._first)
        self._first ^= 1 << 31
        self.tick += 2
        self._put("emio_o3", self._first)
        self.tick += ACCESS_TICKS

    def write(self, path: str, **fields: int) -> None:
        """A register by its fields; those not named are 0."""
        register = REGISTERS[path]
        value = sum(number << register.field(name).lsb for name, number in fields.items())
        for word in range(register.words):
            self.access(register.address + word, value >> 32 * word & 0xFFFF_FFFF)

    def marker(self) -> None:
        """One of a random core, with one of the first four codes; another one before long."""
        core = self.random.randrange(4)
        nibble = self._first >> 4 * core & 8 ^ 8 | self.random.randrange(4)
        self._first = self._first & ~(0xF << 4 * core) | nibble << 4 * core
        self._put("emio_o3", self._first)
        self.tick += self.random.choice((1, 5, 6, 13, 40, 150, 700))

    def pin(self) -> None:
        """Other levels of all pins, for a while."""
        self._put("pmod_in", self.random.randrange(256))
        self.tick += self.random.choice((1, 2, 3, 17, 150))

    def configure(self) -> None:
        """Settings that arming does not refuse, of some lines and channels."""
        pick = self.random.randrange
        for n in range(8):
            self.write(
                f"lines[{n}].config", enable=pick(4) > 0, mode=pick(4), dither_bits=pick(7),
                ack_cores=pick(16), ack_code=pick(4),
            )  # fmt: skip
            for name, value in (("start_delay", pick(300)), ("high", 20 + pick(150))):
                self.write(f"lines[{n}].{name}", ticks=value)
            self.write(f"lines[{n}].low", ticks=10 + self.random.choice((pick(50), pick(2000))))
            self.write(f"lines[{n}].count", value=1 + pick(40))
            self.write(f"lines[{n}].seed", value=pick(1 << 32))
            self.write(f"lines[{n}].route", spi=pick(1 << 16), ppi=pick(16), pmod=pick(256), stm=1)
            self.write(
                f"channels[{n}].config", enable=pick(4) > 0, start_kind=pick(4) == 0,
                start_line=pick(8), start_cores=pick(16), start_code=pick(4),
                stop_cores=pick(16), stop_code=pick(4), hist_shift=pick(5), phase_line=pick(8),
            )  # fmt: skip
            self.write(f"channels[{n}].timeout", ticks=10 + self.random.choice((pick(40), 1000)))
            self.write(f"channels[{n}].plausible_min", ticks=pick(20))
            self.write(f"channels[{n}].hist_origin", ticks=pick(20))
            self.write(
                f"pins.pin{n}", rise=pick(2), fall=pick(2), core=pick(4), code=pick(4),
                filter=self.random.choice((0, 1, pick(30))),
            )  # fmt: skip
        self.write("placement.config", enable=pick(2), line=pick(8), cores=pick(16), code=pick(4))
        for name, ticks in (("first", 20 + pick(40)), ("step", pick(9)), ("last", 60 + pick(9))):
            self.write(f"placement.{name}", ticks=ticks)
        self.write("placement.count", value=1 + pick(40))
        self.write("capture", pin_cores=self.random.choice((0, pick(16))))
        self.write("recorder.select", rises=pick(256), falls=pick(256), timeouts=pick(256))
        self.access(REGISTERS["recorder.select_markers"].address, pick(1 << 32))
        self.write("recorder.sample", channel=pick(8))
        self.write("recorder.threshold", ticks=self.random.choice((0, 0, pick(60))))

    def measure(self, until: int) -> None:
        """Armed, with markers, reads and removals of records in that time, then disarmed."""
        self.write("start_tick", value=self.tick + 200)
        self.write("command", arm=1)
        while self.tick < until:
            self.random.choice((self.marker, self.marker, self.pin))()
            if self.random.randrange(12) == 0:
                self.access(self.random.choice(list(REGISTERS.values())).address)
        self.write("command", disarm=1)
        self.tick += self.random.randrange(3) * 50

    def read_all(self) -> None:
        """Every register, the first bins of each histogram, the oldest records."""
        for register in REGISTERS.values():
            for word in range(register.words):
                self.access(register.address + word)
        for n in range(8):
            self.write("hist_select", channel=n)
            for word in range(16):
                self.access(regmap.IRQSCOPE.memories[0].address + word)
        for number in range(12):
            for name in ("head_number", "head_stamp", "head_events", "head_latency"):
                self.access(REGISTERS[f"recorder.{name}"].address)
            self.write("recorder.remove", value=number)

    def clear(self) -> None:
        """All that was counted."""
        self.write("command", clear=1)
        self.tick += 5000

    def file(self, path: Path) -> Path:
        """Encodes it as the engine reads it."""
        path.write_text(f"tick,signal,value\n{''.join(self.rows)}{self.tick},end,0\n")
        return path


def digest(stimulus: Path, *options: str) -> int:
    """Over every change of an output."""
    command = [str(build.EXECUTABLE), *options, "--bench-rtl", str(stimulus)]
    process = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    return int(json.loads(process.stdout)["digest"])


@pytest.mark.parametrize("seed", range(6))
def test_parts_at_rest_change_nothing(seed, tmp_path):
    software = Software(seed)
    for _ in range(3):
        software.configure()
        software.measure(software.tick + 40_000)
        software.read_all()
        software.clear()
    stimulus = software.file(tmp_path / "stimulus.csv")
    assert digest(stimulus) == digest(stimulus, "--no-skip")


def reached(modules, kind, clocks):
    """Instances that have a bit for their clock, with it, and the bits of ``kind`` itself."""
    body = modules[kind]
    collected = [("", clocks[int(n)]) for n in set(re.findall(r"@\(edge clocks\[(\d+)\]\)", body))]
    for inner, name, ports in re.findall(r"(?m)^  (\w+) (\w+) \(\n((?:    .*\n)*?)  \);$", body):
        if clock := re.search(r"\.clk\(clocks\[(\d+)\]\)", ports):
            collected.append((name, clocks[int(clock[1])]))
        if passed := re.search(r"\.clocks\({ (.*) }\)", ports):
            bits = [clocks[int(n)] for n in reversed(re.findall(r"\[(\d+)\]", passed[1]))]
            collected += [(f"{name}.{path}", bit) for path, bit in reached(modules, inner, bits)]
    return collected


def test_each_bit_is_the_clock_of_its_part():
    modules = dict(re.findall(r"(?ms)^module (\w+)\((.*?)^endmodule$", clocks.split(SOURCE)))
    actual = reached(modules, clocks.TOP, range(len(clocks.PARTS)))
    glue = clocks.PARTS.index((clocks.GLUE,))
    expected = [(part, n) for n, parts in enumerate(clocks.PARTS) for part in parts if n != glue]
    expected += [(f"{part}.", glue) for part in clocks.WITH_GLUE]
    assert sorted(actual) == sorted(expected)


def test_every_flip_flop_has_a_clock():
    text = clocks.split(SOURCE)
    assert "posedge" not in text
    assert text.count("always @(edge ") == SOURCE.count("always @(posedge clk)") > 400
    # The Timebase alone has none: it is what changes in every tick.
    rest = set(re.findall(r"(?m)^  (\w+) \w+ \((?:\n    .*)*?\n    \.clk\(clk\)", text))
    own = {
        "channel_comparator",
        "pattern_line_comparator",
        "recorder_fifo",
        "recorder_fifo_bank",
        "registers_root",
    }
    assert rest == {
        "irqscope_instrument",
        *(f"irqscope_instrument_{name}" for name in (*own, "timebase", "pattern")),
    }
    driven = re.findall(r"(?m)^  assign states\[(\d+)\] = \|{ .+ };$", text)
    assert len(driven) == len(clocks.STATES)
    # The only other differences are the ports that lead there.
    for line in set(SOURCE.splitlines()) - set(text.splitlines()):
        assert line.startswith("module ") or "clk" in line


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (" channel_3 (", " other (", "channel_3 in irqscope_instrument: found 0 times"),
        (".quiet(channel_3_quiet)", ".q(channel_3_quiet)", ".quiet of channel_3 in .*: found 0"),
        ("always @(posedge clk)", "always @(posedge other)", "another clock"),
        ("endmodule\n", "endmodule // ends\n", "a module does not end"),
    ],
)
def test_verilog_that_is_written_otherwise_is_refused(old, new, said):
    assert old in SOURCE
    with pytest.raises(clocks.UnknownVerilogError, match=said):
        clocks.split(SOURCE.replace(old, new, 1))
