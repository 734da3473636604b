"""Periods kept by software also have the requested length on boards with other crystals."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from instrument import ROOT, samples
from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope.machines.known import DEFAULT
from irqscope.results.reader import read
from irqscope.units import Duration
from irqscope_twin.__main__ import arguments, engine_command

#: Word address of the register, from fw/generated/irqscope_regs.h.
TICK_HZ = 0x03
PERIOD_S = 0.002
BOARDS = {board.name: board for board in DEFAULT.boards}


@contextmanager
def twin_of(tick_hz: int) -> Iterator[str]:
    """The port of a twin whose gateware was built for a board with that PL clock.

    On a twin a tick is 2/5 of a count whatever the crystal, as on the boards: so only the
    gateware's clock register distinguishes them.
    """
    change = tick_hz ^ BOARDS["zcu102"].tick_hz
    command = engine_command(arguments(["--profile", "functional"]))
    command += ["--fault", f"changed_word={TICK_HZ}", "--fault", f"change={change}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["port"]
        process.terminate()


@pytest.mark.parametrize("board", BOARDS)
def test_a_period_of_software_lasts_as_long_as_asked(board: str, tmp_path: Path) -> None:
    requested = {"period": Duration.parse("2 ms"), "count": 5}
    experiment = load(ROOT / "experiments/a9-cache-states/sgi.toml").model_copy(update=requested)
    with twin_of(BOARDS[board].tick_hz) as port:
        run = read(measure(experiment, port, tmp_path / "run").folder).run
    identity = run.identity
    assert identity.tick_hz == BOARDS[board].tick_hz
    assert identity.counter_hz == identity.tick_hz * 2 // 5
    ticks = samples(tmp_path / "run")["edge_ticks"].to_numpy()
    between = np.diff(ticks).mean() / identity.tick_hz
    # The core looks each 0.1 us: 13 ppm of four periods. Another crystal makes 100 ppm.
    assert between == pytest.approx(PERIOD_S, rel=30e-6)
