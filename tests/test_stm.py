"""The second stamp on the twin: firmware, STM and ETF models, link, decoder, run folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest

from instrument import ROOT, irqscope, record, samples
from irqscope.acquire.measure import measure
from irqscope.acquire.plan import STAMPS_PER_BATCH
from irqscope.errors import ExitCode
from irqscope.experiment import load
from irqscope.results.reader import read

T2_STM = ROOT / "experiments/paper-instrument/t2-stm.toml"
#: More than two batches, as the ETF bounds them.
COUNT = 2 * STAMPS_PER_BATCH + 20
#: A store's way to the STM less the line's, in the profile `functional` (twin/profiles).
WAY_NS = 60 - 12


def run(folder: Path, experiment: Path = T2_STM, target: str = "twin:functional") -> dict:
    process = irqscope("run", experiment, "--count", COUNT, "--target", target, "--out", folder)
    assert process.returncode == ExitCode.VALID, process.stdout + process.stderr
    return record(folder)


def variant(folder: Path, *changes: tuple[str, str]) -> Path:
    text = T2_STM.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "variant.toml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def functional(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that most tests look at; none of them changes it."""
    folder = tmp_path_factory.mktemp("stm") / "run"
    run(folder)
    return folder


@pytest.mark.parametrize("target", ["twin:functional", "twin:a53"])
def test_every_stimulus_has_both_stamps(target: str, functional: Path, tmp_path: Path) -> None:
    folder = functional
    if target != "twin:functional":
        run(folder := tmp_path / "run", target=target)
    stored = record(folder)["stm"]
    counters = stored["counters"]
    assert counters["edges_made"] == counters["edges_stamped"] == counters["answered"] == COUNT
    assert counters["stores_made"] == counters["stores_stamped"] == COUNT
    assert not any(counters[name] for name in ("errors", "unread", "unstamped", "wrapped", "stuck"))
    rows, emio = read(folder).stm(), samples(folder)
    assert len(rows) == COUNT and set(rows["batch"].to_pylist()) == {0, 1, 2}
    for name in ("edge_ticks", "latency_ticks"):
        assert rows[name].to_pylist() == emio[name].to_pylist()
    assert stored["stamp_hz"] == pytest.approx(record(folder)["identity"]["tick_hz"], 1e-4)


def test_the_latency_by_stm_is_that_of_the_model(functional: Path) -> None:
    rows = read(functional).stm()
    by_stm = pc.multiply(rows["latency_stamps"], 4).to_numpy().astype(np.int64)
    by_emio = pc.multiply(rows["latency_ticks"], 4).to_numpy().astype(np.int64)
    # Both begin at the same edge; the ways of the two stores differ by constants of the profile.
    # EMIO: 90 + 20 ns and up to 10 ns of sampling grid, then 3 to 4 ticks of synchroniser; a count
    # of the STM more or less.
    software = by_stm - WAY_NS
    emio_way = by_emio - software
    assert set((emio_way // 4).tolist()) <= set(range(30, 36))
    assert by_stm.max() - by_stm.min() <= 8


def test_the_other_order_moves_the_second_store_alone(functional: Path, tmp_path: Path) -> None:
    first = record(functional)
    other = run(tmp_path / "other", variant(tmp_path, ('"paper+stm"', '"stm+paper"')))
    plain = run(tmp_path / "plain", ROOT / "experiments/horst2020/t2.toml")
    assert plain["stm"] is None and not (tmp_path / "plain/stm").exists()
    assert first["readback"]["markers"] == 2 and other["readback"]["markers"] == 3
    emio = {name: stored["stats"][0] for name, stored in (("first", first), ("other", other))}
    # One instruction a cycle: 5/6 ns, under a tick.
    assert other["stm"]["latency"]["median"] <= first["stm"]["latency"]["median"]
    assert (
        emio["first"]["min_ticks"] <= emio["other"]["min_ticks"] <= emio["first"]["min_ticks"] + 3
    )


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("stm-clock-off", "the STM cannot stamp: its clock is still (DBG_FPD_CTRL 0x00000200"),
        ("stm-untraced", "the STM cannot stamp: stores of secure software are not traced"),
    ],
)
def test_an_stm_that_cannot_stamp_ends_the_run_in_one_line(
    fault: str, says: str, tmp_path: Path
) -> None:
    target = f"twin:functional:fault={fault}"
    process = irqscope("run", T2_STM, "--target", target, "--out", tmp_path / "run")
    assert process.returncode == ExitCode.TARGET
    (line,) = (line for line in process.stderr.splitlines() if line.startswith("irqscope: "))
    assert says in line and "see docs/stm.md" in line
    assert "Traceback" not in process.stderr
    # Everything else measures as ever.
    t2 = ROOT / "experiments/horst2020/t2.toml"
    process = irqscope("run", t2, "--count", 50, "--target", target, "--out", tmp_path / "t2")
    assert process.returncode == ExitCode.VALID, process.stderr


