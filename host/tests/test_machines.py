"""Descriptions of machines: the generated files, and refusals."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest

from irqscope.errors import ExperimentError
from irqscope.experiment import Experiment
from irqscope.experiment.baseline import T2
from irqscope.experiment.checks import problems
from irqscope.experiment.load import check
from irqscope.experiment.machine import problems_of_machine
from irqscope.machines import export
from irqscope.machines.export import ROOT
from irqscope.machines.generated import MACHINES, ZYNQMP
from irqscope.machines.interrupts import interrupt_of, measurable, name_of
from irqscope.machines.known import kind_of
from irqscope.machines.load import DescriptionError, read, read_all
from irqscope.machines.stacks import StackOfMachines, stacks

pytestmark = pytest.mark.quick

SOURCES = export.sources()
OUTPUTS = export.outputs(SOURCES)


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_committed_output_is_what_the_descriptions_give(name):
    assert (ROOT / name).read_text(encoding="utf-8") == OUTPUTS[name], "run `make generated`"


def test_the_module_writes_every_output(tmp_path):
    subprocess.run([sys.executable, "-m", "irqscope.machines.export", tmp_path], check=True)
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert written == set(OUTPUTS)


def test_the_host_has_what_the_files_say():
    assert read_all(SOURCES) == list(MACHINES)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_the_compilers_see_the_same_numbers(tmp_path, machine):
    """Checks the place of each ID in C and in C++."""
    i = machine.interrupts
    ids = ", ".join(map(str, i.shared.ids))
    c = tmp_path / "check.c"
    c.write_text(
        '#include "description.h"\n'
        "static const unsigned char given[] = {MACHINE_SHARED_IDS};\n"
        "static const unsigned existing[] = {MACHINE_EXISTING_IDS};\n"
        f'_Static_assert(sizeof given == {len(i.shared.ids)}, "");\n'
        f'_Static_assert(sizeof existing == {i.ids // 8}, "");\n'
        f'_Static_assert(MACHINE_HAS_PRIVATE == {int(i.private is not None)}, "");\n'
        f'_Static_assert(MACHINE_FINISHED_ID == {i.finished}, "");\n'
        f'_Static_assert(MACHINE_FINISHED_OUTPUT == {i.shared.ids.index(i.finished)}, "");\n'
        "int main(void) { return given[0] + (int)existing[0]; }\n"
    )
    cpp = tmp_path / "check.cpp"
    cpp.write_text(
        '#include "machines.h"\n'
        f"namespace it = twin::machines::{machine.name};\n"
        f"static_assert(it::shared_ids == std::array<unsigned, {len(i.shared.ids)}>{{{ids}}});\n"
        f"static_assert(it::cores == {machine.cores.count});\n"
    )
    with c.open("a") as in_c, cpp.open("a") as in_cpp:
        if i.private is not None:
            in_c.write(f'_Static_assert(MACHINE_PRIVATE_ID == {i.private.id}, "");\n')
            in_cpp.write(f"static_assert(it::private_id == {i.private.id});\n")
        for board in machine.boards:
            name = board.name.replace("-", "_")
            in_cpp.write(f"static_assert(it::{name}_tick_hz == {board.tick_hz});\n")
    zig = [sys.executable, "-m", "ziglang"]
    flags = ["-Wall", "-Wextra", "-Werror", "-c", "-o", str(tmp_path / "it.o")]
    own = f"-I{ROOT}/fw/generated/{machine.name}"
    in_c = [*zig, "cc", "-target", "aarch64-freestanding-none", own, str(c)]
    assert compiles(*in_c, *flags)
    in_cpp = [*zig, "c++", "-std=c++20", f"-I{ROOT}/twin/engine/generated", str(cpp)]
    assert compiles(*in_cpp, *flags)


def compiles(*command):
    """Whether a compiler accepts it; its messages are in the test's output."""
    return subprocess.run(command, check=False).returncode == 0


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_background_interrupts_are_all_that_exist(machine):
    """But the measured one, the link's and the end of a batch."""
    i = machine.interrupts
    assert i.background == i.ids - len(i.absent) - 3


def test_names_of_interrupts():
    assert interrupt_of(ZYNQMP, "shared") == interrupt_of(ZYNQMP, "spi 121")
    assert interrupt_of(ZYNQMP, "private").id == 31
    assert interrupt_of(ZYNQMP, "software").name == "sgi 0"
    assert interrupt_of(ZYNQMP, "spi 136").output == 8
    assert [name_of(ZYNQMP, number) for number in (121, 31, 3, 143, 77)] == [
        "SPI 121", "PPI 31", "SGI 3", "SPI 143", "interrupt 77",
    ]  # fmt: skip
    with pytest.raises(ValueError, match='"spi 121" to "spi 128", "spi 136" to "spi 142"'):
        interrupt_of(ZYNQMP, "spi 143")


def test_a_name_has_one_kind_on_all_machines():
    """The name of an interrupt fixes its kind on every machine."""
    for machine in MACHINES:
        for item in measurable(machine):
            assert kind_of(item.name) == item.kind
            assert kind_of(item.kind) == item.kind
    assert kind_of("none") is None


