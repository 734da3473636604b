"""Registers without a reset reach a known state by a reset or a clear, from any state.

The induction step of each proof begins in a state that the solver chooses, so that no register's
initial value helps: when reset, or clear, has been high for its ``TICKS``, each register has its
initial value. Data registers are left out, since each is loaded before it is read: the other
proofs' induction steps also begin with any value of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cover, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib.wiring import In

from .contract import add_dut, past
from .prover import Gateware, Mutation, prove, reach, refute, registers

#: Ticks of each cause; both last longer.
TICKS = {"reset": 8, "clear": 9}
LONGEST = max(TICKS.values())

#: By component: signals that initialise it, its constructor, and its data registers.
COMPONENTS = {
    "line": (
        "clear",
        lambda g: g.line.Line(cores=1),
        # Digested from the configuration while the line is done.
        {"free_running", "acknowledged", "counted", "dither_mask", "refused", "remaining"}
        | {"short", "unseeded", "lfsr"}
        # Loaded on the way to a target, at a rise, from a marker.
        | {"base", "dither", "own", "length", "after", "early", "more", "acknowledge", "left"}
        | {"comparator.target"}
        # High as long as the clear is.
        | {"drop"},
    ),
    "placement": (
        "clear",
        lambda g: g.placement.Placement(cores=1),
        # Loaded with an accepted marker, and from the configuration.
        {"base", "delay", "longer", "start_tick", "refused"},
    ),
    "latency_channel": (
        "clear",
        lambda g: g.latency_channel.LatencyChannel(lines=1, cores=1, bins_log2=2),
        # With a decision; from the configuration.
        {"start", "latency"}
        | {"more_starts", "more_coalesced", "more_stops", "more_unmatched", "more_phases"}
        | {"allowed", "refused", "deadline"}
        | {"offset", "below", "shifted", "above", "comparator.target"}
        # The bin and count of an update, or of a read.
        | {f"histogram.{name}" for name in ("bin_0", "bin_1", "bin_2", "bin_3")}
        | {
            f"histogram.{name}"
            for name in ("stored", "newer", "has_newer", "count", "count_before")
        }
        | {"histogram.clear_bin", "bin"}
        | {f"histogram.same_as_{name}" for name in ("last", "second_last", "third_last")},
    ),
    "event_recorder": (
        "clear",
        lambda g: g.event_recorder.EventRecorder(lines=1, cores=1, channels=1, depth_log2=2),
        # Loaded from the events in front of it.
        {"presented", "decided", "stamp_before", "record", "entry", "selected", "sampled"}
        | {"expired", "last", "fifo.bank_0.record", "fifo.chosen", "fifo.head"}
        # From the head, once it stands, and the ticks until they do: at first two, then none.
        | {"removed_at", "since", "what", "lone", "moving"},
    ),
    "control": (
        "reset",
        lambda g: g.control.Control(lines=1, channels=1, bins_log2=2),
        # Earlier commands and lines, and values computed for them.
        {"stop", "command_error", "earliest", "late", "ended"},
    ),
    "emio_port": (
        "reset",
        lambda g: g.emio_port.EmioPort(),
        {"first", "second", "seen", "bus__address", "bus__write", "bus__write_data", "read_data"},
    ),
    "marker_capture": (
        "reset",
        lambda g: g.marker_capture.MarkerCapture(cores=1),
        {"first", "second", "toggles_before"},
    ),
    "pulse_front_end": (
        "reset",
        lambda g: g.pulse_front_end.PulseFrontEnd(cores=1),
        {"stage_1", "level_before", "level_seen"},
    ),
    "pin_front_end": (
        "reset",
        lambda g: g.pin_front_end.PinFrontEnd(pins=1, cores=1, filter_bits=2),
        {"first", "second", "levels", "rises_0", "falls_0"},
    ),
    "bus_port": (
        "reset",
        lambda g: g.bus_port.BusPort(),
        {"bus__address", "bus__write", "bus__write_data", "wishbone__dat_r"},
    ),
    "timebase": ("reset", lambda g: g.timebase.Timebase(), set()),
}


class Known(Elaboratable):
    """After TICKS of reset, or clear, every register but those of data is as at first."""

    def __init__(self, gateware: Gateware, component: str):
        self.gateware = gateware
        self.component = component

    def elaborate(self, platform):
        m = Module()
        cause, build, data = COMPONENTS[self.component]
        ticks = TICKS[cause]
        dut = build(self.gateware)
        inner = registers(add_dut(m, dut))
        for _, member, port in dut.signature.flatten(dut):
            if member.flow == In:
                m.d.comb += Value.cast(port).eq(AnySeq(len(Value.cast(port))))
        high = getattr(dut, cause)
        held = Signal(range(ticks + 1))
        m.d.sync += held.eq(Mux(high, held + (held < ticks), 0))
        m.d.comb += Assert(held <= ticks)
        if cause == "clear":
            # Control is known by then: it arms nothing, and no read of the histogram is under way.
            m.d.comb += Assume(~high | ~(dut.armed if hasattr(dut, "armed") else dut.go))
            if hasattr(dut, "read"):
                m.d.comb += Assume(~high | ~dut.read)
        missing = data - inner.keys()
        assert not missing, f"{self.component} has no register {missing}"
        for path, register in inner.items():
            if path not in data:
                value = Value.cast(register)
                initial = register.init if isinstance(register.init, int) else 0
                m.d.comb += Assert((held < ticks) | (value == initial))
        m.d.comb += Cover((held == ticks) & ~past(m, held == ticks, "before"))
        return m


MUTATIONS = [
    (
        "line",
        Mutation(
            "keeps_its_phase",
            "line",
            "self.done.eq(1), phase.eq(Phase.DONE)]\n\n",
            "self.done.eq(1)]\n\n",
        ),
    ),
    ("placement", Mutation("keeps_waiting", "placement", ", self.waiting.eq(0)]", "]")),
    ("line", Mutation("keeps_its_count", "line", "[regs.fired_value.eq(0), ", "[")),
    (
        "latency_channel",
        Mutation(
            "keeps_what_is_open", "latency_channel", "            m.d.sync += open_.eq(0)\n", ""
        ),
    ),
    ("event_recorder", Mutation("keeps_its_level", "record_fifo", ", self.level.eq(0)]", "]")),
    (
        "control",
        Mutation(
            "stays_armed",
            "control",
            "                self.go.eq(0),\n                self.armed.eq(0),\n",
            "",
        ),
    ),
    ("emio_port", Mutation("stays_settled", "emio_port", "                settled.eq(0),\n", "")),
    (
        "marker_capture",
        Mutation("has_seen", "marker_capture", "settled.eq(0), self.seen.eq(0)", "settled.eq(0)"),
    ),
    (
        "pulse_front_end",
        Mutation("has_seen_pulses", "pulse_front_end", "self.front_end.seen.eq(0)", "[]"),
    ),
    (
        "pin_front_end",
        Mutation(
            "keeps_its_levels",
            "pin_front_end",
            "m.d.sync += [settled.eq(0), self.front_end.seen.eq(0)]",
            "m.d.sync += self.front_end.seen.eq(0)",
        ),
    ),
    (
        "bus_port",
        Mutation(
            "stays_busy",
            "bus_port",
            "                wanted.eq(0),\n                bus.request.eq(0),\n",
            "                wanted.eq(0),\n                busy.eq(busy),\n",
        ),
    ),
    (
        "timebase",
        Mutation("counts_on", "timebase", "register.eq(register.init)", "register.eq(register)"),
    ),
]


def of(component: str):
    return lambda gateware: Known(gateware, component)


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_known_state_is_proved(component: str, tmp_path: Path) -> None:
    prove(of(component), LONGEST + 1, tmp_path)


@pytest.mark.parametrize("component", COMPONENTS)
def test_the_causes_are_reached(component: str, tmp_path: Path) -> None:
    reach(of(component), LONGEST + 2, tmp_path)


@pytest.mark.parametrize(
    ("component", "mutation"), MUTATIONS, ids=lambda value: getattr(value, "name", value)
)
def test_a_known_state_is_refuted(component: str, mutation: Mutation, tmp_path: Path) -> None:
    refute(of(component), mutation, 2 * LONGEST + 4, tmp_path)
