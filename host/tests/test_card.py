"""The benchmark card: its figures against known latencies, and their remarks."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from statistics import median

import pytest
from irqscope_fake.folder import CALIBRATION, LABEL, experiment, rewrite, write_run, write_suite
from test_assumptions import stored

from irqscope.campaign.suite.load import load as load_suite
from irqscope.errors import StorageError
from irqscope.results.reader import read
from irqscope.results.stamps import StmCounters
from irqscope_papers.a9.printed import A9, LOCKDOWN
from irqscope_papers.card import data, write_card
from irqscope_papers.card.run import answered
from irqscope_papers.cv32rt.benchmark import ROWS, judged
from irqscope_papers.horst2020 import deciding

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
#: The uncertainty of one value is 5 ns.
MEASURED = CALIBRATION | {
    "uncertainty": [
        {"source": "quantisation", "ns": 4.0, "text": ""},
        {"source": "sampling_grid", "ns": 3.0, "text": ""},
    ]
}


@pytest.fixture
def make(tmp_path):
    """Writes runs and their suite; returns card.json and the page.

    Each run is (latencies in ticks, changes of the experiment, values of run.json).
    """

    def make(runs, card="horst2020", states=None, stages=None, **values):
        for name, (latencies, changes, results) in runs.items():
            requested = experiment(**{"name": name, "count": len(latencies)} | changes)
            results = {"calibration": MEASURED} | results
            write_run(tmp_path / name, requested, latencies, (stages or {}).get(name), **results)
        names = dict.fromkeys(runs, "valid") | (states or {})
        write_suite(tmp_path, names, card=card, **values)
        for name, (_, _, results) in runs.items():
            tell(tmp_path, name, results.get("reasons", []))
        page = write_card(tmp_path).read_text(encoding="utf-8")
        return json.loads((tmp_path / "card.json").read_text()), page

    return make


def tell(folder, name, reasons):
    """Has suite.json say why a run is not valid."""
    record = json.loads((folder / "suite.json").read_text())
    record["items"][name]["reasons"] = reasons
    (folder / "suite.json").write_text(json.dumps(record))


def test_rows_of_cv32rt_say_what_equals_a_printed_number_and_what_does_not(make):
    first, second = "nxti-back-to-back-cv32e40p-clic", "jalnxti-back-to-back-cv32e40p-clic"
    actual, page = make(
        {
            "clint-cv32e40p": plain([33, 33]),
            "clint-cv32e40p-clic": plain([33, 34]),
            "clint-least-cv32e40p": plain([8]),
            "emret-cv32rt": plain([10]),
            first: plain([17]),
            second: plain([8]),
        },
        card="cv32rt",
    )
    rows = {row["name"]: row["verdict"] for row in actual["cv32rt"]["rows"]}
    assert rows == {
        "clint-cv32e40p": "equal to the printed 33",
        "clint-cv32e40p-clic": "+0 to +1",
        "clint-least-cv32e40p": "no number in print",
        "emret-cv32rt": "+2, -2",
        first: "no number in print",
        second: "no number in print",
    }
    (difference,) = actual["cv32rt"]["differences"]
    assert (difference["ours"], difference["verdict"]) == (9, "equal to the printed 9")
    assert "exact" not in page  # the paper says "about"
    assert "<b>9</b>" in page
    assert "area in GF12" in page  # quoted, with the reason why ours is missing
    assert "Latency</h2>" not in page


def test_a_row_of_cv32rt_whose_stop_was_chosen_for_it_is_judged_at_the_handler_too():
    at = {"start": "line 0", "n": 3}
    entry = at | {"stop": "pc:entry_first", "min": 42, "max": 42}
    handler = at | {"stop": "pc:handler_first", "min": 44, "max": 45}
    actual = judged([at | {"stop": "handler", "min": 46, "max": 46}, entry, handler], (42,))
    assert actual == {
        "n": 3,
        "least": 42,
        "most": 42,
        "verdict": "equal to the printed 42; at the handler's first instruction +2 to +3",
    }
    assert judged([handler], (44,))["verdict"] == "+0 to +1"
    assert judged([entry, handler], ())["verdict"] == "no number in print"
    for name, row in ROWS.items():
        of_entry = "xnxti" in row.title and row.printed != ()
        assert ("chosen for this row" in row.remark) == of_entry, name


def test_a_difference_of_cv32rt_that_varies_is_a_range(make):
    actual, page = make(
        {
            "switch-pended-cv32rt": plain([176, 177]),
            "switch-fastirq-cv32rt": plain([154, 155]),
        },
        card="cv32rt",
    )
    (difference,) = actual["cv32rt"]["differences"]
    assert (difference["ours"], difference["verdict"]) == ([21, 23], "-10 to -8")
    assert "<b>21 to 23</b>" in page


def test_a_row_of_cv32rt_that_is_not_valid_has_no_figure(make):
    name = "clint-cv32e40p"
    actual, _ = make({name: plain([33])}, card="cv32rt", states={name: "invalid"})
    (row,) = actual["cv32rt"]["rows"]
    assert (row["n"], row["verdict"]) == (None, "not measured: invalid")


def test_every_row_of_cv32rt_says_which_core_it_ran_on(make):
    """As its run found it, measured or not."""
    names = ("clint-cv32e40p", "emret-cv32rt")
    actual, page = make(
        {name: plain([33]) for name in names}, card="cv32rt", states={names[1]: "invalid"}
    )
    assert [row["core"] for row in actual["cv32rt"]["rows"]] == ["zcu102", "zcu102"]
    assert page.count("<td>zcu102</td>") == 2


def test_each_row_of_cv32rt_is_a_run_of_its_suite_and_each_run_a_row():
    entries = load_suite(EXPERIMENTS / "cv32rt", "paper").entries
    assert {entry.name for entry in entries} == set(ROWS)
    for entry in entries:
        assert entry.target == f"rtl:{entry.name[entry.name.index('cv32') :]}"


def plain(latencies, **changes):
    return latencies, changes, {}


def throughput(*stops):
    """Stops of each phase, by cores from 0 on; a high phase of 1 ms."""
    return [
        {
            "channel": core,
            "core": core,
            "high_ticks": 250_000,
            "stops": phases,
            "median_hz": 1000 * median(phases),
            "min_hz": 1000 * min(phases),
            "max_hz": 1000 * max(phases),
        }
        for core, phases in enumerate(stops)
    ]


def svgs(html):
    return re.findall(r"<svg.*?</svg>", html, re.DOTALL)


def row(page, name):
    """The row of a run in a table, as text."""
    match = re.search(rf'<tr><td><a href="{name}/report.html">.*?</tr>', page, re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", match[0])).strip()


# ---- latency ---------------------------------------------------------------------------------


def test_figures_are_those_of_the_latencies(make):
    # 1000 latencies, 4 ns a tick: 49 to 51 and two far away.
    card, page = make({"t2": plain([49] * 300 + [50] * 398 + [51] * 300 + [10, 400])})
    latency = card["runs"][0]["latency"]
    assert (latency["n"], latency["min_ns"], latency["max_ns"]) == (1000, 40, 1600)
    assert latency["median_ns"] == [200, 200]
    assert latency["median_interval_ns"] == [200, 200]
    assert latency["mean_ns"] == pytest.approx(
        4 * (49 * 300 + 50 * 398 + 51 * 300 + 410) / 1000, abs=0.05
    )
    assert latency["cycles"]["min"] == 10 * 4.8
    box = latency["box"]
    assert (box["q1"], box["median"], box["q3"]) == (196.0, 200.0, 204.0)
    assert (box["low"], box["high"]) == (196.0, 204.0)
    assert (box["outliers"], box["outlying"]) == ([40.0, 1600.0], 2)
    displayed = row(page, "t2")
    assert "1000 40 ns 200 ns [200, 200]" in displayed
    assert "1600 ns at most 0.3 % are longer" in displayed


@pytest.mark.parametrize(("samples", "longest"), [("none", (4096, 5000)), ("all", (5000, 5000))])
def test_beyond_the_histogram_the_gateware_or_the_samples_know_the_longest(
    tmp_path, make, samples, longest
):
    import pyarrow as pa
    import pyarrow.parquet as pq

    make({"t2": plain([50] * 99 + [5000], samples=samples)})
    path = tmp_path / "t2" / "histogram.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[1] |= {"lower_ticks": 4096, "upper_ticks": None}
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    rewrite(tmp_path / "t2", lambda run: run["counters"][0].update(overflow=1))
    expected = answered(read(tmp_path / "t2"), 0)
    assert (expected.lower[-1], expected.upper[-1], expected.n) == (*longest, 100)


def test_only_what_is_printed_stands_as_published(make):
    runs = {
        "t1": plain([600] * 9, case="t1", caches="off"),
        "t2": plain([50] * 9),
        "t2-stm-standalone": plain([58] * 9, stack="standalone"),
    }
    card, page = make(runs)
    assert [run["printed"] is None for run in card["runs"]] == [True, True, False]
    assert card["runs"][2]["printed"]["value"] == 232
    assert "not printed valid" in row(page, "t1")
    assert "not printed valid" in row(page, "t2")  # a way that the paper's is not


STM = {
    "set_up": {},
    "stamp_hz": 250_000_000,
    "counters": dict.fromkeys(StmCounters.model_fields, 0),
    "latency": {"n": 9, "min": 83, "median": 83, "max": 84}
    | {"min_ns": 332, "median_ns": 332, "max_ns": 336},
    "same_by_markers": None,
    "difference_ns": None,
}


@pytest.mark.parametrize(("low_ns", "inside"), [(220, "inside"), (240, "outside")])
def test_the_published_average_stands_beside_the_second_stamp_and_its_joint_range(
    make, low_ns, inside
):
    actual = stored(stm={"low_ns": low_ns, "high_ns": 440})
    model = {"assumptions": json.loads(actual.model_dump_json()), "unknown": None}
    run = ([58] * 9, {"stack": "standalone"}, {"stm": STM, "model": model})
    _, page = make({"t2-stm-standalone": run, "t2": plain([58] * 9)})
    assert (
        "average 232 ns here by STM 332 / 332 / 336 ns (min / median / max), N = 9; "
        f"{low_ns} to 440 ns over 200 joint draws of the 44 unsourced constants of a53 and 17 "
        f"layouts of the code: 232 ns is {inside}"
    ) in row(page, "t2-stm-standalone")
    assert "not printed valid" in row(page, "t2")
    assert "Horst et al.: rising edge of the PL-to-PS line" in page  # the definition it uses


def test_two_builds_that_layouts_alone_could_make_of_each_other_are_not_told_apart():
    """The median of each is moved out to the range over layouts of the code."""
    latency = {
        "n": 240, "uncertainty_ns": 0.0, "unanswered": "", "median_interval_ns": [324, 324],
        "min_ns": 320, "max_ns": 328, "box": {"outlying": 0}, "placed_ns": None,
    }  # fmt: skip
    slow = latency | {"median_interval_ns": [368, 368]}
    run = {"name": "t2", "throughput": None, "median": 324}
    equal = slow | {"placed_ns": [320, 388]}
    first, second, third = (
        dict(data.figures_of(run | {"latency": one}))["t2"].median for one in (latency, slow, equal)
    )
    assert deciding.above(second, first) is deciding.Verdict.HOLDS
    assert deciding.above(third, first) is deciding.Verdict.OPEN


def test_an_invalid_run_has_no_figures_but_its_reasons(make):
    invalid = ([50] * 9, {}, {"valid": False, "reasons": ["counters disagree"]})
    card, page = make({"t1": plain([600] * 9), "t2": invalid}, states={"t2": "invalid"})
    assert card["runs"][1]["latency"] is None
    assert "invalid counters disagree" in row(page, "t2")
    assert "1 of 2 runs valid" in page
    assert "t2 (N" not in page.replace("  ", " ")


def test_a_run_that_never_came_to_be_is_told(make):
    _, page = make({"t2": plain([50] * 9)}, states={"t7": "failed", "t5": "left out"})
    assert "failed" in page and "left out" in page and "1 of 3 runs valid" in page


def test_the_symlog_axis_of_figure_4_is_linear_to_2496_ns(make):
    _, page = make(
        {"t1": plain([600] * 9), "b-lmin": plain([50, 51, 70]), "b-lmax": plain([900, 1500])}
    )
    cases, minimum, greatest = svgs(page)
    assert "2,496" in cases and "2,496" not in minimum
    assert ">240<" in minimum
    assert ">2496<" not in greatest
    for title in ("(figure 4 a)", "(figure 4 b)", "(figure 4 c)"):
        assert title in page


# ---- throughput and shares -------------------------------------------------------------------


def test_throughput_counts_all_cores_as_the_paper_does(make):
    both = ([50] * 4, {"measure": "throughput", "cores": 2}, {})
    both[2]["throughput"] = throughput([400, 402, 401], [300, 300, 306])
    card, page = make({"b-tmax": both})
    actual = card["runs"][0]["throughput"]
    assert actual["phases_hz"] == pytest.approx([700e3, 702e3, 707e3])
    assert (actual["n"], actual["median_hz"]) == (3, pytest.approx(702e3))
    assert card["runs"][0]["latency"] is None
    displayed = row(page, "b-tmax")
    assert "3 1 ms 702,000 Hz 700,000 Hz 707,000 Hz 0: 401,000 Hz, 1: 300,000 Hz" in displayed
    assert "repeats" not in displayed
    assert "(figure 5 a)" in page and "(figure 5 b)" in page
    assert "b-tmax  (N = 3)" in svgs(page)[0]


def test_phases_that_a_model_repeats_are_one_number_and_no_range(make):
    def two(stack):
        results = {"throughput": throughput([400, 401, 400], [300] * 3)}
        return [50] * 3, {"measure": "throughput", "cores": 2, "stack": stack}, results

    both = {"t6-2-throughput": two("baremetal"), "t6-2-throughput-freertos": two("freertos")}
    card, page = make(both)
    displayed = row(page, "t6-2-throughput")
    assert "3 1 ms 700,000 Hz a deterministic model repeats itself 0: 400,000 Hz" in displayed
    assert card["runs"][0]["throughput"]["repeats"]
    (range_of,) = [s for s in card["statements"] if s["text"].startswith("T6-2: the range of")]
    assert range_of["verdict"] == "not decided"
    assert "a deterministic model repeats itself" in range_of["why"]


def test_a_core_that_runs_another_stack_is_named(make):
    both = ([50] * 3, {"measure": "throughput", "cores": 2, "stack": "freertos"}, {})
    both[2]["throughput"] = throughput([400, 402, 401], [300, 300, 306])
    card, page = make({"b-tmax-freertos": both})
    cores = card["runs"][0]["throughput"]["cores"]
    assert [(core["core"], core["stack"]) for core in cores] == [(0, "freertos"), (1, "baremetal")]
    assert "0: 401,000 Hz, 1 (baremetal): 300,000 Hz" in row(page, "b-tmax-freertos")


def test_shares_of_a_shared_interrupt_are_no_latency(make):
    shared = ([50] * 9, {"case": "t6-spi", "cores": 2}, {})
    shared[2]["firmware"] = {"handled_0": 3, "handled_1": 6}
    card, page = make({"t6-spi-2": shared})
    run = card["runs"][0]
    assert run["latency"] is None and run["median"] is None
    assert [(s["core"], s["handled"]) for s in run["shares"]] == [(0, 3), (1, 6)]
    assert "33.3 % 3 66.7 % 6" in row(page, "t6-spi-2")
    assert not svgs(page)


# ---- statements ------------------------------------------------------------------------------


def medians(**ticks):
    return {name.replace("_", "-"): plain([t] * 9) for name, t in ticks.items()}


def verdicts(card):
    return {s["text"]: s["verdict"] for s in card["statements"]}


def test_every_claim_stands_on_the_card_with_its_verdict_and_the_medians(make):
    card, page = make(medians(t6_2=500, t6_3=510, t6_4=520))
    text = "the more cores, the higher the latency of T6"
    (collected,) = [s for s in card["statements"] if s["text"] == text]
    assert (collected["verdict"], collected["where"]) == ("holds", "4.1, T6")
    assert "t6-3 2,040 [2,035, 2,045], 2,040 to 2,040" in collected["why"]
    for statement in card["statements"]:
        assert statement["text"] in page
        assert statement["verdict"] in ("holds", "does not hold", "not decided")
    assert "no valid run of t1, t2, t3" in " ".join(s["why"] for s in card["statements"])
    assert "by more than 10 %" in page


@pytest.mark.parametrize(
    ("last", "verdict"), [(520, "holds"), (512, "not decided"), (500, "does not hold")]
)
def test_a_difference_within_the_uncertainty_decides_nothing(make, last, verdict):
    # 4 ns a tick, 5 ns of uncertainty: two ticks apart, their intervals meet.
    card, _ = make(medians(t6_2=500, t6_3=510, t6_4=last))
    assert verdicts(card)["the more cores, the higher the latency of T6"] == verdict


@pytest.mark.parametrize(
    ("b_tmax", "verdict"),
    [(95, "holds"), (105, "does not hold"), (80, "does not hold"), (100, "not decided")],
)
def test_the_throughput_benchmark_lags_behind_t2(make, b_tmax, verdict):
    runs = {
        name: ([50], {"measure": "throughput"}, {"throughput": throughput([stops])})
        for name, stops in (("t2-throughput", 100), ("b-tmax", b_tmax))
    }
    card, _ = make(runs)
    assert verdicts(card)["B-Tmax lags a little behind T2 alone on bare metal"] == verdict


def of_throughput(stack="baremetal", **stops):
    """Runs of throughput on a stack: name = stops of the one phase, by core."""
    suffix = "" if stack == "baremetal" else f"-{stack}"
    return {
        name.replace("_", "-") + suffix: (
            [50],
            {"measure": "throughput", "cores": len(cores), "stack": stack},
            {"throughput": throughput(*([count] for count in cores))},
        )
        for name, cores in stops.items()
    }


@pytest.mark.parametrize(("own", "verdict"), [(2000, "does not hold"), (4000, "holds")])
def test_bare_metal_on_another_core_earns_no_claim_about_freertos(make, own, verdict):
    card, page = make(of_throughput("freertos", t2_throughput=[2000], b_tmax=[own, 3000]))
    (claim,) = [s for s in card["statements"] if s["text"].startswith("B-Tmax has by far")]
    assert claim["verdict"] == verdict
    assert claim["text"].endswith("(freertos, core 0: the other cores run bare metal)")
    assert f"b-tmax-freertos, core 0 {1000 * own:,} " in claim["why"]
    assert claim["text"] in page


def test_a_claim_about_all_cores_of_bare_metal_stands_beside_that_about_core_0(make):
    runs = of_throughput(t6_2_throughput=[400] * 2, t6_3_throughput=[390] * 3)
    actual = verdicts(make(runs | of_throughput(t6_4_throughput=[380] * 4))[0])
    text = "the more cores, the lower the throughput of T6"
    assert actual[text] == "does not hold"
    assert actual[f"{text} (core 0)"] == "holds"


STACKS = {"": "baremetal", "-freertos": "freertos"}


def two_stacks(**ticks):
    """Runs of both stacks: name = (latencies on bare metal, on FreeRTOS)."""
    return {
        name + suffix: plain(values, stack=stack)
        for name, both in ticks.items()
        for values, (suffix, stack) in zip(both, STACKS.items(), strict=True)
    }


def test_the_stacks_of_a_case_stand_together_in_their_colours(make):
    runs = two_stacks(t1=([600] * 9, [700] * 9), t2=([50] * 9, [60] * 9))
    runs["b-lmin"], runs["b-lmin-freertos"] = runs["t2"], runs["t2-freertos"]
    shuffled = {name: runs[name] for name in sorted(runs, reverse=True)}
    described = {"name": "freertos", "version": "V11.2.0", "configuration": "as usual"}
    card, page = make(shuffled, stacks={"freertos": described, "baremetal": described})
    cases, minimum = svgs(page)
    names = re.findall(r">([bt]\S+)  \(N = 9\)<", cases)
    assert names == ["t2", "t2-freertos", "t1", "t1-freertos"]
    for svg in (cases, minimum):
        assert {"baremetal", "freertos"} <= set(re.findall(r">(\w+)<", svg))
        assert svg.count("#cfe3f2") == svg.count("#f3dcea") > 0
    assert {run["name"]: run["stack"] for run in card["runs"]}["t1-freertos"] == "freertos"
    assert "V11.2.0; as usual" in page


def test_one_stack_alone_needs_no_key(make):
    _, page = make({"t2": plain([50] * 9)})
    assert ">baremetal<" not in svgs(page)[0]


@pytest.mark.parametrize(
    ("kernel", "least", "narrower"),
    [
        ([40, 41, 42], "holds", "holds"),
        ([40, 41, 70], "holds", "does not hold"),
        ([49, 50, 59], "not decided", "not decided"),
        ([60, 61, 62], "does not hold", "holds"),
        ([40, 41], "not decided", "not decided"),  # of fewer stimuli
    ],
)
def test_the_papers_surprise_is_held_against_minimum_and_range(make, kernel, least, narrower):
    card, _ = make(two_stacks(t2=([50, 51, 60], kernel)))
    actual = verdicts(card)
    assert actual["T2: the least latency is smaller on FreeRTOS"] == least
    assert actual["T2: the range of the latency is narrower on FreeRTOS"] == narrower
    assert "the more cores, the higher the latency of T6 (freertos)" in actual


def test_a_third_stack_is_held_against_the_kernel_too(make):
    runs = two_stacks(t2=([50, 51, 60], [40, 41, 42]))
    runs["t2-vendor"] = plain([80, 81, 82], stack="vendor")
    actual = verdicts(make(runs)[0])
    assert actual["T2: the least latency is smaller on FreeRTOS, beside vendor"] == "holds"
    assert "T2 has only a few outliers (vendor)" in actual


# ---- the other cards -------------------------------------------------------------------------


def cell(state, ticks, placement="ddr", caches="on", interrupt="spi 121", memory="cacheable"):
    changes = {"case": "cache-state", "state": state, "placement": placement, "caches": caches}
    return plain([ticks] * 9, interrupt=interrupt, memory=memory, **changes)


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))


def test_each_row_of_the_article_stands_beside_ours_with_ratio_and_rank(make):
    runs = {
        "normal": cell([], 50),
        "l1i": cell(["l1i"], 100),
        "l1d": cell(["l1d"], 80),
        "sgi": cell([], 40, interrupt="sgi 1"),
        "marked": cell([], 70, memory="non-cacheable"),
        "emptied": cell(["l1i", "bp", "tlb"], 140, memory="non-cacheable"),
    }
    card, page = make(runs, card="cache-states")
    text = text_of(page)
    for title in ("SPI 121, DDR, marked cacheable", "SGI 1, DDR, marked cacheable"):
        assert title in text
    assert "L1I 9 480 / 480 / 480 2.00 3 400 / 404 / 414 1.67 2" in text
    assert "L1D 9 384 / 384 / 384 1.60 2 396 / 408 / 420 1.69 3" in text
    assert "BP not run 298 / 298 / 298 1.23" in text
    marked = text[text.index("SPI 121, DDR, marked non-cacheable") :]
    assert "nothing 9 336 / 336 / 336 1.00 1 2076 / 2186 / 3182 1.00 1" in marked
    assert "BP + L1I + TLB 9 672 / 672 / 672 2.00 2 2880 / 2986 / 3996 1.37 2" in marked
    assert "1200 MHz here" in text
    rows = {
        (table["interrupt"], table["kind"]): len([r for r in table["rows"] if r["article"]])
        for table in card["states"]
    }
    assert rows == {
        ("spi 121", "cacheable"): 10,
        ("spi 121", "non-cacheable"): 6,
        ("sgi 1", "cacheable"): 10,
    }


def test_caches_that_are_off_stand_beside_nothing(make):
    runs = {"on": cell([], 50), "off": cell([], 100, caches="off"), "c": cell((), 90, "ocm", "off")}
    card, page = make(runs, card="cache-states")
    text = text_of(page)
    off = text[text.index("DDR, caches off") : text.index("OCM, caches off")]
    assert "nothing 9 480 / 480 / 480 1.00" in off and "article" not in off
    assert [table["states"] for table in card["states"]] == [1, 0, 0]


def test_what_brought_a_state_about_is_that_machines(make):
    _, page = make({"a": cell(["bp"], 50)}, card="cache-states")
    assert "BP: a run of many branches: AArch64 has no instruction for it" in page
    assert "BPIALL" not in page


def test_the_order_of_the_states_is_a_rank_correlation(make):
    # The article: normal 242, L1I 404, L1D 408, all 1892; here L1I and L1D change places.
    runs = {
        "normal": cell([], 50),
        "l1i": cell(["l1i"], 120),
        "l1d": cell(["l1d"], 110),
        "all": cell(["tlb", "bp", "l1i", "l1d", "l2"], 450),
        "marked": cell([], 500, memory="non-cacheable"),
        "l1d-marked": cell(["l1d"], 500, memory="non-cacheable"),  # the article has none
        "sgi": cell([], 40, interrupt="sgi 1"),
        "sgi-l1i": cell(["l1i"], 90, interrupt="sgi 1"),
    }
    card, page = make(runs, card="cache-states")
    by_key = {(t["interrupt"], t["kind"]): (t["states"], t["spearman"]) for t in card["states"]}
    assert by_key == {
        ("spi 121", "cacheable"): (4, pytest.approx(0.8)),
        ("spi 121", "non-cacheable"): (1, None),
        ("sgi 1", "cacheable"): (2, pytest.approx(1.0)),
    }
    text = text_of(page)
    assert "4 states on both sides; rank correlation (Spearman) of their averages: 0.80" in text
    assert "1 states on both sides; rank correlation (Spearman) of their averages: no order" in text


def test_the_tables_of_the_articles_are_complete():
    assert len(A9) == 11
    columns = [column for row in A9.values() for column in row]
    assert {column: columns.count(column) for column in columns} == {
        ("ddr", "cacheable"): 10,
        ("ocm", "cacheable"): 10,
        ("ddr", "non-cacheable"): 6,
        ("ocm", "non-cacheable"): 6,
    }
    for low, high, average in (cell for columns in A9.values() for cell in columns.values()):
        assert low <= average <= high
    assert list(LOCKDOWN.values()) == [(154, 876, 1778), (138, 802, 1454), (142, 416, 726)]


def test_the_suite_runs_every_row_of_the_article_by_both_interrupts():
    suite = load_suite(EXPERIMENTS / "a9-cache-states", "quick")
    ran = {
        (one.interrupt, one.placement, one.memory, tuple(sorted(one.state)))
        for one in (entry.experiment for entry in suite.entries)
        if one.caches == "on"
    }
    expected = {(place, memory, state) for state, row in A9.items() for place, memory in row}
    assert len(expected) == 32
    assert ran == {(i, *row) for i in ("software", "shared") for row in expected}


def test_a_lockdown_stands_beside_the_articles(make):
    runs = {
        "none": plain([50, 100, 150], case="random-load"),
        "tlb": plain([40, 80, 120], case="random-load", lockdown="tlb"),
        "ocm": plain([40] * 3, case="random-load", placement="ocm"),
    }
    card, page = make(runs, card="lockdown")
    text = text_of(page)
    expected = "3 240 / 480 / 720 154 / 876 / 1778 +56 % / -45 % / -60 % 1.00 / 1.00 / 1.00 1.00 /"
    assert expected in text
    expected = (
        "3 192 / 384 / 576 138 / 802 / 1454 +39 % / -52 % / -60 % 0.80 / 0.80 / 0.80 0.90 / 0.92"
    )
    assert expected in text
    assert "3 192 / 192 / 192 not printed 0.80 / 0.40 / 0.27" in text
    assert [row["article"] is None for row in card["locked"]] == [False, False, True]
    shares, tails = svgs(page)
    assert "none, N = 3" in shares and "share of interrupts" in shares
    assert "took at least as long" in tails


def test_distributions_stand_in_cycles_beside_the_published_ones(make):
    _, page = make({"plain": plain([50, 100, 150]), "ocm": plain([50] * 3)}, card="distributions")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
    assert "plain 3 240 480 720" in text
    assert "A9, TLB and L2 lockdown 2000000 142 416 726" in text
    assert "locks neither TLB nor L2" in text
    (svg,) = svgs(page)
    assert "plain, N = 3" in svg and "ocm, N = 3" in svg


def test_stages_are_a_waterfall_by_medians(make):
    stamps = {
        "vector_ticks": [30, 31, 32],
        "handler_ticks": [50, 51, 53],
        "done_ticks": [60, 61, 62],
        "task_ticks": [90, 91, 99],
    }
    card, page = make(
        {"wfi": plain([50, 51, 53], markers="stages", clock_divisor=8)},
        card="stages",
        stages={"wfi": stamps},
    )
    assert [s["median_ns"] for s in card["runs"][0]["stages"]] == [124, 204, 244, 364]
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
    assert "wfi wfi, clock divided by 8 3 124 ns 120 to 128 204 ns" in text
    assert "to vector" in svgs(page)[0] and "807" in text


# ---- the page --------------------------------------------------------------------------------


def test_every_plot_bears_its_source_and_its_n(make):
    runs = {"t1": plain([600] * 9), "b-lmin": plain([50] * 7)}
    runs["t1-throughput"] = (
        [50],
        {"measure": "throughput"},
        {"throughput": throughput([400, 401])},
    )
    _, page = make(runs)
    plots = svgs(page)
    assert len(plots) == 4
    for svg in plots:
        ET.fromstring(svg)
        assert LABEL in svg and "N = " in svg
    assert "They do not predict a board" in page


def test_the_preset_of_counts_stands_on_top(make):
    _, page = make({"t2": plain([50] * 9)}, counts="quick")
    assert page.index("counts: <b>quick</b>") < page.index("<svg")


def test_all_hashes_are_on_it(make):
    card, page = make({"t2": plain([50] * 9)})
    assert set(card["hashes"]) == {"gateware", "firmware", "profile", "suite"}
    experiment_hash = card["runs"][0]["experiment_sha256"]
    assert len(experiment_hash) == 64
    for value in (*card["hashes"].values(), experiment_hash):
        assert value in page


def test_it_opens_without_network(make):
    _, page = make({"t2": plain([50] * 9)})
    links = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert all(link.startswith(("#", "data:", "t2/")) for link in links)
    assert "url(http" not in page and "@import" not in page and "<script" not in page


def test_a_folder_of_no_suite_is_refused(tmp_path):
    with pytest.raises(StorageError, match="is not the folder of a suite"):
        write_card(tmp_path)