def test_the_table_shows_both_stamps(functional: Path, tmp_path: Path) -> None:
    shutil.copytree(functional, tmp_path / "run")
    output = " ".join(irqscope("info", tmp_path / "run").stdout.split())
    assert "by STM" in output and "STM less markers" in output and "STM counters" in output
    assert read(tmp_path / "run").changed == ()
    part = tmp_path / "run/stm/part-00000.parquet"
    part.write_bytes(part.read_bytes() + b"\0")
    assert read(tmp_path / "run").changed == ("stm/part-00000.parquet",)


NO_LINE = (
    ('interrupt = "shared"', 'interrupt = "sgi 1"\nperiod = "1 ms"'),
    ('[[lines]]\nmode = "burst"\nhigh = "1 ms"\nlow = "4 ms"\nphase = "dithered"', ""),
    ('start = "line 0"', 'start = "start"'),
    ('timeout = "4 ms"', 'timeout = "500 us"'),
)
SHORT = (('"1 ms"', '"10 us"'), ('low = "4 ms"', 'low = "40 us"'), ('"4 ms"', '"20 us"'))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ((('samples = "all"', 'samples = "none"'),), 'write samples = "all" with "paper+stm"'),
        (SHORT, "are too short for markers"),
        (NO_LINE, "and software has none; write markers"),
        ((('trigger = "rising edge"', 'trigger = "level"'),), "it goes with a latency"),
    ],
)
def test_what_it_cannot_stamp_is_refused(
    changes: tuple[tuple[str, str], ...], says: str, tmp_path: Path
) -> None:
    process = irqscope("run", variant(tmp_path, *changes), "--out", tmp_path / "run")
    assert process.returncode == ExitCode.USAGE
    assert says in process.stderr


@pytest.mark.parametrize("order", ["paper+stm", "stm+paper"])
@pytest.mark.parametrize("stack", ["freertos", "standalone"])
def test_other_stacks_stamp_too(stack: str, order: str, tmp_path: Path) -> None:
    subprocess.run(
        ["make", "--no-print-directory", "stacks", f"STACKS={stack}"],
        cwd=ROOT, capture_output=True, timeout=300, check=True,
    )  # fmt: skip
    dispatcher = '"table"' if stack == "standalone" else '"direct"'
    keys = f'stack = "{stack}"\ndispatcher = {dispatcher}\nmarkers = "{order}"'
    stored = run(tmp_path / "run", variant(tmp_path, ('markers = "paper+stm"', keys)))
    assert stored["stack"]["name"] == stack
    assert stored["stm"]["counters"]["answered"] == COUNT


def test_an_etf_that_overflows_is_named_and_what_it_kept_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("irqscope.acquire.plan.STAMPS_PER_BATCH", 1000)
    experiment = load(T2_STM).model_copy(update={"count": 900})
    result = measure(experiment, "twin:functional", tmp_path / "run", batch_s=10)
    assert result.state == "invalid"
    lost = [reason for reason in result.run.reasons if reason.startswith("STM: ")]
    assert len(lost) == 2 and all("the ETF overflowed in 1 batches" in text for text in lost)
    rows, emio = read(tmp_path / "run").stm(), samples(tmp_path / "run")
    # 8 KB of some 14 bytes each: the newest.
    assert 400 < len(rows) < 700
    assert rows["edge_ticks"].to_pylist() == emio["edge_ticks"].to_pylist()[-len(rows) :]
    assert pc.max(rows["latency_stamps"]).as_py() < 100