#: A change of zynqmp.toml, and its error.
REFUSED = {
    "an unknown key": ('title = "Z', 'colour = "red"\ntitle = "Z', "colour: Extra inputs"),
    "a key that is missing": ("link = 53", "", "interrupts.link: Field required"),
    "a number in quotes": ("link = 53", 'link = "53"', "interrupts.link: Input should be a valid"),
    "an ID twice": ("link = 53", "link = 128", "interrupts: an ID is twice"),
    "an ID that is not there": ("ids = 192", "ids = 143", "interrupts: 143 is not below ids = 143"),
    "an ID that is used and absent": ("absent = [16,", "absent = [53,", "interrupts: 53 is absent"),
    "no output that finishes": ("finished = 143", "finished = 120", "finished is one of"),
    "a state without a reason": (
        'l2 = "DC CISW"\n', "", "unsupported.state: why is there no 'l2'?",
    ),
    "a reason too much": (
        "[pins]",
        '[unsupported.state]\nl2 = "none"\n[pins]',
        "unsupported.state: 'l2' is there, or is not a word",
    ),
    "stacks, which say themselves": (
        "clock_divisor = 63", 'stack = ["nested"]\nclock_divisor = 63',
        "has.stack: a stack says itself for which machines it is (fw/stacks/NAME/stack.mk)",
    ),
    "a reason of no key": (
        "[pins]",
        '[unsupported.taste]\nl2 = "no"\n[pins]',
        "unsupported.taste: no such",
    ),
    "a word of no experiment": ('"spin"]', '"spin", "doze"]', "has.idle.2: Input should be"),
    "a board's number twice": ("number = 3", "number = 2", "boards: two of them have one name"),
    "a twin's number twice": ('"a53"\nnumber = 2', '"a53"\nnumber = 1', "twins: two of them"),
    "another UART": ("finished", "uarts = [54]\nfinished", "interrupts: link is one of the uarts"),
    "a number that says none": ("number = 3", "number = 0", "boards.2.number: Input should be"),
    "another name": ('name = "zynqmp"', 'name = "other"', "name: it is 'other'; the file has"),
    "no TOML": ("[cores]", "[cores", "Expected ']' at the end"),
}  # fmt: skip


