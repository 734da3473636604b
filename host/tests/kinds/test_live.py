"""Live measurements with sigrok-cli: its demo device is a real process with real bytes."""

from __future__ import annotations

import os
import re
import shutil
import stat

import pytest

from irqscope.acquire.callbacks import Untold
from irqscope.errors import ExitCode, Interrupted, TargetError
from irqscope.experiment.values import Samples
from irqscope.kinds.capture.importing import measure_live
from irqscope.kinds.capture.recipe import Pair, Recipe
from irqscope.results.reader import read

RECIPE = Recipe(name="n", channels=(Pair(start="D0 rise", stop="D1 rise", timeout="1 ms"),))


@pytest.mark.skipif(shutil.which("sigrok-cli") is None, reason="apt-get install sigrok-cli")
def test_the_demo_device_is_measured_until_there_are_enough_stimuli(tmp_path):
    target = "sigrok:demo:samplerate=1MHz"
    result = measure_live(RECIPE, target, 2000, tmp_path / "run", Untold())
    run = read(tmp_path / "run")
    assert result.exit_code == ExitCode.VALID, run.run.reasons
    assert run.run.label == "capture by sigrok demo, 1 MHz; not measured by irqscope"
    found = run.run.counters[0]
    assert found.starts >= 2000
    assert found.starts == found.served + found.coalesced + found.timed_out + found.pending
    assert found.stops == found.served + found.unmatched
    assert run.samples().num_rows == run.run.stats[0].n


def fake(tmp_path, monkeypatch, script):
    """Puts a program in the place of sigrok-cli that shows one device of two channels."""
    path = tmp_path / "bin" / "sigrok-cli"
    path.parent.mkdir(exist_ok=True)
    shown = "*--show*) echo 'x - X with 2 channels: D0 D1'; exit 0;;"
    path.write_text(f'#!/bin/sh\ncase "$*" in {shown} esac\n{script}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}{os.environ['PATH']}")


PULSES = r"i=0; while [ $i -lt 40 ]; do printf '\000\001\001\003\002\000\000\000'; i=$((i+1)); done"
# It ends by itself after all, so that a defect fails and does not hang.
FOREVER = f"n=0; while [ $n -lt 500 ]; do n=$((n+1)); {PULSES}; done"


def test_a_stream_that_ends_by_itself_lost_samples(tmp_path, monkeypatch):
    asked = 'case "$*" in *samplerate=2000000*) ;; *) exit 1;; esac'
    fake(tmp_path, monkeypatch, f"{asked}; {PULSES}; echo 'fx2lafw: buffer overflow' >&2")
    target = "sigrok:x:samplerate=2MHz"
    result = measure_live(RECIPE, target, 1000, tmp_path / "run", Untold())
    run = read(tmp_path / "run").run
    assert result.exit_code == ExitCode.INVALID
    (reason,) = run.reasons
    assert "the stream ended after 320 samples" in reason
    assert "buffer overflow" in reason
    assert run.stats[0].served == 40
    assert (run.stats[0].min_ticks, run.stats[0].max_ticks) == (2, 2)


def test_a_stream_that_goes_on_is_ended_at_the_count(tmp_path, monkeypatch):
    fake(tmp_path, monkeypatch, FOREVER)
    target = "sigrok:x:samplerate=1MHz"
    result = measure_live(RECIPE, target, 100, tmp_path / "run", Untold())
    assert result.exit_code == ExitCode.VALID
    assert result.run.counters[0].starts >= 100


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TargetError, match="apt-get install sigrok-cli"):
        measure_live(RECIPE, "sigrok:demo:samplerate=1MHz", 1, tmp_path / "a", Untold())
    with pytest.raises(TargetError, match="write sigrok:DRIVER"):
        measure_live(RECIPE, "sigrok:demo", 1, tmp_path / "a", Untold())
    assert not (tmp_path / "a").exists()


