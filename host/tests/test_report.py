from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET

import pytest
from irqscope_fake.folder import A53, IBEX, ZCU102, answered_by, write_run
from irqscope_fake.folder import experiment as described

from irqscope import experiment as experiments
from irqscope.acquire.measure import measure
from irqscope.report import wording
from irqscope.report.figure import figure, logarithmic
from irqscope.report.page import write_report
from irqscope.results import note
from irqscope.results.reader import read


@pytest.fixture
def page(board, experiment, tmp_path):
    def make(*changes, count=500, **faults):
        expected = experiments.load(experiment(*changes), count=count)
        measure(expected, board(**faults).port, tmp_path / "run")
        return write_report(tmp_path / "run").read_text(encoding="utf-8")

    return make


def svgs(html):
    return re.findall(r"<svg.*?</svg>", html, re.DOTALL)


def test_it_opens_without_network(page):
    html = page()
    links = re.findall(r'(?:src|href)="([^"]*)"', html)
    assert all(link.startswith(("#", "data:")) for link in links)
    assert "url(http" not in html and "@import" not in html and "<script" not in html


def test_what_a_file_says_is_text_and_no_markup(page):
    expected = "<script>alert(1)</script><img src=x onerror=alert(2)>&amp;"
    html = page(("description =", f"description = '{expected}' # "))
    assert "<script" not in html and "<img src=x" not in html
    assert "&lt;script&gt;alert(1)" in html and "&amp;amp;" in html


def test_it_begins_with_the_result_the_pattern_and_one_plot(page, tmp_path):
    note_at = tmp_path / "run"
    html = page(count=500)
    run = read(note_at).run
    hz, (stats,) = run.tick_hz, run.stats
    p50, p99 = (next(q for q in stats.quantiles if q.p == p) for p in (0.5, 0.99))
    sentence = (
        f"Of 500 interrupts, half took at most {wording.plain(p50.value_ticks, hz)}, "
        f"99 % took at most {wording.plain(p99.value_ticks, hz)}, "
        f"the longest took {wording.plain(stats.max_ticks, hz)}."
    )
    parts = ["<h1>Interrupt latency: t2</h1>", sentence, "What was done to the target"]
    parts += ["<h2>Histogram</h2>", "<h2>Result</h2>", "<table>", "<h2>Time trace</h2>"]
    places = [html.index(part) for part in parts]
    assert places == sorted(places)
    ET.fromstring(svgs(html)[0])
    note.mark(note_at, 0.25, 0.5, "the fan <began>")
    html = write_report(note_at).read_text(encoding="utf-8")
    assert "0.250000 s to 0.500000 s" in html and "the fan &lt;began&gt;" in html


def test_a_run_that_is_not_valid_says_so_first(page):
    html = page(count=100, miscount_histogram=True)
    assert '<p class="result invalid">This run is not valid: ' in html


def test_every_plot_bears_its_source(page):
    html = page(('markers = "paper"', 'markers = "stages"'))
    plots = svgs(html)
    assert len(plots) == 6  # the pattern first
    for svg in plots:
        ET.fromstring(svg)
        assert "twin, functional timing" in svg
    for title in (
        "Histogram",
        "Time trace",
        "Tail (CCDF)",
        "Stages",
        "Stage table",
        "Counters",
        "Phase of the sampling grid",
    ):
        assert f"<h2>{title}</h2>" in html
    assert "They do not predict a board" in html


def test_the_same_run_gives_the_same_page(page, tmp_path):
    assert page() == write_report(tmp_path / "run").read_text(encoding="utf-8")


def test_an_invalid_run_says_so_and_why(page):
    html = page(of_counters=(("starts", 1),))
    assert "INVALID" in html and "counters disagree" in html


def test_a_run_without_samples_has_no_time_trace(page):
    html = page(('samples = "all"', 'samples = "none"'))
    assert "<h2>Histogram</h2>" in html
    assert "Time trace" not in html


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ("all", "It shows each stimulus, in"),
        ("first 20", "It shows each of the first 20 stimuli, in"),
        ("tail 20", "It shows only the 20 longest, in"),
    ],
)
def test_a_plot_of_samples_says_which_they_are(page, samples, said):
    assert said in page(('samples = "all"', f'samples = "{samples}"'))


def test_a_run_that_never_began_still_has_a_page(tmp_path, experiment):
    _, silent = os.openpty()
    port = tmp_path / "<ttyNONE>"
    port.symlink_to(os.ttyname(silent))
    measure(experiments.load(experiment()), str(port), tmp_path / "run")
    html = write_report(tmp_path / "run").read_text(encoding="utf-8")
    assert "never identified" in html and "&lt;ttyNONE&gt;" in html
    assert not svgs(html)


