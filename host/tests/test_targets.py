"""What a target's name says, and what becomes of it."""

from __future__ import annotations

import pytest

from irqscope.errors import TargetError
from irqscope.experiment import load
from irqscope.measure import measure
from irqscope.targets import open_target
from irqscope.targets.twin import TwinSettings


def test_the_name_of_a_twin_becomes_its_command_line():
    settings = TwinSettings.parse("a53:no-skip:gic.path=45:ddr.read=90")
    assert settings.command()[3:] == [
        "--profile", "a53", "--no-skip", "--set", "gic.path=45", "--set", "ddr.read=90",
    ]  # fmt: skip
    assert TwinSettings.parse("").command()[3:] == ["--profile", "a53"]
    kernel = TwinSettings(stack="freertos").command()
    assert kernel[3:] == ["--profile", "a53", "--stack", "freertos"]


def test_a_fault_becomes_an_option_and_stands_in_the_label():
    settings = TwinSettings.parse("functional:fault=spi-dead")
    assert settings.command()[3:] == ["--profile", "functional", "--fault", "spi-dead"]
    assert settings.deviation() == "fault spi-dead"


def test_a_twin_takes_one_fault_at_a_time():
    with pytest.raises(TargetError, match="one fault at a time"):
        TwinSettings.parse("functional:fault=spi-dead:fault=ppi-dead")


def test_an_unknown_fault_is_refused_by_the_twin(experiment, tmp_path):
    """By the real one: it knows its faults."""
    result = measure(load(experiment(), count=10), "twin:functional:fault=nix", tmp_path / "run")
    assert result.exit_code == 3
    assert "there is no fault 'nix'; --faults lists them" in str(result.error)


def test_an_option_that_no_twin_has():
    with pytest.raises(TargetError, match='no option "fast"; say twin:PROFILE:no-skip'):
        open_target("twin:functional:no-skip:fast")


def test_another_value_of_a_constant_stands_in_the_label_with_its_unit(
    experiment, fake_twin, tmp_path
):
    fake_twin()
    result = measure(load(experiment(), count=10), "twin:functional:gic.path=45", tmp_path / "run")
    assert result.exit_code == 0, result.error
    assert result.run.source.label == "twin, functional with gic.path = 45 ns"
    assert result.run.source.profile == "functional"


def test_an_unknown_constant_is_refused_by_the_twin(experiment, tmp_path):
    """By the real one: it knows its table."""
    wanted = load(experiment(), count=10)
    result = measure(wanted, "twin:functional:gic.pace=45", tmp_path / "run")
    assert result.exit_code == 3
    assert "the twin did not start: irqscope_twin: " in str(result.error)
    assert "gic.pace" in str(result.error)
