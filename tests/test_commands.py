"""Runs the commands of the manual: the shell blocks of its pages, from top to bottom.

`make soak` runs them all in a copy of the checkout, which takes hours. The commands that create a
custom stack run each time; for all others the test checks that they can start.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from instrument import ROOT
from irqscope.cli.main import cli

#: First words of a line that is typed, besides values of the environment. A block that begins with
#: another one is the content of a file, or what a program said.
TYPED = {
    "make", "irqscope", ".venv/bin/irqscope", "python", ".venv/bin/python", ".venv/bin/pytest",
    "pytest", "cp", "sed", "uv", "pip", "cd", "for", "time", "eval", "cargo", "rustup", "dask",
    "apt-get",
}  # fmt: skip
#: Commands that are not run here, by the begin of the line, with the place where they run, or the
#: reason.
LEFT = {
    "make test": "runs this test",
    "make app": "waits for its user; host/tests/app opens the window",
    "make wheel": "tests/test_wheel.py builds the same wheel",
    "uv tool install": "tests/test_wheel.py",
    "pip install": "tests/test_wheel.py",
    "make stacks FREERTOS=DIR": "tests/test_freertos.py names such a folder",
    "irqscope gate night.toml --target /dev/ttyUSB1": "takes a board",
    "make bitstream BOARD=zcu102": "takes Vivado",
    "make smoke     BOARD=zcu102": "takes a board",
    "make program ": "takes a board",
    "make bitstream BOARD=ulx3s": "`make soak` builds it",
    "python -m irqscope_hw.fpga.witness": "`make witness`, which `make soak` runs",
    "python hw/mutants.py": "`make soak` runs it",
    "pytest hw/formal": "`make soak` runs it",
    "make sensitivity": "writes files of the checkout, hours",
    ".venv/bin/pytest -n 0": "`make soak` runs it",
    ".venv/bin/irqscope ports --hello": "takes a board",
    ".venv/bin/irqscope doctor --target PORT": "takes a board",
    ".venv/bin/irqscope doctor --target /dev/ttyUSB0": "takes a board",
    ".venv/bin/irqscope run experiments/horst2020/t2.toml --target PORT": "takes a board",
    ".venv/bin/irqscope run experiments/paper-instrument/t2-stm.toml --tar": "takes a board",
    ".venv/bin/irqscope run experiments/horst2020/t2.toml            ": "takes a board",
    ".venv/bin/irqscope twin ": "runs until Ctrl-C; host/tests/test_integrity.py ends it",
    ".venv/bin/irqscope run experiments/horst2020/t2.toml --target /dev/pts/N": "takes that twin",
    "irqscope run EXPERIMENT": "the form of a command",
    "irqscope tail DIR": "takes a run of 10,000 stimuli and more; host/tests/test_tail.py",
    "irqscope run experiments/random-load/light.toml --count 100000000": "takes days",
    "irqscope gate gate.toml": "in the folder of a program; rtl/tests/test_plugin.py",
    "irqscope run two-pins.toml": "takes an analyser; host/tests/kinds/test_live.py runs a demo",
    "apt-get install": "takes root",
    "rustup target add": "takes the network",
    "cargo run": "rtl/tests/test_witnesses.py builds and runs these examples",
    "dask ": "runs until Ctrl-C; host/tests/test_cluster.py starts a cluster",
    "IRQSCOPE_ZCU102": "takes a board",
    "SHOWDOWN=": "takes sources that are fetched; see its page",
    "IRQSCOPE_MICROZED_AMP=": "takes sources that are fetched; see its page",
    "irqscope suite experiments/horst2020 --scheduler": "takes a cluster",
    "python scripts/same_results.py record OUT.json": "the form of a command",
}
#: Words that stand for something of the reader's, by what takes their place: a pattern of folders.
STAND_INS = {
    "runs/DIR": "runs/*",
    "runs/cyclic-...": "runs/cyclic-*",
    "runs/t2-...": "runs/t2-*",
}
#: Files that a reader brings: two pins, the second 10 to 14 us after the first, and a histogram.
OF_THE_READER = {
    "two-pins.csv": "Time [s],Channel 0,Channel 1\n0.000000000,0,0\n"
    + "".join(
        f"0.0{n:02}100000,1,0\n0.0{n:02}1100{n % 5:02},1,1\n0.0{n:02}200000,0,0\n"
        for n in range(99)
    ),
    "cyclic.hist": "# /dev/cpu_dma_latency set to 0us\n# Histogram\n"
    + "".join(f"{us:06} {count:06}\n" for us, count in enumerate([0, 0, 120, 950, 30, 4]))
    + "# Total: 000001104\n# Min Latencies: 00002\n# Avg Latencies: 00002\n"
    "# Max Latencies: 00005\n# Histogram Overflows: 00000\n",
}


def blocks(page: str) -> list[list[str]]:
    """The indented blocks of a page, without their indentation."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    # After an empty line: without one, an indented line continues the item of a list.
    matches = re.findall(r"(?<=\n\n)(?:^    .*\n(?:\n(?=    ))?)+", text, re.MULTILINE)
    return [[line[4:] for line in block.splitlines()] for block in matches]


def typed(block: list[str]) -> bool:
    first = block[0].split()[0]
    return first in TYPED or re.match(r"[A-Z_\d]+=", first) is not None


def lines(block: list[str]) -> list[str]:
    """Commands of a typed block: its lines up to the first empty one; a file may follow."""
    return block[: block.index("")] if "" in block else block


