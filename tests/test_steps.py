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
    done = step(tmp_path, "firmware clic", "seq 1000; echo warning >&2")
    assert (done.returncode, done.stderr) == (0, "")
    begun, ended = done.stdout.splitlines()
    assert begun == "firmware clic: begun, see build/log/firmware-clic.log"
    assert ended.startswith("firmware clic: done in ")
    log = (tmp_path / "build/log/firmware-clic.log").read_text()
    assert log.splitlines() == [*map(str, range(1, 1001)), "warning"]


def test_a_step_that_had_nothing_to_do_is_silent(tmp_path):
    done = step(tmp_path, "twin", "true")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_step_that_fails_names_its_log_and_shows_its_end(tmp_path):
    done = step(tmp_path, "twin", "seq 1000; echo 'engine.cpp:7: error' >&2; exit 3")
    assert (done.returncode, done.stdout) == (3, "twin: begun, see build/log/twin.log\n")
    *end, last = done.stderr.splitlines()
    assert end[-1] == "engine.cpp:7: error" and len(end) == 20
    assert last == "make: twin failed; all that it printed is in build/log/twin.log"


def test_on_a_terminal_one_line_moves_each_second_while_nothing_is_said(tmp_path):
    ours, theirs = pty.openpty()
    words = [STEP, "twin", "bash", "-c", "echo compiling; sleep 3.5"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        while process.poll() is None or said[-1:] != b"\n":
            try:
                said += os.read(ours, 1000)
            except OSError:  # the other end is closed
                break
    os.close(ours)
    seconds = re.findall(rb"\r\x1b\[Ktwin, (\d+) s, line 1: compiling", said)
    assert len(set(seconds)) >= 3
    assert re.search(rb"\r\x1b\[Ktwin: done in \d+ s\r\n$", said)
