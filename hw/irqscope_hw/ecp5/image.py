"""The firmware as the system's memory has it at the beginning."""

from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from .description import ROOT, memory

FIRMWARE = ROOT / "build" / "fw-ecp5" / "irqscope.elf"
#: Name of the file that the Verilog reads.
IMAGE = "firmware.hex"
WORD = 4


class ImageError(Exception):
    """A firmware cannot be put into the memory; the text is one line."""


def image(elf: Path = FIRMWARE) -> str:
    """All words of the memory in hexadecimal, as $readmemh takes them. Raises ImageError."""
    base, size = memory()
    content = bytearray(size)
    try:
        with elf.open("rb") as file:
            for segment in ELFFile(file).iter_segments("PT_LOAD"):
                data, at = segment.data(), segment["p_paddr"] - base
                if not data:
                    continue
                if at < 0 or at + len(data) > size:
                    raise ImageError(f"{elf}: a segment is outside the memory of {size} bytes")
                content[at : at + len(data)] = data
    except OSError as error:
        raise ImageError(
            f"{elf}: {error.strerror}; run `make -C fw MACHINE=ecp5`, with .venv/bin in PATH"
        ) from None
    except ELFError as error:
        raise ImageError(f"{elf}: it is no ELF file ({error})") from None
    words = (int.from_bytes(content[at : at + WORD], "little") for at in range(0, size, WORD))
    return "".join(f"{word:08x}\n" for word in words)
