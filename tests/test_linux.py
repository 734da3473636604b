"""The agent for Linux as a process of this computer, with simulated gateware.

The gateware runs by this computer's clock: real registers, real lines, real link.

How long an answer takes is this computer's business; what must hold is that nothing is lost or
counted twice, and that whatever dies is reported.
"""

from __future__ import annotations

import json
import os
import platform
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from instrument import ROOT, irqscope, record, samples
from irqscope.acquire.measure import measure
from irqscope.acquire.session import Session
from irqscope.errors import ExperimentError, LinkError, LinkErrorKind, TargetError
from irqscope.experiment import Experiment
from irqscope.experiment.load import check, load
from irqscope.link import messages
from irqscope.link.codec import request_values
from irqscope.link.messages import STACK, Pages
from irqscope.machines.cases import CaseId
from irqscope.machines.generated import ZYNQMP
from irqscope.machines.under_linux import (
    STAGE_TITLES,
    is_played,
    module_stages,
    under_linux,
)
from irqscope.machines.unsupported import lack
from irqscope.targets import open_target
from irqscope.targets.linux import SimulatedAgentTarget
from objects import once_a_run

HERE = f"build/fw-linux/irqscope-agent-{platform.machine()}"
BOARDS = "build/fw-linux/irqscope-agent-aarch64"
EXPERIMENT = "experiments/linux/uio-t2.toml"
STIMULI = 12
CASE = request_values(
    messages.CASE,
    **messages.PLAIN_CASE
    | {"case_id": CaseId.T1, "caches": 1, "interrupt": 121, "pages": Pages.PAGE_4K},
)


