"""Latencies in RTL simulation: exact, and those of the paper where it prints them."""

import pytest

from irqscope.acquire import calibrate
from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope_rtl.cores import ROOT

pytestmark = pytest.mark.usefixtures("remembered")
EXPERIMENTS = ROOT / "experiments" / "cv32rt"
TARGET = "rtl:cv32e40p"
CLIC = "rtl:cv32e40p-clic"
X, X_CLIC = "rtl:cv32e40x", "rtl:cv32e40x-clic"
#: Cycles of each channel, by experiment. Bus, execution, decode; back to back from decode to
#: execution, and within either.
CYCLES = {
    "clint": (33, 33, 32),
    "clint-e": (24, 24, 23),
    "clint-least": (8, 8, 7),
    "back-to-back": (68, 67, 67),
    "back-to-back-e": (50, 49, 49),
}
#: The CLIC alone. The table's entry in execution and decode, the handler in execution, on the
#: bus; back to back from decode to the entry in execution, in decode, to the handler in execution.
CALLED = {
    "nxti": (42, 41, 44, 44),
    "jalnxti": (35, 34, 37, 37),
    "nxti-back-to-back": (17, 16, 19),
    "jalnxti-back-to-back": (8, 7, 10),
}
#: The same of a core that saves registers itself.
FASTIRQ = "rtl:cv32e40p-fastirq"
CV32RT = "rtl:cv32rt"
SAVED_BY_CORE = {
    "fastirq": (6, 6, 5),
    "back-to-back-fastirq": (41, 40, 40),
    "emret": (8, 7, 7),
    "clint": (33, 33, 32),
}
#: The same files on a core of another pipeline, by its own side of the CLIC.
X_CYCLES = {
    "clint": (29, 29, 28),
    "clint-e": (20, 20, 19),
    "back-to-back": (56, 55, 55),
    "back-to-back-e": (38, 37, 37),
}
X_CALLED = (34, 33, 36, 36)
#: Least and most of a context switch, from decode to execution, in decode, and from one task's
#: marker to the other's. A CLIC changes nothing of it.
PENDED = ((176, 177), (175, 176), (201, 201))
SAVED = ((154, 155), (153, 154), (179, 179))
SWITCHES = [
    ("switch", TARGET, ((195, 196), (194, 195), (220, 220))),
    ("switch-pended", TARGET, PENDED),
    ("switch-pended", CV32RT, PENDED),
    ("switch-fastirq", FASTIRQ, SAVED),
    ("switch-fastirq", CV32RT, SAVED),
]
#: Least and most of a line that comes beside a handler, and cores: by mie, by the levels of a CLIC.
NESTED = [
    ("nested", TARGET, 33, 100),
    ("nested", CLIC, 33, 70),
    ("nested", X_CLIC, 29, 60),
    ("nested-fastirq", FASTIRQ, 6, 50),
    ("nested-fastirq", CV32RT, 6, 40),
]


#: Left to `make soak`, and why: in `make test` each experiment runs on one core, and each core has
#: an experiment of each kind.
SOAK = {
    ("back-to-back", CLIC): "on cv32e40p; the CLIC's own back to back are nxti's",
    ("clint-least", CLIC): "on cv32e40p; a frame is the firmware's",
    ("clint-e", CLIC): "on cv32e40p; a frame is the firmware's",
    ("back-to-back-e", CLIC): "on cv32e40p; a frame is the firmware's",
    ("clint", FASTIRQ): "on cv32e40p, whose pipeline this is; the core's own saving is fastirq's",
    ("emret", CV32RT): "on cv32e40p-fastirq, whose return this is",
    ("clint-e", X): "on cv32e40p; of this pipeline clint and back-to-back",
    ("back-to-back-e", X): "on cv32e40p; of this pipeline clint and back-to-back",
    ("clint", X_CLIC): "on cv32e40x; as an edge it runs on this core, too",
    ("back-to-back", X_CLIC): "on cv32e40x",
    ("clint-e", X_CLIC): "on cv32e40p; a frame is the firmware's",
    ("back-to-back-e", X_CLIC): "on cv32e40p; a frame is the firmware's",
    ("switch-pended", CV32RT): "on cv32e40p; a CLIC changes nothing of it",
    ("switch-fastirq", FASTIRQ): "on cv32rt; a CLIC changes nothing of it",
    ("nested", X_CLIC): "on cv32e40p-clic, whose levels these are",
    ("nested-fastirq", FASTIRQ): "on cv32rt, with levels",
}


def rows(*every):
    """Experiment, target and expected result, with a mark on those of SOAK."""
    return [pytest.param(*row, marks=pytest.mark.soak if row[:2] in SOAK else ()) for row in every]


@pytest.fixture(autouse=True)
def brief_calibration(monkeypatch):
    """Few rounds of each step, as these tests examine the results after calibration.

    Whole ones are taken of a core in test_suite.py, of a kernel in test_placement.py.
    """
    for often in ("LOOPBACK_PULSES", "REPETITIONS"):
        monkeypatch.setattr(calibrate, often, 4)


def run(name, folder, target=TARGET, **changes):
    return measure(load(EXPERIMENTS / f"{name}.toml", **changes), target, folder)


EXACT = [
    *((name, target, cycles) for name, cycles in CYCLES.items() for target in (TARGET, CLIC)),
    *((name, CLIC, cycles) for name, cycles in CALLED.items()),
    *((name, FASTIRQ, cycles) for name, cycles in SAVED_BY_CORE.items()),
    *((name, CV32RT, SAVED_BY_CORE[name]) for name in ("fastirq", "emret")),
    *((name, target, cycles) for name, cycles in X_CYCLES.items() for target in (X, X_CLIC)),
    ("nxti", X_CLIC, X_CALLED),
]


