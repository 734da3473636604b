"""The twin's constants of all machines, as a header for C++."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.machines.model import Machine


def twin_header(machines: list[Machine], digest: str, by: str) -> Iterator[str]:
    """Lines of ``machines.h``. ``digest``: sha256 of the descriptions; ``by``: who writes it."""
    yield f"// sha256 of the descriptions: {digest}"
    yield f"// {by}"
    yield "#pragma once"
    yield ""
    yield "#include <array>"
    yield "#include <cstdint>"
    for machine in machines:
        yield ""
        yield f"namespace twin::machines::{machine.name} {{"
        yield ""
        yield from _constants(machine)
        yield ""
        yield f"}} // namespace twin::machines::{machine.name}"


def _constants(machine: Machine) -> Iterator[str]:
    i = machine.interrupts
    yield f"inline constexpr unsigned number = {machine.number};"
    yield f"inline constexpr unsigned cores = {machine.cores.count};"
    yield f"inline constexpr unsigned ids = {i.ids};"
    yield f"inline constexpr unsigned link_id = {i.link}; // the UART"
    yield f"inline constexpr unsigned timer_tick_id = {i.timer_tick};"
    yield f"inline constexpr unsigned finished_id = {i.finished};"
    yield ""
    yield "// By output of the instrument."
    ids = i.shared.ids
    half = len(ids) // 2
    yield f"inline constexpr std::array<unsigned, {len(ids)}> shared_ids{{"
    yield f"    {', '.join(map(str, ids[:half]))},"
    yield f"    {', '.join(map(str, ids[half:]))}}};"
    if i.private is not None:
        yield f"inline constexpr unsigned private_id = {i.private.id}; // output n: core n"
    if i.software is not None:
        yield f"inline constexpr unsigned first_software_id = {i.software.first};"
        yield f"inline constexpr unsigned software_ids = {i.software.count};"
    yield ""
    yield "// Memory: base and size."
    for placement in machine.placements:
        yield f"inline constexpr std::uint64_t {placement.name}_base = 0x{placement.base:08X};"
        yield f"inline constexpr std::uint64_t {placement.name}_size = 0x{placement.size:08X};"
    if machine.boards:
        yield ""
        yield "// The PL clock of each board, Hz."
    for board in machine.boards:
        name = board.name.replace("-", "_")
        yield f"inline constexpr std::uint32_t {name}_tick_hz = {board.tick_hz};"