@pytest.fixture(scope="module", autouse=True)
def agents(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Both agents as `make agent` leaves them."""
    command = ["make", "--no-print-directory", "agent"]
    once_a_run(tmp_path_factory, "agent", lambda: subprocess.run(command, cwd=ROOT, check=True))


@contextmanager
def ending(process: subprocess.Popen[str]) -> Iterator[str]:
    """The port that a process prints; the process ends with the block."""
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["port"]
    finally:
        process.kill()
        process.communicate(timeout=60)


def process(*command: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@contextmanager
def served() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The simulated gateware, and its socket."""
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/gateware"
        gateware = process(sys.executable, "-m", "irqscope_twin", "--serve", place)
        with ending(gateware) as port:
            assert port == place
            yield gateware, place


@contextmanager
def started(place: str, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Starts an agent with it and returns HOST:PORT."""
    agent = process(HERE, "--simulation", place, "--priority", "0", *words)
    with ending(agent) as port:
        yield agent, port.removeprefix("socket://")


@contextmanager
def alone(*words: str) -> Iterator[tuple[subprocess.Popen[str], subprocess.Popen[str], str, str]]:
    """The gateware, an agent, HOST:PORT, and the socket between the two."""
    with served() as (gateware, place), started(place, *words) as (agent, port):
        yield gateware, agent, port, place


def test_t2_from_hello_to_the_run_folder(tmp_path):
    """A user without a board sees the whole path, labelled as a simulation."""
    folder = tmp_path / "run"
    completed = irqscope(
        "run", EXPERIMENT, "--target", "linux:simulated", "--count", STIMULI, "--out", folder
    )
    assert completed.returncode in (0, 3), completed.stderr  # censored where this computer was busy
    run = record(folder)
    assert run["source"]["target"] == "linux"
    assert run["source"]["profile"] is None
    assert run["source"]["label"].startswith("simulation of the gateware of kv260")
    assert "simulation of the gateware" in completed.stdout
    assert (run["stack"]["name"], run["stack"]["version"]) == ("uio", platform.release())
    facts = run["stack"]["configuration"]
    assert f"{platform.release()} {platform.machine()}" in facts
    for fact in ("PREEMPT_RT ", "governor ", "isolated ", "thread SCHED_OTHER", "IRQ affinity "):
        assert fact in facts
    command_line = Path("/proc/cmdline").read_text().strip()
    assert f"command line {command_line[:100]}" in facts
    (counters,) = run["counters"]
    assert counters["starts"] == STIMULI == counters["served"] + counters["timed_out"]
    assert counters["coalesced"] == counters["pending"] == 0
    assert run["firmware"]["handled_0"] == counters["stops"]
    latencies = samples(folder)["latency_ticks"].to_pylist()
    expected = [ticks for ticks in latencies if ticks is not None]
    assert len(expected) == counters["served"]
    # No thread is woken within 100 ns, and none was heard after its timeout.
    assert all(25 < ticks < 2_000_000 for ticks in expected)
    assert run["provenance"]["files"]["firmware"]["name"] == Path(HERE).name
    finished = irqscope("report", folder)
    assert finished.returncode == 0, finished.stderr


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"case": "t1", "caches": "off"}, "Linux keeps the caches on"),
        ({"warm_up": 8}, "write warm_up = 0"),
        ({"interrupt": "private"}, "a core's own interrupt stays with the kernel"),
        ({"trigger": "rising edge"}, 'write trigger = "level"'),
        ({"stack": "baremetal"}, 'write stack = "uio"'),
        ({"timer_tick": {"period": "1 ms"}}, "the timer tick is the kernel's"),
        ({"clock_divisor": 2}, "the clock is the kernel's"),
        ({"background": {}}, "add interrupts, or under Linux a program"),
        (
            {"background": {"program": "load", "period": "1 ms"}},
            "a program raises no background interrupts",
        ),
        (
            {"background": {"program": "load"}, "stack": "baremetal"},
            "a program runs under Linux alone",
        ),
        ({"markers": "stages", "channels.0.stop": "task"}, "has no such marker"),
    ],
)
def test_what_linux_cannot_do_is_refused_with_its_reason(changes, said):
    """The host refuses it before it sends anything to the board."""
    with pytest.raises(ExperimentError, match=re.escape(said)):
        check(load(ROOT / EXPERIMENT, **changes), under_linux(1), 249_999_998)


def test_an_interrupt_of_software_and_a_lockdown_are_refused_with_their_reasons():
    assert "(SGI)" in str(lack(under_linux(1), "interrupt", "software"))
    assert "locks nothing" in str(lack(under_linux(1), "lockdown", "tlb"))
    assert "no thread may empty them" in str(lack(under_linux(1), "state", "l2"))


def test_the_agent_of_the_boards_measures_under_emulation(tmp_path):
    """The very file that is copied to a board: AArch64, static."""
    emulator = shutil.which("qemu-aarch64")
    assert emulator is not None, "qemu-aarch64 is missing; install qemu-user"
    folder = tmp_path / "run"
    with SimulatedAgentTarget(agent=[emulator, BOARDS]) as target:
        experiment = load(ROOT / EXPERIMENT, count=4, markers="stages")
        measure(experiment, "linux:simulated", folder, opened=target)
    run = record(folder)
    assert f"{platform.release()} aarch64" in run["stack"]["configuration"]
    (counters,) = run["counters"]
    assert counters["starts"] == 4 == counters["served"] + counters["timed_out"]
    assert [reason for reason in run["reasons"] if "never made" in reason] == []
    for row in samples(folder).to_pylist():
        assert row["vector_ticks"] is None and row["task_ticks"] is None
        if row["done_ticks"] is not None and row["latency_ticks"] is not None:
            assert row["done_ticks"] > row["latency_ticks"] == row["handler_ticks"]
    assert (
        "no stage hard handler and no stage interrupt thread: the module irqscope_line does not "
        "drive the line (docs/linux.md)"
    ) in run["notes"]


def test_stages_in_the_kernel_come_before_the_thread(tmp_path):
    """Two threads stand for the handlers of the kernel's module, and the run says so."""
    folder = tmp_path / "run"
    # So long that no answer is late, even on a busy computer.
    times = {"lines.0.high": "90 ms", "lines.0.low": "90 ms", "channels.0.timeout": "80 ms"}
    with SimulatedAgentTarget(hooked=True) as target:
        experiment = load(ROOT / EXPERIMENT, count=6, markers="stages", **times)
        measure(experiment, "linux:simulated:hook", folder, opened=target)
    run = record(folder)
    (counters,) = run["counters"]
    assert counters["starts"] == 6 == counters["served"] + counters["timed_out"]
    assert [reason for reason in run["reasons"] if "never made" in reason] == []
    served = [row for row in samples(folder).to_pylist() if row["latency_ticks"] is not None]
    assert served
    for row in served:
        assert 0 < row["vector_ticks"] < row["task_ticks"] < row["handler_ticks"]
        assert row["handler_ticks"] == row["latency_ticks"]
    assert "module played: hard handler, interrupt thread" in run["stack"]["configuration"]
    played = "the hard handler and the interrupt thread are played by threads of the agent"
    assert played in run["notes"]
    page = irqscope("report", folder)
    assert page.returncode == 0, page.stderr
    text = (folder / "report.html").read_text()
    rows = [text.index(f"<td>{stage}</td>") for stage in STAGE_TITLES.values()]
    assert rows == sorted(rows)
    assert played in text


def test_what_the_module_marks_is_read_from_its_version():
    """The kernel's command line names no stage, and the host skips a name that it does not know."""
    facts = "6.1 aarch64, #1; PREEMPT_RT yes; module hard handler, interrupt thread; command line a"
    assert module_stages(facts) == ("vector", "task") and not is_played(facts)
    facts = "6.1 aarch64, #1; module hard handler, softirq; command line a"
    assert module_stages(facts) == ("vector",)
    for before in ("6.1 aarch64, #1", "6.1 aarch64, #1; module no"):
        facts = f"{before}; command line a; module played: hard handler"
        assert module_stages(facts) == () and not is_played(facts)
    source = (ROOT / "fw/module/irqscope_line.c").read_text()
    for version in ("irqscope_line: hard handler, interrupt thread", "irqscope_line: hard handler"):
        assert f'"{version}"' in source


@contextmanager
def beside(tmp_path: Path) -> Iterator[tuple[SimulatedAgentTarget, Path]]:
    """An agent that may start two programs, and the file in which one of them tells its processes.

    That one has a worker in a process group of its own; the other one fails.
    """
    file, script = tmp_path / "processes", tmp_path / "load.sh"
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import os, time\n"
        "os.setpgid(0, 0)\n"
        f"print(os.getpid(), file=open({str(file)!r}, 'a'), flush=True)\n"
        "time.sleep(600)\n"
    )
    script.write_text(f"{sys.executable} {worker} &\necho $$ >> {file}\nexec sleep 600\n")
    programs = (f"load=sh {script}", "broken=exit 5")
    with SimulatedAgentTarget(background=programs) as target:
        yield target, file


def processes(file: Path) -> list[int]:
    """Waits for the numbers of the load's two processes and returns them."""
    wait_until(lambda: file.exists() and file.read_text().count("\n") >= 2)
    return [int(number) for number in file.read_text().split()]


def is_alive(process: int) -> bool:
    """Whether a process has not ended; one that nobody has waited for has."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def under(program: str) -> Experiment:
    return load(ROOT / EXPERIMENT, count=4, **{"background.program": program})


def test_a_program_in_the_background_is_started_named_and_ended(tmp_path):
    """A run whose program fails, or is not on the agent's command line, is invalid."""
    with beside(tmp_path) as (target, file):
        alive = list[bool]()

        def look(*_: object) -> None:
            alive.extend(is_alive(process) for process in processes(file))

        name = "linux:simulated"
        measure(under("load"), name, tmp_path / "run", opened=target, watch=look)
        assert alive and all(alive)
        for program in ("broken", "rm"):
            measure(under(program), name, tmp_path / program, opened=target)
            assert not any(map(is_alive, processes(file)))
    run = record(tmp_path / "run")
    assert (
        f"; program load: sh {tmp_path}/load.sh; program broken: exit 5;"
        in (run["stack"]["configuration"])
    )
    assert run["experiment"]["background"]["program"] == "load"
    shown = irqscope("info", tmp_path / "run")
    assert "program load in the background: sh" in shown.stdout
    reasons = {program: record(tmp_path / program)["reasons"] for program in ("broken", "rm")}
    assert any("program 2 in the background has failed" in reason for reason in reasons["broken"])
    assert any("may not start rm; it may start load, broken" in r for r in reasons["rm"])


@pytest.mark.parametrize("end", ["killed", "left"])
def test_a_program_ends_with_its_agent_or_its_host(end, tmp_path):
    with beside(tmp_path) as (target, file):
        session = Session(target.link)
        session.prepare(CASE | {"background": 1})
        started = processes(file)
        assert all(map(is_alive, started))
        if end == "killed":
            os.kill(target.agent.pid, signal.SIGKILL)
        else:
            target.link.close()
        wait_until(lambda: not any(map(is_alive, started)))


def test_a_burst_a_throughput_and_a_loss_map_are_measured(tmp_path):
    """Their equations hold whatever this computer takes for an answer."""
    burst = {"lines.0.mode": "burst", "lines.0.high": "8 ms", "count": 6}
    phases = {"lines.0.high": "60 ms", "lines.0.low": "20 ms", "count": 3}
    cells = {"loss.widths": ["1 ms"], "loss.spacings": ["2 ms", "6 ms"], "count": 3}
    with SimulatedAgentTarget() as target:
        for name, changes in (("t2", burst), ("throughput", phases), ("loss", cells)):
            experiment = load(ROOT / f"experiments/linux/uio-{name}.toml", **changes)
            measure(experiment, "linux:simulated", tmp_path / name, opened=target)
    for name, starts in (("t2", 6), ("throughput", 3)):
        run = record(tmp_path / name)
        (counters,) = run["counters"]
        assert counters["starts"] == starts == counters["served"] + counters["timed_out"]
        # The line stays up, so the thread is woken again and again.
        assert run["firmware"]["handled_0"] == counters["stops"] > starts
    (throughput,) = record(tmp_path / "throughput")["throughput"]
    assert sum(throughput["stops"]) == counters["stops"]
    found = record(tmp_path / "loss")["loss"]["cells"]
    assert [cell["spacing_ticks"] for cell in found] == [499_995, 1_499_985]
    for cell in found:
        assert cell["pairs"] == 3
        assert cell["served"] + cell["coalesced"] + cell["lost"] == 6


@pytest.mark.parametrize("victim", ["agent", "gateware"])
def test_a_process_that_is_killed_is_named(victim):
    with SimulatedAgentTarget() as target:
        session = Session(target.link)
        process = target.gateware if victim == "gateware" else target.agent
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises((TargetError, LinkError)) as error:
            session.prepare(CASE)
    expected = "the agent died (signal 9" if victim == "agent" else "simulated gateware has ended"
    assert expected in str(error.value)


def test_a_thread_that_hangs_is_silence_and_then_goes_on():
    with SimulatedAgentTarget() as target:
        session = Session(target.link)
        target.link.hurry(0.3, 2)
        os.kill(target.agent.pid, signal.SIGSTOP)
        with pytest.raises(LinkError) as error:
            target.link.request(STACK)
        assert error.value.kind is LinkErrorKind.SILENT
        os.kill(target.agent.pid, signal.SIGCONT)
        assert session.identity.firmware_hash == Session(target.link).identity.firmware_hash


def test_a_killed_agent_leaves_gateware_that_the_next_one_can_use():
    with alone("--listen", "127.0.0.1:0") as (_, agent, port, socket):
        with open_target(f"linux:{port}") as target:
            hello = Session(target.link).identity
            Session(target.link).prepare(CASE)
        agent.kill()
        agent.communicate(timeout=60)
        with (
            started(socket, "--listen", "127.0.0.1:0") as (_, port),
            open_target(f"linux:{port}") as target,
        ):
            session = Session(target.link)
            assert session.identity == hello
            session.prepare(CASE)


def test_only_who_knows_the_token_is_answered(tmp_path):
    right, invalid = tmp_path / "right", tmp_path / "wrong"
    right.write_text("0123456789abcdef\n")
    invalid.write_text("0123456789abcdeF\n")
    with alone("--listen", "127.0.0.1:0", "--token", str(right)) as (_, agent, port, _socket):
        for target in (f"linux:{port}", f"linux:{port}:token={invalid}"):
            with pytest.raises(LinkError), open_target(target) as opened:
                opened.link.hurry(3.0, 1)
                Session(opened.link)
        with open_target(f"linux:{port}:token={right}") as opened:
            assert Session(opened.link).identity.is_linux
        agent.kill()
        assert "wrong token" in agent.communicate(timeout=60)[1]


def test_the_agent_refuses_to_start_with_one_line():
    refusals = {
        ("--listen", "0.0.0.0:0"): "needs --token FILE",
        ("--listen", "here"): "--listen takes ADDRESS:PORT",
        ("--listen", "127.0.0.1:0", "--cpu", "x"): "a number from 0 to 1023",
        ("--listen", "127.0.0.1:0", "--cpu", "1023"): "--cpu names a CPU",
        ("--listen", "127.0.0.1:0", "--token", "/nowhere"): "the token cannot be read",
        ("--background", "stress-ng"): "--background takes NAME=COMMAND",
        ("--background", "a=b; c"): "without a semicolon",
        ("--background", "a=b", "--background", "a=c"): "two programs of one name",
    }
    with served() as (_, socket):
        for words, message in refusals.items():
            command = [HERE, "--simulation", socket, "--priority", "0", *words]
            finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
            assert finished.returncode == 2
            assert (
                finished.stderr.startswith("irqscope-agent: ") and finished.stderr.count("\n") == 1
            )
            assert message in finished.stderr


def test_without_the_overlay_the_agent_says_what_is_missing():
    finished = subprocess.run([HERE], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert finished.returncode == 2
    assert "load the overlay" in finished.stderr and "irqscope-port" in finished.stderr


def test_a_uio_device_alone_and_a_missing_agent_are_refused():
    with pytest.raises(TargetError, match="a UIO device alone cannot be measured"):
        open_target("linux:uio=/dev/uio0")
    with pytest.raises(TargetError, match="say linux:HOST:PORT"):
        open_target("linux:nowhere")
    with pytest.raises(TargetError, match="say linux:HOST:PORT"):
        open_target("linux:127.0.0.1:99999")
    with pytest.raises(LinkError, match="ssh -L"):
        open_target("linux:127.0.0.1:9")


def test_the_overlay_names_each_line_as_the_agent_looks_for_it(tmp_path):
    """Compiles with dtc without a warning and decompiles; Linux gets all driven lines."""
    package = runpy.run_path(str(ROOT / "scripts/linux/package.py"))
    blob = tmp_path / "irqscope.dtbo"
    package["compile_overlay"](blob)
    command = ["dtc", "-I", "dtb", "-O", "dts", str(blob)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    named = re.findall(
        r'linux,uio-name = "(irqscope-(?:line-\d|finished))";.*?interrupts = <0x00 (0x\w+) 0x04>;',
        text,
        re.DOTALL,
    )
    reported = {name: int(number, 16) + 32 for name, number in named}
    shared = ZYNQMP.interrupts.shared.ids
    assert reported == {f"irqscope-line-{n}": shared[n] for n in range(8)} | {
        "irqscope-finished": 143
    }
    assert 'linux,uio-name = "irqscope-port";' in text
    # The module drives the measured line where it was loaded first, and needs the port.
    assert len(re.findall(r"irqscope,line\b.{1,4}generic-uio", text)) == 1
    (port,) = re.findall(r"irqscope,port = <(0x0*[1-9a-f]\w*)>", text)
    assert re.search(rf"irqscope-port@ff0a0000 {{[^}}]*phandle = <{port}>;", text)
    module = (ROOT / "fw/module/irqscope_line.c").read_text()
    assert '"irqscope,line"' in module and '"irqscope,port"' in module
    assert "reg = <0x00 0xff0a0000 0x00 0x1000>;" in text
    assert "assigned-clock-rates = <0xee6b280>;" in text  # 250 MHz
    (pins,) = re.findall(r"gpios = <([^>]*)>", text)
    assert [int(word, 16) for word in pins.split()][::2] == list(range(78, 142))
    source = (ROOT / "fw/machine/linux/lines.c").read_text()
    for name in ("irqscope-port", "irqscope-finished", "irqscope-line-%d"):
        assert f'"{name}"' in source


def test_the_package_says_what_is_missing(tmp_path, monkeypatch):
    package = runpy.run_path(str(ROOT / "scripts/linux/package.py"))
    with pytest.raises(package["PackageError"], match="BOARD=pynqz2: give one of zcu102"):
        package["package"]("pynqz2")
    bitstream = tmp_path / "irqscope.bit"
    with pytest.raises(package["PackageError"], match="make bitstream"):
        package["convert"](bitstream, tmp_path / "irqscope.bit.bin")
    bitstream.write_bytes(b"\0")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(package["PackageError"], match="bootgen is not in PATH"):
        package["convert"](bitstream, tmp_path / "irqscope.bit.bin")
