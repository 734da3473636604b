"""A core that is built, and its firmware."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from irqscope.machines.firmware_file import firmware as firmware_file
from irqscope.machines.known import MACHINES
from irqscope_rtl import build, cores
from irqscope_rtl.cores import ROOT
from objects import once_a_run

from . import remembered as conversations

PASSED = pytest.StashKey[bool]()
#: By machine: all stacks that say that they are for it.
STACKS = {machine.name: machine.has.stack for machine in MACHINES if machine.simulated}
PROGRAM = ROOT / "examples" / "program"
CORES = (
    "cv32e40p",
    "cv32e40p-clic",
    "cv32e40p-fastirq",
    "cv32e40x",
    "cv32e40x-clic",
    "cv32rt",
    "ibex",
    "picorv32",
)


def firmware(*arguments: str) -> None:
    """Builds the firmware of soft cores, once."""
    command = ["make", "-s", "-C", str(ROOT / "fw"), *arguments]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr


@pytest.fixture(scope="session")
def soft(tmp_path_factory):
    """Builds firmware and cores, once."""

    def made():
        for machine, stacks in STACKS.items():
            for stack in stacks:
                firmware(f"MACHINE={machine}", f"STACK={stack}")
        build.build(CORES, report=lambda text: None)

    once_a_run(tmp_path_factory, "soft", made)
    return [build.executable(cores.find(name)) for name in CORES]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Notes for fixtures whether the test itself has passed."""
    report = yield
    if report.when == "call":
        item.stash[PASSED] = report.passed
    return report


@pytest.fixture
def remembered(request, monkeypatch):
    """Simulates what has changed since the cache saw it, and remembers the rest (remembered.py)."""
    conversations.NEW.clear()
    monkeypatch.setattr("irqscope.targets.rtl.SimulationProcess", conversations.process)
    monkeypatch.setattr("irqscope.targets.process._Transport", conversations.transport)
    yield
    if request.node.stash.get(PASSED, False):
        conversations.keep()


@pytest.fixture(scope="session")
def plain(tmp_path_factory):
    """The cores that programs of others are run on, and the firmware that serves the instrument."""
    names = ("ibex", "cv32e40p", "cv32e40x")

    def made():
        firmware("MACHINE=soft")
        build.build(names, report=lambda text: None)

    once_a_run(tmp_path_factory, "plain", made)
    return [build.executable(cores.find(name)) for name in names]


@pytest.fixture(scope="session")
def shared_firmware(tmp_path_factory):
    """The firmware for cores whose interrupts share a cause."""
    once_a_run(tmp_path_factory, "shared", lambda: firmware("MACHINE=soft", "CAUSES=shared"))
    return firmware_file("soft", "baremetal", causes="shared")


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """The example as its own Makefile builds it."""
    folder = tmp_path_factory.mktemp("example")
    for name in ("Makefile", "program.c", "program.ld"):
        (folder / name).write_text((PROGRAM / name).read_text())
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    subprocess.run(["make", "-s", "-C", folder], check=True, capture_output=True, env=environment)
    return folder / "build" / "program.elf"
