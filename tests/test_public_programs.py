"""Public programs that nobody here wrote are built and measured by examples/public/Makefile.

Their sources are not part of this project: a variable of the environment names a folder with each.
"""

import json
import os
import subprocess

import pytest

from instrument import ROOT

EXAMPLES = ROOT / "examples" / "public"


@pytest.mark.soak
@pytest.mark.parametrize(
    ("program", "variable", "masks"),
    [
        # ThreadX's handler of interrupts is the vector's; LK's vectors are in its first page.
        ("threadx", "THREADX", "__vectors"),
        ("tf-a", "TFA", "vectors"),
        ("lk", "LK", "_start"),
    ],
)
def test_a_public_program_answers_each_stimulus(tmp_path, program, variable, masks):
    if (sources := os.environ.get(f"IRQSCOPE_{variable}")) is None:
        pytest.skip(f"IRQSCOPE_{variable} names no checkout: these sources are others'")
    command = ["make", "-C", EXAMPLES, program, f"{variable}={sources}"]
    subprocess.run([*command, f"OPTIONS=--out {tmp_path / 'run'}"], check=True)
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["valid"], run["reasons"]
    assert [each["served"] for each in run["counters"]] == [1000, 1000]
    longest = max(run["masked"], key=lambda each: each["greatest_ticks"])
    assert f"({masks}+0x" in longest["opened"]
