import functools

import pytest

from irqscope_hw import regmap
from irqscope_hw.register_file import ACCESS_DELAY, RegisterFile
from irqscope_hw.registers import encoded, group_of, group_signature

from .simulation import Simulation

pytestmark = [pytest.mark.quick, pytest.mark.once]

WORD = (1 << 32) - 1
DELAY = ACCESS_DELAY


@functools.cache
def compiled():
    """A register file, and its simulation."""
    dut = RegisterFile()
    return dut, Simulation(dut)


def interface(dut, register):
    group, name = group_of(register)
    if not group:
        return dut.root, name
    if group.endswith("]"):
        array, _, index = group[:-1].partition("[")
        return getattr(dut, array)[int(index)], name
    return getattr(dut, group), name


def ports(dut, register):
    """Each field with its signal in the register file."""
    owner, name = interface(dut, register)
    return [(field, getattr(owner, f"{name}_{field.name}", None)) for field in register.fields]


def shown(dut, register, field):
    """Read value of an exchange."""
    owner, name = interface(dut, register)
    return getattr(owner, f"{name}_{field.name}_shown")


async def access(ctx, dut, address, write=0, data=0):
    """Read data, and what pulsed: (write_while_armed, bad_address)."""
    bus = dut.bus
    ctx.set(bus.request, 1)
    ctx.set(bus.address, address)
    ctx.set(bus.write, write)
    ctx.set(bus.write_data, data)
    assert not ctx.get(dut.quiet)
    pulses = [0, 0]
    for tick in range(1, DELAY + 1):
        await ctx.tick()
        ctx.set(bus.request, 0)
        pulses[0] += ctx.get(dut.write_while_armed)
        pulses[1] += ctx.get(dut.bad_address)
        assert ctx.get(bus.done) == (tick == DELAY)
    value = ctx.get(bus.read_data)
    await ctx.tick()
    assert not ctx.get(bus.done)
    assert ctx.get(dut.quiet)
    return value, tuple(pulses)


def pattern(register, word, salt):
    """A value that differs between registers, words and bits."""
    return (0x9E3779B9 * (register.address + word + 1) + salt * 0x85EBCA6B) & WORD


def test_every_register_reads_what_it_holds_and_writes_what_it_may():
    dut, simulation = compiled()

    async def testbench(ctx):
        for register in regmap.IRQSCOPE.registers:
            for salt, word in ((s, w) for w in range(register.words) for s in range(2)):
                low = 32 * word
                value = pattern(register, word, salt)
                for field, port in ports(dut, register):
                    reads = shown(dut, register, field) if field.exchange else port
                    if ("w" not in field.software or field.exchange) and field.hardware != "na":
                        ctx.set(reads, value << low >> field.lsb & field.mask >> field.lsb)
                was = (await access(ctx, dut, register.address + word))[0]
                answer = await access(ctx, dut, register.address + word, 1, value)
                assert answer == (was, (0, not register.writable)), register.path
                expected = 0
                for field, port in ports(dut, register):
                    inside = field.mask >> low & WORD
                    if field.hardware == "na":
                        expected |= field.reset << field.lsb >> low & WORD
                    elif "r" in field.software and not field.woclr:
                        expected |= value & inside
                    if "w" in field.software and not field.singlepulse and not field.woclr:
                        held = ctx.get(port) << field.lsb >> low & inside
                        assert held == value & inside, f"{register.path}.{field.name}"
                found, pulses = await access(ctx, dut, register.address + word)
                assert (found, pulses) == (expected, (0, 0)), register.path

    simulation.run(testbench)


def test_a_write_changes_its_own_register_only_and_reset_gives_the_sources_values():
    dut, simulation = compiled()

    async def testbench(ctx):
        def held():
            return {
                (register.path, field.name): ctx.get(port)
                for register in regmap.IRQSCOPE.registers
                for field, port in ports(dut, register)
                if "w" in field.software
            }

        before = held()
        assert before == {
            (register.path, field.name): field.reset
            for register in regmap.IRQSCOPE.registers
            for field in register.fields
            if "w" in field.software
        }
        for path in ("lines[0].config", "lines[7].route", "channels[3].timeout", "hist_select"):
            register = regmap.IRQSCOPE[path]
            await access(ctx, dut, register.address, 1, WORD)
            after = held()
            changed = {name for name in after if after[name] != before[name]}
            assert changed == {
                (path, field.name)
                for field in register.fields
                if field.reset != field.mask >> field.lsb
            }
            before = after

    simulation.run(testbench)


def test_registers_that_are_not_live_are_locked_while_armed():
    dut, simulation = compiled()
    live = {"scratch", "command", "errors", "recorder.remove", "recorder.take", "hist_select"}

    async def testbench(ctx):
        ctx.set(dut.armed, 1)
        for register in regmap.IRQSCOPE.registers:
            if not register.writable:
                continue
            before = [ctx.get(port) for _, port in ports(dut, register)]
            _, pulses = await access(ctx, dut, register.address, 1, WORD)
            assert pulses == (register.path not in live, 0), register.path
            if register.path not in live:
                assert before == [ctx.get(port) for _, port in ports(dut, register)]

    simulation.run(testbench)


