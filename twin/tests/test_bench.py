"""The benchmarks of the twin, with small counts: each figure is there and can be right.

Verilator's model with one clock takes too long to compile here; that its parts are called rightly,
the type checker says.
"""

from __future__ import annotations

import math
import re
import threading
from pathlib import Path

import pytest
from unicorn import Uc

from irqscope_twin import bench, build, limits
from irqscope_twin import bench_gateware as gateware
from outcome import GATEWARE, once

#: Instructions of some ten seconds: who is not stopped meanwhile is not stopped at all.
ENDS_ALONE = 1_000_000_000


@pytest.fixture
def short(monkeypatch):
    """Each count is as small as still gives a figure."""
    monkeypatch.setattr(gateware, "AMARANTH_TICKS", gateware.ARM_TICK + 300)
    monkeypatch.setattr(gateware, "NATIVE_TICKS", 20_000)
    monkeypatch.setattr(limits, "EMULATED_S", 0.1)
    monkeypatch.setattr(limits, "IDLE_TICKS", 100_000)
    monkeypatch.setattr(limits, "PIECES", 10)
    monkeypatch.setattr(limits, "T2_COUNT", 500)
    monkeypatch.setattr(limits, "T6_COUNTS", (1, 4))
    monkeypatch.setattr(limits, "T7_COUNTS", {"functional": 1, "a53": 1})


def test_amaranth_and_the_twin_agree_on_every_output(short, tmp_path, monkeypatch):
    command = [str(build.EXECUTABLE), "--bench-rtl"]
    native = gateware.native_speed(command, tmp_path)
    assert native.ticks == gateware.NATIVE_TICKS and native.hz > 0
    monkeypatch.setattr(gateware, "AMARANTH_TICKS", gateware.ARM_TICK + 290)
    assert gateware.native_speed(command, tmp_path).digest != native.digest
    monkeypatch.setattr(gateware, "AMARANTH_TICKS", gateware.ARM_TICK + 300)

    def show():
        amaranth = gateware.amaranth_speed()
        assert native.digest == amaranth.digest
        assert amaranth.ticks == 300 and amaranth.hz > 0

    sources = (Path(gateware.__file__), build.GATEWARE, Path(__file__))
    once(show, "bench", f"{native.digest}", GATEWARE, *sources)


@pytest.mark.parametrize("profile", bench.PROFILES)
def test_the_batches_of_a_run_have_a_time(profile):
    seconds = bench.batch_seconds("horst2020/t2", profile, 20, **bench.EVERY_11_US)
    assert 0 < seconds < math.inf


def test_a_run_that_is_not_valid_is_named_with_its_reason():
    silent = "external:device=stm32f411/tick-on:wiring=no-edge"
    with pytest.raises(SystemExit, match=r"^bench: .*: .*none of 5 stimuli was served"):
        bench.batch_seconds("tickless/on", silent, 5)


def test_limits_prints_each_limit_beside_what_a_run_reaches(short, capsys):
    limits.main()
    printed = capsys.readouterr().out.splitlines()
    found = {}
    for line in printed:
        figure = re.match(r" +(-?[\d,.]+) ", line[52:])
        assert figure, line
        found[line[:52].rstrip()] = float(figure[1].replace(",", ""))
    # A difference of so few stimuli is small: chance decides its sign.
    share = "T6-4, functional: the gateware's share"
    assert all(value > 0 for name, value in found.items() if name != share), printed
    bare = "the bare emulator, T7's loop in 98,304 KB"
    assert {bare, "T7, functional", "T7, a53", share, "a pseudo-terminal"} <= set(found)
    assert found["T6-4, functional: ticks evaluated a stimulus"] > 1000
    assert len(printed) == len(found) == 10


def test_an_emulation_that_was_stopped_before_it_began_is_stopped_again(short, monkeypatch):
    """The emulating thread may not be scheduled before its time has passed."""
    start, stop, requested = Uc.emu_start, Uc.emu_stop, threading.Event()

    def stop_and_tell(uc):
        stop(uc)
        requested.set()

    def start_late(uc, begin, until):
        assert requested.wait(60)
        requested.clear()
        start(uc, begin, until, count=ENDS_ALONE)
        assert requested.is_set(), "nothing stopped it after it had begun"

    monkeypatch.setattr(Uc, "emu_start", start_late)
    monkeypatch.setattr(Uc, "emu_stop", stop_and_tell)
    assert limits.emulated_per_s(limits.SMALL_ARRAY) > 0
