"""Streams from an analyser that sigrok-cli drives: a capture that is read while it is made."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from irqscope.errors import TargetError
from irqscope.kinds.capture.clock import parse_rate
from irqscope.kinds.capture.model import Advance, Changes, Clock
from irqscope.kinds.capture.sigrok import SampleRows

PREFIX = "sigrok:"
_PROGRAM = "sigrok-cli"
_BLOCK = 1 << 20
#: No analyser is silent for longer once it samples, s.
_SILENT_S = 10.0
#: Loss of samples, in the words of libsigrok's drivers.
_LOST = re.compile(r"overflow|overrun|lost|dropped|too slow|timed? ?out|failed|stopped", re.I)


@dataclass(frozen=True)
class Address:
    """What ``sigrok:DRIVER[:conn=...][:samplerate=RATE]`` names.

    Attributes:
        device: The driver with its options, as sigrok-cli's ``-d`` takes it.
        hz: Sample rate.
    """

    device: str
    hz: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Returns the address in a target's name. Raises TargetError."""
        driver, *options = text.removeprefix(PREFIX).split(":")
        rates = [one for one in options if one.startswith("samplerate=")]
        if not driver or len(rates) != 1:
            raise TargetError(
                f"{text}: write {PREFIX}DRIVER[:conn=...]:samplerate=RATE, such as "
                f"{PREFIX}fx2lafw:samplerate=24MHz; `sigrok-cli --scan` lists devices"
            )
        try:
            hz = parse_rate(rates[0].removeprefix("samplerate="))
        except ValueError as error:
            raise TargetError(f"{text}: {error}") from error
        rest = [one for one in options if one != rates[0]]
        return cls(":".join((driver, *rest)), hz)


def find_analyser(target: str) -> Live:
    """Returns the analyser that a target's name means, with its signals. Raises TargetError."""
    return Live(Address.parse(target), lambda samples: True)


class Live:
    """An analyser under way. A capture whose blocks come as they are sampled."""

    form = "sigrok, live"

    def __init__(self, address: Address, enough: Callable[[int], bool]) -> None:
        """Finds the device.

        Args:
            address: Device and sample rate.
            enough: Asked after each block whether to stop; given the samples so far.

        Raises:
            TargetError: sigrok-cli is missing, or finds no such device.
        """
        if shutil.which(_PROGRAM) is None:
            raise TargetError(
                f"{_PROGRAM} is missing; install it with `apt-get install sigrok-cli`"
            )
        self.paths: tuple[Path, ...] = ()
        self.remarks: list[str] = []
        self.lost: list[str] = []  #: what the driver said of samples that did not come
        self._address = address
        self._enough = enough
        shown = self._run("--show")
        found = re.search(r"^\s*Logic: channels? (.+)$", shown, re.MULTILINE)
        found = found or re.search(r"with [0-9]+ channels?: (.+)$", shown, re.MULTILINE)
        if found is None:
            raise TargetError(
                f"{PREFIX}{address.device}: no device with logic channels; connect it, and look "
                f"with `{_PROGRAM} -d {address.device} --show`"
            )
        self.signals = tuple(found[1].split())
        self.tool = f"sigrok {address.device}"
        self._unit = -(-len(self.signals) // 8)
        self.clock = Clock(address.hz, sampled=True, basis="stated to the analyser")

    def changes(self, wanted: Sequence[int], advance: Advance) -> Iterator[Changes]:
        """Yields the changes of the signals at these places, until there are enough."""
        rows, rest, began = SampleRows(self._unit, list(wanted)), b"", time.monotonic()
        words = ["--config", f"samplerate={self._address.hz}", "--continuous", "-O", "binary"]
        with tempfile.TemporaryFile() as said, self._started(words, said) as process:
            assert process.stdout is not None
            stopped = False
            while not stopped:
                ready, _, _ = select.select([process.stdout], [], [], _SILENT_S)
                data = os.read(process.stdout.fileno(), _BLOCK) if ready else b""
                if not data:
                    break
                data = rest + data
                end = len(data) - len(data) % self._unit
                rest = data[end:]
                if end:
                    yield rows.changes(data[:end])
                stopped = self._enough(rows.samples)
            if not stopped:
                self.lost.append(f"the stream ended after {rows.samples} samples")
            took = time.monotonic() - began
            self.remarks.append(f"{rows.samples} samples in {took:.1f} s")
            said.seek(0)
            text = said.read(1 << 16).decode("utf-8", "replace")
        self.lost += [line.strip() for line in text.splitlines() if _LOST.search(line)]

    @contextlib.contextmanager
    def _started(self, words: Sequence[str], said: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        """Runs the program; its input stays open, since its end would end the capture."""
        process = subprocess.Popen(
            [_PROGRAM, "-d", self._address.device, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
        )
        try:
            yield process
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            if process.poll() is None:
                process.kill()
                process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def _run(self, *words: str) -> str:
        """Returns what the program prints. Raises TargetError."""
        try:
            found = subprocess.run(
                [_PROGRAM, "-d", self._address.device, *words],
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=30,
                check=False,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired as error:
            raise TargetError(f"{PREFIX}{self._address.device}: no answer in 30 s") from error
        if found.returncode:
            cause = " ".join(found.stderr.split())[:200] or f"exit code {found.returncode}"
            raise TargetError(f"{PREFIX}{self._address.device}: {cause}; connect the device")
        return found.stdout
