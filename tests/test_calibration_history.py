"""A calibration depends only on target, experiment and seed, not on earlier exchanges."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from instrument import ROOT
from irqscope.acquire.calibrate import calibrate
from irqscope.acquire.plan import BATCH_S, Plan
from irqscope.acquire.session import Session
from irqscope.experiment import load
from irqscope.link.messages import ECHO
from irqscope.targets import open_target

HISTORIES = 6


def talk(chance: random.Random) -> Iterator[dict[str, int]]:
    """Some requests whose zeros, and so the time that decoding them takes, are drawn."""
    for _ in range(chance.randrange(3)):
        yield {
            field.name: chance.getrandbits(64)
            & sum(chance.choice((0, 0xFF << 8 * byte)) for byte in range(8))
            for field in ECHO.request
        }


@pytest.mark.parametrize("target", ["twin:functional", "twin:a53", "twin:a9"])
def test_a_calibration_knows_nothing_of_what_was_said_before(target: str) -> None:
    """A request, or a calibration, after another finds trained predictors."""
    chance = random.Random(1)
    experiment = load(ROOT / "experiments/horst2020/t2.toml", count=4)
    opened = open_target(target)
    try:
        session = Session(opened.link, opened.deviation)
        identity = session.identity
        session.raise_baud()
        plan = Plan(experiment, identity.machine, identity.tick_hz, BATCH_S, identity.counter_hz)
        collected = []
        for _ in range(HISTORIES):
            for words in talk(chance):
                opened.link.request(ECHO, **words)
            collected.append(calibrate(session, plan, None, lambda _: None))
    finally:
        opened.close()
    assert collected == HISTORIES * collected[:1]
