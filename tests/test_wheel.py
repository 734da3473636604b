"""A built wheel, installed without a checkout, measures the same as the checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from instrument import ROOT, irqscope, samples
from irqscope import cache

UV = Path(sys.executable).parent / "uv"
#: The first run compiles the twin, which takes minutes while other tests run.
SLOW_S = 2400
pytestmark = pytest.mark.timeout(2 * SLOW_S)


#: In front of a command: it reaches no network, not even this machine. Empty where nobody may.
CUT_OFF = ["unshare", "--net", "--map-root-user"]
if shutil.which(CUT_OFF[0]) is None or subprocess.run([*CUT_OFF, "true"], check=False).returncode:
    CUT_OFF = []


class Installed:
    """An environment with a wheel, a home and a working directory, none of them in the checkout."""

    def __init__(self, folder: Path) -> None:
        self.home, self.work, tools = (folder / name for name in ("home", "work", "tools"))
        self.env = tools / "irqscope"
        self.home.mkdir()
        self.work.mkdir()
        self.environment = {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "QT_QPA_PLATFORM": "offscreen",
            # Compiled as in the checkout: by `make soak` all of it again, else what is the same.
            "IRQSCOPE_CACHE": str(cache.folder() or ""),
            "ZIG_GLOBAL_CACHE_DIR": str(cache.compiler_folder()),
        }
        self.for_uv = {"UV_TOOL_DIR": str(tools), "UV_TOOL_BIN_DIR": str(folder / "bin")}

    def run(self, *command: object, front: list[str] = CUT_OFF) -> subprocess.CompletedProcess[str]:
        """Runs a program of the virtual environment without our environment variables."""
        program, *rest = command
        return subprocess.run(
            [*front, self.env / "bin" / str(program), *map(str, rest)],
            cwd=self.work,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=SLOW_S,
        )

    def irqscope(
        self, *args: object, front: list[str] = CUT_OFF
    ) -> subprocess.CompletedProcess[str]:
        process = self.run("irqscope", *args, front=front)
        assert process.returncode == 0, process.stdout + process.stderr
        return process


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the current build, packed as by `make wheel`."""
    folder = tmp_path_factory.mktemp("dist")
    command = [UV, "build", "--quiet", "--wheel", "--out-dir", folder]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel with its extras as a tool of uv, with the versions of the lock."""
    one = Installed(tmp_path_factory.mktemp("far"))
    subprocess.run(
        [
            *(UV, "tool", "install", "--quiet", "--python", sys.executable),
            *("-c", ROOT / "locks" / "test.txt"),
            f"irqscope[cores,app,dask] @ {wheel.as_uri()}",
        ],
        cwd=one.work,
        env={**os.environ, **one.for_uv},
        check=True,
        timeout=SLOW_S,
    )
    return one


def same_as_here(installed: Installed, here: Path, *args: object) -> str:
    """Runs the wheel's irqscope and the checkout's and compares each sample. Returns stderr."""
    result = installed.irqscope("run", *args, "--out", installed.work / here.name, "--json")
    assert irqscope("run", *args, "--out", here).returncode == 0
    assert json.loads(result.stdout)["valid"] is True
    assert samples(installed.work / here.name).equals(samples(here))
    return result.stderr


def test_an_installed_wheel_measures_t2_on_the_twin_and_compiles_it_once(installed, tmp_path):
    same_as_here(installed, tmp_path / "t2", "t2", "--count", 240)
    (products,) = (installed.home / ".cache" / "irqscope").iterdir()
    twin = products / "twin" / "irqscope-twin"
    built = twin.stat().st_mtime_ns
    same_as_here(installed, tmp_path / "again", "t2", "--count", 240, "--seed", 2)
    assert twin.stat().st_mtime_ns == built


def test_an_installed_wheel_measures_on_a_soft_core(installed, tmp_path):
    same_as_here(
        installed, tmp_path / "core", "cv32rt/clint", "--count", 24, "--target", "rtl:ibex"
    )


def test_an_installed_wheel_runs_a_suite_by_name_on_every_stack(installed):
    options = ["--only", "t2", "--only", "t2-standalone", "--only", "t2-freertos"]
    process = installed.irqscope("suite", "horst2020", *options, "--out", "suite", "--json")
    items = json.loads(process.stdout)["items"]
    assert {name for name, item in items.items() if item["state"] == "valid"} == set(options[1::2])


@pytest.mark.skipif(not CUT_OFF, reason="no namespace of the network for this user: unshare")
def test_what_ran_above_reached_no_network(installed):
    reach = "import socket; socket.create_connection(('127.0.0.1', 1), 5)"
    process = installed.run("python", "-c", reach)
    assert "Network is unreachable" in process.stderr, process.stderr


def test_the_extra_app_shows_the_window_and_dask_runs_a_suite(installed):
    installed.irqscope("app", "--check")
    where = ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
    scheduler = [installed.env / "bin/dask", "scheduler", "--port", "0", *where]
    about = {"cwd": installed.work, "env": installed.environment, "text": True}
    with subprocess.Popen(scheduler, stderr=subprocess.PIPE, **about) as serving:
        address = next(
            match[0] for line in serving.stderr if (match := re.search(r"tcp://\S+:[1-9]\d*", line))
        )
        worker = [installed.env / "bin/dask", "worker", address, "--nthreads", "1", *where]
        with subprocess.Popen(worker, stderr=subprocess.DEVNULL, **about) as working:
            try:
                options = ["--only", "t2", "--scheduler", address, "--out", "by-dask", "--json"]
                process = installed.irqscope("suite", "horst2020", *options, front=[])
            finally:
                working.terminate()
                serving.terminate()
    assert json.loads(process.stdout)["items"]["t2"]["state"] == "valid"


def test_what_a_wheel_does_not_carry_is_refused_with_what_to_do(installed):
    process = installed.run("irqscope", "run", "t2", "--target", "twin:a53:layout=3")
    assert process.returncode == 3
    assert "take a checkout" in process.stderr and "make" not in process.stderr


def test_a_type_checker_sees_the_editable_installation(tmp_path):
    """From a folder outside the checkout, as an editor's own environment would."""
    (tmp_path / "own.py").write_text(
        "from irqscope.experiment import load\nreveal_type(load('t2').count)\n"
    )
    process = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "own.py"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "MYPY_CACHE_DIR": str(ROOT / "build" / "mypy" / "wheel")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert re.search(r'Revealed type is "(builtins\.)?int"', process.stdout), process.stdout
