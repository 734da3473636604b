"""The doctor on a sound twin, and on a twin with each fault that can be injected."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from collections.abc import Set
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from instrument import Twin, irqscope, record
from irqscope.acquire.session import Session
from irqscope.doctor import uart
from irqscope.doctor.examine import STEPS as STEPS_OF
from irqscope.doctor.examine import Examination, examine
from irqscope.doctor.step import State, Step
from irqscope.doctor.zynq7000 import steps as zynq7000
from irqscope.doctor.zynqmp.steps import STEPS
from irqscope.errors import ExitCode, Interrupted
from irqscope.targets import open_target
from irqscope_twin.faults import FAULTS

#: The steps that fail, and what one of their findings says.
NAMED = {
    "uart-mute": ({"hello"}, "no answer to hello"),
    "no-bitstream": ({"pl"}, "PL is not configured"),
    "isolation": ({"pl"}, "PL is isolated"),
    "clock-off": ({"pl"}, "PL clock is off"),
    "reset-held": ({"pl"}, "PL is held in reset"),
    "clock-slow": ({"clock"}, r"PL clock is off by -99\d\d ppm: 247\.500 MHz"),
    "port-bit": ({"port"}, "data bits of the register port stay 0: 4$"),
    "wrong-version": ({"identity"}, r"version 0x1\w{4}, this irqscope is built for .* 0x2\w{4};"),
    "wrong-build": ({"identity"}, "gateware is of another build"),
    "no-loopback": ({"loop-back"}, "16 rises did not come back"),
    "channel-dead": ({"pattern"}, "channel 5: starts 0, not 48; served 0, not 48"),
    "core-3-dead": ({"cores"}, "core 3 does not start"),
    "marker-bit": ({"markers"}, "bit 1 of core 2's marker code stays 0"),
    "marker-toggle": ({"markers"}, "no marker of core 1 arrives"),
    "spi-high": ({"inputs"}, "SPI 125 is high at rest and stays high"),
    "spi-dead": ({"spi-edge", "spi-level", "routes"}, "line 0 routed to SPI 121 raises none"),
    "finish-high": ({"inputs"}, "SPI 143 is high at rest and stays high"),
    "finish-dead": ({"finish"}, "SPI 143 does not rise"),
    "edge-as-level": ({"spi-edge"}, "SPI 121 set to rising edge reads back as level"),
    "level-as-edge": ({"spi-level"}, "SPI 121 set to level reads back as rising edge"),
    "timer-dead": ({"identity"}, "the interrupt of the core's timer never comes"),
    "spi-swapped": ({"routes"}, "every line routed to SPI 122 raises SPI 123"),
    "ppi-inverted": ({"inputs"}, "PPI 31 of core 2 is inverted"),
    "ppi-dead": ({"ppi"}, "line 0 routed to PPI 31 of core 1 raises none"),
    "baud-off": ({"uart"}, "921600 baud: a hello does not come through; [1-9].* framing errors"),
    "bytes-swallowed": ({"hello"}, "bytes 0x10, 0x12 from the board are lost"),
    "baud-lossy": ({"uart"}, "1000000 baud: .*; 0 framing errors, 0 parity errors, 0 overruns"),
    "ddr-alias": ({"hello"}, "no answer to hello"),
    "stm-clock-off": ({"stm"}, r"the STM cannot stamp: its clock is still \(DBG_FPD_CTRL 0x0"),
    "stm-untraced": ({"stm"}, r"stores of secure software are not traced \(DBG_FPD_CTRL 0x"),
    "bus-slow": ({"t2"}, r"T2's average is 12\d\d ns, outside 116 to 464 ns"),
}
#: The same of a Zynq-7000.
NAMED_ZYNQ7000 = {
    "uart-mute": ({"hello"}, "no answer to hello"),
    "no-bitstream": ({"pl"}, r"PL is not configured \(INT_STS"),
    "isolation": ({"pl"}, "level shifters between PS and PL are off"),
    "clock-off": ({"pl"}, "PL clock has no dividers"),
    "reset-held": ({"pl"}, r"PL is held in reset \(FPGA_RST_CTRL"),
    "fclk-slow": ({"clock"}, r"PL clock is off by -99\d\d ppm: 123\.76\d MHz"),
    "port-bit": NAMED["port-bit"],
    "wrong-version": NAMED["wrong-version"],
    "wrong-build": NAMED["wrong-build"],
    "wrong-board": ({"identity"}, r"of pynqz2 \(2\), .* by UART1, as on zedboard; load the bit"),
    "no-loopback": NAMED["no-loopback"],
    "channel-dead": NAMED["channel-dead"],
    "core-1-dead": ({"cores"}, "core 1 does not start"),
    "marker-1-bit": ({"markers"}, "bit 1 of core 1's marker code stays 0"),
    "marker-toggle": NAMED["marker-toggle"],
    "spi-65-high": ({"inputs"}, "SPI 65 is high at rest and stays high"),
    "spi-61-dead": ({"spi-edge", "spi-level", "routes"}, "line 0 routed to SPI 61 raises none"),
    "spi-91-dead": ({"finish"}, "SPI 91 does not rise"),
    "spi-61-level": ({"spi-edge"}, "SPI 61 set to rising edge reads back as level"),
    "spi-61-edge": ({"spi-level"}, "SPI 61 set to level reads back as rising edge"),
    "timer-dead": NAMED["timer-dead"],
    "spi-62-swapped": ({"routes"}, "every line routed to SPI 62 raises SPI 63"),
    "ppi-1-inverted": ({"inputs"}, "PPI 31 of core 1 is inverted"),
    "ppi-dead": NAMED["ppi-dead"],
    "baud-off": NAMED["baud-off"],
    "baud-lossy": NAMED["baud-lossy"],
    "bytes-swallowed": NAMED["bytes-swallowed"],
    "bus-slow": ({"t2"}, r"T2's average is 12\d\d ns, outside 181 to 726 ns"),
}


#: Steps that take two thirds of an examination. For a fault that they do not name, they are in
#: `make soak`, and here in test_what_does_not_depend_on_a_fault_still_passes.
COSTLY = {"pattern", "routes", "t2"}
WHOLE = [False, pytest.param(True, marks=pytest.mark.soak)]


def without(costly: Set[str]) -> dict[str, tuple[Step, ...]]:
    """The steps of each machine without these."""
    return {
        machine: tuple(step for step in steps if step.name not in costly)
        for machine, steps in STEPS_OF.items()
    }


def look(target: str, folder: Path, left_out: Set[str] = frozenset()) -> Examination:
    """Few blocks a rate, unless bytes get lost: a sound twin passes with all of them."""
    blocks = uart.BLOCKS if "baud" in target else 2
    with (
        open_target(target) as opened,
        mock.patch.object(uart, "BLOCKS", blocks),
        mock.patch.dict(STEPS_OF, without(left_out)),
    ):
        if any(fault in target for fault in ("uart-mute", "ddr-alias", "bytes-swallowed")):
            opened.link.hurry(0.2, 1)  # what never answers is not waited for at each rate
        return examine(opened, target, folder)


def failed(found: Examination) -> set[str]:
    return {result.step.name for result in found.results if result.state is State.FAILED}


@pytest.mark.parametrize(
    ("target", "label", "steps"),
    [
        ("functional", "twin, functional timing", STEPS),
        ("a53", "twin, a53 timing", STEPS),
        ("zynq7000:functional", "twin of zynq7000, functional timing", zynq7000.STEPS),
    ],
)
def test_a_sound_twin_passes_every_step(
    target: str, label: str, steps: tuple[Step, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "report"
    process = irqscope("doctor", "--target", f"twin:{target}", "--json", "--out", folder)
    assert process.returncode == ExitCode.VALID, process.stdout + process.stderr
    report = json.loads(process.stdout)
    assert [step["name"] for step in report["steps"]] == [step.name for step in steps]
    assert [step["state"] for step in report["steps"]] == ["passed"] * len(steps)
    assert all(step["seen"] and not step["findings"] for step in report["steps"])
    assert report["sound"] and report["label"] == label
    assert json.loads((folder / "doctor.json").read_text()) == report
    assert record(folder / "t2")["valid"]


def test_every_fault_is_expected_and_every_step_has_one() -> None:
    for machine, named, of in (
        ("zynqmp", NAMED, STEPS), ("zynq7000", NAMED_ZYNQ7000, zynq7000.STEPS)
    ):  # fmt: skip
        assert set(named) == {name for name, each in FAULTS.items() if machine in each.machines}
        assert set.union(*(steps for steps, _ in named.values())) == {step.name for step in of}


@pytest.mark.parametrize("whole", WHOLE)
@pytest.mark.parametrize("fault", NAMED)
def test_each_fault_is_named_and_stops_only_what_depends_on_it(
    fault: str, whole: bool, tmp_path: Path
) -> None:
    left_out = set() if whole else COSTLY - NAMED[fault][0]
    actual = look(f"twin:functional:fault={fault}", tmp_path, left_out)
    named(actual, fault, *NAMED[fault])
    assert len(actual.results) == len(STEPS) - len(left_out)


@pytest.mark.parametrize("whole", WHOLE)
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(name, marks=pytest.mark.soak) if said is NAMED.get(name) else name
        for name, said in NAMED_ZYNQ7000.items()
    ],
)
def test_each_fault_of_a_zynq_7000_is_named_in_its_own_words(
    fault: str, whole: bool, tmp_path: Path
) -> None:
    left_out = set() if whole else COSTLY - NAMED_ZYNQ7000[fault][0]
    actual = look(f"twin:zynq7000:functional:fault={fault}", tmp_path, left_out)
    named(actual, fault, *NAMED_ZYNQ7000[fault])
    # A board that says nothing is taken for one of the first machine.
    steps = STEPS if fault == "uart-mute" else zynq7000.STEPS
    assert len(actual.results) == len(steps) - len(left_out)


def named(found: Examination, fault: str, steps: set[str], said: str) -> None:
    assert failed(found) == steps
    findings = [finding for result in found.results for finding in result.notes.findings]
    assert any(re.search(said, finding.what) for finding in findings), findings
    assert all(finding.check for finding in findings)
    assert found.exit_code == ExitCode.UNSOUND
    assert f"fault={fault}" in found.label or f"fault {fault}" in found.label
    for result in found.results:
        if result.state is State.LEFT_OUT:
            assert result.notes.missing


def test_a_firmware_that_takes_long_to_begin_is_waited_for(tmp_path: Path) -> None:
    """Simulates a busy machine: the twin stops for longer than any later reply may take."""
    requested = iter([False, True])
    twins: list[subprocess.Popen[str]] = []
    begin = subprocess.Popen

    def start(*words: Any, **how: Any) -> subprocess.Popen[str]:
        twins.append(begin(*words, **how))
        return twins[-1]

    with mock.patch.object(subprocess, "Popen", start), open_target("twin:functional") as opened:
        twins[-1].send_signal(signal.SIGSTOP)
        going_on = threading.Timer(6.0, twins[-1].send_signal, [signal.SIGCONT])
        going_on.start()
        with pytest.raises(Interrupted, match="before step pl"):
            examine(opened, "twin:functional", tmp_path, stop=lambda: next(requested))
        going_on.join()
    (hello,) = json.loads((tmp_path / "doctor.json").read_text())["steps"]
    assert (hello["name"], hello["state"]) == ("hello", "passed"), hello


def test_what_does_not_depend_on_a_fault_still_passes(tmp_path: Path) -> None:
    actual = look("twin:functional:fault=reset-held", tmp_path)
    states = {result.step.name: result.state for result in actual.results}
    assert states.pop("pl") is State.FAILED
    assert {name for name, state in states.items() if state is State.PASSED} == {
        "hello",
        "uart",
        "stm",
    }


def test_a_fault_is_printed_with_what_to_check() -> None:
    process = irqscope("doctor", "--target", "twin:functional:fault=isolation")
    assert process.returncode == ExitCode.UNSOUND
    assert "found: the PL is isolated" in process.stdout
    assert "check: psu_ps_pl_isolation_removal" in process.stdout
    assert "needs a gateware that acknowledges" in process.stdout
    assert "Traceback" not in process.stderr


def test_a_report_is_not_written_over_another(tmp_path: Path) -> None:
    (tmp_path / "doctor.json").write_text("{}")
    process = irqscope("doctor", "--target", "twin:functional", "--out", tmp_path)
    assert process.returncode == ExitCode.USAGE
    assert f"{tmp_path} is there already; name a new folder with --out" in process.stderr
    assert (tmp_path / "doctor.json").read_text() == "{}"


def test_a_port_that_is_not_there_is_told_as_by_every_command(tmp_path: Path) -> None:
    process = irqscope("doctor", "--target", tmp_path / "ttyUSB7", "--out", tmp_path / "report")
    assert process.returncode == ExitCode.TARGET
    assert "there is no port" in process.stderr
    assert not list((tmp_path / "report").glob("doctor.json"))


def test_an_examination_that_is_stopped_keeps_what_it_has(tmp_path: Path) -> None:
    requested = iter([False, False, True])
    with (
        open_target("twin:functional") as opened,
        pytest.raises(Interrupted, match="before step port"),
    ):
        examine(opened, "twin:functional", tmp_path, stop=lambda: next(requested))
    report = json.loads((tmp_path / "doctor.json").read_text())
    assert [step["name"] for step in report["steps"]] == ["hello", "pl"]
    assert not report["sound"]
    assert report["stopped"] == "interrupted by Ctrl-C"


# ---- provenance ---------------------------------------------------------------------------------


def test_a_run_on_a_twin_with_a_fault_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    target = "twin:functional:fault=wrong-build"
    process = irqscope(
        "run", "experiments/horst2020/t2.toml", "--count", 20, "--target", target, "--out", folder
    )
    assert process.returncode == ExitCode.VALID, process.stderr
    source = record(folder)["source"]
    assert source["label"] == "twin, functional with fault wrong-build"
    assert "with fault wrong-build" in (folder / "report.html").read_text()


def test_a_twin_that_somebody_else_started_tells_that_it_is_not_as_named() -> None:
    hashes = set()
    for options in (
        (),
        ("--fault", "spi-swapped"),
        ("--fault", "ppi-dead"),
        ("--variant", "ppisr-pin"),
        ("--set", "gic.path=31"),
    ):
        twin = Twin(*options)
        try:
            with open_target(twin.port) as target:
                identity = Session(target.link).identity
        finally:
            twin.stop()
        assert identity.label == f"twin, functional {'with a change' if options else 'timing'}"
        hashes.add(identity.source_hash)
    assert len(hashes) == 5
