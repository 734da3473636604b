"""Drives the soft shell as a soft core does: through its Wishbone slave."""

from irqscope_hw import regmap
from irqscope_hw.register_bus import DATA_BITS

WHOLE = (1 << DATA_BITS // 8) - 1


class Master:
    """Cycles of a master on a simulated :class:`irqscope_hw.bus_port.WishboneSignature`."""

    def __init__(self, ctx, wishbone):
        self._ctx = ctx
        self._wishbone = wishbone

    async def cycle(self, word, data=None, sel=WHOLE, keep=False):
        """One access: returns ticks until the answer, whether it succeeded, and the data read."""
        ctx, wishbone = self._ctx, self._wishbone
        ctx.set(wishbone.cyc, 1)
        ctx.set(wishbone.stb, 1)
        ctx.set(wishbone.adr, word)
        ctx.set(wishbone.sel, sel)
        ctx.set(wishbone.we, data is not None)
        ctx.set(wishbone.dat_w, data or 0)
        for ticks in range(60):
            good, bad = ctx.get(wishbone.ack), ctx.get(wishbone.err)
            assert not (good and bad)
            if good or bad:
                read = ctx.get(wishbone.dat_r)
                await ctx.tick()
                if not keep:
                    ctx.set(wishbone.stb, 0)
                    ctx.set(wishbone.cyc, 0)
                return ticks, bool(good), read
            await ctx.tick()
        raise AssertionError(f"word {word:#x} was not answered")

    async def read_word(self, word):
        _, good, data = await self.cycle(word)
        assert good
        return data

    async def write_word(self, word, value):
        _, good, _ = await self.cycle(word, value)
        assert good

    async def read(self, path):
        """The value of a register, all its fields together."""
        register = regmap.IRQSCOPE[path]
        words = [await self.read_word(register.address + i) for i in range(register.words)]
        return sum(word << 32 * i for i, word in enumerate(words))

    async def write(self, path, **fields):
        """Writes a register; fields not named get their reset value."""
        register = regmap.IRQSCOPE[path]
        value = sum(fields.pop(field.name, field.reset) << field.lsb for field in register.fields)
        assert not fields, f"{path} has no {fields}"
        for index in range(register.words):
            await self.write_word(register.address + index, value >> 32 * index & 0xFFFFFFFF)
