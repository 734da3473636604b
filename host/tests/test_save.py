"""Experiments written as TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

from irqscope.experiment import load
from irqscope.experiment.save import dumps

SHIPPED = sorted((Path(__file__).parents[2] / "experiments" / "horst2020").glob("t*.toml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_what_is_saved_is_loaded_again(path, tmp_path):
    expected = load(path)
    saved = tmp_path / "saved.toml"
    saved.write_text(dumps(expected), encoding="utf-8")
    assert load(saved) == expected
    assert "seed" not in saved.read_text(encoding="utf-8")  # 1 by default
