from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from irqscope.link import codec, export, messages

COMMITTED = Path(__file__).parents[2] / "fw" / "generated" / "messages.h"


def test_the_committed_header_is_what_the_source_gives():
    assert COMMITTED.read_text(encoding="utf-8") == export.header()


def test_the_module_writes_the_header(tmp_path):
    output = tmp_path / "deep" / "messages.h"
    subprocess.run([sys.executable, "-m", "irqscope.link.export", output], check=True)
    assert output.read_text(encoding="utf-8") == export.header()


def test_the_header_has_the_hash_that_the_host_compares():
    match = re.search(r"#define IRQ_MESSAGES_HASH (0x[0-9A-F]{8})u", COMMITTED.read_text())
    assert int(match[1], 16) == export.messages_hash()


def test_a_comment_and_a_type_of_no_message_do_not_move_the_hash(tmp_path):
    source = Path(messages.__file__).read_text(encoding="utf-8")
    helper = "\n\nclass Helper(enum.IntEnum):\n    NEW = 1\n"
    assert hash_of(source + helper + "# A comment.\n", tmp_path) == export.messages_hash()
    other = source.replace("MAX_PAYLOAD = 1024", "MAX_PAYLOAD = 1020")
    assert hash_of(other, tmp_path) != export.messages_hash()


def hash_of(source, folder):
    """The hash that the export of another source would have, from a process of its own."""
    (folder / "other.py").write_text(source, encoding="utf-8")
    program = (
        "import sys, other; sys.modules['irqscope.link.messages'] = other\n"
        "import irqscope.link; irqscope.link.messages = other\n"
        "from irqscope.link import export; print(export.messages_hash())"
    )
    command = [sys.executable, "-c", program]
    process = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    return int(process.stdout)


@pytest.mark.parametrize(
    "change",
    [
        lambda one: {"kind": 0x7E},
        lambda one: {"name": "locked"},
        lambda one: {"request": one.request[::-1]},
        lambda one: {"request": (replace(one.request[0], name="other"), *one.request[1:])},
        lambda one: {"request": (replace(one.request[0], code="Q"), *one.request[1:])},
        lambda one: {"request": one.request[1:]},
        lambda one: {"reply": one.request},
    ],
    ids=["number", "name", "order", "name of a field", "type of a field", "no field", "reply"],
)
def test_a_declaration_moves_the_hash(change, monkeypatch):
    before = export.messages_hash()
    one = next(message for message in messages.MESSAGES if message.name == "histogram")
    assert len(one.request) > 1
    assert one.request[0].code != "Q"
    others = tuple(replace(m, **change(one)) if m is one else m for m in messages.MESSAGES)
    monkeypatch.setattr(messages, "MESSAGES", others)
    assert export.messages_hash() != before


@pytest.mark.parametrize("message", messages.MESSAGES, ids=lambda message: message.name)
def test_struct_sizes_are_those_of_the_codec(message):
    text = export.header()
    parts = {"request": message.request, "reply": message.reply, "tail": message.tail}
    for part, fields in parts.items():
        name = "register" if fields is messages.REGISTERS else f"{message.name}_{part}"
        match = re.search(rf"sizeof\(irq_{name}_t\) == (\d+)", text)
        assert (int(match[1]) if match else 0) == codec.layout(fields).size


def test_the_compiler_agrees_with_every_size(tmp_path):
    """The header's static asserts hold, and it compiles alone and without a warning."""
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-freestanding-none"]
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-c", "-xc"]
    output = ["-o", str(tmp_path / "messages.o")]
    ran = subprocess.run([*command, *flags, str(COMMITTED), *output], capture_output=True)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_kinds_are_distinct_and_leave_room_for_their_replies():
    kinds = [message.kind for message in messages.MESSAGES]
    assert len(set(kinds)) == len(kinds)
    assert all(0 < kind < messages.REPLY for kind in kinds)
    assert messages.ERROR_KIND not in [kind + messages.REPLY for kind in kinds]
