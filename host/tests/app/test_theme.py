"""Colours that are legible, and that colour-blind users can distinguish."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from app.on_screen import coloured
from PyQt6.QtWidgets import QComboBox

from irqscope_app.widgets.theme import THEMES, apply

pytestmark = pytest.mark.quick

#: Red, green and blue in linear light as seen without the cones for green (deuteranopia) and for
#: red (protanopia): Vienot, Brettel and Mollon 1999.
SEEN = {
    "deuteranopia": [[0.2928, 0.7072, 0.0], [0.2928, 0.7072, 0.0], [-0.0223, 0.0223, 1.0]],
    "protanopia": [[0.1124, 0.8876, 0.0], [0.1124, 0.8876, 0.0], [0.0040, -0.0040, 1.0]],
}


def linear(colour):
    """Linear light of ``#rrggbb``, 0 to 1; shape (3,)."""
    value = np.array([int(colour[n : n + 2], 16) for n in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(light):
    """CIE L*a*b* of linear light; shape (3,)."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    part = (xyz @ light) / xyz.sum(axis=1)
    x, y, z = np.where(part > 216 / 24389, np.cbrt(part), (24389 / 27 * part + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one, other):
    """Contrast of WCAG 2.2, 1 to 21."""
    bright = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (bright[1] + 0.05) / (bright[0] + 0.05)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_every_text_stands_out_from_what_is_behind_it(theme):
    for text, background in itertools.product(
        ("text", "faint", "good", "warning", "bad"), ("window", "panel", "plot")
    ):
        ratio = contrast(getattr(theme, text), getattr(theme, background))
        assert ratio >= 4.5, (text, background, ratio)
    for ground in ("warning", "bad"):
        assert contrast(theme.on_badge, getattr(theme, ground)) >= 4.5, ground
    assert contrast("#FFFFFF", theme.primary) >= 4.5
    assert contrast(theme.text, theme.selected) >= 4.5
    for mark in ("border", "focus", "board", "simulation", "capture"):
        assert contrast(getattr(theme, mark), theme.plot) >= 3, mark


@pytest.mark.parametrize("eye", SEEN)
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_first_series_are_told_apart_without_red_or_green(theme, eye):
    perceived = [lab(np.clip(SEEN[eye] @ linear(c), 0, 1)) for c in theme.series[:4]]
    for one, other in itertools.combinations(range(4), 2):
        away = float(np.linalg.norm(perceived[one] - perceived[other]))
        assert away > 15, (theme.series[one], theme.series[other], away)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_row_that_is_chosen_in_a_list_is_read_on_its_own_ground(qtbot, qapp, theme):
    apply(qapp, theme)
    combo = QComboBox()
    qtbot.addWidget(combo)
    combo.addItems(["one", "two", "three"])
    combo.setCurrentIndex(1)
    combo.show()
    combo.showPopup()
    qtbot.wait(50)
    listed = combo.view()
    row = listed.visualRect(listed.model().index(1, 0))
    ground = coloured(listed.viewport(), theme.selected)
    assert len(ground) > 0.5 * row.width() * row.height()
    assert row.top() <= ground[:, 1].min() and ground[:, 1].max() <= row.bottom()
    combo.hidePopup()
