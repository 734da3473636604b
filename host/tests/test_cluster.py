"""Suites on a real Dask scheduler with worker processes, each with a fake twin."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from test_cli import Command, one_line
from test_suite import contents, edit, folder, out, record, states  # noqa: F401 - fixtures

from conftest import HERE
from irqscope.results.reader import read


class Cluster:
    """A scheduler and workers as a laboratory starts them."""

    def __init__(self, place: Path) -> None:
        self._file = place / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._scheduler = self._start("dask_scheduler", "--port", 0)
        end = time.monotonic() + 120
        while not self._file.exists() or not self._file.read_text().strip():
            assert time.monotonic() < end and self._scheduler.poll() is None
            time.sleep(0.1)
        self.address: str = json.loads(self._file.read_text())["address"]

    def worker(self, *options: object, environment: dict[str, str] | None = None, **fake) -> None:
        """Another worker; ``fake``: of its twins."""
        reported = {
            "PYTHONPATH": f"{HERE / 'fake'}{os.pathsep}{HERE}",
            "FAKE_TWIN": json.dumps(fake),
        }
        reported |= environment or {}
        settings = ("--nthreads", 1, "--no-nanny", *options)
        self.workers.append(
            self._start("dask_worker", *settings, environment=os.environ | reported)
        )

    def wait_for(self, workers: int) -> None:
        """Waits for this number of workers."""
        from distributed import Client

        end = time.monotonic() + 120
        with Client(self.address, timeout=60) as client:
            while len(client.scheduler_info()["workers"]) != workers:
                assert time.monotonic() < end
                time.sleep(0.05)

    def _start(self, program, *options, environment=None) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{program}"]
        command += ["--scheduler-file", self._file, "--no-dashboard", *options]
        command += ["--host", "127.0.0.1"]
        return subprocess.Popen(
            [*map(str, command)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def dismiss(self) -> None:
        """Ends the workers."""
        for process in self.workers:  # nobody waits for their farewells
            process.kill()
            process.wait(60)
        self.workers.clear()

    def close(self) -> None:
        self.dismiss()
        self._scheduler.kill()
        self._scheduler.wait(60)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    one = Cluster(tmp_path_factory.mktemp("cluster"))
    yield one
    one.close()


@pytest.fixture
def cluster(scheduler):
    """A scheduler without workers."""
    scheduler.wait_for(0)
    yield scheduler
    scheduler.dismiss()


def given(folder, out, cluster, *options):  # noqa: F811
    """The command."""
    where = ("--out", out, "--scheduler", cluster.address)
    return ("suite", folder, "--counts", "quick", *where, *options)


def run(*arguments):
    return Command(*given(*arguments))


def until(command, out, reached):  # noqa: F811
    """Waits until ``reached`` is true for the states of the suite's runs."""
    command.until(lambda: (out / "suite.json").exists() and reached(states(out).values()))


def test_a_cluster_runs_what_this_machine_does_and_a_dead_worker_is_named(
    irqscope, folder, out, fake_twin, cluster  # noqa: F811
):  # fmt: skip
    fake_twin()
    assert irqscope("suite", folder, "--out", folder / "here", "--no-card")[0] == 0
    for _ in range(2):
        cluster.worker(until=str(folder / "killed"))
    cluster.wait_for(2)
    command = run(folder, out, cluster)
    until(command, out, lambda found: set(found) == {"running"})
    cluster.workers[0].send_signal(signal.SIGKILL)
    (folder / "killed").touch()
    code, _, err = command.end()
    assert code == 0, err
    assert states(out) == {"t2": "valid", "level": "valid"}
    here, existing = contents(folder / "here"), contents(out)
    assert here == existing
    assert record(out)["order"] == ["t2", "level"]
    assert (out / "t2" / "report.html").exists() and (out / "card.html").exists()
    assert " is gone; it is run again" in " ".join(err.split())


def test_a_board_is_a_resource_of_a_worker(
    irqscope, folder, out, cluster, board  # noqa: F811
):  # fmt: skip
    cluster.worker()
    cluster.worker(
        "--resources", "zcu102=1", environment={"IRQSCOPE_ZCU102": board(source=0x101).port}
    )
    cluster.wait_for(2)
    code, _, err = irqscope(*given(folder, out, cluster, "--target", "board:zcu102", "--no-card"))
    assert code == 0, err
    assert {read(out / name).run.source.target for name in states(out)} == {"zcu102"}
    code, _, err = irqscope(*given(folder, out, cluster, "--target", "board:kv260"))
    assert code == 3 and "no worker has the board kv260; start one with" in one_line(err)


