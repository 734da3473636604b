"""Suites on a real Dask scheduler with worker processes, each with a fake twin."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
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
        told = {
            "PYTHONPATH": f"{HERE / 'fake'}{os.pathsep}{HERE}",
            "FAKE_TWIN": json.dumps(fake),
        }
        told |= environment or {}
        given = ("--nthreads", 1, "--no-nanny", *options)
        self.workers.append(self._start("dask_worker", *given, environment=os.environ | told))

    def wait_for(self, workers: int) -> None:
        """Until there are so many workers."""
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
    """Waits until ``reached`` holds of the states of the suite's runs."""
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
    here, there = contents(folder / "here"), contents(out)
    assert here == there
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
    kept = {name: item["kept"] for name, item in record(out)["items"].items()}
    assert kept == {name: state == "valid" for name, state in left.items()}
    assert all(read(out / name).samples().num_rows == 1000 for name in left)


def test_a_scheduler_that_does_not_answer_or_has_no_worker_is_one_line(
    irqscope, folder, out, cluster, monkeypatch  # noqa: F811
):  # fmt: skip
    monkeypatch.setattr("irqscope.suite.cluster.ANSWER_S", 0.5)
    asked = ("suite", folder, "--out", out, "--scheduler")
    code, _, err = irqscope(*asked, "tcp://127.0.0.1:9")
    assert code == 3 and "no scheduler answers at tcp://127.0.0.1:9" in one_line(err)
    code, _, err = irqscope(*asked, "nonsense://x")
    assert code == 3 and "no scheduler answers at nonsense://x" in one_line(err)
    code, _, err = irqscope(*asked, cluster.address)
    assert code == 3 and "has no worker; start some with `dask worker`" in one_line(err)
    code, _, err = irqscope(*asked, cluster.address, "--jobs", 2)
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
    assert code == 3 and " has irqscope 0.0.9, here is 0.1.0; install the same" in one_line(err)