def commands(page: str) -> list[str]:
    return [line for block in blocks(page) if typed(block) for line in lines(block)]


def left(command: str) -> bool:
    return command.startswith(tuple(LEFT))


PAGES = [
    page
    for page in ("README.md", *sorted(f"docs/{at.name}" for at in (ROOT / "docs").glob("*.md")))
    if commands(page)
]
ALL = [(page, command) for page in PAGES for command in commands(page)]


def test_no_command_is_taken_for_the_content_of_a_file():
    displayed = {
        block[0].split()[0] for page in PAGES for block in blocks(page) if not typed(block)
    }
    assert [word for word in displayed if "/" in word or shutil.which(word)] == []
    assert len(PAGES) > 10 and len(ALL) > 60


@pytest.mark.parametrize(("page", "command"), ALL)
def test_a_command_of_the_manual_can_be_begun(page, command, monkeypatch):
    monkeypatch.chdir(ROOT)
    loop = re.fullmatch(r"for \w+ in [\d ]+; do (.*); done|time (.*)", command)
    program, *words = shlex.split((loop[1] or loop[2]) if loop else command, comments=True)
    if program.endswith("irqscope"):
        name, *args = words
        selected = cli.get_command(click.Context(cli), name)
        assert selected is not None, f"there is no command {name}"
        selected.make_context(name, [*args])  # a wrong option or value ends it
        files = [word for word in args if word.startswith(("experiments/", "tests/", "examples/"))]
        assert [file for file in files if not (ROOT / file).exists()] == []
    elif program == "make":
        folder = words[words.index("-C") + 1] if "-C" in words else "."
        makefile = (ROOT / folder / "Makefile").read_text()
        if folder == "fw":
            makefile += (ROOT / "fw/stacks/standalone/stack.mk").read_text()
        for word in words[2 if "-C" in words else 0 :]:
            name, is_value, _ = word.partition("=")
            name = re.sub(r"^build/\w+", "build/%", name)  # a rule for any file there
            expected = rf"\b{name}\b" if is_value else rf"^{name}[.:]|\b{name}:"
            assert re.search(expected, makefile, re.MULTILINE), f"{folder} has no {name}"
    elif program.endswith("python") and words[0] == "-m":
        assert importlib.util.find_spec(words[1]) is not None
    elif program.endswith("python") and words[0] != "-c":
        assert (ROOT / words[0]).exists()
    elif program in ("cp", "cd"):
        source = next(word for word in words if word[0] != "-")
        is_product = source.startswith("build/")  # of a command before it
        assert is_product or (ROOT / source).exists()


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout with its build products, in which the pages' commands run."""
    copy = tmp_path_factory.mktemp("where") / "checkout"
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    for name in filter(lambda name: (ROOT / name).exists(), tracked.stdout.split()):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
    shutil.copytree(ROOT / "build", copy / "build", symlinks=True)
    (copy / ".venv").symlink_to(ROOT / ".venv")
    return copy


def run(command: str, folder: Path, checkout: Path, timeout: float) -> None:
    """Runs a line in a folder as a shell would, where the environment is the copy's."""
    packages = os.pathsep.join(str(checkout / room) for room in ("host", "twin", "rtl", "hw"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # An irqscope warning on stderr is a fault; warnings of the tools that make starts are not.
    strict = {} if command.startswith(("make", "uv", "pip")) else {"PYTHONWARNINGS": "error"}
    process = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": packages, **strict},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert process.returncode == 0, f"{command}\n{process.stdout[-2000:]}{process.stderr[-2000:]}"
    assert "Warning" not in process.stderr or not strict, f"{command}\n{process.stderr[-2000:]}"


def test_a_stack_of_ones_own_is_begun_outside_the_checkout(checkout):
    """Word by word, and from the copy alone: the template is not there any more."""
    section = (ROOT / "docs/stacks.md").read_text().split("\n## Your own stack\n")[1]
    (block,) = (one for one in blocks("docs/stacks.md") if one[0].startswith("cp -r"))
    assert all(line in section for line in block)
    first, *others = block
    run(first, checkout, checkout, 60)
    (checkout / "fw/stacks/template").rename(checkout.parent / "elsewhere")
    try:
        for command in others:
            run(command, checkout, checkout, 500)
    finally:
        (checkout.parent / "elsewhere").rename(checkout / "fw/stacks/template")
    assert (checkout / "build/fw/irqscope-mine.elf").exists()


def with_folders(command: str, checkout: Path) -> str:
    """Returns a command with the latest folder in place of each placeholder."""
    for word, pattern in STAND_INS.items():
        if word in command:
            actual = max(checkout.glob(pattern), key=lambda folder: folder.stat().st_mtime)
            command = command.replace(word, str(actual))
    return command


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run_as_written(page, checkout):
    text = (ROOT / page).read_text()
    for block in blocks(page):
        # What a page shows of a file is in that file: its name begins the line in front.
        named = re.search(rf"^`([\w.]+)`.*:\n\n    {re.escape(block[0])}$", text, re.MULTILINE)
        if named and not typed(block):
            (checkout / named[1]).write_text("\n".join(block))
    for name, content in OF_THE_READER.items():
        (checkout / name).write_text(content)
    for block in filter(typed, blocks(page)):
        folder = checkout
        for command in filter(lambda one: not left(one), lines(block)):
            if command.startswith("cd "):
                folder = checkout / command.split()[1]
            else:
                run(with_folders(command, checkout), folder, checkout, 7200)