def test_what_is_left_to_the_soak_test_has_its_experiment_and_its_core_here():
    every = {(name, target) for name, target, *_ in (*EXACT, *SWITCHES, *NESTED)}
    assert every >= SOAK.keys()
    here = every - SOAK.keys()
    assert {name for name, _ in here} == {name for name, _ in every}
    assert {target for _, target in here} == {target for _, target in every}


@pytest.mark.parametrize(("name", "target", "cycles"), rows(*EXACT))
def test_every_sample_takes_as_long(soft, tmp_path, name, target, cycles):
    """A vector of the CLIC takes as long as one of the CLINT."""
    result = run(name, tmp_path / "run", target, count=50)
    assert result.error is None
    record = result.run
    assert record.valid, record.reasons
    assert record.source.label.startswith(f"RTL simulation of {target.removeprefix('rtl:')} ")
    extremes = tuple((stats.min_ticks, stats.max_ticks) for stats in record.stats)
    assert extremes == tuple((exactly, exactly) for exactly in cycles)
    lost = 1 if "back-to-back" in name or name == "emret" else 0
    assert all(stats.n == 50 and stats.timed_out == lost for stats in record.stats)
    assert record.firmware.handled[0] == 50


@pytest.mark.parametrize(("name", "target", "cycles"), rows(*SWITCHES))
def test_a_kernel_switches_tasks(soft, tmp_path, name, target, cycles):
    """Switches there and back once a period. The kernel tick falls into some of the switches."""
    record = run(name, tmp_path / "run", target, count=12).run
    assert record.valid, record.reasons
    assert record.stack.name == record.experiment.stack
    assert ("CLIC" if target == CV32RT else "CLINT") in record.stack.configuration
    assert tuple((stats.min_ticks, stats.max_ticks) for stats in record.stats) == cycles
    assert [stats.n for stats in record.stats[:2]] == [2 * record.stats[2].n + 2] * 2


@pytest.mark.parametrize(("name", "target", "least", "most"), rows(*NESTED))
def test_a_handler_that_nests_lets_the_line_in(soft, tmp_path, name, target, least, most):
    """A timer tick delays the line by less than its handler takes, and the core counts that."""
    record = run(name, tmp_path / "run", target, count=60).run
    assert record.valid, record.reasons
    assert record.stack.nests
    assert record.firmware.nested > 20
    assert record.stats[0].min_ticks == least
    assert least < record.stats[0].max_ticks < most


@pytest.mark.parametrize("target", [TARGET, CLIC])
def test_a_handler_that_does_not_nest_keeps_the_line_out(soft, tmp_path, target):
    record = run("nested-never", tmp_path / "run", target, count=60).run
    assert record.valid, record.reasons
    assert not record.stack.nests and not record.firmware.nested
    assert record.stats[0].min_ticks == 33
    assert record.stats[0].max_ticks > 300


def test_a_stack_that_nests_with_nothing_to_interrupt_is_not_valid(soft, tmp_path):
    """Its samples are those of a line that met no handler: they say nothing of nesting."""
    record = run("clint", tmp_path / "run", CLIC, count=5, stack="nested").run
    reason = 'the stack "nested" says that a handler can be interrupted, and none was: there was no'
    assert not record.valid
    assert record.reasons[0].startswith(reason)


def test_another_core_runs_the_same_file(soft, tmp_path):
    record = run("clint", tmp_path / "run", "rtl:ibex", count=50).run
    assert record.valid, record.reasons
    assert record.source.label.startswith("RTL simulation of ibex 0.")
    assert [(stats.min_ticks, stats.max_ticks) for stats in record.stats] == [(45, 45)] * 3


@pytest.mark.parametrize(
    ("name", "target", "cycles"),
    [
        ("clint", CLIC, 33),
        ("nxti", CLIC, 42),
        ("clint", X_CLIC, X_CYCLES["clint"][1]),
        ("nxti", X_CLIC, X_CALLED[0]),
    ],
)
def test_an_edge_is_served_by_being_taken(soft, tmp_path, name, target, cycles):
    """The vector, or a read of mnxti, clears it: one handler an edge, as early as for a level."""
    record = run(name, tmp_path / "run", target, count=20, trigger="rising edge").run
    assert record.valid, record.reasons
    execution = next(s for s in record.stats if s.min_ticks == cycles)
    assert (execution.max_ticks, execution.n) == (cycles, 20)
    assert record.firmware.handled[0] == 20


@pytest.mark.parametrize(
    "target",
    [TARGET, *(pytest.param(t, marks=pytest.mark.soak) for t in (CLIC, X, "rtl:picorv32"))],
)
def test_skipping_changes_no_sample(soft, tmp_path, target):
    """The cores sleep by a gated clock, or by a wait that changes no state."""
    folders = [tmp_path / "skip", tmp_path / "all"]
    first, second = (
        run("clint", folder, how, count=5).run
        for folder, how in zip(folders, (target, f"{target}:no-skip"), strict=True)
    )
    assert first.valid and second.valid
    assert first.calibration == second.calibration is not None
    first, second = (
        [path.read_bytes() for path in sorted((folder / "samples").iterdir())] for folder in folders
    )
    assert first == second


def test_a_replay_is_labelled_as_one_of_the_recording(soft, tmp_path):
    recorded = tmp_path / "link"
    experiment = load(EXPERIMENTS / "clint.toml", count=10)
    first = measure(experiment, TARGET, tmp_path / "run", record=recorded).run
    second = measure(experiment, f"replay:{recorded}", tmp_path / "again").run
    assert second.valid
    assert second.source.label == f"replay of {recorded.name}: {first.source.label}"
