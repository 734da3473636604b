"""A port that does not open: who holds it, and how one gets at it."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest
import serial

from conftest import HOLD
from irqscope.errors import LinkError
from irqscope.link.holders import holders
from irqscope.link.transport import SerialTransport


def test_a_busy_port_names_its_holder(held):
    port, program = held
    with pytest.raises(LinkError) as refused:
        SerialTransport(port)
    name = Path(f"/proc/{program.pid}/comm").read_text().strip()
    expected = f"{port} is in use by {name} (process {program.pid}); close that one first"
    assert str(refused.value) == expected


def test_who_does_not_hold_a_port_is_not_named(held, board, tmp_path):
    _, program = held
    assert holders(board().port) == []
    assert not any(str(program.pid) in one for one in holders(str(tmp_path)))


#: Makes a pseudo-terminal, and keeps both ends until its own stdin closes, as a twin does.
ANSWER = """
import os, pty, sys
master, slave = pty.openpty()
print(os.ttyname(slave), flush=True)
sys.stdin.read()
"""


def program(text, *args):
    command = [sys.executable, "-c", text, *args]
    return subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True)


def test_who_answers_behind_a_pseudo_terminal_does_not_hold_it():
    with program(ANSWER) as twin:
        port = twin.stdout.readline().strip()
        assert holders(port) == []
        with program(HOLD, port) as other:
            assert other.stdout.readline() == "held\n"
            (one,) = holders(port)
            assert one.endswith(f"(process {other.pid})")


def refuse(monkeypatch, error):
    def opened(*_, **__):
        raise error

    monkeypatch.setattr("serial.serial_for_url", opened)


def test_a_port_that_another_user_holds(board, monkeypatch):
    port = board().port
    refuse(monkeypatch, serial.SerialException(errno.EBUSY, f"could not open port {port}: busy"))
    with pytest.raises(LinkError, match="in use by another program, of another user; close that"):
        SerialTransport(port)


@pytest.mark.parametrize(
    ("group", "remedy"),
    [
        ("dialout", "`sudo usermod -aG dialout $USER`, then log in again"),
        ("uucp", "`sudo usermod -aG uucp $USER`, then log in again"),
        ("root", "give it a group by a udev rule, or run as root"),
    ],
)
def test_no_permission_says_how_to_get_it(board, monkeypatch, group, remedy):
    port = board().port
    refuse(monkeypatch, PermissionError(errno.EACCES, "Permission denied"))
    monkeypatch.setattr(Path, "group", lambda path: group)
    with pytest.raises(LinkError) as refused:
        SerialTransport(port)
    assert str(refused.value) == f"no permission to open {port}; {remedy}"
