"""Public cores that rtl/examples attach, with the figures that docs/cores.md has of them.

IRQSCOPE_CORES names the folder of their sources: Hazard3, scr1 and serv as cloned,
neorv32_flat.v and VexRiscv_IMAC.v. Nothing of them is in this repository.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope_rtl import build, check, cores
from irqscope_rtl.cores import ROOT, CoreError

from .conftest import firmware

EXAMPLES = ROOT / "rtl" / "examples"
PAGE = ROOT / "docs" / "cores.md"
SOURCES = os.environ.get("IRQSCOPE_CORES")


@dataclass(frozen=True)
class Public:
    """The measured figures of a core.

    file: Name of its sources in IRQSCOPE_CORES.
    cycles: To execution and on the bus, of EXPERIMENTS; empty if our firmware does not run on it.
    latency: RVMODEL_INTERRUPT_LATENCY.
    fails: Checks that fail.
    """

    file: str
    cycles: tuple[tuple[int, int], ...] = ()
    latency: int | None = None
    fails: tuple[str, ...] = ()


CORES = {
    "hazard3": Public("Hazard3", ((30, 31), (21, 22), (11, 12)), 2),
    "scr1": Public("scr1", ((46, 46), (28, 28), (10, 10)), 2),
    "neorv32": Public("neorv32_flat.v", ((115, 117), (70, 72), (24, 26)), 2),
    "vexriscv": Public("VexRiscv_IMAC.v", fails=("interrupts on for one instruction",)),
    "serv": Public("serv", fails=("csr mie", "mret", "wake from wfi")),
}
EXPERIMENTS = ("clint", "clint-e", "clint-least")


def attached(name, folder):
    """A copy of an example with the core's sources."""
    shutil.copytree(EXAMPLES / name, folder)
    source = Path(SOURCES, CORES[name].file).resolve()
    if name == "hazard3":
        shutil.copytree(source / "hdl", folder / "Hazard3" / "hdl")
        queue = folder / "Hazard3" / "hdl" / "hazard3_frontend.v"
        lines = queue.read_text().splitlines(keepends=True)
        queue.write_text("".join(line for line in lines if "[FIFO_DEPTH] = " not in line))
    elif not (folder / source.name).exists():
        (folder / source.name).symlink_to(source)
    return folder


@pytest.mark.parametrize("name", CORES)
def test_an_example_names_the_file_of_the_core_that_is_missing(name, tmp_path):
    folder = tmp_path / name
    files = [path for path in (EXAMPLES / name).iterdir() if path.name != CORES[name].file]
    folder.mkdir()
    for path in files:
        if path.is_file():
            shutil.copy(path, folder)
    with pytest.raises(CoreError, match=rf"{CORES[name].file}.* is missing; core.toml names it"):
        cores.find(f"{folder}/").files()


@pytest.mark.parametrize("name", CORES)
def test_the_manual_has_these_figures(name):
    public = CORES[name]
    (row,) = [row for row in PAGE.read_text().splitlines() if f"(../rtl/examples/{name}/" in row]
    for execution, bus in public.cycles:
        assert f"| **{execution}** / {bus} |" in row
    for failed in public.fails:
        assert f"`{failed}`" in row


@pytest.mark.soak
@pytest.mark.skipif(not SOURCES, reason="IRQSCOPE_CORES names no folder of public cores")
@pytest.mark.parametrize("name", CORES)
def test_a_public_core_takes_as_long_as_the_manual_says(name, tmp_path):
    public = CORES[name]
    core = cores.find(str(attached(name, tmp_path / name)))
    bench = check.Bench(core)
    assert tuple(of for of, failure in check.failures(bench) if failure) == public.fails
    if not public.cycles:
        return
    assert check.latency(bench).value == public.latency
    for stack in ("baremetal", "eabi", "least"):
        firmware("MACHINE=soft", f"STACK={stack}", *["CAUSES=shared"] * core.shares_cause)
    build.build([str(core.folder)], report=lambda text: None, host=str(core.folder))
    for experiment, (execution, bus) in zip(EXPERIMENTS, public.cycles, strict=True):
        run = load(ROOT / "experiments" / "cv32rt" / f"{experiment}.toml", count=20)
        record = measure(run, f"rtl:{core.folder}", tmp_path / experiment).run
        assert record.valid, record.reasons
        extremes = [(stats.min_ticks, stats.max_ticks) for stats in record.stats]
        assert extremes == [(bus,) * 2, (execution,) * 2, (execution,) * 2]
