"""Placements: valid experiments, and results from the places where interrupts were taken."""

from __future__ import annotations

import pytest

from irqscope.acquire import encoding
from irqscope.acquire.plan import Plan
from irqscope.experiment import Experiment
from irqscope.experiment.checks import problems
from irqscope.kinds.placement import report as placed
from irqscope.kinds.placement.record import Instruction, Placements
from irqscope.machines.generated import SOFT, ZYNQMP

HZ = 250_000_000
TABLE = "code_under_test"
CODE = {"code": "code_under_test_nops", "first": 20, "last": 29, "period": 4000}
LINE = {"mode": "acknowledged", "phase": "locked", "high": 1000, "low": 1000}
PLAIN = {
    "name": "placement",
    "case": "placement",
    "caches": "off",
    "trigger": "level",
    "warm_up": 0,
    "count": 20,
    "code_under_test": CODE,
    "lines": [LINE],
    "channels": [{"timeout": 900}],
}


def make(**changes) -> Experiment:
    return Experiment.model_validate(PLAIN | changes)


def said(experiment, machine=SOFT):
    return {".".join(map(str, p.path)): p.text for p in problems(experiment, machine, HZ)}


def test_a_placement_is_good_on_every_machine():
    assert said(make()) == {} == said(make(caches="on"), ZYNQMP)


@pytest.mark.parametrize(
    ("where", "what", "changes"),
    [
        ("code_under_test", 'case "placement" needs it', {"code_under_test": None}),
        ("code_under_test", 'it belongs to "placement"', {"case": "t1"}),
        ("warm_up", "warm_up = 0", {"warm_up": 8}),
        ("samples", 'samples = "all"', {"samples": "none"}),
        ("code_under_test.first", "at least 20 ticks", {TABLE: CODE | {"first": 19, "last": 28}}),
        ("code_under_test.last", "give at least first = 20", {TABLE: CODE | {"last": 19}}),
        ("code_under_test.step", "at least 1 tick", {TABLE: CODE | {"step": 0}}),
        ("code_under_test.step", "4096 at most", {TABLE: CODE | {"last": 5000, "period": 9000}}),
        ("code_under_test.period", "take 2029 ticks", {TABLE: CODE | {"period": 2029}}),
        ("code_under_test.after", "that software stores", {TABLE: CODE | {"after": "line 0"}}),
        ("count", "no whole passes of 10 placements; give 30", {"count": 21}),
        ("lines", "one line", {"lines": [LINE, LINE]}),
        ("lines.0.mode", 'mode = "acknowledged"', {"lines": [LINE | {"mode": "burst"}]}),
        ("lines.0.phase", 'phase = "locked"', {"lines": [LINE | {"phase": "dithered"}]}),
        ("lines.0.start_delay", "leave the key out", {"lines": [LINE | {"start_delay": 5}]}),
        (
            "code_under_test.code",
            "name a function of the firmware",
            {TABLE: CODE | {"code": "f+4"}},
        ),
        ("interrupt", "takes a shared interrupt", {"interrupt": "software", "period": "1 ms"}),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_said_in_one_line(where, what, changes):
    machine = ZYNQMP if "interrupt" in changes else SOFT
    actual = said(make(**changes), machine)
    assert what in actual[where]
    assert "\n" not in actual[where]


def test_each_batch_begins_with_the_first_placement():
    plan = Plan(
        make(count=50_000, code_under_test=CODE | {"last": 30 + 7 * 12, "step": 7}), SOFT, HZ
    )
    assert list(plan.delays) == list(range(20, 115, 7))
    plan = Plan(make(count=14 * 1000, code_under_test=CODE | {"last": 114, "step": 7}), SOFT, HZ)
    batches = list(plan.batches())
    assert len(batches) > 1
    assert sum(batch.count for batch in batches) == 14_000
    assert all(batch.count % 14 == 0 for batch in batches)
    assert all(3 * batch.count <= plan.records_per_batch for batch in batches)
    values = encoding.code_under_test(plan, batches[0])
    assert (values["first"], values["step"], values["last"]) == (20, 7, 111)
    assert values["count"] == batches[0].count
    (line,) = encoding.lines(plan, batches[0])
    assert (line["start_delay"], line["count"], line["dither_bits"]) == (0, 1, 0)


def instruction(address, taken=(), text="nop"):
    ends = (min(taken), max(taken)) if taken else (None, None)
    return Instruction(
        address=address,
        where="f",
        text=text,
        taken=len(taken),
        min_ticks=ends[0],
        max_ticks=ends[1],
    )


def test_what_is_never_interrupted_delays_as_long_as_what_is_taken_behind_it():
    placements = Placements(
        symbol="f", address=0, size=20, firmware="irqscope.elf", first_ticks=20, step_ticks=1,
        last_ticks=26, accepted=7, ignored=0, alike=True,
        instructions=(
            instruction(0, [33]), instruction(4, [34, 33]), instruction(8), instruction(12),
            instruction(16, [40, 39, 38]),
        ),
        elsewhere=(instruction(100, [32]),),
    )  # fmt: skip
    groups = placed.groups(placements)
    assert [(len(g.instructions), g.never, g.delays) for g in groups] == [
        (1, False, 2),
        (1, False, 8),
        (2, True, 8),
        (1, False, None),
    ]
    assert (placed.least_ticks(placements), placed.greatest_ticks(placements)) == (32, 40)
