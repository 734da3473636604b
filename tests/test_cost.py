"""The plugin of costs counts what a test uses, and names what uses too much."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cost

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[1]

TESTS = """
import os, subprocess, sys, time

BURN = "import time\\nend = time.process_time() + 0.4\\nwhile time.process_time() < end: pass"


def test_own():
    exec(BURN)


def test_children():
    subprocess.run([sys.executable, "-c", BURN], check=True)


def test_waits():
    time.sleep(0.3)


def test_environment():
    assert "PYTEST_ADDOPTS" not in os.environ
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_costs_are_counted_and_what_is_over_its_budget_is_named(tmp_path: Path, workers: str):
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    (tmp_path / "cost.py").write_text(
        Path(cost.__file__).read_text().replace("DEFAULT_S = 3", "DEFAULT_S = 0.5")
    )
    (tmp_path / "budgets.tsv").write_text("")
    alone = "addopts = --disable-plugin-autoload -p xdist\n"  # other plugins take seconds to load
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = .\n{alone}")
    options = ["-p", "no:cacheprovider", "-n", workers, "--cost", "made/cost.tsv"]
    process = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_ADDOPTS": "-q"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    rows = [
        line.split("\t")
        for line in (tmp_path / "made/cost.tsv").read_text().rpartition("# tests")[2].splitlines()
    ]
    figures_by_name = {name: list(map(float, figures)) for *figures, name in rows[1:]}
    assert figures_by_name.keys() >= {
        f"test_some.py::test_{name}" for name in ("own", "children", "waits")
    }
    own, children, waits = (
        figures_by_name[f"test_some.py::test_{name}"] for name in ("own", "children", "waits")
    )
    assert own[0] >= 0.4 > own[1]
    assert children[1] >= 0.4
    assert waits[0] < 0.3 <= waits[2]
    assert figures_by_name[cost.COLLECTION][0] > 0
    assert "WARNING: test_some.py used " in process.stdout and "of 0.5" in process.stdout


def test_new_budgets_leave_room_and_keep_the_lines_of_other_files(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(cost, "BUDGETS", tmp_path / "budgets.tsv")
    cost.BUDGETS.write_text("# words\na/test_a.py\t100\nb/test_b.py\t7\n")
    recorded = tmp_path / "recorded"
    recorded.write_text(
        cost.table({"a/test_a.py::one": (10.0, 5.0, 60.0), "a/test_a.py::two": (5.0, 0.0, 5.0)})
    )
    cost.write_budgets(recorded)
    assert cost.budgets() == {"a/test_a.py": 30.0, "b/test_b.py": 7.0}
    assert cost.over({"a/test_a.py": 31.0, "b/test_b.py": 7.0, "c.py": 1.0}, cost.budgets()) == [
        "a/test_a.py used 31.0 CPU s, of 30 (tests/budgets.tsv)"
    ]


def test_each_budget_is_of_a_file_that_exists():
    assert [file for file in cost.budgets() if not (ROOT / file).is_file()] == []
