"""Each transfer of a core's bus is one access of the memory's port, and has its answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Mux, Signal

from .contract import add_dut, past
from .prover import Gateware, Mutation, prove, reach, refute, registers


def memory(m, dut):
    """Any memory: it answers each access once, in order, and takes none while one waits.

    Returns:
        taken: An access is taken now.
        under_way: One was taken and is not answered before this cycle.
        answered: The answer is here.
    """
    port = dut.port
    under_way = Signal()
    if hasattr(port, "fetch"):
        taken, answered, data = port.fetch, port.fetch_valid, port.fetch_data
    else:
        taken, answered, data = port.access & port.ready, port.valid, port.read_data
        m.d.comb += port.ready.eq(AnySeq(1))
        m.d.comb += Assume(~(under_way & ~answered) | ~port.ready)
    m.d.comb += [answered.eq(AnySeq(1)), data.eq(AnySeq(32)), Assume(~answered | under_way)]
    m.d.sync += under_way.eq(taken | (under_way & ~answered))
    return taken, under_way, answered


def anything(m, *signals):
    """Drives inputs with any values."""
    inputs = Cat(*signals)
    m.d.comb += inputs.eq(AnySeq(len(inputs)))


class AhbFetches(Elaboratable):
    """A data phase ends with the answer to its own address phase."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = getattr(self.gateware, "adapters.ahb").AhbFetch()
        inner = registers(add_dut(m, dut))
        taken, under_way, answered = memory(m, dut)
        anything(m, dut.haddr, dut.htrans)
        m.d.comb += [
            Assert(taken == (dut.htrans[1] & dut.hready)),
            Assert(~taken | (dut.port.fetch_address == dut.haddr)),
            Assert(dut.hready == (~under_way | answered)),
            Assert(dut.hrdata == dut.port.fetch_data),
            Assert(inner["waits"] == under_way),
            Cover(taken & answered),
        ]
        return m


