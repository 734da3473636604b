"""The registers of a core that saves them itself, as CV32RT's fastirq does.

Source: Balas, Ottaviano, Benini, CV32RT, III-C: two banks, one of which is saved in the background
over a memory port of its own; the stack pointer is adjusted; accesses to registers that are not
saved yet have to wait. III-D1: a return may swap the banks instead of loading the saved values.
"""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

#: Caller-saved by the integer ABI, by their place in the frame (fw/stacks/baremetal/rv32/path.inc).
INTEGER_ABI = (1, 5, 6, 10, 11, 12, 13, 14, 15, 16, 17, 7, 28, 29, 30, 31)
#: The same of the embedded ABI, which the frame begins with.
EMBEDDED_ABI = INTEGER_ABI[:7]
STACK_POINTER = 2
#: Bytes that the stack pointer is lowered by: a multiple of 16, by the ABI.
FRAME_BYTES = 80
READS, WRITES = 3, 2


class SavingRegisters(wiring.Component):
    """31 registers; some of them, and two words of the trap, are saved whenever one is taken.

    A cycle in which an interrupt is ``taken`` begins a wait for ``settled``. In the cycle that ends
    it the banks are swapped, and from the next one on the stack pointer is lower by the frame. Then
    one word a cycle is saved, from the highest address down: ``trap``, registers. A background
    interrupt waits for the last of them.

    Latency: ``save`` is high in the N cycles after the swap, N the words of the frame. Reads and
    ``blocked`` are combinational.

    Args:
        saved: Numbers of the registers that are saved, by their place in the frame from its lower
            end.
        count: Registers of the core, x0 included: 32, or fewer, as RV32E has.

    Members:
        read_address, read_data: Three ports. A write is seen in the cycle after it.
        write, write_address, write_data: Two ports. If both write one register, the second port
            wins.
        taken, returns: Pulses: an interrupt is taken; it is returned from.
        settled: After this cycle no instruction from before the pulse is under way; in it, one may
            write.
        saving, swapping: Whether ``taken`` saves; whether ``returns`` swaps the bank and the stack
            pointer of the interrupted code in again, and ends saving. There is one such bank: a
            handler that was itself interrupted loads what was saved.
        kept: A return with ``swapping`` would take the other bank.
        trap: The words above the registers, valid while ``settled``: mcause, mepc.
        hold: No instruction may reach the core: the registers are not yet those that it is to see.
        save, save_address, save_data: The memory port. Each word is taken in its cycle.
        access_address, blocked: The byte address of a load or store, and whether it has to wait,
            because the word there is yet to be saved.
    """

    read_address: In(data.ArrayLayout(5, READS))
    read_data: Out(data.ArrayLayout(32, READS))
    write: In(WRITES)
    write_address: In(data.ArrayLayout(5, WRITES))
    write_data: In(data.ArrayLayout(32, WRITES))
    taken: In(1)
    returns: In(1)
    settled: In(1)
    saving: In(1)
    swapping: In(1)
    kept: Out(1)
    trap: In(data.ArrayLayout(32, 2))
    hold: Out(1)
    save: Out(1)
    save_address: Out(32)
    save_data: Out(32)
    access_address: In(32)
    blocked: Out(1)

    def __init__(self, saved: tuple[int, ...] = INTEGER_ABI, count: int = 32):
        self.saved = saved
        self.count = count
        self.words = len(saved) + 2
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        bank = Signal()  # in use
        kept = self.kept  # the other one has what was interrupted
        entering = Signal()
        leaving = Signal()
        remaining = Signal(range(self.words + 1))
        frame = Signal(32)
        registers = [
            [Signal(32, name=f"x{n}_{b}") for b in range(2 if n in self.saved else 1)]
            for n in range(self.count)
        ]
        trap = [Signal(32, name=name) for name in ("mcause", "mepc")]

        for n, banks in enumerate(registers[1:], start=1):
            for number, register in enumerate(banks):
                used = (bank == number) if len(banks) == 2 else 1
                for port in range(WRITES):
                    with m.If(self.write[port] & (self.write_address[port] == n) & used):
                        m.d.sync += register.eq(self.write_data[port])
        seen = Array(Mux(bank, banks[-1], banks[0]) for banks in registers)
        for port in range(READS):
            m.d.comb += self.read_data[port].eq(seen[self.read_address[port]])

        enters = entering & self.settled & (remaining == 0)
        leaves = leaving & self.settled
        m.d.comb += self.hold.eq((entering & ~enters) | (leaving & ~leaves))

        # Wins over a write in the same cycle.
        stack = registers[STACK_POINTER][0]
        lowered = Signal(32)
        m.d.comb += lowered.eq(stack - FRAME_BYTES)
        for port in range(WRITES):
            with m.If(self.write[port] & (self.write_address[port] == STACK_POINTER)):
                m.d.comb += lowered.eq(self.write_data[port] - FRAME_BYTES)

        with m.If(self.save):
            m.d.sync += remaining.eq(remaining - 1)
        with m.If(enters):
            m.d.sync += [
                entering.eq(0), bank.eq(~bank), kept.eq(1), remaining.eq(self.words),
                stack.eq(lowered), frame.eq(lowered), Cat(trap).eq(self.trap),
            ]  # fmt: skip
        with m.If(leaves):
            m.d.sync += [
                leaving.eq(0), bank.eq(~bank), kept.eq(0), remaining.eq(0),
                stack.eq(frame + FRAME_BYTES),
            ]  # fmt: skip
        with m.If(self.taken & self.saving):
            m.d.sync += entering.eq(1)
        with m.If(self.returns):
            m.d.sync += leaving.eq(self.swapping & kept)
            with m.If(~self.swapping):
                m.d.sync += kept.eq(0)

        other = [Mux(bank, banks[0], banks[-1]) for banks in (registers[n] for n in self.saved)]
        word = Cat(Const(0, 2), self.access_address[2:])
        last = Signal.like(remaining)
        m.d.comb += [
            last.eq(remaining - 1),
            self.save.eq(remaining != 0),
            self.save_address.eq(frame + (last << 2)),
            self.save_data.eq(Array([*other, *trap])[last]),
            self.blocked.eq((word - frame)[:32] < (remaining << 2)),
        ]
        return m
