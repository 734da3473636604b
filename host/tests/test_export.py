from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from irqscope.protocol import codec, export, messages

COMMITTED = Path(__file__).parents[2] / "fw" / "generated" / "messages.h"


def test_the_committed_header_is_what_the_source_gives():
    assert COMMITTED.read_text(encoding="utf-8") == export.header()


def test_the_module_writes_the_header(tmp_path):
    output = tmp_path / "deep" / "messages.h"
    subprocess.run([sys.executable, "-m", "irqscope.protocol.export", output], check=True)
    assert output.read_text(encoding="utf-8") == export.header()


@pytest.mark.parametrize("message", messages.MESSAGES, ids=lambda message: message.name)
def test_struct_sizes_are_those_of_the_codec(message):
    text = export.header()
    parts = {"request": message.request, "reply": message.reply, "tail": message.tail}
    for part, fields in parts.items():
        name = "register" if fields is messages.REGISTERS else f"{message.name}_{part}"
        found = re.search(rf"sizeof\(irq_{name}_t\) == (\d+)", text)
        assert (int(found[1]) if found else 0) == codec.layout(fields).size


def test_the_compiler_agrees_with_every_size(tmp_path):
    """The header's static asserts hold, and it compiles alone and without a warning."""
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-freestanding-none"]
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-c", "-xc"]
    output = ["-o", str(tmp_path / "messages.o")]
    subprocess.run([*command, *flags, str(COMMITTED), *output], check=True)


def test_kinds_are_distinct_and_leave_room_for_their_replies():
    kinds = [message.kind for message in messages.MESSAGES]
    assert len(set(kinds)) == len(kinds)
    assert all(0 < kind < messages.REPLY for kind in kinds)
    assert messages.ERROR_KIND not in [kind + messages.REPLY for kind in kinds]
