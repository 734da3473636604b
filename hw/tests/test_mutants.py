"""The mutator of the gateware: its changes, and their detection by tests."""

import ast

import pytest

from .. import mutants
from ..mutants import PACKAGE, components, concerned, passes, path_of

SOURCE = """
WIDTH = 4


class Counter(Component):
    def __init__(self):
        super().__init__({"more": In(1 + 2)})

    def elaborate(self, platform):
        m = Module()
        count = Signal(8 + 1)
        with m.If(self.more & ~self.stop):
            m.d.sync += [count.eq(Mux(count < 3, count + 1, 0)), self.full.eq(count.all())]
        return m
"""


def test_each_change_is_of_one_place_and_what_it_says():
    changes = mutants.mutants("counter", SOURCE)
    assert [(mutant.line, mutant.new.strip()) for mutant in changes if mutant.line == 12] == [
        (12, "with m.If(0):"),
        (12, "with m.If(self.more | ~self.stop):"),
        (12, "with m.If(self.more & self.stop):"),
    ]
    assert {mutant.new.strip().removeprefix("m.d.sync += ") for mutant in changes[3:]} == {
        "[[], self.full.eq(count.all())]",
        "[count.eq(Mux(count < 3, count + 1, 0)), []]",
        "[count.eq(Mux(count < 3, 0, count + 1)), self.full.eq(count.all())]",
        "[count.eq(Mux(count < 3, count + 1, 0)), self.full.eq(count.any())]",
        "[count.eq(Mux(count <= 3, count + 1, 0)), self.full.eq(count.all())]",
        "[count.eq(Mux(count < 3, count - 1, 0)), self.full.eq(count.all())]",
        "[count.eq(Mux(count < 3, count + 1, 1)), self.full.eq(count.all())]",
        "[count.eq(Mux(count < 4, count + 1, 0)), self.full.eq(count.all())]",
        "[count.eq(Mux(count < 3, count + 2, 0)), self.full.eq(count.all())]",
    }


@pytest.mark.parametrize("module", components())
def test_each_component_has_mutants_that_are_python_and_tests_that_name_it(module):
    assert concerned(module)
    source = (PACKAGE / path_of(module)).read_text()
    changes = mutants.mutants(module, source)
    assert len({mutant.source for mutant in changes} | {source}) > len(changes) > 3
    for mutant in changes:
        ast.parse(mutant.source)
        pairs = zip(source.splitlines(), mutant.source.splitlines(), strict=False)
        assert next(n for n, (was, now) in enumerate(pairs, 1) if was != now) == mutant.line


def test_a_mutant_that_tests_notice_does_not_pass_and_one_that_they_do_not_does():
    tests = [path for path in concerned("timebase") if path.parent.name == "tests"]
    changes = mutants.mutants("timebase", (PACKAGE / path_of("timebase")).read_text())
    assert passes(None, tests)
    assert not passes(changes[0], tests), changes[0]
    elsewhere = [path for path in concerned("routing") if path.parent.name == "tests"]
    assert passes(changes[0], elsewhere)
