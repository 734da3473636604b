"""Reads the build attributes of an Arm ELF file (Arm IHI 0045, "Addenda to the ABI")."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.machines.elf import Elf

#: Type of the section.
SECTION = 0x7000_0003
_VENDOR, _OF_FILE = b"aeabi\0", 1
_RAW_NAME, _NAME, _ARCHITECTURE, _PROFILE, _COMPATIBILITY = 4, 5, 6, 7, 32
_MOST_BITS = 35
#: Armv6-M, Armv6S-M, Armv7E-M, Armv8-M Baseline and Mainline, Armv8.1-M Mainline.
_MICROCONTROLLERS = (11, 12, 13, 16, 17, 21)


def architecture_of(elf: Elf) -> tuple[int | None, int | None]:
    """Return Tag_CPU_arch and Tag_CPU_arch_profile, each None if the file does not say.

    A truncated or unknown part ends the reading.
    """
    values: dict[int, int] = {}
    for tag, value in _attributes(elf.section(SECTION)):
        values.setdefault(tag, value)
    return values.get(_ARCHITECTURE), values.get(_PROFILE)


def is_for_microcontroller(elf: Elf) -> bool:
    """Return whether the file is built for a Cortex-M."""
    architecture, profile = architecture_of(elf)
    return architecture in _MICROCONTROLLERS or profile == ord("M")


def _attributes(data: bytes) -> Iterator[tuple[int, int]]:
    """Numbers of the file's own attributes, of the vendor that has those of the ABI."""
    at = 5 + len(_VENDOR)  # version, length of the vendor's part, its name
    if data[:1] != b"A" or data[5:at] != _VENDOR or data[at : at + 1] != bytes([_OF_FILE]):
        return
    at += 5  # tag, length
    while at < len(data):
        tag, at = _number(data, at)
        if tag in (_RAW_NAME, _NAME) or (tag > _COMPATIBILITY and tag & 1):
            at = data.find(b"\0", at) + 1 or len(data)
        elif tag == _COMPATIBILITY:
            at = data.find(b"\0", _number(data, at)[1]) + 1 or len(data)
        else:
            value, at = _number(data, at)
            yield tag, value


def _number(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128 number, and where the next one begins."""
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 0x7F) << shift
        shift = min(shift + 7, _MOST_BITS)
        at += 1
        if not data[at - 1] & 0x80:
            break
    return value, at
