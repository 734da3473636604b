"""CV32RT: the paper's printed values next to measured ones, in cycles.

Balas, Ottaviano, Benini: "CV32RT: Enabling Fast Interrupt and Context Switching for RISC-V
Microcontrollers". A number is here only if it is printed there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irqscope.results.reader import read

SOURCE = "Balas, Ottaviano, Benini: CV32RT, RTL simulation with single-cycle memory"


@dataclass(frozen=True)
class Row:
    """One run, named by file and core.

    ``printed``: the paper's values for it; ``where``: their place in the paper; ``remark``: our
    remark.
    """

    title: str
    where: str
    printed: tuple[int, ...] = ()
    remark: str = ""


_ABOUT = 'the paper says "about 33"'
_ENTRY = (
    "to the entry of the vector table, a stop chosen for this row because it gives the printed "
    "number"
)
_TO_ENTRY = "to the entry of the vector table"
_HANDLER = "pc:handler_first"
_BACK = "from decode to execution; none follows the last one"
_NESTED = "of a line that comes at any time beside a timer's handler"
_WITNESS = "another core than the paper's: which steps cost something holds for it, no number does"
_KERNEL = "from the yield in decode to what follows it in execution; the paper names no release"
#: Printed values, by name of the run.
ROWS = {
    "clint-cv32e40p": Row("CLINT, integer ABI", "figure 6", (33,), _ABOUT),
    "clint-e-cv32e40p": Row(
        "CLINT, embedded ABI", "table III, [28]", (24,), "that it is this ABI follows from ours"
    ),
    "clint-least-cv32e40p": Row("CLINT, one register saved", "figure 6"),
    "clint-cv32e40p-clic": Row("CLIC, vectored, integer ABI", "figure 6", (33,), _ABOUT),
    "clint-e-cv32e40p-clic": Row("CLIC, vectored, embedded ABI", "figure 6"),
    "clint-least-cv32e40p-clic": Row("CLIC, vectored, one register saved", "figure 6"),
    "nxti-cv32e40p-clic": Row("CLIC, xnxti", "IV-B2, figure 6", (42,), _ENTRY),
    "jalnxti-cv32e40p-clic": Row("CLIC, jalxnxti", "IV-B2, figure 6", (35,), _ENTRY),
    "fastirq-cv32rt": Row("fastirq", "figure 6, table III", (6,)),
    "back-to-back-cv32e40p": Row("back to back, CLINT, integer ABI", "figure 6", (), _BACK),
    "back-to-back-e-cv32e40p": Row("back to back, CLINT, embedded ABI", "figure 6", (), _BACK),
    "back-to-back-cv32e40p-clic": Row("back to back, CLIC, integer ABI", "IV-B3", (68,), _BACK),
    "back-to-back-e-cv32e40p-clic": Row("back to back, CLIC, embedded ABI", "IV-B3", (50,), _BACK),
    "nxti-back-to-back-cv32e40p-clic": Row("back to back, xnxti", "figure 6", (), _BACK),
    "jalnxti-back-to-back-cv32e40p-clic": Row("back to back, jalxnxti", "figure 6", (), _BACK),
    "back-to-back-fastirq-cv32rt": Row(
        "back to back, saved by fastirq, loaded by software", "not in the paper", (), _BACK
    ),
    "emret-cv32rt": Row(
        "emret",
        "IV-B3: 8; VI: 12",
        (8, 12),
        "the paper has both; from decode to execution",
    ),
    "nested-cv32e40p": Row("a handler interrupted, CLINT, by mie", "figure 5a", (), _NESTED),
    "nested-cv32e40p-clic": Row(
        "a handler interrupted, CLIC, by levels", "table I, figure 5b", (), _NESTED
    ),
    "nested-fastirq-cv32rt": Row(
        "a handler interrupted, CLIC and fastirq, by levels", "table I, figure 5c", (), _NESTED
    ),
    "nested-never-cv32e40p": Row("a handler not interrupted", "III-D2", (), _NESTED),
    "switch-cv32e40p": Row(
        "FreeRTOS context switch, CLINT, the kernel's port", "table III, [28]", (129,), _KERNEL
    ),
    "switch-pended-cv32e40p": Row(
        "FreeRTOS context switch, CLINT, by an interrupt", "not in the paper", (), _KERNEL
    ),
    "switch-pended-cv32rt": Row(
        "FreeRTOS context switch, CLIC, by an interrupt", "figure 7", (), _KERNEL
    ),
    "switch-fastirq-cv32rt": Row(
        "FreeRTOS context switch, CLIC and fastirq",
        "VI: 104; table III: 114",
        (104, 114),
        _KERNEL,
    ),
    "clint-cv32e40x": Row("CV32E40X, CLINT, integer ABI", "not in the paper", (), _WITNESS),
    "clint-e-cv32e40x": Row("CV32E40X, CLINT, embedded ABI", "not in the paper", (), _WITNESS),
    "clint-cv32e40x-clic": Row(
        "CV32E40X, CLIC, vectored, integer ABI", "not in the paper", (), _WITNESS
    ),
    "clint-e-cv32e40x-clic": Row(
        "CV32E40X, CLIC, vectored, embedded ABI", "not in the paper", (), _WITNESS
    ),
    "nxti-cv32e40x-clic": Row("CV32E40X, CLIC, xnxti", "not in the paper", (), _TO_ENTRY),
    "back-to-back-cv32e40x-clic": Row(
        "CV32E40X, back to back, CLIC, integer ABI", "not in the paper", (), _BACK
    ),
    "back-to-back-e-cv32e40x-clic": Row(
        "CV32E40X, back to back, CLIC, embedded ABI", "not in the paper", (), _BACK
    ),
    "nested-cv32e40x-clic": Row(
        "CV32E40X, a handler interrupted, CLIC, by levels", "not in the paper", (), _NESTED
    ),
}
#: (title, runs, where, printed): the first run less the second.
DIFFERENCES = [
    (
        "jalxnxti, cycles fewer than xnxti back to back",
        ("nxti-back-to-back-cv32e40p-clic", "jalnxti-back-to-back-cv32e40p-clic"),
        "IV-B3",
        9,
    ),
    (
        "embedded ABI, cycles fewer than integer ABI back to back",
        ("back-to-back-cv32e40p-clic", "back-to-back-e-cv32e40p-clic"),
        "IV-B3, by the two figures",
        18,
    ),
    (
        "fastirq, cycles of a context switch that it saves",
        ("switch-pended-cv32rt", "switch-fastirq-cv32rt"),
        'IV-B4, "up to"',
        31,
    ),
]
NO_RTL = "there is no RTL of it; twin:m4 takes as many, an input of its model"
#: (quantity, where, printed value, why we have no measurement). Quoted, never drawn as measured.
QUOTED = [
    ("Cortex-M4, latency", "figure 6, quoted there", "12", NO_RTL),
    ("Cortex-M4, tail-chaining", "IV-B3, quoted there", "6", NO_RTL),
    (
        "context switch, cycles saved by fastirq, embedded ABI",
        "IV-B4, figure 7",
        "16 (12 %)",
        "the core is built for the integer ABI",
    ),
    ("fastirq, embedded ABI", "figure 6", "a bar", "the core is built for the integer ABI"),
    ("area in GF12", "figures 8 to 10", "bars", "there is no such library"),
]


def of_rows(folder: Path, runs: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Rows of the card, without runs that have no figures. Raises StorageError."""
    rows: list[dict[str, Any]] = []
    measured: dict[str, dict[str, Any]] = {}
    for run in runs:
        if (row := ROWS.get(run["name"])) is None:
            continue
        rows_by_name = {
            "name": run["name"],
            "title": row.title,
            "where": row.where,
            "printed": list(row.printed),
            "remark": row.remark,
            "state": run["state"],
            "core": _core(folder / run["name"]) if run["experiment"] is not None else None,
            "label": None,
            "n": None,
            "unanswered": "",
            "stops": [],
            "verdict": f"not measured: {run['state']}",
        }
        if run["latency"] is not None:
            rows_by_name |= _measured(folder / run["name"], row)
            rows_by_name["unanswered"] = run["latency"]["unanswered"]
            measured[run["name"]] = rows_by_name
        rows.append(rows_by_name)
    return {"rows": rows, "differences": list(_differences(measured))}


