"""Pins as markers in the whole gateware: settings by registers, one front a core, loop-back."""

from irqscope_hw.pin_front import PIN_DELAY
from irqscope_hw.registers import encoded

from .test_top import Instrument, arm, prepare

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
        books = await it.channel(0)
        assert (books["served"], books["timed_out"], books["unmatched"]) == (1, 1, 0)
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


def test_two_pins_of_one_core_in_one_tick_are_an_error_that_is_told():
    async def testbench(it):
        emio = it.emio
        assert (await emio.read("version"))["pins"] == 8
        both = {"rise": 1, "core": 2, "code": HANDLER}
        await use_pins(emio, 0b0100, pin1=both, pin6=both)
        it.ctx.set(it.top.pmod_in, 0b0100_0010)
        await it.advance(it.now + 20)
        assert await emio.value("pins.levels") == 0b0100_0010
        assert await it.errors() == {"marker_collided": 1}
        await emio.write("errors", marker_collided=1)
        await use_pins(emio, 0)
        it.ctx.set(it.top.pmod_in, 0)
        await it.advance(it.now + 20)
        it.ctx.set(it.top.pmod_in, 0b0100_0010)
        await it.advance(it.now + 20)
        assert await it.errors() == {}  # no core's markers come from pins

    Instrument().run(testbench)


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
        books = await it.channel(0)
        assert (books["served"], books["timed_out"]) == (4, 0)
        assert await it.histogram(0) == {1 + PIN_DELAY + 7: 4}

    Instrument().run(testbench)
