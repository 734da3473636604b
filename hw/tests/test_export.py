"""The register map's outputs: the committed bytes, and the C header against the compiled map."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from irqscope_hw import export, regmap
from irqscope_hw.regmap import AddressMap, Field

pytestmark = pytest.mark.quick

MAPS = (regmap.IRQSCOPE, regmap.EMIO)


@pytest.mark.parametrize("name", export.committed())
def test_committed_output_is_what_the_source_gives(name: str) -> None:
    assert (export.ROOT / name).read_text(encoding="utf-8") == export.committed()[name], (
        f"{name} is stale: run `make generated`"
    )


@pytest.mark.parametrize("text", export.outputs().values(), ids=export.outputs())
def test_output_starts_with_the_hash_of_the_maps(text: str) -> None:
    assert regmap.sha256() in text.splitlines()[0]


def test_header_has_every_address_and_field_of_the_map(tmp_path) -> None:
    """Compiled freestanding for the target, so that it needs no header of a C library."""
    source = tmp_path / "check.c"
    source.write_text(assertions(), encoding="utf-8")
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-freestanding-none"]
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    include = f"-I{export.ROOT / 'fw' / 'generated'}"
    result = subprocess.run(
        [*compiler, *options, include, "-c", str(source), "-o", str(tmp_path / "check.o")],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr


def assertions() -> str:
    """C that fails to compile where the header and the map differ."""
    lines = ["#include <stddef.h>", "#include <irqscope_regs.h>"]
    for address_map in MAPS:
        for register in address_map.registers:
            place = f"offsetof({address_map.name}_t, {register.path})"
            lines.append(check(f"{place} == {register.address * regmap.WORD_BYTES}"))
            lines += [check(line) for line in field_checks(address_map, register.path)]
        for memory in address_map.memories:
            place = f"offsetof({address_map.name}_t, {memory.path}.mem[{memory.words - 1}])"
            last = memory.address + memory.words - 1
            lines.append(check(f"{place} == {last * regmap.WORD_BYTES}"))
    for encoding in regmap.IRQSCOPE.encodings:
        for member in encoding.members:
            constant = f"IRQSCOPE_{encoding.name}_{member.name}".upper()
            lines.append(check(f"{constant} == {member.value}"))
    return "\n".join([*lines, "int main(void) { return 0; }"]) + "\n"


def check(condition: str) -> str:
    return f'_Static_assert({condition}, "");'


def field_checks(address_map: AddressMap, path: str) -> list[str]:
    """The masks of one instance of each register type; 64-bit counters share a type, and pins."""
    if "[" in path and "[0]" not in path:
        return []
    register = address_map[path]
    block, dot, name = path.rpartition(".")
    prefix = {"lines[0]": "LINE_T", "channels[0]": "CHANNEL_T"}.get(
        block, f"{address_map.name}{'__' if dot else ''}{block}".upper()
    )
    shared = register.words == 2 and register.title == name and block
    stem = "COUNT64" if shared else f"{prefix}__{name.upper()}"
    if re.fullmatch(r"pins\.pin\d", path):
        stem = "PIN_T"
    return [line for field in register.fields for line in mask_check(stem, field)]


def mask_check(stem: str, field: Field) -> list[str]:
    macro = f"{stem}__{field.name.upper()}"
    return [
        f"{macro}_bm == 0x{field.mask:x}",
        f"{macro}_bp == {field.lsb}",
        f"{macro}_reset == 0x{field.reset:x}",
    ]
