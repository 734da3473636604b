"""The whole: real command line, real serial bytes, real firmware, real RTL on the twin."""

from __future__ import annotations

import contextlib
import io
import json
import signal
import struct
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from elftools.elf.elffile import ELFFile

from irqscope.cli.main import main
from irqscope.experiment import Experiment
from irqscope.units import Duration

ROOT = Path(__file__).resolve().parents[1]
IRQSCOPE = [str(Path(sys.executable).parent / "irqscope")]


def irqscope(*args: object) -> subprocess.CompletedProcess[str]:
    """The command line, in this process: a process of its own loads for a second and more.

    test_ends.py and test_campaigns.py start that.
    """
    command = ["irqscope", *map(str, args)]
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(ROOT),
        mock.patch.object(sys, "argv", command),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    code = int(ended.value.code or 0)
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())


def record(folder: Path) -> dict:
    return json.loads((folder / "run.json").read_text())


def samples(folder: Path) -> pa.Table:
    return pa.concat_tables(pq.read_table(part) for part in sorted((folder / "samples").iterdir()))


def with_instruction(elf: Path, symbol: str, word: int, made: Path) -> int:
    """Writes ``elf`` to ``made`` with ``word`` as first instruction of a symbol; its address."""
    image = bytearray(elf.read_bytes())
    with elf.open("rb") as file:
        read = ELFFile(file)
        (actual,) = read.get_section_by_name(".symtab").get_symbol_by_name(symbol)
        address: int = actual["st_value"]
        (at,) = read.address_offsets(address, 4)
    struct.pack_into("<I", image, at, word)
    made.write_bytes(image)
    return address


def brief(experiment: Experiment) -> Experiment:
    """Takes few stimuli, and short phases where cores are busy, which the twin simulates slowly."""
    throughput = experiment.measure == "throughput"
    if not throughput and experiment.load is None:
        return experiment.model_copy(update={"count": 4})
    high, low = map(Duration.parse, ("975 us", "25 us") if throughput else ("250 us", "750 us"))
    (line,), timeout = experiment.lines, {"timeout": Duration.parse("500 us")}
    return experiment.model_copy(
        update={
            "count": 2,
            "lines": (line.model_copy(update={"high": high, "low": low}),),
            "channels": tuple(each.model_copy(update=timeout) for each in experiment.channels),
        }
    )


class Twin:
    """A twin started by hand, for tests that are between it and the host.

    Its timing is functional unless ``args`` say else.
    """

    def __init__(self, *args: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "irqscope_twin", "--profile", "functional", *args],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read() if self.process.stderr else ""
        self.port: str = json.loads(line)["port"]

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=120)
