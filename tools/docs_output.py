"""Write docs/outputs.md: everyday commands and what they print.

    python -m tools.docs_output [--check]

`--check` writes nothing; its exit code is 1 if the page is not what the commands print.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from unittest import mock

PAGE = Path(__file__).parents[1] / "docs" / "outputs.md"
COLUMNS = 80

HEAD = """# Outputs

What everyday commands print, in 80 columns and without colours, as in a file or the log of a CI.
`make docs-output` writes this page; a test compares all but its numbers.
The functional twin has fixed delays and predicts no board; here it only fills the lines.
[The command line](cli.md#what-a-result-looks-like) describes the form and the units.
"""

#: Pins of the simulated device, in the order of their edges.
PINS = (("wake-up", 1), ("oscillator", 2), ("task", 3))


def _device(name: str, spans: Iterable[tuple[str, str]]) -> str:
    """Returns an experiment with a simulated device, whose channels have these starts and stops."""
    return (
        f'name = "{name}"\nmachine = "external"\ntrigger = "rising edge"\ncount = 400\n'
        'samples = "all"\n[device]\nname = "STM32F411"\nsimulated = "stm32f411/tickless"\n'
        '[[lines]]\nhigh = "10 us"\nlow = "1990 us"\npmod = [0]\n'
        + "".join(f'[[pins]]\nname = "{name}"\npin = {pin}\n' for name, pin in PINS)
        + "".join(
            f'[[channels]]\nstart = "{start}"\nstop = "{stop}"\ntimeout = "1500 us"\n'
            for start, stop in spans
        )
    )


#: Files that the commands read.
FILES = {
    "one.toml": _device("one", [("line 0", "pin:task")]),
    "six.toml": _device("six", combinations(("line 0", *(f"pin:{name}" for name, _ in PINS)), 2)),
    "waves.csv": "latency_ns\n"
    + "".join(f"{600 + 100 * (n // 40 % 2) + n * n % 7}\n" for n in range(400)),
    "night.toml": """name = "night"
[[items]]
file = "t2"
changes = { count = 400 }
baseline = "runs/t2"
limits = ["p99 <= 1 us"]
[[items]]
file = "t1"
changes = { count = 400 }
limits = ["p99 <= 200 ns"]
""",
    "all.toml": 'name = "all"\n[[items]]\nfile = "one.toml"\n',
}

#: Title of a section, and its commands.
SECTIONS = {
    "A run": ["irqscope run t2 --target twin:functional --count 400 --out runs/t2"],
    "A quiet run": ["irqscope run t1 --target twin:functional --count 400 --out runs/t1 --quiet"],
    "Six channels": ["irqscope run six.toml --target twin:external --out runs/six"],
    "Data from elsewhere": ["irqscope import waves.csv --out runs/waves"],
    "A list of runs": ["irqscope list runs", "irqscope list runs --columns name,N,p50"],
    "A comparison": ["irqscope compare runs/t2 runs/t1"],
    "The longest": ["irqscope worst runs/t2 --most 3"],
    "An export": ["irqscope export runs/t2 t2.csv", "irqscope export runs/t2 tail.svg --plot tail"],
    "A gate": ["irqscope gate night.toml --from runs"],
    "A suite": ["irqscope suite all.toml --target twin:external --out suite --no-card"],
    "A table": ["irqscope table suite"],
    "A refusal": ["irqscope run t2 --count many"],
}

#: What differs from one day and computer to the next, and what stands for it.
_CHANGES = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "2026-01-01T12:00:00Z"),
    (re.compile(r"(?<=  valid)( +)\d+ s(?= )"), lambda found: "1 s".rjust(len(found[0]))),
)


def bare(text: str) -> list[str]:
    """Returns the words of a page without its numbers, which another firmware may change."""
    return re.sub(r"0x[0-9a-f]+|[0-9][0-9.e-]*", "0", text).split()


def page() -> str:
    """Returns the page, from commands in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in FILES.items():
            Path(name).write_text(text)
        return HEAD + "".join(_section(*each) for each in SECTIONS.items())


def _section(title: str, commands: list[str]) -> str:
    blocks = ("".join(f"    {line}".rstrip() + "\n" for line in _lines(one)) for one in commands)
    return f"\n## {title}\n\n" + "\n".join(blocks)


def _lines(command: str) -> Iterator[str]:
    """Yields a command, its output, and its exit code unless that is 0."""
    yield f"$ {command}"
    code, text = _printed(shlex.split(command))
    for pattern, instead in _CHANGES:
        text = pattern.sub(instead, text)
    yield from text.splitlines()
    if code:
        yield f"(exit code {code})"


def _printed(words: list[str]) -> tuple[int, str]:
    from irqscope.cli.main import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    refusals = (line for line in err.getvalue().splitlines() if line.startswith("irqscope:"))
    return code, "\n".join((*out.getvalue().splitlines(), *refusals))


def run() -> int:
    """Writes or compares the page; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    os.environ["COLUMNS"] = str(COLUMNS)  # before irqscope is loaded
    now = page()
    if not check:
        PAGE.write_text(now)
        return 0
    before = PAGE.read_text()
    if bare(before) == bare(now):
        return 0
    lines = [text.splitlines(keepends=True) for text in (before, now)]
    sys.stdout.writelines(difflib.unified_diff(lines[0], lines[1], str(PAGE), "now"))
    return 1


if __name__ == "__main__":
    sys.exit(run())
