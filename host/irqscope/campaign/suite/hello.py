"""Identifies the targets of a suite, and their stacks."""

from __future__ import annotations

from irqscope.acquire.session import Session
from irqscope.campaign.suite.load import Loaded
from irqscope.campaign.suite.resume import Answering
from irqscope.errors import TargetError
from irqscope.experiment.stack import Stack
from irqscope.link.identity import Identity
from irqscope.targets import open_target
from irqscope.targets.process import Say, unsaid


def wanted_stacks(loaded: Loaded, target: str) -> dict[str, set[str]]:
    """Returns the stacks needed on each target, or all of the suite if no item names one."""
    stacks: dict[str, set[str]] = {}
    for chosen_alone in (True, False):
        targets = set(stacks)
        for entry in loaded.entries:
            name = entry.on(target)
            if name not in targets and (entry.name in loaded.chosen or not chosen_alone):
                stacks.setdefault(name, set()).add(entry.experiment.stack)
    return stacks


def ask(target: str, stacks: list[str], say: Say = unsaid) -> Answering:
    """Says hello to each stack that is wanted.

    One that a twin was not built with is passed over: each run that wants it says so. Raises
    TargetError if none of them is there.
    """
    answers: dict[str, tuple[Identity, Stack]] = {}
    failed: list[TargetError] = []
    for name in stacks:
        try:
            with open_target(target, stack=name, say=say) as opened:
                session = Session(opened.link, opened.deviation)
        except TargetError as error:
            failed.append(error)
            continue
        answers[session.stack.name] = session.identity, session.stack
    if not answers:
        raise failed[0]
    return Answering(answers)
