"""Programs of others, with our files for the line of examples/public, as docs/programs.md has them.

Neither their sources nor how they are built is part of this project: a variable of the environment
names a file that was built.
"""

import json
import os
import subprocess

import pytest

from instrument import ROOT

EXAMPLES = ROOT / "examples" / "public"
PAYLOAD = ("aarch64-linux-gnu-gcc", "-static", "-nostdlib")
LINKED = "-Wl,--build-id=none,-n,-Ttext=0x8000000,--no-warn-rwx-segments"
#: By folder: the variable, the rest of the target's words, the vectors that mask the longest.
PROGRAMS = {
    "threadx": ("IRQSCOPE_THREADX", "twin:a9:elf={}:ram=0x2E000000+0x10000", "__vectors"),
    "lk": ("IRQSCOPE_LK", "twin:a9:elf={}:ready=ready", "_start"),
    "tf-a": (
        "IRQSCOPE_BL31",
        "twin:a53:elf={payload}:bin={}@0xFFFEA000:entry=0xFFFEA000:ready=ready",
        "vectors",
    ),
}


@pytest.mark.soak
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_public_program_answers_each_stimulus(tmp_path, program):
    variable, target, masks = PROGRAMS[program]
    if (built := os.environ.get(variable)) is None:
        pytest.skip(f"{variable} names no built file: this program is somebody else's")
    payload = tmp_path / "payload.elf"
    if program == "tf-a":
        command = [*PAYLOAD, LINKED, EXAMPLES / program / "payload.S", "-o", payload]
        subprocess.run(command, check=True)
    target = target.format(built, payload=payload)
    command = ["irqscope", "run", EXAMPLES / program / "lines.toml", "--target", target]
    subprocess.run([*command, "--out", tmp_path / "run"], check=True)
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["valid"], run["reasons"]
    assert [each["served"] for each in run["counters"]] == [1000, 1000]
    longest = max(run["masked"], key=lambda each: each["greatest_ticks"])
    assert f"({masks}+0x" in longest["opened"]