def test_a_live_run_is_watched_and_stopped_with_all_that_was_measured(tmp_path, monkeypatch):
    fake(tmp_path, monkeypatch, FOREVER)
    seen, target = [], "sigrok:x:samplerate=1kHz"
    pairs = (Pair(start="D0 rise", stop="D1 rise", timeout="5 ms"),)
    recipe = Recipe(name="n", samples=Samples.parse("none"), channels=pairs)
    monkeypatch.setattr("irqscope.kinds.capture.importing._LOOK_S", 0)

    def stop():
        return "stopped in the app" if seen and seen[-1].run.counters[0].starts > 1500 else False

    result = measure_live(recipe, target, 10**9, tmp_path / "run", Untold(), stop, seen.append)
    assert isinstance(result.error, Interrupted)
    run = read(tmp_path / "run")
    assert run.run.interrupted, run.run.reasons
    assert re.fullmatch(r"stopped in the app after \d+ stimuli; run again", run.run.reasons[0])
    assert seen[-1].run.counters == run.run.counters
    assert seen[-1].distributions[0].n == run.run.stats[0].n > 1500
    # 8 samples a stimulus, 1 kHz: 1,250 in 10 s.
    drift = run.drift()
    assert drift["starts"].to_pylist()[0] == 1250
    assert sum(len(one.drift) for one in seen) == len(drift) >= 2


def test_a_live_run_ends_by_time_or_by_a_longer_latency(tmp_path, monkeypatch, irqscope):
    fake(tmp_path, monkeypatch, FOREVER)
    (tmp_path / "n.toml").write_text(
        'machine = "capture"\n[[channels]]\nstart = "D0 rise"\nstop = "D1 rise"\ntimeout = "5 ms"\n'
    )
    run = ["run", tmp_path / "n.toml", "--target", "sigrok:x:samplerate=1kHz", "--out"]
    code, _, _ = irqscope(*run, tmp_path / "a", "--duration", "2s")
    found = read(tmp_path / "a").run
    assert (code, found.valid) == (ExitCode.VALID, True)
    assert found.counters[0].starts >= 250
    code, _, err = irqscope(*run, tmp_path / "b", "--break-above", "1 ms")
    assert code == ExitCode.LONGER
    assert "channel 0: a latency was 2 ticks, longer than 1 ms" in err
    assert read(tmp_path / "b").run.interrupted
    code, _, err = irqscope(*run, tmp_path / "c", "--break-above", "9 ms")
    assert code == ExitCode.USAGE
    assert "waits no longer than 5 ms" in err
    assert not (tmp_path / "c").exists()


def test_a_gate_measures_live(tmp_path, monkeypatch, irqscope):
    """2 samples are the baseline: the same passes, 6 fail, a stream that ends is not judged."""
    (tmp_path / "pins.toml").write_text(
        'machine = "capture"\ncount = 300\n[[channels]]\nstart = "D0 rise"\nstop = "D1 rise"\n'
        'timeout = "20 us"\n'
    )
    (tmp_path / "gate.toml").write_text(
        'name = "g"\nquantiles = [0.5]\n[[items]]\nfile = "pins.toml"\nbaseline = "base.json"\n'
    )
    words = ["gate", tmp_path / "gate.toml", "--target", "sigrok:x:samplerate=1MHz", "--out"]
    fake(tmp_path, monkeypatch, FOREVER)
    assert irqscope(*words, tmp_path / "accepted", "--accept")[0] == 0
    code, out, _ = irqscope(*words, tmp_path / "same")
    assert code == 0, out
    assert "capture by sigrok x, 1 MHz; not measured by irqscope" in " ".join(out.split())
    answer = r"\000\001\001\001\001\001\001\003\002\000"
    slower = FOREVER.replace(r"\000\001\001\003\002\000\000\000", answer)
    assert slower != FOREVER
    fake(tmp_path, monkeypatch, slower)
    code, out, _ = irqscope(*words, tmp_path / "slower")
    assert code == 7, out
    assert "p50: slower: baseline 2000 ns, now 6000 ns" in " ".join(out.split())
    fake(tmp_path, monkeypatch, PULSES)
    code, out, err = irqscope(*words, tmp_path / "ended")
    assert code not in (0, 7), out
    assert "samples were lost: the stream ended after 320 samples" in " ".join((out + err).split())
