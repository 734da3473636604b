"""The firmware in on-chip memory, where DDR does not hold a program; and that of the KV260."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument import ROOT, irqscope, record
from irqscope.errors import ExitCode

TARGET = "twin:functional:memory=ocm"
SHIPPED = ROOT / "experiments"


def test_the_doctor_passes_where_no_program_in_ddr_would_stand() -> None:
    process = irqscope("doctor", "--target", f"{TARGET}:fault=ddr-alias")
    assert process.returncode == ExitCode.VALID, process.stdout
    assert "18 passed" in process.stdout


def test_the_doctor_passes_on_the_uart_of_a_kv260() -> None:
    process = irqscope("doctor", "--target", "twin:functional:board=kv260")
    assert process.returncode == ExitCode.VALID, process.stdout
    assert "UART and PL clock of kv260: 18 passed" in process.stdout


@pytest.mark.parametrize("case", ["t1", "t2"])
def test_a_case_is_measured_and_says_where_it_stood(case: str, tmp_path: Path) -> None:
    experiment = SHIPPED / "horst2020" / f"{case}.toml"
    process = irqscope("run", experiment, "--target", TARGET, "--out", tmp_path / case)
    assert process.returncode == ExitCode.VALID, process.stdout + process.stderr
    run = record(tmp_path / case)
    assert run["valid"] and run["identity"]["memory"] == "ocm"
    assert run["experiment"]["placement"] == "ocm"
    assert run["readback"]["vector"] >= 0xFFFC0000 and run["readback"]["call_stack"] >= 0xFFFC0000
    assert run["source"]["label"] == "twin, functional with firmware in ocm"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("horst2020/t7", "load: its arrays are in DDR: the firmware stands in on-chip memory"),
        ("random-load/ocm", "load: its arrays are in DDR: the firmware stands in on-chip memory"),
        ("placement/nops", "zynqmp has no placement: the firmware stands in on-chip memory"),
    ],
)
def test_what_needs_ddr_is_refused_with_the_reason(name: str, said: str, tmp_path: Path) -> None:
    experiment = SHIPPED / f"{name}.toml"
    process = irqscope("run", experiment, "--target", TARGET, "--out", tmp_path / "run")
    assert process.returncode not in (ExitCode.VALID, ExitCode.INVALID)
    assert said in process.stderr


@pytest.mark.parametrize("key", ['placement = "ddr"', 'pages = "2 MB"'])
def test_what_a_file_places_in_ddr_itself_is_refused(key: str, tmp_path: Path) -> None:
    path = tmp_path / "t2.toml"
    text = (SHIPPED / "horst2020" / "t2.toml").read_text()
    path.write_text(text.replace("\ncase =", f"\n{key}\ncase =", 1))
    process = irqscope("run", path, "--target", TARGET, "--out", tmp_path / "run")
    word = key.split('"')[1]
    assert f"zynqmp has no {word}: the firmware stands in on-chip memory" in process.stderr


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("twin:functional:memory=tcm", "memory=tcm: zynqmp has no program there"),
        ("twin:zynq7000:functional:memory=ocm", "memory=ocm: zynq7000 has no program there"),
        ("twin:functional:memory=ocm:layout=1", "a program in ocm has one layout"),
        ("twin:functional:fault=ddr-alias=30", "'30' is none of 12 to 16"),
        ("twin:functional:fault=isolation=1", "takes no number"),
        ("twin:functional:board=zcu111", "has no board 'zcu111'"),
    ],
)
def test_a_twin_that_there_is_not_is_named(target: str, said: str) -> None:
    process = irqscope("doctor", "--target", target)
    assert process.returncode != ExitCode.VALID
    assert said in process.stderr
