"""Fixtures: a fake firmware in memory, at a pseudo-terminal, or in place of the twin."""

from __future__ import annotations

import functools
import json
import os
import select
import shutil
import subprocess
import sys
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# A machine under load is slow, which is not a failure.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from irqscope_fake.firmware import FakeFirmware, Faults  # noqa: E402

from irqscope.cli.main import main  # noqa: E402
from irqscope.errors import ExperimentError  # noqa: E402
from irqscope.experiment import load  # noqa: E402
from irqscope.link import link as links  # noqa: E402
from irqscope.link.link import Link  # noqa: E402
from irqscope.link.messages import BAUD_AT_RESET  # noqa: E402
from irqscope.link.timeouts import Timeouts  # noqa: E402

ROOT = HERE.parents[1]
T2 = ROOT / "experiments" / "horst2020" / "t2.toml"


#: Opens a port for itself, and holds it until its own stdin closes.
HOLD = """
import sys, serial
port = serial.Serial(sys.argv[1], exclusive=True)
print("held", flush=True)
sys.stdin.read()
"""


class MemoryTransport:
    """A fake firmware at the other end of nothing. ``carries``: rates at which bytes arrive."""

    def __init__(self, firmware: FakeFirmware, carries: Callable[[int], bool]) -> None:
        self.firmware = firmware
        self.baud = BAUD_AT_RESET
        self.sets_baud = True
        self.written: list[bytes] = []
        self._carries = carries
        self._waiting = b""

    def set_baud(self, baud: int) -> None:
        self.baud = baud

    def write(self, data: bytes) -> None:
        self.written.append(data)
        if self._carries(self.baud):
            self._waiting += self.firmware.receive(data)

    def read(self, timeout_s: float) -> bytes:
        data, self._waiting = self._waiting, b""
        return data

    def close(self) -> None:
        pass


@pytest.fixture
def memory_link() -> Callable[..., tuple[Link, MemoryTransport]]:
    """Link to a firmware with the given faults, and its transport.

    It waits 20 ms a reply, and asks half a second for a hello. Makes the memory settle at once.
    """

    def make(
        carries: Callable[[int], bool] = lambda baud: True,
        hello_s: float = 0.5,
        outage_s: float = 0.0,
        **faults: object,
    ) -> tuple[Link, MemoryTransport]:
        transport = MemoryTransport(FakeFirmware(Faults(**faults)), carries)  # type: ignore[arg-type]
        return Link(
            transport, Timeouts(reply_s=0.02, hello_s=hello_s, outage_s=outage_s, settle_s=0.001)
        ), transport

    return make


class PtyBoard:
    """A fake firmware at a pseudo-terminal, served by a thread. ``answer``: bytes to bytes."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self._answer = answer
        self._stop, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            ready, _, _ = select.select([self._master, self._stop], [], [])
            if self._stop in ready:
                return
            out = self._answer(os.read(self._master, 4096))
            while out:
                out = out[os.write(self._master, out) :]

    def close(self) -> None:
        """Simulates a pulled cable; may be called twice."""
        if not self._thread.is_alive():
            return
        os.write(self._wake, b"x")
        self._thread.join(5)
        for descriptor in (self._master, self._slave, self._stop, self._wake):
            os.close(descriptor)


@pytest.fixture
def board() -> Iterator[Callable[..., PtyBoard]]:
    """Port of a firmware with the given faults, or of anything that answers bytes with bytes."""
    boards: list[PtyBoard] = []

    def make(answer: Callable[[bytes], bytes] | None = None, **faults: object) -> PtyBoard:
        receive = answer or FakeFirmware(Faults(**faults)).receive  # type: ignore[arg-type]
        boards.append(PtyBoard(receive))
        return boards[-1]

    yield make
    for one in boards:
        one.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the wait for a target that never answers a hello, at each rate."""
    monkeypatch.setattr(links, "Timeouts", functools.partial(Timeouts, reply_s=0.05, hello_s=0.5))


@pytest.fixture
def held(board: Callable[..., PtyBoard]) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A port that another program has open for itself, and that program."""
    port = board().port
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, port], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin is not None and program.stdout is not None  # both are pipes
        assert program.stdout.readline() == "held\n"
        yield port, program
        program.stdin.close()


@pytest.fixture
def fake_twin(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Has ``--target twin`` start the fake one, with the given options."""

    def use(**options: object) -> None:
        monkeypatch.setenv("PYTHONPATH", f"{HERE / 'fake'}{os.pathsep}{HERE}")
        monkeypatch.setenv("FAKE_TWIN", json.dumps(options))

    return use


@pytest.fixture
def irqscope(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command line in this process: exit code, stdout, stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["irqscope", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        output = capfd.readouterr()
        return int(ended.value.code or 0), output.out, output.err

    return call


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Copies a folder that is made at the first call.

    ``asked``: all values that the folder depends on.
    """
    stored: dict[str, Path] = {}

    def copied(place: Path, make: Callable[[Path], object], *asked: object) -> Path:
        if repr(asked) not in stored:
            make(place)
            stored[repr(asked)] = tmp_path_factory.mktemp("once") / "folder"
            shutil.copytree(place, stored[repr(asked)])
            return place
        return Path(shutil.copytree(stored[repr(asked)], place))

    return copied


@pytest.fixture
def refused(tmp_path: Path) -> Callable[[Path, str, str], str]:
    """Why an experiment file is refused when a text of it is replaced: one line."""

    def of(file: Path, old: str, new: str) -> str:
        text = file.read_text(encoding="utf-8")
        assert old in text
        path = tmp_path / "wrong.toml"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(ExperimentError) as actual:
            load(path)
        line = str(actual.value)
        assert line.startswith(f"{path}:") and "\n" not in line, line
        return line

    return of


@pytest.fixture
def experiment(tmp_path: Path) -> Callable[..., Path]:
    """t2.toml with texts replaced."""

    def make(*changes: tuple[str, str]) -> Path:
        text = T2.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "experiment.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return make
