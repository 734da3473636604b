"""Output of a build: begin and duration of each step, and the log of a failed step."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

STEP = Path(__file__).parents[1] / "scripts" / "step.sh"


def step(folder: Path, name: str, script: str) -> subprocess.CompletedProcess[str]:
    words = [str(STEP), name, "bash", "-c", script]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)


def test_a_step_that_did_something_says_when_it_began_and_ended(tmp_path):
    process = step(tmp_path, "firmware clic", "seq 1000; echo warning >&2")
    assert (process.returncode, process.stderr) == (0, "")
    output, ended = process.stdout.splitlines()
    assert output == "firmware clic: begun, see build/log/firmware-clic.log"
    assert ended.startswith("firmware clic: done in ")
    log = (tmp_path / "build/log/firmware-clic.log").read_text()
    assert log.splitlines() == [*map(str, range(1, 1001)), "warning"]


def test_a_step_that_had_nothing_to_do_is_silent(tmp_path):
    process = step(tmp_path, "twin", "true")
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")


def test_a_step_that_fails_names_its_log_and_shows_its_end(tmp_path):
    process = step(tmp_path, "twin", "seq 1000; echo 'engine.cpp:7: error' >&2; exit 3")
    assert (process.returncode, process.stdout) == (3, "twin: begun, see build/log/twin.log\n")
    *end, last = process.stderr.splitlines()
    assert end[-1] == "engine.cpp:7: error" and len(end) == 20
    assert last == "make: twin failed; all that it printed is in build/log/twin.log"


def test_on_a_terminal_one_line_moves_each_second_while_nothing_is_said(tmp_path):
    own, other = pty.openpty()
    words = [STEP, "twin", "bash", "-c", "echo compiling; sleep 3.5"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=other, stderr=other) as process:
        os.close(other)
        output = b""
        while process.poll() is None or output[-1:] != b"\n":
            try:
                output += os.read(own, 1000)
            except OSError:  # the other end is closed
                break
    os.close(own)
    seconds = re.findall(rb"\r\x1b\[Ktwin, (\d+) s, line 1: compiling", output)
    assert len(set(seconds)) >= 3
    assert re.search(rb"\r\x1b\[Ktwin: done in \d+ s\r\n$", output)
