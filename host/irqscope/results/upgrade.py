"""Older formats of ``run.json``, step by step to the present one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pydantic_core import from_json, to_json

from irqscope.stats import share_longer
from irqscope.units import Duration

FORMAT: Final = "irqscope-run/5"


def _from_1(values: dict[str, Any]) -> None:
    """Format 1 began without stack, throughput and the stages of samples; no folder had sums.

    Nor was there a lead-in.
    """
    if isinstance(experiment := values.get("experiment"), dict):
        experiment.setdefault("lead_in", 0)
    values.setdefault("stack", None)
    values.setdefault("throughput", [])
    for stats in _tables(values.get("stats")):
        stats.setdefault("stages", [])
        _count_all(stats, values)
    values["format"] = "irqscope-run/2"


#: Numbers that a gateware of register map 1 gave of itself, and what it was: machine 1, board,
#: profile and whether a fault was injected, as the register ``source`` says them now.
_SOURCES = {
    0: 0x0_0101,
    3: 0x0_0201,
    1: 0x1_0101,
    2: 0x2_0101,
    17: 0x8001_0101,
    18: 0x8002_0101,
}


def _from_2(values: dict[str, Any]) -> None:
    """Format 2 knew one machine, and called things as it does."""
    identity_of_one_machine(values.get("identity"))
    if isinstance(stm := values.get("stm"), dict):
        _rename(stm, same_by_emio="same_by_markers")
    if isinstance(in_force := values.get("in_force"), dict):
        for read_back in (in_force, *_tables(in_force.get("cores"))):
            _read_back(read_back)
    for stats in _tables(values.get("stats")):
        _rename(stats, phases_mod_5="phases")
    values["format"] = "irqscope-run/3"


def _from_3(values: dict[str, Any]) -> None:
    """Format 3 called the timer tick a tick, and the call stack a stack."""
    experiment_before_timer_tick(values.get("experiment"))
    if isinstance(in_force := values.get("in_force"), dict):
        _rename(in_force, stack="call_stack", tick_period="timer_tick_period")
    if isinstance(did := values.get("firmware"), dict):
        _rename(did, ticks="timer_ticks")
    values["format"] = "irqscope-run/4"


def _from_4(values: dict[str, Any]) -> None:
    """Format 4 looked at lag 1 alone, and stated one effect that would show, for two tests."""
    for stats in _tables(values.get("stats")):
        if not isinstance(found := stats.get("independence"), dict):
            continue
        shows = found.pop("detectable", None)
        found["lags"] = 1
        for answer in _tables(found.get("answers")):
            lag_1, first = (answer.get("test") == name for name in ("lag 1", "first of batch"))
            untestable = None if answer.get("p") is not None else "nothing to compare"
            answer |= {"at": 1 if lag_1 else None, "shows": None if first else shows}
            answer |= {"test": "serial"} if lag_1 else {}
            answer["untestable"] = untestable
    values["format"] = FORMAT


def experiment_before_timer_tick(experiment: object) -> None:
    """Brings an experiment up to date that an older version kept: ``tick`` is ``timer_tick``."""
    if isinstance(experiment, dict):
        _rename(experiment, tick="timer_tick")


#: Columns that older versions wrote, and their names today.
COLUMNS_BEFORE: Final = {
    "tick_phase_ticks": "timer_tick_phase_ticks",
    "first_tick": "first_timer_tick",
}


def sent_case(text: str) -> dict[str, Any]:
    """Values of the CASE request, as the column ``case`` of a batch keeps them."""
    values: dict[str, Any] = from_json(text)
    _rename(values, tick_period="timer_tick_period", tick_work="timer_tick_work")
    return values


def identity_of_one_machine(identity: object) -> None:
    """Brings an identity up to date that was told when there was one machine."""
    if isinstance(identity, dict) and isinstance(source := identity.get("source"), int):
        identity["source"] = _SOURCES.get(source, source)
        _rename(identity, midr="core_id", cntfrq_hz="counter_hz", exception_level="privilege")
        identity["built_for"] = 1


#: Fields of what was read back that are registers.
_REGISTERS = {
    "sctlr": "sctlr_el3", "scr": "scr_el3", "ttbr": "ttbr0_el3", "tcr": "tcr_el3",
    "cpuactlr": "cpuactlr_el1", "cpuectlr": "cpuectlr_el1", "mpidr": "mpidr_el1",
    "gicd_ctlr": "gicd_ctlr", "group": "gicd_group", "ppi_status": "gicd_ppisr",
    "gicc_ctlr": "gicc_ctlr", "gicc_pmr": "gicc_pmr",
}  # fmt: skip


def _read_back(found: dict[str, Any]) -> None:
    """Bits C (2) and I (12) of SCTLR_EL3 say which caches are on."""
    if isinstance(sctlr := found.get("sctlr"), int):
        found["caches"] = sctlr >> 2 & 1 | (sctlr >> 12 & 1) << 1
    _rename(found, vbar="vector")
    words = {new: found.pop(old, None) for old, new in _REGISTERS.items()}
    found["registers"] = {name: word for name, word in words.items() if word is not None}


def _rename(table: dict[str, Any], **names: str) -> None:
    for old, new in names.items():
        if old in table:
            table[new] = table.pop(old)


def _count_all(found: dict[str, Any], values: dict[str, Any]) -> None:
    """Format 1 counted those served as n, and took them for all where it bounded what is longer."""
    books = next((b for b in _tables(values.get("books")) if _same(b, found)), {})
    asked = values.get("experiment")
    channels = _tables(asked.get("channels")) if isinstance(asked, dict) else []
    identity = values.get("identity")
    try:
        timeout = next(c["timeout"] for c in channels if c.get("index") == found.get("channel"))
        ticks = Duration.parse(timeout).ticks(identity["tick_hz"])  # type: ignore[index]
        counts = {name: books[name] for name in ("served", "timed_out", "coalesced")}
        n = sum(counts.values())
        lower, upper = share_longer(n, counts["timed_out"], counts["coalesced"])
    except (KeyError, TypeError, ValueError, StopIteration):
        return  # the record says what is missing
    than = ticks if counts["timed_out"] else found.get("max_ticks")
    found.pop("censored", None)
    found.pop("exceedance_bound", None)
    bounds = {"ticks": than, "at_least": lower, "at_most": upper}
    found |= {"n": n, **counts, "timeout_ticks": ticks}
    found["longer"] = None if than is None else bounds


def _same(books: dict[str, Any], found: dict[str, Any]) -> bool:
    return books.get("channel") == found.get("channel")


#: What makes the next format of each older one, the oldest first.
_STEPS: dict[str, Callable[[dict[str, Any]], None]] = {
    "irqscope-run/1": _from_1,
    "irqscope-run/2": _from_2,
    "irqscope-run/3": _from_3,
    "irqscope-run/4": _from_4,
}
FORMATS = (*_STEPS, FORMAT)


def upgrade(values: dict[str, Any]) -> bytes:
    """JSON of the present format from a run.json of an older one. Keeps what it cannot know of."""
    while (step := _STEPS.get(values["format"])) is not None:
        step(values)
    return to_json(values)


def _tables(values: object) -> list[dict[str, Any]]:
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []
