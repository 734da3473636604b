"""Drives the gateware as software does: through the EMIO pins and nothing else."""

from collections.abc import Iterator

from irqscope_hw import regmap


class Emio:
    """Register access over the EMIO pins of a simulated :class:`~.shells.zynqmp.ZynqMP`."""

    def __init__(self, ctx, top):
        self._ctx = ctx
        self._top = top
        self._bank3 = 0

    async def _access(self, word: int, write: bool) -> int:
        """One request; returns the read data and checks that it is acknowledged."""
        request = regmap.EMIO["bank3_out"]
        self._bank3 &= request.field("markers").mask | request.field("request").mask
        self._bank3 |= word << request.field("address").lsb
        self._bank3 |= write << request.field("write").lsb
        self._ctx.set(self._top.emio_o3, self._bank3)
        await self._ctx.tick()
        self._bank3 ^= request.field("request").mask
        self._ctx.set(self._top.emio_o3, self._bank3)
        for _ in range(40):
            await self._ctx.tick()
            acknowledge = self._ctx.get(self._top.emio_i3) & 1
            if acknowledge == self._bank3 >> request.field("request").lsb:
                return self._ctx.get(self._top.emio_i4)
        raise AssertionError(f"word {word:#x} was not acknowledged")

    async def read_word(self, word: int) -> int:
        return await self._access(word, False)

    async def write_word(self, word: int, value: int) -> None:
        self._ctx.set(self._top.emio_o4, value)
        await self._access(word, True)

    async def read(self, path: str) -> dict[str, int]:
        """All fields of a register."""
        register = regmap.IRQSCOPE[path]
        value = 0
        for index in range(register.words):
            value |= await self.read_word(register.address + index) << (32 * index)
        return {field.name: (value & field.mask) >> field.lsb for field in register.fields}

    async def value(self, path: str) -> int:
        """The value of a register of one field."""
        (value,) = (await self.read(path)).values()
        return value

    async def write(self, path: str, **fields: int) -> None:
        """Writes a register; fields not named get their reset value."""
        register = regmap.IRQSCOPE[path]
        value = sum(fields.pop(field.name, field.reset) << field.lsb for field in register.fields)
        assert not fields, f"{path} has no {fields}"
        for index in range(register.words):
            await self.write_word(register.address + index, (value >> (32 * index)) & 0xFFFFFFFF)

    def markers(self, **codes: int) -> None:
        """Stores a marker word, ``core0=code, ...``: each named core sends one marker."""
        for name, code in codes.items():
            core = int(name.removeprefix("core"))
            toggle = ~self._bank3 >> (4 * core + 3) & 1
            self._bank3 &= ~(0xF << (4 * core))
            self._bank3 |= (toggle << 3 | code) << (4 * core)
        self._ctx.set(self._top.emio_o3, self._bank3)

    async def records(self) -> Iterator[dict[str, int]]:
        """Takes all records out of the recorder."""
        found = []
        while await self.value("recorder.waiting"):
            number = await self.value("recorder.head_number")
            events = await self.read("recorder.head_events")
            found.append(
                {
                    "number": number,
                    "stamp": await self.value("recorder.head_stamp"),
                    "latency": await self.value("recorder.head_latency"),
                    **events,
                }
            )
            await self.write("recorder.remove", value=number)
        return found
