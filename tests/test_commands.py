"""Runs the commands of the manual: the shell blocks of its pages, from top to bottom.

`make soak` runs them all in a copy of the checkout, which takes hours. The commands that create a
custom stack run each time; for all others the test checks that they can start.
"""

from __future__ import annotations

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

PAGES = ["README.md", *(f"docs/{name}.md" for name in ("library", "install", "stacks", "ci"))]
#: First words of a line that is typed. What begins with another one is the content of a file, or
#: what a program said: those are named, so that no command is passed over.
TYPED = {"make", "irqscope", ".venv/bin/irqscope", "python", "cp", "sed", "uv", "pip"}
SHOWN = {"name", "fail:", "ld.lld:"}
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
}


def blocks(page: str) -> list[list[str]]:
    """The indented blocks of a page, without their indentation."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", text, re.MULTILINE)
    return [[line[4:] for line in block.splitlines() if line] for block in found]


def typed(block: list[str]) -> bool:
    return block[0].split()[0] in TYPED


def commands(page: str) -> list[str]:
    return [line for block in blocks(page) if typed(block) for line in block]


def left(command: str) -> bool:
    return command.startswith(tuple(LEFT))


ALL = [(page, command) for page in PAGES for command in commands(page)]


def test_each_block_is_known_as_typed_or_as_shown():
    """And what is left out of the run is there."""
    first = {block[0].split()[0] for page in PAGES for block in blocks(page)}
    assert first - TYPED == SHOWN
    assert [begin for begin in LEFT if not any(one.startswith(begin) for _, one in ALL)] == []
    assert len(ALL) > 35


@pytest.mark.parametrize(("page", "command"), ALL)
def test_a_command_of_the_manual_can_be_begun(page, command, monkeypatch):
    monkeypatch.chdir(ROOT)
    program, *words = shlex.split(command, comments=True)
    if program.endswith("irqscope"):
        name, *args = words
        chosen = cli.get_command(click.Context(cli), name)
        assert chosen is not None, f"there is no command {name}"
        chosen.make_context(name, [*args])  # a wrong option or value ends it
        files = [word for word in args if word.startswith(("experiments/", "tests/"))]
        assert [file for file in files if not (ROOT / file).exists()] == []
    elif program == "make":
        at = "fw/Makefile" if "-C" in words else "Makefile"
        makefile = (ROOT / at).read_text() + (ROOT / "fw/stacks/standalone/stack.mk").read_text()
        for word in words[2 if "-C" in words else 0 :]:
            name, is_value, _ = word.partition("=")
            known = rf"\$\({name}\)" if is_value else rf"^{name}:|\b{name}:"
            assert re.search(known, makefile, re.MULTILINE), f"{at} has no {name}"
    elif program in ("python", "cp"):
        assert (ROOT / [word for word in words if word[0] != "-"][0]).exists()


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


def run(command: str, checkout: Path, timeout: float) -> None:
    """Runs a line as a shell would, where the environment is the copy's."""
    packages = os.pathsep.join(str(checkout / room) for room in ("host", "twin", "rtl", "hw"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # An irqscope warning on stderr is a fault; warnings of the tools that make starts are not.
    strict = {"PYTHONWARNINGS": "error"} if command.split()[0].endswith("irqscope") else {}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=checkout,
        env={**os.environ, "PATH": path, "PYTHONPATH": packages, **strict},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def test_a_stack_of_ones_own_is_begun_outside_the_checkout(checkout):
    """Word by word, and from the copy alone: the template is not there any more."""
    section = (ROOT / "docs/stacks.md").read_text().split("\n## Your own stack\n")[1]
    (block,) = (one for one in blocks("docs/stacks.md") if one[0].startswith("cp -r"))
    assert all(line in section for line in block)
    first, *others = block
    run(first, checkout, 60)
    (checkout / "fw/stacks/template").rename(checkout.parent / "elsewhere")
    try:
        for command in others:
            run(command, checkout, 500)
    finally:
        (checkout.parent / "elsewhere").rename(checkout / "fw/stacks/template")
    assert (checkout / "build/fw/irqscope-mine.elf").exists()


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
    for command in commands(page):
        if not left(command):
            run(command, checkout, 7200)