class AhbAccesses(Elaboratable):
    """Any manager that keeps to AHB-Lite, and any memory."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = getattr(self.gateware, "adapters.ahb").AhbData()
        inner = registers(add_dut(m, dut))
        port = dut.port
        taken, under_way, answered = memory(m, dut)
        control = Cat(dut.hwrite, dut.haddr, dut.hsize)
        anything(m, control, dut.htrans, dut.hwdata)
        # ---- the manager: an address phase waits, and only whole transfers of up to a word ---
        waits = past(m, dut.htrans[1] & ~dut.hready, "waits")
        m.d.comb += [
            Assume(~waits | (dut.htrans[1] & (control == past(m, control, "control")))),
            Assume(dut.hsize <= 2),
        ]
        lanes = Signal(4)
        m.d.comb += lanes.eq(
            Mux(
                dut.hsize == 0,
                1 << dut.haddr[:2],
                Mux(dut.hsize == 1, Mux(dut.haddr[1], 0b1100, 0b0011), 0b1111),
            )
        )
        # ---- the transfer in its data phase, and whether it has been an access ---
        phase, issued, writes, stores = Signal(), Signal(), Signal(), Signal()
        of_phase, wanted = Signal(37), Cat(dut.hwrite, dut.haddr, lanes)
        begins = dut.htrans[1] & dut.hready
        seen = Cat(port.write, port.address, port.bytes)
        with m.If(dut.hready):
            m.d.sync += [phase.eq(dut.htrans[1]), of_phase.eq(wanted)]
            m.d.sync += issued.eq(taken & ~(phase & ~issued))
        with m.Elif(taken):
            m.d.sync += issued.eq(1)
        m.d.comb += writes.eq(of_phase[0])
        with m.If(taken):
            m.d.sync += stores.eq(port.write)
        waiting = phase & ~issued
        m.d.comb += [
            # an access is that of the transfer in its data phase, or of a load that begins
            Assert(~port.access | waiting | (begins & ~dut.hwrite)),
            Assert(~(port.access & waiting) | (seen == of_phase)),
            Assert(~(port.access & ~waiting) | (seen == wanted)),
            Assert(~port.access | ~port.write | (port.write_data == dut.hwdata)),
            # a store ends when it is taken, a load with its own answer
            Assert(~(dut.hready & phase & writes) | (waiting & taken)),
            Assert(~(dut.hready & phase & ~writes) | (issued & answered & ~stores)),
            Assert(dut.hrdata == port.read_data),
            # it waits for nothing but memory
            Assert(dut.hready | port.access | under_way),
            Cover(begins & phase & writes & ~dut.hwrite),
            Cover(taken & answered & ~port.write),
            # what makes the above inductive
            Assert(inner["held"] == waiting),
            Assert(inner["loads"] == (phase & issued)),
            Assert(~(phase & issued) | ~writes),
            Assert(~(phase & issued) | (under_way & ~stores)),
            Assert(~(under_way & ~stores) | (phase & issued)),
            Assert(~waiting | (Cat(inner["write"], inner["address"], inner["lanes"]) == of_phase)),
        ]
        return m


class WishboneCycles(Elaboratable):
    """Any master that holds its request until the answer."""

    NAME = "WishboneData"

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = getattr(getattr(self.gateware, "adapters.wishbone"), self.NAME)()
        inner = registers(add_dut(m, dut))
        port = dut.port
        taken, under_way, answered = memory(m, dut)
        fetches = self.NAME == "WishboneFetch"
        word = dut.adr if fetches else Cat(dut.we, dut.sel, dut.adr, dut.dat_w)
        inputs = Cat(dut.cyc, dut.stb, word)
        anything(m, inputs)
        asked = dut.cyc & dut.stb
        waits = past(m, asked & ~dut.ack, "waits")
        m.d.comb += Assume(~waits | (inputs == past(m, inputs, "inputs")))
        seen = (
            port.fetch_address
            if fetches
            else Cat(port.write, port.bytes, port.address, port.write_data)
        )
        data = port.fetch_data if fetches else port.read_data
        m.d.comb += [
            Assert(~taken | (asked & (seen == word))),
            Assert(~taken | ~under_way),
            Assert(dut.ack == (under_way & answered)),
            Assert(~dut.ack | asked),
            Assert(dut.dat_r == data),
            Assert(~(asked & ~under_way) | (port.fetch if fetches else port.access)),
            Assert(inner["waits"] == under_way),
            Assert(~under_way | waits),
            Cover(dut.ack & past(m, past(m, taken, "t1"), "t2")),
        ]
        return m


class WishboneFetches(WishboneCycles):
    """The same of instructions."""

    NAME = "WishboneFetch"


class AxiAccesses(Elaboratable):
    """Any master that conforms to AXI4-Lite: a valid request stays until it is accepted."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = getattr(self.gateware, "adapters.axi").AxiData()
        inner = registers(add_dut(m, dut))
        port = dut.port
        taken, under_way, answered = memory(m, dut)
        channels = (
            (dut.awvalid, dut.awready, dut.awaddr),
            (dut.wvalid, dut.wready, Cat(dut.wdata, dut.wstrb)),
            (dut.arvalid, dut.arready, dut.araddr),
        )
        anything(m, dut.bready, dut.rready)
        for number, (valid, ready, word) in enumerate(channels):
            anything(m, valid, word)
            waits = past(m, valid & ~ready, f"waits{number}")
            m.d.comb += Assume(~waits | (valid & (word == past(m, word, f"word{number}"))))
        stores, owes, kept = Signal(), Signal(), Signal(32)
        answers = Cat(dut.bvalid, dut.rvalid)
        done = (dut.bvalid & dut.bready) | (dut.rvalid & dut.rready)
        with m.If(taken):
            m.d.sync += stores.eq(port.write)
        m.d.sync += owes.eq(taken | (owes & ~done))
        with m.If(answered):
            m.d.sync += kept.eq(port.read_data)
        store = dut.awvalid & dut.wvalid
        m.d.comb += [
            # both channels of a store, or that of a load, are taken with the access
            Assert((dut.awvalid & dut.awready) == (taken & port.write)),
            Assert((dut.wvalid & dut.wready) == (taken & port.write)),
            Assert((dut.arvalid & dut.arready) == (taken & ~port.write)),
            Assert(~taken | (port.write == store)),
            Assert(~taken | (port.address == Mux(port.write, dut.awaddr, dut.araddr))),
            Assert(~taken | (port.bytes == Mux(port.write, dut.wstrb, 0b1111))),
            Assert(~(taken & port.write) | (port.write_data == dut.wdata)),
            # each has one answer, of its own channel, which stays until it is taken
            Assert(answers.any() == (owes & (answered | ~under_way))),
            Assert(~dut.bvalid | stores),
            Assert(~dut.rvalid | ~stores),
            Assert(~dut.rvalid | (dut.rdata == Mux(answered, port.read_data, kept))),
            Assert(~taken | ~owes | done),
            Cover(dut.rvalid & past(m, dut.rvalid & ~dut.rready, "held")),
            Cover(taken & done),
            Assert(inner["waits"] == under_way),
            Assert(inner["stored"] == (owes & ~under_way)),
            Assert(~owes | (inner["writes"] == stores)),
            Assert(~under_way | owes),
            Assert(~inner["stored"] | (inner["word"] == kept)),
        ]
        return m


