"""Pins as markers in the whole gateware: settings by registers, one front end a core, loop-back."""

from functools import partial

import pytest

from irqscope_hw.pin_front_end import PIN_DELAY
from irqscope_hw.registers import encoded

from .test_top import Instrument, arm, prepare

pytestmark = pytest.mark.once

HANDLER, DONE, TASK = (encoded("marker", name) for name in ("handler", "done", "task"))
#: From a pin that is set right after a clock edge to the stamp: one tick to the next edge.
PIN_TO_STAMP = 1 + PIN_DELAY


async def use_pins(emio, cores, **pins):
    await emio.write("capture", pin_cores=cores)
    for name, fields in pins.items():
        await emio.write(f"pins.{name}", **fields)


def test_edges_of_pins_serve_a_line_after_their_filters_and_the_port_of_another_core_goes_on():
    async def testbench(it):
        emio = it.emio
        await prepare(emio, count=2)
        await use_pins(
            emio,
            0b0001,
            pin0={"rise": 1, "core": 0, "code": HANDLER, "filter": 3},
            pin5={"fall": 1, "core": 0, "code": TASK},
        )
        start = await arm(it)
        await it.advance(start + 20)
        it.ctx.set(it.top.pmod_in, 0b10_0001)
        emio.markers(core0=DONE, core1=DONE)  # of core 0 the port is not looked at
        await it.advance(start + 40)
        it.ctx.set(it.top.pmod_in, 0)
        await it.advance(start + 120 + 20)
        it.ctx.set(it.top.pmod_in, 1)
        await it.advance(start + 120 + 23)  # one tick too short to be an edge
        it.ctx.set(it.top.pmod_in, 0)
        await it.advance(start + 120 + 140)
        await emio.write("command", disarm=1)
        assert await it.errors() == {}
        counters = await it.channel(0)
        assert (counters["served"], counters["timed_out"], counters["unmatched"]) == (1, 1, 0)
        served = 20 + PIN_TO_STAMP + 3
        assert await it.histogram(0) == {served: 1}
        markers = [
            (r["stamp"] - start, core, r["codes"] >> 3 * core & 7)
            for r in await emio.records()
            for core in range(4)
            if r["cores"] >> core & 1
        ]
        assert [marker for marker in markers if marker[1] == 0] == [
            (served, 0, HANDLER),
            (40 + PIN_TO_STAMP, 0, TASK),
        ]
        assert [code for _, core, code in markers if core == 1] == [DONE]

    Instrument().run(testbench)


@pytest.mark.parametrize(
    ("armed", "taken", "told"),
    [
        (True, 0b0100, {"marker_collided": 1}),
        (True, 0b0101, {"marker_collided": 1}),
        (True, 0b1011, {}),  # the pins are of a core whose markers come from elsewhere
        (True, 0b0000, {}),
        (False, 0b0100, {}),  # nobody would have counted it
    ],
)
def test_a_marker_that_two_pins_of_one_core_lose_is_an_error_where_it_would_have_counted(
    armed, taken, told
):
    async def testbench(it):
        emio = it.emio
        assert (await emio.read("version"))["pins"] == 8
        both = {"rise": 1, "core": 2, "code": HANDLER}
        await use_pins(emio, taken, pin1=both, pin6=both)
        if armed:
            await arm(it)
        it.ctx.set(it.top.pmod_in, 0b0100_0010)
        await it.advance(it.now + 20)
        assert await emio.value("pins.levels") == 0b0100_0010
        assert await it.errors() == told
        await emio.write("errors", marker_collided=1)
        assert await it.errors() == {}

    Instrument().run(testbench)


@pytest.mark.parametrize("command", ["arm", "disarm"])
def test_a_marker_is_lost_in_exactly_the_ticks_in_which_one_is_counted(command):
    found = []

    async def testbench(it, ticks):
        emio = it.emio
        await prepare(emio)
        await emio.write("recorder.select", rises=0)
        pin = {"rise": 1, "core": 2, "code": HANDLER, "filter": ticks}
        await use_pins(emio, 0b0110, pin0=pin | {"core": 1}, pin1=pin, pin6=pin)
        await emio.write("start_tick", value=it.now + 200)
        if command == "disarm":
            await emio.write("command", arm=1)
        it.ctx.set(it.top.pmod_in, 0b0100_0011)
        await emio.write("command", **{command: 1})
        await it.advance(it.now + 30)
        await emio.write("command", disarm=1)
        lost = (await it.errors()).get("marker_collided", 0)
        found.append((lost, len(await emio.records())))

    for ticks in range(2, 12):  # the edge, from before to after the command
        Instrument().run(partial(testbench, ticks=ticks))
    assert set(found) == {(0, 0), (1, 1)}


def test_a_line_through_pin_0_takes_the_formula():
    async def testbench(it):
        emio = it.emio
        await prepare(emio, dither_bits=3)
        pin = {"rise": 1, "core": 0, "code": HANDLER, "filter": 7}
        await use_pins(emio, 0b0001, pin0=pin)
        await emio.write("capture", loopback=1, pin_cores=1)
        start = await arm(it)
        await it.advance(start + 700, skip=True)
        await emio.write("command", disarm=1)
        counters = await it.channel(0)
        assert (counters["served"], counters["timed_out"]) == (4, 0)
        assert await it.histogram(0) == {1 + PIN_DELAY + 7: 4}

    Instrument().run(testbench)