@pytest.mark.parametrize("change", REFUSED)
def test_a_description_that_does_not_hold_is_refused_in_one_line(tmp_path, change):
    old, new, output = REFUSED[change]
    text = (ROOT / "machines" / "zynqmp.toml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "zynqmp.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert output in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_machines_have_two_numbers(tmp_path):
    text = (ROOT / "machines" / "zynqmp.toml").read_text(encoding="utf-8")
    (tmp_path / "zynqmp.toml").write_text(text)
    (tmp_path / "again.toml").write_text(text.replace('name = "zynqmp"', 'name = "again"'))
    with pytest.raises(DescriptionError, match="number: another machine has 1, too"):
        read_all(sorted(tmp_path.glob("*.toml")))


@pytest.mark.parametrize(
    "machine", [m for m in MACHINES if m.boards and not m.rtl], ids=lambda machine: machine.name
)
def test_the_shell_says_the_number_of_its_machine(machine):
    shell = (ROOT / "ip" / f"irqscope_{machine.name}.v").read_text(encoding="utf-8")
    assert re.findall(r"MACHINE = 8'd(\d+);", shell) == [str(machine.number)]


def test_each_profile_of_the_twin_is_one_of_its_machine():
    profiles = [tomllib.loads(p.read_text()) for p in (ROOT / "twin/profiles").glob("*.toml")]
    named = {(profile["machine"], profile["profile"]) for profile in profiles}
    reported = {(machine.name, twin.profile) for machine in MACHINES for twin in machine.twins}
    assert named <= reported
    of_zynqmp = {profile for machine, profile in named if machine == "zynqmp"}
    assert of_zynqmp == {"functional", "a53", "m4"}


# ---- a machine that lacks something --------------------------------------------------------------

#: Two cores, no private interrupts, no L2, one placement, a few background interrupts.
SMALL = {
    'name = "zynqmp"': 'name = "small"',
    "number = 1 # in the": "number = 77 # in the",
    "count = 4\nname": "count = 2\nname",
    "background = 180": "background = 81",
    'l2 = "DC CISW"\n': "",
    '["wfi", "spin"]': '["spin"]',
    "clock_divisor = 63": "clock_divisor = 1",
    'markers = ["paper", "stages", "paper+stm", "stm+paper"]': 'markers = ["paper", "stages"]',
    'stm = "stm_event[39:32]"\n': "",
    "[unsupported.pages]": """[unsupported]
case.t6 = "each core would need a line of its own"
case.b-tmax = "it is T6"
placement.ocm = "nobody wired it"
state.l2 = "it has one level of caches"
idle.wfi = "its clock would stop"
markers."paper+stm" = "it has no trace unit"
markers."stm+paper" = "it has no trace unit"
interrupt.private = "no core has a line of its own"
clock_divisor."more than 1" = "its clock is fixed"

[unsupported.pages]""",
}  # fmt: skip
STACKS = {
    "baremetal": StackOfMachines(("zynqmp", "small"), ""),
    "standalone": StackOfMachines(("zynqmp", "small"), ""),
    "freertos": StackOfMachines(("zynqmp",), "nobody ported it"),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A machine that is made up, read from its description as any other."""
    text = (ROOT / "machines" / "zynqmp.toml").read_text(encoding="utf-8")
    for old, new in SMALL.items():
        assert old in text, old
        text = text.replace(old, new, 1)
    for table in ("[interrupts.private]", '[[placements]]\nname = "ocm"'):
        start = text.index(table)
        text = text[:start] + text[text.index("\n\n", start) + 1 :]
    path = tmp_path_factory.mktemp("machines") / "small.toml"
    path.write_text(text, encoding="utf-8")
    return read(path, STACKS)


LACKING = {
    "a case": ({"case": "t6"}, "case: small has no t6: each core would need a line of its own"),
    "a stack": ({"stack": "freertos"}, "stack: small has no freertos: nobody ported it"),
    "a placement": ({"placement": "ocm"}, "placement: small has no ocm: nobody wired it"),
    "a state": (
        {"case": "cache-state", "state": ["l1d", "l2"]},
        "state: small has no l2: it has one level of caches",
    ),
    "a way to idle": ({"idle": "wfi"}, "idle: small has no wfi: its clock would stop"),
    "a marker set": ({"markers": "paper+stm"}, "markers: small has no paper+stm: it has no trace"),
    "a kind of interrupt": (
        {"interrupt": "private", "trigger": "level"},
        "interrupt: small has no private: no core has a line of its own",
    ),
    "the same by the name of another machine": (
        {"interrupt": "ppi 31", "trigger": "level"},
        "interrupt: small has no private: no core has a line of its own",
    ),
    "a divided clock": ({"clock_divisor": 2}, "clock_divisor: small has no more than 1: its clock"),
    "so many cores": ({"case": "t6-spi", "cores": 3}, "cores: 3; small has 2"),
    "so many background interrupts": (
        {"case": "t4", "background": {"interrupts": 108}},
        "background.interrupts: 108; small has 81 besides the measured one",
    ),
}


@pytest.mark.parametrize("name", LACKING)
def test_what_a_machine_lacks_is_refused_with_its_reason(small, name):
    changes, output = LACKING[name]
    experiment = Experiment.model_validate(table(changes))
    assert not list(problems_of_machine(experiment, ZYNQMP))
    with pytest.raises(ExperimentError) as caught:
        check(experiment, small, small.tick_hz)
    assert f": {output}" in str(caught.value)
    assert str(caught.value).startswith("on this target, small with a clock of 250000000 Hz: ")


def table(changes):
    return T2.model_dump(mode="json", exclude_none=True) | {"idle": "spin"} | changes


def test_what_a_machine_has_is_not_refused(small):
    assert list(problems(Experiment.model_validate(table({})), small, small.tick_hz)) == []


# ---- what a stack says ---------------------------------------------------------------------------


def test_every_machine_has_or_lacks_every_stack_with_the_reason_that_the_stack_gives():
    expected = stacks(ROOT / "fw" / "stacks")
    named = {path.parent.name for path in (ROOT / "fw" / "stacks").rglob("stack.mk")}
    assert set(expected) == named
    for machine in MACHINES:
        unsupported = machine.unsupported["stack"]
        assert {*machine.has.stack, *unsupported} == named
        assert not {*machine.has.stack} & {*unsupported}
        assert unsupported == {name: expected[name].why for name in unsupported}


def test_stacks_of_one_name_are_one_stack(tmp_path):
    for folder, says in {
        "one": "MACHINES := a b\n",
        "of-c/one": "# c\nMACHINES := c\nWHY_NO_OTHER := it is so\nSTACK_SOURCES := x\n",
        "for-all": "STACK_SOURCES := x\n",
    }.items():
        path = tmp_path / folder / "stack.mk"
        path.parent.mkdir(parents=True)
        path.write_text(says)
    assert stacks(tmp_path) == {"one": StackOfMachines(("a", "b", "c"), "it is so")}


@pytest.mark.parametrize(
    ("machine", "stack", "reason"),
    [
        ("zynqmp", "nested", "its handlers nest by the CSRs of a RISC-V core"),
        ("soft", "nxti", "mnxti is a register of a CLIC"),
        ("clic", "freertos", "the kernel's port for RISC-V knows"),
        ("picorv32", "emret", "a core that saves registers itself"),
    ],
)
def test_what_no_program_can_be_built_for_is_refused_before_a_run(machine, stack, reason):
    actual = next(expected for expected in MACHINES if expected.name == machine)
    experiment = Experiment.model_validate(table({"stack": stack}))
    messages = [problem.text for problem in problems_of_machine(experiment, actual)]
    assert any(text.startswith(f"{machine} has no {stack}: {reason}") for text in messages)