def test_ctrl_c_ends_the_runs_of_a_cluster_in_order(folder, out, cluster):  # noqa: F811
    text = (folder / "suite.toml").read_text().replace("count = 20", "count = 8000")
    (folder / "suite.toml").write_text(text)
    cluster.worker(batch_s=0.4)
    cluster.wait_for(1)
    command = run(folder, out, cluster, "--no-card")
    until(command, out, lambda found: "running" in found)
    command.process.send_signal(signal.SIGINT)
    code, _, err = command.end()
    assert code == 130, err
    assert "interrupted by Ctrl-C" in one_line(err)
    assert set(states(out).values()) <= {"interrupted", "waiting", "valid"}


def test_what_ctrl_c_left_of_a_cluster_goes_on(folder, out, cluster):  # noqa: F811
    for few in ("count = 20", "count = 30"):  # either may come first
        edit(folder / "suite.toml", few, "count = 1000")
    cluster.worker(batch_s=0.4)
    cluster.wait_for(1)
    command = run(folder, out, cluster, "--no-card")
    until(command, out, lambda found: set(found) == {"valid", "running"})
    command.process.send_signal(signal.SIGINT)
    code, _, err = command.end()
    assert code == 130, err
    left = states(out)
    assert sorted(left.values()) == ["interrupted", "valid"]
    code, _, err = run(folder, out, cluster, "--no-card").end()
    assert code == 0, err
    assert "it ended early: interrupted; moved to" in " ".join(err.split())
    assert states(out) == {"t2": "valid", "level": "valid"}
    stored = {name: item["kept"] for name, item in record(out)["items"].items()}
    assert stored == {name: state == "valid" for name, state in left.items()}
    assert all(read(out / name).samples().num_rows == 1000 for name in left)


def test_a_scheduler_that_does_not_answer_or_has_no_worker_is_one_line(
    irqscope, folder, out, cluster, monkeypatch  # noqa: F811
):  # fmt: skip
    monkeypatch.setattr("irqscope.campaign.suite.cluster.ANSWER_S", 0.5)
    requested = ("suite", folder, "--out", out, "--scheduler")
    code, _, err = irqscope(*requested, "tcp://127.0.0.1:9")
    assert code == 3 and "no scheduler answers at tcp://127.0.0.1:9" in one_line(err)
    code, _, err = irqscope(*requested, "nonsense://x")
    assert code == 3 and "no scheduler answers at nonsense://x" in one_line(err)
    code, _, err = irqscope(*requested, cluster.address)
    assert code == 3 and "has no worker; start some with `dask worker`" in one_line(err)
    code, _, err = irqscope(*requested, cluster.address, "--jobs", 2)
    assert code == 2 and "the scheduler decides how many workers there are" in one_line(err)


def test_a_worker_of_another_version_is_named(
    irqscope, folder, out, cluster, tmp_path  # noqa: F811
):  # fmt: skip
    old = "import irqscope\nirqscope.__version__ = '0.0.9'\n"
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(old)
    places = (tmp_path / "site", HERE / "fake", HERE)
    cluster.worker(environment={"PYTHONPATH": os.pathsep.join(map(str, places))})
    cluster.wait_for(1)
    code, _, err = irqscope(*given(folder, out, cluster))
    assert (
        code == 3
        and f" has irqscope 0.0.9, here is {version('irqscope')}; install the same" in one_line(err)
    )


# ---- who can reach it --------------------------------------------------------------------------

MANUAL = Path(__file__).parents[2] / "docs" / "suites.md"


def documented(program: str, scheme: str) -> list[str]:
    """Words of the manual's command that starts ``program``, after its name."""
    section = MANUAL.read_text(encoding="utf-8").partition("## On many machines")[2]
    lines = re.findall(rf"^    dask {program} (.*)$", section, re.MULTILINE)
    (line,) = (each for each in lines if ("tls" in each) == (scheme == "tls"))
    return shlex.split(line)