def _core(folder: Path) -> str | None:
    """The core of a run with its version, as stored in the run."""
    identity = read(folder).run.identity
    return None if identity is None else identity.deviation or identity.board


def _measured(folder: Path, row: Row) -> dict[str, Any]:
    """Minimum and maximum of each channel, and the verdict."""
    run = read(folder).run
    channels = {channel.index: channel for channel in run.experiment.channels}
    stops = [
        {
            "start": str(channels[stats.channel].start),
            "stop": str(channels[stats.channel].stop),
            "n": stats.n,
            "min": stats.min_ticks,
            "max": stats.max_ticks,
        }
        for stats in run.stats
    ]
    return {"label": run.label, "stops": stops} | judged(stops, row.printed)


def judged(stops: list[dict[str, Any]], printed: tuple[int, ...]) -> dict[str, Any]:
    """Verdict on the first stop at an execution, and on the handler's if that is a different one.

    ``stops``: start and stop of each channel, N, minimum and maximum, in cycles.
    """
    executed = [stop for stop in stops if stop["stop"].startswith("pc:")] or stops[:1]
    counted = executed[0]
    verdict = _verdict(counted["min"], counted["max"], printed)
    for other in executed[1:]:
        if printed and other["stop"] == _HANDLER != counted["stop"]:
            at_handler = _verdict(other["min"], other["max"], printed)
            verdict += f"; at the handler's first instruction {at_handler}"
    return {
        "n": counted["n"],
        "least": counted["min"],
        "most": counted["max"],
        "verdict": verdict,
    }


def _verdict(shortest: int | None, longest: int | None, printed: tuple[int, ...]) -> str:
    if not printed:
        return "no number in print"
    if shortest is None or longest is None:
        return "no number"
    if shortest != longest:
        return ", ".join(f"{shortest - number:+d} to {longest - number:+d}" for number in printed)
    return ", ".join(
        f"{shortest - number:+d}" if shortest != number else f"equal to the printed {number}"
        for number in printed
    )


def _differences(rows_by_name: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for title, (first, second), where, printed in DIFFERENCES:
        if not {first, second} <= set(rows_by_name):
            continue
        one, other = rows_by_name[first], rows_by_name[second]
        lowest, highest = one["least"] - other["most"], one["most"] - other["least"]
        yield {
            "title": title,
            "where": where,
            "printed": printed,
            "ours": lowest if lowest == highest else [lowest, highest],
            "verdict": _verdict(lowest, highest, (printed,)),
        }
