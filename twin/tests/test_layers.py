"""Layers of the engine: a second machine's additions touch nothing below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from includes import includes, needs
from irqscope_twin import build

pytestmark = pytest.mark.quick

#: Folders that the files of a folder may include.
MAY = {
    "core": {"core"},
    "devices": {"core", "devices"},
    "cpu": {"core", "cpu"},
    "timing": {"core", "cpu", "timing"},
    "shells": {"core", "devices", "shells"},
    "boards": {"core", "cpu", "devices", "timing", "shells", "boards", "generated"},
    "generated": set(),
}
#: Each folder in these is one machine, instruction set or core, and knows none of the others.
APART = ("cpu", "timing", "boards")


def included() -> Iterator[tuple[Path, Path]]:
    for path in [*build.ENGINE.rglob("*.h"), *build.ENGINE.rglob("*.cpp")]:
        for name in includes(path):
            yield path.relative_to(build.ENGINE), Path(name)


def forbidden(path: Path, name: Path) -> bool:
    """Whether the file at ``path`` may not include ``name``."""
    room, other = path.parts[0], name.parts[0]
    if len(path.parts) == 1:
        return False  # main.cpp puts everything together
    if other not in MAY[room]:
        return True
    return (
        room == other
        and room in APART
        and (name.parts[1:-1] or path.parts[1:-1]) != path.parts[1:-1]
    )


def test_dependencies_point_downwards():
    actual = list(included())
    assert len(actual) > 100
    assert [f"{path}: {name}" for path, name in actual if forbidden(path, name)] == []


def test_no_files_include_each_other_in_a_circle():
    actual = needs(build.ENGINE)
    assert sum(map(len, actual.values())) > 200
    TopologicalSorter(actual).prepare()  # a CycleError names those in the circle


def test_every_include_is_named_from_the_root_of_the_engine():
    assert [
        f"{path}: {name}" for path, name in included() if not (build.ENGINE / name).exists()
    ] == []


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("core/scheduler.h", "devices/gic.h"),
        ("core/core.h", "cpu/timing.h"),
        ("core/gateware.cpp", "shells/emio.h"),
        ("core/board.h", "generated/machines.h"),
        ("devices/uart.h", "boards/zynqmp/faults.h"),
        ("devices/gic.cpp", "cpu/a64/core.h"),
        ("shells/pins.h", "boards/zynqmp/faults.h"),
        ("cpu/unicorn_core.h", "cpu/a64/core.h"),
        ("cpu/a32/core.h", "cpu/a64/core.h"),
        ("timing/a53/model.h", "boards/zynqmp/clocks.h"),
        ("timing/a9/model.h", "timing/a53/port.h"),
        ("boards/zynq7000/board.h", "boards/zynqmp/clocks.h"),
    ],
)
def test_what_would_point_upwards_or_sideways(path, name):
    assert forbidden(Path(path), Path(name))


def test_no_address_of_a_machine_stands_outside_its_board():
    address = re.compile(r"0xF[0-9A-F]{3}'(?!FFFF)[0-9A-F]{4}")
    assert address.search((build.ENGINE / "boards/zynqmp/board.cpp").read_text())
    text = [
        f"{path.relative_to(build.ENGINE)}: {hit}"
        for folder in ("core", "cpu", "devices", "timing", "shells")
        for path in (build.ENGINE / folder).rglob("*.*")
        for hit in address.findall(path.read_text())
    ]
    assert text == []