def test_an_address_with_no_register_reads_as_zero_and_is_an_error():
    dut, simulation = compiled()
    known = {
        register.address + word
        for register in regmap.IRQSCOPE.registers
        for word in range(register.words)
    }
    unknown = [address for address in range(0x240) if address not in known]
    unknown += [0x400, 0x800, 0xFFF, 0x2000, 0x3FFF]
    assert len(unknown) > 50

    async def testbench(ctx):
        # So that a stale result of a read would be seen.
        assert (await access(ctx, dut, 0))[0] == regmap.IRQSCOPE["magic"].reset
        for address in unknown:
            for write in (0, 1):
                assert await access(ctx, dut, address, write, WORD) == (0, (0, 1)), hex(address)

    simulation.run(testbench)


def test_commands_are_pulses_of_one_tick():
    dut, simulation = compiled()
    command = regmap.IRQSCOPE["command"]
    signals = [dut.root.command_arm, dut.root.command_disarm, dut.root.command_clear]
    seen = []

    async def testbench(ctx):
        for value in (1, 2, 4, 7):
            await access(ctx, dut, command.address, 1, value)
        await ctx.tick().repeat(3)

    async def watch(ctx):
        for _ in range(6 * (DELAY + 1)):
            await ctx.tick()
            if any(ctx.get(signal) for signal in signals):
                seen.append(sum(ctx.get(signal) << i for i, signal in enumerate(signals)))

    simulation.run(testbench, watch)
    assert seen == [1, 2, 4, 7]


def test_errors_stay_until_a_one_is_written_and_a_new_one_wins_over_its_clearing():
    dut, simulation = compiled()
    errors = regmap.IRQSCOPE["errors"]
    bit = errors.field("start_in_past").mask

    async def testbench(ctx):
        root = dut.root
        await ctx.tick()  # the last of the reset that registers begin in
        ctx.set(root.errors_start_in_past_set, 1)
        ctx.set(root.errors_line_refused_set, 0x81)
        await ctx.tick()
        ctx.set(root.errors_start_in_past_set, 0)
        ctx.set(root.errors_line_refused_set, 0)
        assert (await access(ctx, dut, errors.address))[0] == bit | 0x81
        await access(ctx, dut, errors.address, 1, 0)
        assert (await access(ctx, dut, errors.address))[0] == bit | 0x81
        await access(ctx, dut, errors.address, 1, bit | 0x01)
        assert (await access(ctx, dut, errors.address))[0] == 0x80
        # The next line is refused in the very tick in which the write clears the bit.
        ctx.set(dut.bus.request, 1)
        ctx.set(dut.bus.address, errors.address)
        ctx.set(dut.bus.write, 1)
        ctx.set(dut.bus.write_data, 0x80)
        await ctx.tick()
        ctx.set(dut.bus.request, 0)
        await ctx.tick()
        ctx.set(root.errors_line_refused_set, 0x80)
        await ctx.tick()
        ctx.set(root.errors_line_refused_set, 0)
        assert ctx.get(root.errors_line_refused) == 0x80
        await ctx.tick().repeat(DELAY)
        await access(ctx, dut, errors.address, 1, 0x80)
        assert (await access(ctx, dut, errors.address))[0] == 0

    simulation.run(testbench)


def test_a_write_to_remove_says_so_for_one_tick():
    dut, simulation = compiled()
    written = []

    async def testbench(ctx):
        await access(ctx, dut, regmap.IRQSCOPE["recorder.remove"].address, 1, 77)
        await ctx.tick().repeat(3)

    async def watch(ctx):
        for _ in range(2 * DELAY):
            await ctx.tick()
            if ctx.get(dut.recorder.remove_value_written):
                written.append(ctx.get(dut.recorder.remove_value))

    simulation.run(testbench, watch)
    assert written == [77]


@pytest.mark.parametrize("wait", [1, 2, 9])
def test_the_histogram_window_waits_for_its_data(wait):
    dut, simulation = compiled()
    window = regmap.IRQSCOPE.memories[0]

    async def testbench(ctx):
        for index in (0, 1, window.words - 1):
            ctx.set(dut.bus.request, 1)
            ctx.set(dut.bus.address, window.address + index)
            await ctx.tick()
            ctx.set(dut.bus.request, 0)
            for _ in range(wait):
                assert ctx.get(dut.window_read)
                assert ctx.get(dut.window_address) == index
                assert not ctx.get(dut.bus.done)
                await ctx.tick()
            ctx.set(dut.window_done, 1)
            ctx.set(dut.window_data, 1000 + index)
            assert ctx.get(dut.bus.done)
            assert ctx.get(dut.bus.read_data) == 1000 + index
            assert not ctx.get(dut.bad_address)
            assert not ctx.get(dut.quiet)
            await ctx.tick()
            ctx.set(dut.window_done, 0)
            ctx.set(dut.window_data, 0)
            assert not ctx.get(dut.window_read)
            assert not ctx.get(dut.bus.done)
            assert ctx.get(dut.quiet)
        _, pulses = await access(ctx, dut, window.address, 1, 5)
        assert pulses == (0, 1)

    simulation.run(testbench)


def test_names_that_the_source_lacks_are_errors():
    with pytest.raises(KeyError, match="no group 'nowhere'"):
        group_signature("nowhere")
    with pytest.raises(KeyError, match="no marker nothing"):
        encoded("marker", "nothing")
