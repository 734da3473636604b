"""The command line: output of a good run, and one line, exit code and folder for each error."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from irqscope.cli.main import cli
from irqscope.link.messages import PROTOCOL_VERSION as SPOKEN
from irqscope.results.reader import read

HERE = Path(__file__).parent


def one_line(err):
    """The lines that are not progress: exactly one, without a traceback."""
    lines = [line for line in err.splitlines() if line.startswith("irqscope: ")]
    assert len(lines) == 1, err
    assert "Traceback" not in err
    return lines[0].removeprefix("irqscope: ")


def ended(folder):
    run = read(folder)
    assert not run.run.valid
    return run.run.ended


# ---- what works ------------------------------------------------------------------------------


def test_a_run_shows_one_table_and_where_the_results_are(irqscope, experiment, fake_twin, tmp_path):
    fake_twin()
    code, out, err = irqscope("run", experiment(), "--out", tmp_path / "run")
    assert code == 0
    for text in ("t2 on twin, functional timing", "N ", "2400", "min", "p50", "p99.9", "max"):
        assert text in out
    assert "N too small for p99.9, 7 s of target time more" in " ".join(out.split())
    assert "counters" in out and "calibration" in out and "valid" in out
    assert f"run folder: {tmp_path / 'run'}" in err
    assert f"report: {tmp_path / 'run' / 'report.html'}" in err
    assert (tmp_path / "run" / "report.html").exists()
    assert irqscope("report", tmp_path / "run")[:2] == (0, f"{tmp_path}/run/report.html\n")


def test_json_is_the_run_and_nothing_else(irqscope, experiment, board, tmp_path):
    path = tmp_path / "run"
    arguments = ("--target", board().port, "--count", 50, "--seed", 9, "--out", path, "--json")
    code, out, _ = irqscope("run", experiment(), *arguments)
    assert code == 0
    run = json.loads(out)
    assert (run["experiment"]["count"], run["experiment"]["seed"]) == (50, 9)
    assert json.loads((path / "run.json").read_text()) == run
    code, out, _ = irqscope("info", path, "--json")
    info = json.loads(out)
    assert (code, info["sample_rows"], info["cut_short"]) == (0, 50, False)


def test_repeats_are_runs_of_their_own(irqscope, experiment, board, tmp_path):
    path = experiment(("seed = 1", "seed = 1\nrepeats = 2"))
    arguments = ("--target", board().port, "--count", 20, "--out", tmp_path / "run")
    assert irqscope("run", path, *arguments)[0] == 0
    seeds = [read(tmp_path / "run" / name).run.experiment.seed for name in ("1", "2")]
    assert seeds == [1, 2]


def test_an_invalid_run_has_its_own_exit_code(irqscope, experiment, board, tmp_path):
    port = board(of_counters=(("starts", 1),)).port
    code, out, _ = irqscope(
        "run", experiment(), "--target", port, "--count", 50, "--out", tmp_path / "run"
    )
    assert code == 4
    assert "INVALID" in out and "counters disagree" in out
    assert ended(tmp_path / "run").reason == "complete"


def test_calibrate_measures_nothing_else(irqscope, experiment, board):
    code, out, _ = irqscope("calibrate", experiment(), "--target", board().port)
    assert code == 0
    for step in ("loop-back", "probe", "pending", "one-way path", "sampling grid of markers"):
        assert step in out
    code, out, _ = irqscope("calibrate", "--target", board().port, "--json")
    assert code == 0
    assert json.loads(out)["calibration"]["one_way"]["bound_ticks"] == 25


def test_ports_lists_in_json(irqscope):
    code, out, _ = irqscope("ports", "--json")
    assert code == 0
    assert isinstance(json.loads(out), list)


def test_a_board_on_another_machine(irqscope, experiment, board, tmp_path):
    """A pseudo-terminal served to a TCP port replaces a board at a terminal server."""
    import socket
    import threading

    from irqscope_fake.firmware import FakeFirmware

    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            firmware = FakeFirmware()
            with connection:
                while data := connection.recv(4096):
                    connection.sendall(firmware.receive(data))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        path = tmp_path / "run"
        code, _, err = irqscope("run", experiment(), "--target", url, "--count", 30, "--out", path)
        thread.join(5)
    assert code == 0, err
    assert read(path).run.link.baud == 115200  # not ours to raise there


# ---- what does not ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("count = ", "cuont = "), "cuont: unknown key; did you mean count?"),
        (("core = 0", "core = 7"), "core: input should be less than 4; it is 7"),
        (('high = "1 ms"', 'high = "1 ns"'), "lines[0].high: 0 ticks are too short"),
        (('timeout = "4 ms"', 'timeout = "6 ms"'), "do not fit line 0"),
        (
            ('timeout = "4 ms"', 'timeout = "4 ms"\n[[channels]]\ntimeout = "3 ms"'),
            "channels 0 and 1 both measure line 0 to handler core 0",
        ),
    ],
)
def test_a_bad_experiment_is_refused_before_anything_is_made(
    irqscope, experiment, tmp_path, change, said
):
    path = experiment(change)
    code, out, err = irqscope("run", path, "--out", tmp_path / "run")
    line = one_line(err)
    assert (code, out) == (2, "")
    assert said in line
    assert line.startswith(f"{path}:")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run",), "Missing argument 'EXPERIMENT|DIR'; see `irqscope run --help`"),
        (("run", "absent.toml"), "cannot read absent.toml (No such file or directory)"),
        (("run", "x.toml", "--count", "0"), "Invalid value for '--count'"),
        (("walk",), "No such command 'walk'"),
    ],
)
def test_a_wrong_command_line(irqscope, arguments, said):
    code, out, err = irqscope(*arguments)
    assert (code, out) == (2, "")
    assert said in one_line(err)


def test_a_folder_that_is_there_already(irqscope, experiment, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine").write_text("")
    code, _, err = irqscope("run", experiment(), "--out", tmp_path / "run")
    assert code == 2
    assert "is there already; name a new folder with --out" in one_line(err)


@pytest.mark.parametrize("command", ["report", "info"])
def test_no_run_folder(irqscope, tmp_path, command):
    code, _, err = irqscope(command, tmp_path)
    assert code == 5
    assert "is not a run folder" in one_line(err)


def test_a_port_that_does_not_exist(irqscope, experiment, tmp_path):
    code, _, err = irqscope(
        "run", experiment(), "--target", "/dev/ttyNONE", "--out", tmp_path / "run"
    )
    assert code == 3
    assert one_line(err) == "there is no port /dev/ttyNONE; `irqscope ports` lists those that exist"
    assert not (tmp_path / "run").exists()


def test_a_port_that_answers_nonsense(irqscope, experiment, board, impatient, tmp_path):
    port = board(lambda data: b"zynqmp login: \0").port
    code, _, err = irqscope("run", experiment(), "--target", port, "--out", tmp_path / "run")
    assert code == 3
    assert "bytes came, but no frame of irqscope" in one_line(err)
    assert ended(tmp_path / "run").reason == "link"


def test_a_port_that_does_not_answer(irqscope, experiment, board, impatient, tmp_path):
    port = board(lambda data: b"").port
    code, _, err = irqscope("run", experiment(), "--target", port, "--out", tmp_path / "run")
    assert code == 3
    assert "no answer to hello; is the board powered" in one_line(err)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"frame_version": 9}, f"the firmware speaks protocol version 9, this irqscope {SPOKEN}"),
        ({"protocol": 9}, f"the firmware speaks protocol version 9, this irqscope {SPOKEN}"),
        ({"version": 0x00010000}, "register map: target 0x1, this irqscope 0x2"),
        ({"magic": 0x12345678}, "magic: target 0x12345678, this irqscope 0x49525153"),
        ({"firmware_version": 3 << 16}, "firmware major version: target 0x3, this irqscope 0x0"),
        ({"built_for": 9}, "machine: the gateware is of zynqmp (1), the firmware of number 9"),
        ({"built_for": 2}, "the gateware is of zynqmp (1), the firmware of zynq7000 (2)"),
        ({"source": 0x017F, "built_for": 127}, "says that it is machine 127, unknown here"),
        ({"source": 0x0901}, "the target says that it is board 9, unknown here"),
        ({"source": 0x5_0101}, "the target says that it is profile 5, unknown here"),
        (
            {"refuse_protocol": True},
            f"the firmware refuses protocol version {SPOKEN}, that of",
        ),
        ({"wrong_gateware": True}, "the firmware found magic 0xdead version 0xbeef"),
    ],
)
def test_another_version_names_both_sides(irqscope, experiment, board, tmp_path, fault, said):
    port = board(**fault).port
    code, _, err = irqscope("run", experiment(), "--target", port, "--out", tmp_path / "run")
    line = one_line(err)
    assert code == 3
    assert said in line and "; " in line
    assert ended(tmp_path / "run").message == line


def test_a_twin_that_is_not_built(irqscope, experiment, fake_twin, tmp_path):
    fake_twin(refuse_to_start="no firmware at build/fw/irqscope.elf; run `make build`")
    code, _, err = irqscope("run", experiment(), "--out", tmp_path / "run")
    assert code == 3
    assert one_line(err).endswith("no firmware at build/fw/irqscope.elf; run `make build`")


def test_a_twin_that_stops_in_the_middle(irqscope, experiment, fake_twin, tmp_path):
    fake_twin(die_at_batch=3, complain="unknown address 0xdeadbeef at PC 0x1234")
    code, out, err = irqscope("run", experiment(), "--out", tmp_path / "run")
    assert code == 3
    assert one_line(err) == ("the twin died (exit code 3): unknown address 0xdeadbeef at PC 0x1234")
    assert "INVALID" in out
    assert ended(tmp_path / "run").reason == "target"
    assert read(tmp_path / "run").samples().num_rows == 800  # two batches


class Command:
    """The command line in a process of its own, for signals and limits."""

    def __init__(self, *arguments, limit=None, **options):
        environment = os.environ | {
            "PYTHONPATH": f"{HERE / 'fake'}{os.pathsep}{HERE}",
            "FAKE_TWIN": json.dumps(options),
        }
        program = "from irqscope.cli.main import main; main()"

        def prepare():
            # A test run in the background of a shell ignores Ctrl-C, and children inherit that.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if limit is not None:
                limit()

        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *map(str, arguments)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=prepare,
        )

    def until(self, reached):
        """Waits until ``reached()`` holds; the process has to go on until then."""
        end = time.monotonic() + 120
        while not reached():
            assert self.process.poll() is None and time.monotonic() < end
            time.sleep(0.02)

    def end(self):
        out, err = self.process.communicate(timeout=300)
        return self.process.returncode, out, err


def wait_for_flush(folder):
    """Waits for the first flush in the folder."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if (folder / "run.json").exists() and json.loads((folder / "run.json").read_text())[
            "flushes"
        ]:
            return
        time.sleep(0.05)
    raise AssertionError("no flush in 120 s")


