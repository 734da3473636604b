"""The cores packaged for Vivado: processor system and interfaces of each."""

from dataclasses import dataclass

VERSION = "1.0"
#: What Vivado runs for a core in a block design, in the place that it gives it.
BD = "bd/bd.tcl"
SYNTHESIS, SIMULATION = "xilinx_anylanguagesynthesis", "xilinx_anylanguagebehavioralsimulation"


@dataclass(frozen=True)
class Interface:
    """Ports with a meaning that Vivado knows.

    ``bus`` is library and name; ``ports`` go by logical name to ports of the core.
    """

    bus: tuple[str, str]
    side: str
    ports: dict[str, str]
    parameters: dict[str, str]


def _interrupt(name: str, width: int, sensitivity: str = "LEVEL_HIGH") -> Interface:
    """``PortWidth`` is what the processor system sizes its own vector by."""
    parameters = {"SENSITIVITY": sensitivity, "PortWidth": str(width)}
    return Interface(("signal", "interrupt"), "master", {"INTERRUPT": name}, parameters)


def _clock_and_reset() -> dict[str, Interface]:
    """Returns the clock's parameters, without FREQ_HZ.

    Vivado propagates the processor system's value, and would reject a block design with a different
    one. The core takes TICK_HZ from it (component.block_design).
    """
    clock = Interface(("signal", "clock"), "slave", {"CLK": "clk"}, {"ASSOCIATED_RESET": "resetn"})
    active_low = {"POLARITY": "ACTIVE_LOW"}
    return {
        "clk": clock,
        "resetn": Interface(("signal", "reset"), "slave", {"RST": "resetn"}, active_low),
    }


def _gpio() -> dict[str, Interface]:
    ports = {"TRI_I": "emio_gpio_i", "TRI_O": "emio_gpio_o"}
    return {"emio_gpio": Interface(("interface", "gpio"), "slave", ports, {})}


@dataclass(frozen=True)
class Core:
    """A core packaged for a processor system.

    ``family`` is Vivado's name of the part's; ``folder``, below ``ip/``, holds the files that
    Vivado expects there. The gateware and its constraints are above it, one for both cores.
    """

    name: str
    top: str
    family: str
    folder: str
    interfaces: dict[str, Interface]

    @property
    def xgui(self) -> str:
        """The page of parameters, in the place and by the name that Vivado gives it."""
        return f"xgui/{self.name}_v{VERSION.replace('.', '_')}.tcl"

    @property
    def files(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """The files of each view, as seen from the folder, with their types."""
        sources = (("../irqscope.v", "verilogSource"), (f"../{self.top}.v", "verilogSource"))
        return {
            SYNTHESIS: (*sources, ("../irqscope.xdc", "xdc")),
            SIMULATION: sources,
            "xilinx_xpgui": ((self.xgui, "tclSource"),),
            "bd_tcl": ((BD, "tclSource"),),
        }


def _interrupts(**widths: int) -> dict[str, Interface]:
    return {name: _interrupt(name, width) for name, width in widths.items()}


def _legacy(*names: str) -> dict[str, Interface]:
    """Returns the private lines, four bits each and active high.

    They are named as the processor system's own pins are in a block design that drives them
    (tonydg2/ultra96 at c2e3d36, bd/top_bd.tcl). Vivado compares the names; the level is inverted
    after the pins (PG201).
    """
    return {name: _interrupt(name, 4, "LEVEL_LOW") for name in names}


ZYNQMP = Core(
    "irqscope",
    "irqscope_zynqmp",
    "zynquplus",
    "zynqmp",
    {
        **_clock_and_reset(),
        **_gpio(),
        **_interrupts(pl_ps_irq0=8, pl_ps_irq1=8),
        **_legacy("pl_ps_apugic_irq", "pl_ps_apugic_fiq"),
    },
)
ZYNQ7000 = Core(
    "irqscope_zynq7000",
    "irqscope_zynq7000",
    "zynq",
    "zynq7000",
    {
        **_clock_and_reset(),
        **_gpio(),
        **_interrupts(irq_f2p=16, core0_nirq=1, core1_nirq=1, core0_nfiq=1, core1_nfiq=1),
    },
)
CORES = (ZYNQMP, ZYNQ7000)
