"""What this machine's interrupts are called."""

from __future__ import annotations

from irqscope.machines.generated import ZYNQMP

#: IDs that lines reach, by output.
SPI_IDS = ZYNQMP.interrupts.shared.ids
#: The one that says that a batch has finished.
FINISHED = ZYNQMP.named(ZYNQMP.interrupts.finished)
PPI_ID = ZYNQMP.interrupt("private").id


def spi_name(bit: int) -> str:
    """Of an SPI output as a line counts it."""
    return f"SPI {SPI_IDS[bit]}"


def ppi_name(core: int) -> str:
    """Of a core's legacy interrupt."""
    return f"PPI {PPI_ID} of core {core}"


def spis(mask: int) -> list[str]:
    """Names of the SPIs in a mask of outputs."""
    return [spi_name(bit) for bit in range(len(SPI_IDS)) if mask >> bit & 1]


def ppis(mask: int) -> list[str]:
    """Names of the PPIs in a mask of cores."""
    return [ppi_name(core) for core in range(mask.bit_length()) if mask >> core & 1]