def children(pid):
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def gone(pid):
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_ctrl_c_ends_after_the_batch(experiment, tmp_path):
    folder = tmp_path / "run"
    command = Command("run", experiment(), "--count", 8000, "--out", folder, batch_s=0.4)
    wait_for_flush(folder)
    command.process.send_signal(signal.SIGINT)
    code, out, err = command.end()
    assert code == 130
    assert "interrupted by Ctrl-C after" in one_line(err)
    run = read(folder)
    assert ended(folder).reason == "interrupted"
    assert run.samples().num_rows == run.run.stimuli > 0
    assert run.run.stimuli % 400 == 0  # whole batches
    assert (folder / "report.html").exists()


def test_a_second_ctrl_c_ends_at_once(experiment, tmp_path):
    """A batch that never ends by itself is under way."""
    folder, options = tmp_path / "run", {"batch_s": 1.5, "stall_at_batch": 2}
    command = Command("run", experiment(), "--count", 8000, "--out", folder, **options)
    wait_for_flush(folder)
    command.process.send_signal(signal.SIGINT)
    assert any("Ctrl-C again ends at once" in line for line in command.process.stderr)
    command.process.send_signal(signal.SIGINT)
    code, _, err = command.end()
    assert code == 130
    assert "interrupted by a second Ctrl-C" in one_line(err)
    assert ended(folder).reason == "interrupted"
    assert read(folder).samples().num_rows == 400