def test_a_wide_tail_has_an_axis_from_its_least_to_its_greatest(tmp_path):
    write_run(tmp_path / "run", described(), [55] * 90 + [12_558] * 10)
    html = write_report(tmp_path / "run").read_text(encoding="utf-8")
    tail = svgs(html)[3]
    places = dict(re.findall(r' x="([\d.]+)"[^>]*>(10+)</text>', tail))
    places = {text: float(x) for x, text in places.items()}
    assert places["10000"] - places["1000"] > 50  # of 619 points, not on top of each other


def test_marks_of_a_logarithmic_axis_are_text_that_a_search_finds(tmp_path):
    write_run(tmp_path / "run", described(), [55] * 400 + [60] * 30 + [65])
    html = write_report(tmp_path / "run").read_text(encoding="utf-8")
    for plot, marks in ((1, ("10⁰", "10¹", "10²")), (3, ("10⁻¹", "10⁻²"))):
        matches = re.findall(r"<text[^>]*>([^<]*)</text>", svgs(html)[plot])
        assert set(marks) <= set(matches)


# ---- runs with more than a latency ---------------------------------------------------------------


@pytest.fixture
def of(tmp_path):
    """Page of a run with 100 latencies of 50 ticks and the values given."""

    def make(columns=None, **values):
        write_run(tmp_path / "run", described(), [50] * 100, columns, **values)
        return write_report(tmp_path / "run").read_text(encoding="utf-8")

    return make


def test_a_stimulus_locked_to_the_tick_is_seen_and_said(of):
    html = of({"timer_tick_phase_ticks": [125_000] * 100})  # the tick's period is 1 ms
    assert "<h2>Phase of the timer tick</h2>" in html
    assert (
        "period 1000 µs. It shows each stimulus. "
        "The 100 edges fell into 1 of 100 equal parts of it: stimulus and" in html
    )


def test_a_dithered_one_is_not(of):
    html = of({"timer_tick_phase_ticks": range(1250, 250_000, 2500)})
    assert "The 100 edges fell into 100 of 100 equal parts of it." in html
    assert "are locked" not in html


def test_the_parts_met_are_counted_in_periods_of_the_tick(of):
    html = of({"timer_tick_phase_ticks": range(625, 125_000, 1250)})  # over half a period
    assert "The 100 edges fell into 50 of 100 equal parts of it." in html


def test_without_a_tick_there_is_no_phase(of):
    assert "Phase of the timer tick" not in of()


def test_throughput_stands_by_core(tmp_path):
    entry = {"channel": 0, "high_ticks": 250_000, "stops": [400, 410, 405]}
    entry |= {"median_hz": 405_000.0, "min_hz": 400_000.0, "max_hz": 410_000.0}
    rates = [entry | {"core": 0}, entry | {"core": 1, "channel": 1}]
    requested = described(measure="throughput")
    write_run(tmp_path / "run", requested, [50] * 100, throughput=rates)
    html = write_report(tmp_path / "run").read_text(encoding="utf-8")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))
    assert "1 3 405,000 Hz 400,000 Hz 410,000 Hz" in text
    plot = svgs(html)[-1]
    assert "core 0" in plot and "core 1" in plot and "handled a second of high phase" in plot


def test_cores_have_shares_where_several_handle(of):
    cores = [{"core": n, "handles": int(n < 2)} for n in range(3)]
    values = {"firmware": {"handled_0": 30, "handled_1": 90}, "readback": {"cores": cores}}
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", of(**values)))
    assert "0 30 25.0 % 1 90 75.0 % Counted by the firmware" in text


def test_one_core_has_none(of):
    cores = [{"core": 0, "handles": 1}]
    assert "Shares of the cores" not in of(readback={"cores": cores}, firmware={"handled_0": 5})


@pytest.mark.parametrize(
    ("source", "colour"), [(ZCU102, "#c9efd2"), (A53, "#ffe2a8"), (IBEX, "#ffe2a8")]
)
def test_a_simulation_has_not_the_colour_of_a_board(tmp_path, source, colour):
    write_run(tmp_path / "run", described(), [55] * 100, **answered_by(source))
    page = write_report(tmp_path / "run").read_text("utf-8")
    assert re.search(r"\.label {[^}]*background: (#\w+)", page)[1] == colour


@pytest.mark.parametrize(("values", "scale"), [([0, 0], "linear"), ([0, 5], "log"), ([], "linear")])
def test_an_axis_without_a_positive_value_is_not_logarithmic(values, scale):
    """Matplotlib warns of it, and a warning is an error here."""
    scales = []

    def draw(axes):
        axes.step(values, values)
        for which in "xy":
            logarithmic(axes, which)
        scales.extend((axes.get_xscale(), axes.get_yscale()))

    assert figure(draw, "nowhere").png().startswith(b"\x89PNG")
    assert scales == [scale, scale]
