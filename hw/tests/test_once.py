"""A test that is marked `once` runs again where anything is different that it depends on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.util import source_from_cache
from pathlib import Path

import pytest

from .. import outcome
from . import conftest
from .conftest import ROOT, TESTS, sources

MARKED = sorted(path for path in TESTS.glob("test_*.py") if b"mark.once\n" in path.read_bytes())
MARKED += sorted(path for path in TESTS.glob("test_*.py") if b"mark.once]\n" in path.read_bytes())
OPENED = """
import sys
opened = set()
sys.addaudithook(lambda event, arguments: event == "open" and opened.add(str(arguments[0])))
import importlib
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*sorted(opened), sep="\\n")
"""


def test_their_modules_are_made_from_nothing_else() -> None:
    """What their imports open is in the key of their outcomes, or in the locked packages."""
    modules = [f"hw.tests.{path.stem}" for path in MARKED]
    process = subprocess.run(
        [sys.executable, "-B", "-c", OPENED, *modules],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    declared = {*outcome.SOURCES, *(path for each in MARKED for path in sources(each))}
    opened = {
        Path(source_from_cache(line) if line.endswith(".pyc") else line)
        for line in process.stdout.splitlines()
    }
    imported = {
        path
        for path in opened
        if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / ".venv")
    }
    assert imported <= declared
    assert len(imported) > len(MARKED) > 20


HELPER = "ONE = 1\n"
MODULE = "from .helper import ONE\n"


class Item:
    """Stand-in for a test as the hook reads it; counts its calls."""

    def __init__(self, folder: Path, nodeid: str = "hw/tests/test_it.py::test_it[1]") -> None:
        self.nodeid, self.path, self.calls = nodeid, folder / "test_it.py", 0
        self.marked = True

    def get_closest_marker(self, name: str) -> bool:
        return self.marked and name == "once"

    def run(self, test: Callable[[], None] = lambda: None) -> int:
        """Runs it as pytest does, and returns how often it was called so far."""

        def counted() -> None:
            self.calls += 1
            test()

        self.obj = counted
        hook = conftest.pytest_pyfunc_call(self)
        next(hook)
        self.obj()
        return self.calls


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module of tests and one that it imports, and an empty cache."""
    monkeypatch.setenv("IRQSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(conftest, "TESTS", tmp_path)
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "test_it.py").write_text(MODULE)
    return tmp_path


def test_the_same_content_is_run_once(folder: Path) -> None:
    item = Item(folder)
    assert [item.run(), item.run()] == [1, 1]
    (folder / "test_it.py").write_text(f"# A comment.\n{MODULE}")
    assert item.run() == 1
    assert Item(folder, "hw/tests/test_it.py::test_it[2]").run() == 1
    item.marked = False
    assert item.run() == 2


def test_other_content_is_run_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item = Item(folder)
    item.run()
    for path, other in (("test_it.py", f"{MODULE}TWO = 2\n"), ("helper.py", "ONE = 2\n")):
        before = (folder / path).read_text()
        (folder / path).write_text(other)
        assert item.run() == 2, path
        (folder / path).write_text(before)
        assert item.run() == 2
        item.calls = 1
    for place, name, value in (
        (outcome, "GATEWARE", "another"),
        (outcome, "version", lambda tool: "another"),
        (conftest, "version", lambda runner: "another"),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(place, name, value)
            assert item.run() == 2, name
        item.calls = 1
    monkeypatch.setenv("IRQSCOPE_CACHE", "")
    assert [item.run(), item.run()] == [2, 3]


def test_a_failure_is_run_again(folder: Path) -> None:
    def fail() -> None:
        raise AssertionError

    item = Item(folder)
    for _ in range(2):
        with pytest.raises(AssertionError):
            item.run(fail)
    assert item.calls == 2
    with pytest.raises(pytest.skip.Exception):
        item.run(lambda: pytest.skip("for a reason"))
    assert item.run() == 4


@pytest.mark.parametrize(
    "reach",
    [
        lambda: (ROOT / "pyproject.toml").read_text(),
        lambda: subprocess.run([sys.executable, "-V"], check=True),
    ],
)
def test_what_the_key_lacks_is_refused(folder: Path, reach: Callable[[], object]) -> None:
    item = Item(folder)
    with pytest.raises(pytest.fail.Exception, match=r"test_it\[1\] is marked `once`, .* on /"):
        item.run(reach)
    assert not conftest.WATCH.test
    assert item.run() == 2