class Documented:
    """Scheduler and worker by the manual's commands, but at ports that are free."""

    def __init__(self, place: Path, scheme: str, **environment: str) -> None:
        self.place, self._environment = place, os.environ | environment
        self._processes: list[subprocess.Popen[bytes]] = []
        actual = place / "scheduler.json"
        self._start("scheduler", scheme, "--port", "0", "--scheduler-file", str(actual))
        until_it_holds(lambda: actual.exists() and actual.read_text().strip())
        self.address: str = json.loads(actual.read_text())["address"]
        self._start("worker", scheme)

    def _start(self, program: str, scheme: str, *more: str) -> None:
        words = documented(program, scheme)
        if program == "worker":
            words[0] = self.address
        existing = {"HOST": "127.0.0.1", "HERE": "127.0.0.1", "127.0.0.1:8787": "127.0.0.1:0"}
        words = [existing.get(word, word) for word in words]
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *words, *more]
        self._processes.append(
            subprocess.Popen(
                command,
                env=self._environment,
                cwd=self.place,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )

    def listening(self) -> set[str]:
        """Addresses on which these processes and their children listen, as /proc has them."""
        sessions = {process.pid for process in self._processes}
        sockets = set()
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.getsid(int(entry.name)) in sessions:
                    sockets |= {str(link.readlink()) for link in (entry / "fd").iterdir()}
        unique = set()
        for table in ("tcp", "tcp6"):
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                _, local, _, state, *_, inode = line.split()[:10]
                if state == "0A" and f"socket:[{inode}]" in sockets:
                    unique.add(local)
        return unique

    def close(self) -> None:
        for process in self._processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)


def until_it_holds(condition) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_the_documented_commands_listen_on_this_machine_alone(tmp_path):
    one = Documented(tmp_path, "tcp")
    try:
        # The scheduler and its dashboard; a worker, its dashboard and who looks after it.
        until_it_holds(lambda: len(one.listening()) >= 5)
        assert {local.partition(":")[0] for local in one.listening()} == {"0100007F"}
    finally:
        one.close()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl (package openssl)")
def test_with_tls_only_who_has_a_key_of_the_authority_reaches_the_scheduler(
    irqscope, folder, out, tmp_path  # noqa: F811
):  # fmt: skip
    section = MANUAL.read_text(encoding="utf-8").partition("in `~/.config/dask/irqscope.yaml`")[2]
    lines = re.search(r"(?:^    .*\n)+", section, re.MULTILINE)
    assert lines is not None
    (tmp_path / "dask").mkdir()
    text = re.sub("^    ", "", lines[0], flags=re.MULTILINE)
    text = text.replace("/etc/irqscope", str(tmp_path))
    (tmp_path / "dask" / "irqscope.yaml").write_text(text)
    authority(tmp_path)
    content = {
        "DASK_CONFIG": str(tmp_path / "dask"),
        "PYTHONPATH": f"{HERE / 'fake'}{os.pathsep}{HERE}",
        "FAKE_TWIN": "{}",
    }
    one = Documented(tmp_path, "tls", **content)
    try:
        assert one.address.startswith("tls://")
        suite = ("suite", folder, "--counts", "quick", "--no-card", "--only", "t2")
        words = (*suite, "--out", out, "--scheduler", one.address)
        command = [str(Path(sys.executable).parent / "irqscope"), *map(str, words)]
        until_it_holds(lambda: len(one.listening()) >= 5)  # before that each command is in vain
        until_it_holds(
            lambda: subprocess.run(command, env=os.environ | content, check=False).returncode == 0
        )
        code, _, err = irqscope(*suite, "--out", out / "no-key", "--scheduler", one.address)
        assert code == 3
        assert f"Dask has no certificate and key for {one.address}; give them" in one_line(err)
        authority(tmp_path)  # another one, which the scheduler does not know
        process = subprocess.run(
            command,
            env=os.environ | content,
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert process.returncode == 3 and "no scheduler answers at tls://" in process.stderr
    finally:
        one.close()


def authority(place: Path) -> None:
    """An authority, and a key with a certificate of it."""
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    ca = ["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority"]
    own = ["-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=127.0.0.1"]
    own += ["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "basicConstraints=CA:FALSE"]
    for words in (ca, own):
        subprocess.run([*new, *words], cwd=place, check=True, capture_output=True, timeout=60)
