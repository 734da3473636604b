"""The user's cache gives back what was stored, or nothing."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from irqscope import cache

pytestmark = pytest.mark.quick

KEY = "ab" * 32


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("IRQSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def stored(folder: Path) -> Path:
    (path,) = (path for path in folder.rglob("*") if path.is_file())
    return path


def test_files_come_back_with_their_content_and_mode(tmp_path: Path):
    (tmp_path / "made" / "sub").mkdir(parents=True)
    program, data = tmp_path / "made/program", tmp_path / "made/sub/data"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o755)
    data.write_text("text")
    cache.save_files("products", KEY, tmp_path / "made", [program, data])
    assert cache.load_files("products", KEY, tmp_path / "again")
    assert (tmp_path / "again/program").read_bytes() == b"\x7fELF"
    assert os.access(tmp_path / "again/program", os.X_OK)
    assert (tmp_path / "again/sub/data").read_text() == "text"
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == ["program", "sub"]


@pytest.mark.parametrize("damage", ["truncated", "empty", "changed", "longer"])
def test_a_damaged_entry_is_missing_and_gone(folder: Path, damage: str):
    cache.save("products", KEY, b"body")
    path = stored(folder)
    whole = path.read_bytes()
    path.write_bytes(
        {
            "truncated": whole[:-1],
            "empty": b"",
            "changed": whole[:-1] + b"Y",
            "longer": whole + b"\0",
        }[damage]
    )
    assert cache.load("products", KEY) is None
    assert not path.exists()


@pytest.mark.parametrize(
    "variables, where",
    [
        ({"IRQSCOPE_CACHE": "/a/b", "XDG_CACHE_HOME": "/c"}, "/a/b"),
        ({"XDG_CACHE_HOME": "/c"}, "/c/irqscope"),
        ({"HOME": "/h"}, "/h/.cache/irqscope"),
        ({"IRQSCOPE_CACHE": "", "XDG_CACHE_HOME": "/c"}, None),
    ],
)
def test_its_folder_is_the_variables_or_the_users(monkeypatch, variables, where):
    for name in ("IRQSCOPE_CACHE", "XDG_CACHE_HOME", "ZIG_GLOBAL_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache.folder() == (Path(where) if where else None)
    build = Path(__file__).parents[2] / "build"
    assert cache.compiler_folder() == (Path(where) / "zig" if where else build / "zig")


def test_switched_off_it_stores_and_finds_nothing(folder: Path, monkeypatch, tmp_path: Path):
    cache.save("products", KEY, b"body")
    monkeypatch.setenv("IRQSCOPE_CACHE", "")
    assert cache.load("products", KEY) is None
    cache.save("products", "cd" * 32, b"other")
    cache.save_files("products", "ef" * 32, tmp_path, [stored(folder)])
    assert stored(folder).name == KEY


def test_a_folder_that_cannot_be_written_stores_nothing(folder: Path):
    folder.write_text("a file")
    cache.save("products", KEY, b"body")
    assert cache.load("products", KEY) is None


def test_only_entries_that_nobody_used_are_pruned(folder: Path):
    other = "cd" * 32
    for key in (KEY, other):
        cache.save("products", key, b"body")
        path = folder / "products" / key[:2] / key
        os.utime(path, (0, time.time() - cache.UNUSED_S - 1))
    foreign = folder / "photos" / "ab" / "one"
    foreign.parent.mkdir(parents=True)
    foreign.touch()
    os.utime(foreign, (0, 0))
    assert cache.load("products", KEY) == b"body"  # used now
    cache.prune()
    assert cache.load("products", KEY) == b"body"
    assert cache.load("products", other) is None
    assert foreign.exists()


def test_two_processes_that_write_one_entry_leave_a_whole_one(folder: Path):
    write = (
        "import sys; from irqscope import cache\n"
        f"for n in range(50): cache.save('products', '{KEY}', sys.argv[1].encode() * 100000)"
    )
    running = [subprocess.Popen([sys.executable, "-c", write, letter]) for letter in "ab"]
    observed = set()
    while any(each.poll() is None for each in running):
        if (body := cache.load("products", KEY)) is not None:
            observed.add(body)
        time.sleep(0.002)
    assert [each.returncode for each in running] == [0, 0]
    assert observed and observed <= {b"a" * 100000, b"b" * 100000}
    assert [path.name for path in (folder / "products/ab").iterdir()] == [KEY]
