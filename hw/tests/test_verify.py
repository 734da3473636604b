"""`make verify` runs only the tests and proofs of changed gateware."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "scripts" / "verify.py"
SCRIPT = runpy.run_path(str(FILE))


def verify(*arguments: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(cwd / "scripts" / "verify.py"), *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("histogram.py", ["tests/test_histogram.py", "formal/test_histogram.py"]),
        ("clic/arbiter.py", ["tests/test_clic.py", "formal/test_clic.py"]),
        # None has its name: those that import it.
        (
            "pattern_generator.py",
            ["tests/test_line.py", "tests/test_placement.py", "formal/test_instrument.py"],
        ),
        # None imports it: those of the file that it is part of.
        ("register_group.py", ["tests/test_register_file.py", "formal/test_register_file.py"]),
    ],
)
def test_what_is_run_for_a_file(file: str, found: list[str]) -> None:
    process = verify("--list", f"hw/irqscope_hw/{file}")
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.split() == ["make", "verify:", *(f"hw/{name}" for name in found)]


def test_each_component_has_tests_or_a_proof_and_its_tests_are_in_make_check() -> None:
    components = [*(ROOT / "hw/irqscope_hw").glob("*.py"), ROOT / "hw/irqscope_hw/clic/clic.py"]
    assert len(components) > 20
    for path in components:
        assert SCRIPT["tests_of"]([path]), path
        own = ROOT / f"hw/tests/test_{path.stem}.py"
        assert not own.exists() or "pytest.mark.quick" in own.read_text(), own


def test_without_a_file_it_takes_what_differs_from_the_last_commit(tmp_path: Path) -> None:
    for name in ("scripts/verify.py", "hw/irqscope_hw/line.py", "hw/tests/test_line.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())

    def git(*words: str) -> None:
        identity = ("-c", "user.name=nobody", "-c", "user.email=nobody@invalid")
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    git("add", "-A")
    git("commit", "-m", "all")
    assert "no component of the gateware was changed" in verify("--list", cwd=tmp_path).stdout
    with (tmp_path / "hw/irqscope_hw/line.py").open("a") as file:
        file.write("#\n")
    assert verify("--list", cwd=tmp_path).stdout == "make verify: hw/tests/test_line.py\n"
    (tmp_path / "hw/irqscope_hw/histogram.py").write_text("")
    (tmp_path / "hw/tests/test_histogram.py").write_text("")
    assert verify("--list", cwd=tmp_path).stdout == (
        "make verify: hw/tests/test_line.py hw/tests/test_histogram.py\n"
    )


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("hw/irqscope_hw/none.py", "no file below"),
        ("Makefile", "no file below"),
        ("hw/conftest.py", "has no tests of its own"),
    ],
)
def test_a_file_without_tests_is_refused_in_one_line(file: str, why: str) -> None:
    process = verify(file)
    assert process.returncode == 2
    assert process.stderr.count("\n") == 1 and file in process.stderr and why in process.stderr
