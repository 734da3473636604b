"""In the host, only its machines and the doctor's steps name a machine's parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import irqscope
from irqscope.machines.known import MACHINES

HOST = Path(irqscope.__file__).parents[1]
#: Folders that know machines; and what folders of the time of one machine called things.
KNOWING = (
    "tests",
    *(f"irqscope/doctor/{each.name}" for each in MACHINES),
    *("irqscope/machines", "irqscope/doctor/linux"),
)
#: Names of files and cases that are published.
ALLOWED = re.compile(r"\bt6-spi\b")
#: Controllers and their interrupts, ports, registers of cores and of processor systems, IDs, and
#: the sampling grid of this or that machine.
NAMES = re.compile(
    r"""\b(?:
    GIC\w* | PL390 | CLINT | CLIC | [SP]PIs? | SGIs? | EMIO | GPIO\w* | pl_ps_\w+
    | MP?IDR\w* | SCTLR\w* | VBAR\w* | CPUE?A?CTLR\w* | TTBR\w* | TCR_\w+ | MAIR\w*
    | CNT[FPV]\w+ | PMCCNTR\w* | ICFGR\w* | ISPENDR\w* | [PS]PISR\w* | IAR | EOIR
    | DATA_[0-9]\w* | DIRM_\w+ | OEN_\w+ | PCAP\w* | PWR_STATE | PL0_REF\w* | DBG_\w+
    | CR[FL]_APB\w* | UART[01]\w* | LPD\w* | 12[1-8] | 13[6-9] | 14[0-3] | 10[ ]ns | 100[ ]MHz
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
#: What they are otherwise: masters of a trace, published cycles and sections, a paper's rows, a
#: volume and a bit width, a pin of an ESP32, rates of analysers, an option of a target, an
#: address of this computer.
OTHERS = {
    "irqscope/analysis/folding.py": ("128",),
    "irqscope/doctor/silence.py": ("GPIO0", "GPIO0"),
    "irqscope/kinds/capture/clock.py": ("125",),
    "irqscope/targets/linux.py": ("127",),
    "irqscope/targets/twin.py": ("gpio",),
    "irqscope/acquire/stm/stp.py": ("128",),
    "irqscope_papers/a9/printed.py": ("128", "138", "142"),
    "irqscope_papers/cv32rt/benchmark.py": ("CLINT", "clint", "CLIC", "clic"),
}


def sources() -> list[Path]:
    collected = [path for path in HOST.rglob("*") if path.suffix in (".py", ".j2")]
    return [p for p in collected if not p.relative_to(HOST).as_posix().startswith(KNOWING)]


def named(text: str) -> list[str]:
    return [item[0] for item in NAMES.finditer(ALLOWED.sub("", text))]


def test_no_controller_id_register_or_sampling_grid_is_named_elsewhere():
    assert len(sources()) > 100
    by_key = {}
    for path in sources():
        where = path.relative_to(HOST).as_posix()
        names = [n for n in named(path.read_text("utf-8")) if n not in OTHERS.get(where, ())]
        if names:
            by_key[where] = names
    assert not by_key


@pytest.mark.parametrize(
    "text",
    [
        "the GIC-400 knows it", "if interrupt == 121:", "PPI 31", "GICD_ICFGR7", "SCTLR_EL3",
        "readback.sctlr", '"spi 121"', "the 10 ns sampling grid", "emio", "state.pl0_ref_ctrl",
    ],
)  # fmt: skip
def test_the_search_finds(text):
    assert named(text)