class AxiFetches(Elaboratable):
    """The same of instructions."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = getattr(self.gateware, "adapters.axi").AxiFetch()
        inner = registers(add_dut(m, dut))
        taken, under_way, answered = memory(m, dut)
        anything(m, dut.rready, dut.arvalid, dut.araddr)
        waits = past(m, dut.arvalid & ~dut.arready, "waits_for")
        address = past(m, dut.araddr, "address_was")
        m.d.comb += Assume(~waits | (dut.arvalid & (dut.araddr == address)))
        owes, kept = Signal(), Signal(32)
        done = dut.rvalid & dut.rready
        m.d.sync += owes.eq(taken | (owes & ~done))
        with m.If(answered):
            m.d.sync += kept.eq(dut.port.fetch_data)
        m.d.comb += [
            Assert((dut.arvalid & dut.arready) == taken),
            Assert(~taken | (dut.port.fetch_address == dut.araddr)),
            Assert(dut.rvalid == (owes & (answered | ~under_way))),
            Assert(~dut.rvalid | (dut.rdata == Mux(answered, dut.port.fetch_data, kept))),
            Assert(~taken | ~owes | done),
            Cover(taken & done),
            Assert(inner["waits"] == under_way),
            Assert(inner["stored"] == (owes & ~under_way)),
            Assert(~under_way | owes),
            Assert(~inner["stored"] | (inner["word"] == kept)),
        ]
        return m


PROOFS = (AhbFetches, AhbAccesses, WishboneFetches, WishboneCycles, AxiFetches, AxiAccesses)
AHB, WISHBONE, AXI = "adapters.ahb", "adapters.wishbone", "adapters.axi"
ACCESS = "port.access.eq(self.cyc & self.stb & ~waits)"
WORD = "self.rdata.eq(Mux(stored, word, port.fetch_data))"
BUGS = (
    (AhbFetches, "fetch_ends_early", AHB, "~waits | port.fetch_valid", "1"),
    (AhbAccesses, "load_ends_early", AHB, "~loads | port.valid", "1"),
    (AhbAccesses, "store_ends_early", AHB, "write & port.ready", "write"),
    (AhbAccesses, "load_is_lost", AHB, "wanted & ~(direct & port.ready)", "wanted & ~direct"),
    (AhbAccesses, "wrong_half", AHB, "0b1100, 0b0011", "0b0011, 0b1100"),
    (WishboneCycles, "asks_again", WISHBONE, ACCESS, ACCESS.replace(" & ~waits", "")),
    (AxiFetches, "word_is_lost", AXI, WORD, "self.rdata.eq(port.fetch_data)"),
    (AxiAccesses, "store_without_a_word", AXI, "free & store & port", "free & self.awvalid & port"),
    (AxiAccesses, "both_at_once", AXI, "free & ~store & port.ready", "free & port.ready"),
)
MUTATIONS = [(proof, Mutation(*of_source)) for proof, *of_source in BUGS]


@pytest.mark.parametrize("proof", PROOFS)
def test_adapters_are_proved(proof, tmp_path: Path) -> None:
    prove(proof, 3, tmp_path)


@pytest.mark.parametrize("proof", PROOFS)
def test_adapters_are_reached(proof, tmp_path: Path) -> None:
    reach(proof, 8, tmp_path)


@pytest.mark.parametrize(
    ("proof", "mutation"), MUTATIONS, ids=lambda each: getattr(each, "name", "")
)
def test_adapters_are_refuted(proof, mutation: Mutation, tmp_path: Path) -> None:
    refute(proof, mutation, 8, tmp_path)
