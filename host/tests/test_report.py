from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from irqscope import experiment as experiments
from irqscope.measure import measure
from irqscope.report import write_report


@pytest.fixture
def page(board, experiment, tmp_path):
    def make(*changes, count=500, **faults):
        wanted = experiments.load(experiment(*changes), count=count)
        measure(wanted, board(**faults).port, tmp_path / "run")
        return write_report(tmp_path / "run").read_text(encoding="utf-8")

    return make


def svgs(html):
    return re.findall(r"<svg.*?</svg>", html, re.DOTALL)


def test_it_opens_without_network(page):
    html = page()
    links = re.findall(r'(?:src|href)="([^"]*)"', html)
    assert all(link.startswith(("#", "data:")) for link in links)
    assert "url(http" not in html and "@import" not in html and "<script" not in html


def test_every_plot_bears_its_source(page):
    html = page(('markers = "paper"', 'markers = "stages"'))
    plots = svgs(html)
    assert len(plots) == 4
    for svg in plots:
        ET.fromstring(svg)
        assert "twin, functional timing" in svg
    for title in ("Histogram", "Time trace", "Tail (CCDF)", "Stages", "Stage table", "Books"):
        assert f"<h2>{title}</h2>" in html
    assert "They do not predict a board" in html


def test_the_same_run_gives_the_same_page(page, tmp_path):
    assert page() == write_report(tmp_path / "run").read_text(encoding="utf-8")


def test_an_invalid_run_says_so_and_why(page):
    html = page(bad_books=True)
    assert "INVALID" in html and "books do not close" in html


def test_a_run_without_samples_has_no_time_trace(page):
    html = page(('samples = "all"', 'samples = "none"'))
    assert "<h2>Histogram</h2>" in html
    assert "Time trace" not in html


def test_a_run_that_never_began_still_has_a_page(tmp_path, experiment):
    measure(experiments.load(experiment()), "<ttyNONE>", tmp_path / "run")
    html = write_report(tmp_path / "run").read_text(encoding="utf-8")
    assert "never identified" in html and "&lt;ttyNONE&gt;" in html
    assert not svgs(html)
