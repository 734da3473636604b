"""The steps of a Zynq UltraScale+ in their order."""

from __future__ import annotations

from irqscope.doctor import latency
from irqscope.doctor.step import Step
from irqscope.doctor.zynqmp import board, interrupts, link, markers, stm
from irqscope.doctor.zynqmp.names import FINISHED, spi_name

_ANSWERING = (board.IDENTITY, interrupts.FINISH, markers.marker_fact(0))
_SPI_121 = (*_ANSWERING, interrupts.at_rest(spi_name(0)))
_FINISH = (board.IDENTITY, interrupts.at_rest(FINISHED))
STEPS = (
    Step("hello", "ask the firmware who it is", (), board.hello),
    Step("pl", "read what the processor system says of the PL", (board.ANSWERS,), board.pl),
    Step("port", "walk ones and zeros through the register port", (board.GATEWARE,), board.port),
    Step("identity", "compare gateware, firmware and host", (board.PORT,), board.identity),
    Step("clock", "count PL ticks against the system counter", (board.IDENTITY,), board.clock),
    Step("loop-back", "have line 0 be its own marker", (board.IDENTITY,), markers.loopback),
    Step("cores", "start all cores", (board.IDENTITY,), markers.cores),
    Step("markers", "send every marker from every core", (markers.core_fact(0),), markers.markers),
    Step("inputs", "look at the interrupt inputs at rest", (board.IDENTITY,), interrupts.inputs),
    Step("finish", "see the interrupt that ends a batch", _FINISH, interrupts.finish),
    Step("spi-edge", "answer SPI 121 by edge", _SPI_121, interrupts.spi_edge),
    Step("spi-level", "answer SPI 121 by level", _SPI_121, interrupts.spi_level),
    Step("routes", "drive every SPI by every line", (board.IDENTITY,), interrupts.routes),
    Step(
        "ppi",
        "see and answer PPI 31 on every core",
        (markers.core_fact(0), interrupts.FINISH),
        interrupts.ppi,
    ),
    Step("uart", "echo blocks at every baud rate", (board.ANSWERS,), link.uart),
    Step("t2", "measure T2", (markers.LOOPBACK, interrupts.EDGE, link.RATES), latency.t2),
    Step("stm", "look for the STM and its trace memory", (board.ANSWERS,), stm.stm),
)