def test_kill_9_of_the_twin(experiment, tmp_path):
    folder = tmp_path / "run"
    command = Command("run", experiment(), "--count", 8000, "--out", folder, batch_s=0.4)
    wait_for_flush(folder)
    (twin,) = children(command.process.pid)
    os.kill(twin, signal.SIGKILL)
    code, _, err = command.end()
    assert code == 3
    assert one_line(err) == "the twin died (signal 9, SIGKILL); run again"
    assert ended(folder).reason == "target"
    assert read(folder).samples().num_rows == read(folder).run.stimuli > 0


def test_kill_9_of_the_host(irqscope, experiment, tmp_path):
    folder = tmp_path / "run"
    command = Command("run", experiment(), "--count", 8000, "--out", folder, batch_s=0.4)
    wait_for_flush(folder)
    (twin,) = children(command.process.pid)
    command.process.kill()
    command.end()
    assert gone(twin), "the twin outlived its host"
    run = read(folder)
    assert run.cut_short
    assert run.samples().num_rows >= run.run.stimuli > 0
    code, out, _ = irqscope("info", folder)
    assert code == 0
    assert "cut short: irqscope was killed" in out
    assert irqscope("report", folder)[0] == 0
    assert "cut short" in (folder / "report.html").read_text()


def test_a_full_disk(experiment, tmp_path):
    """A limit on file size replaces a full disk: the first part passes, a larger one does not."""
    folder = tmp_path / "run"

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 17, 1 << 17))

    fast = (
        ('high = "1 ms"', "high = 100"),
        ('low = "4 ms"', "low = 2000"),
        ('timeout = "4 ms"', "timeout = 1000"),
    )
    command = Command("run", experiment(*fast), "--count", 10**6, "--out", folder, limit=limit)
    code, _, err = command.end()
    assert code == 5
    line = one_line(err)
    assert line.startswith(f"cannot write {folder}/samples/part-000")
    assert "the disk is full or the file is over its limit; make room" in line
    assert ended(folder).reason == "storage"
    run = read(folder)
    assert run.samples().num_rows == run.run.counters[0].starts == run.run.stimuli > 0
    assert not list(folder.rglob(".*.new"))


def test_a_recording_that_cannot_be_written(irqscope, experiment, board, tmp_path):
    arguments = ("--target", board().port, "--record", tmp_path / "absent" / "file")
    code, _, err = irqscope("run", experiment(), "--out", tmp_path / "run", *arguments)
    assert code == 5
    assert "absent/file: No such file or directory; choose another place" in one_line(err)
    assert not (tmp_path / "run").exists()


def test_a_defect_is_one_line_and_a_file(irqscope, monkeypatch, experiment, board, tmp_path):
    def broken(*arguments, **options):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("irqscope.kinds.latency.acquisition.calibrate", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    arguments = ("--target", board().port, "--out", tmp_path / "run")
    code, _, err = irqscope("run", experiment(), *arguments)
    assert code == 1
    assert ended(tmp_path / "run").reason == "defect"
    line = one_line(err)
    assert "a defect of irqscope itself (ZeroDivisionError: division by zero)" in line
    assert "Traceback" in Path(line.rsplit(" ", 1)[1]).read_text()


def test_a_command_is_loaded_when_it_is_asked_for():
    heavy = "{'numpy', 'scipy', 'pyarrow', 'matplotlib', 'irqscope.cli.run'}"
    program = f"import sys, irqscope.cli.main; sys.exit(str({heavy} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert process.stderr == b"set()\n"


LIGHT = """
import sys
from importlib import import_module
from irqscope.cli import main
sys.argv = ["irqscope", "--help"]
try:
    main.main()
except SystemExit:
    pass
heavy = {"numpy", "scipy", "pydantic", "matplotlib", "pyarrow", "PyQt6"}
print(sorted(heavy & sys.modules.keys()), file=sys.stderr)
for module in main._MODULES.values():
    import_module(module)
heavy = {"scipy.stats", "matplotlib.pyplot"}
print(sorted(heavy & sys.modules.keys()), file=sys.stderr)
"""


def test_the_help_names_each_command_as_the_command_does_and_loads_none():
    process = subprocess.run(
        [sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True
    )
    assert process.stderr.splitlines() == ["[]", "[]"]
    context = click.Context(cli)
    listed = process.stdout.partition("Commands:\n")[2]
    for name in cli.list_commands(context):
        text = cli.get_command(context, name).get_short_help_str(60)
        assert re.search(rf"^  {name} +{re.escape(text.removesuffix('...')[:40])}", listed, re.M), (
            name
        )


def test_every_exit_code_is_in_the_help(irqscope):
    from irqscope.errors import ExitCode

    code, out, _ = irqscope("--help")
    assert code == 0
    for value in ExitCode:
        assert f"\n  {value:5}" in out or f" {value.value}  " in out


def test_twin_prints_its_port_and_ends_with_ctrl_c():
    command = Command("twin", "--json")
    lines = []
    while "}" not in lines:
        lines.append(command.process.stdout.readline().rstrip())
    port = json.loads("".join(lines))["port"]
    assert Path(port).exists()
    (twin,) = children(command.process.pid)
    command.process.send_signal(signal.SIGINT)
    code, _, err = command.end()
    assert code == 0
    assert "twin ended" in err
    assert gone(twin)
