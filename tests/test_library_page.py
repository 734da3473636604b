"""What docs/library.md and the notebook of examples/ show is run as it stands."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys

import pyarrow as pa

from instrument import ROOT
from irqscope import library
from irqscope.library import Measured, connect, load
from irqscope.units import ticks_to_ns

#: What mypy knows of the packages, from one run to the next.
MYPY = ROOT / "build" / "mypy" / "library"


def test_every_snippet_of_the_page_runs(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "library.md").read_text()
    snippets = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(snippets) == page.count("\n## ")
    monkeypatch.chdir(tmp_path)
    namespace: dict = {"__name__": "page"}
    for snippet in snippets:
        exec(compile(snippet, "docs/library.md", "exec"), namespace)
    assert namespace["result"].valid and namespace["result"].label == "twin, a53 timing"
    assert 300 <= len(namespace["samples"]) < 5000 and namespace["part"].error is not None
    table = namespace["result"].samples()
    assert isinstance(table, pa.Table) and table.num_rows == 500
    hz = namespace["result"].record.tick_hz
    assert table["latency_ns"].to_pylist() == [
        ticks_to_ns(ticks, hz) for ticks in table["latency_ticks"].to_pylist()
    ]
    assert (tmp_path / "runs/first.svg").stat().st_size and namespace["difference"].quantiles["p50"]
    slower = namespace["difference"].quantiles["p50"][1]
    assert slower.difference > 100 and slower.verdict == "no interval: in run 2 not independent"
    assert f"# {slower.verdict}" in page


def test_a_program_has_types(tmp_path):
    page = (ROOT / "docs" / "library.md").read_text()
    snippets = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    asks = "reveal_type(samples[0].latency_ns)\n"
    (tmp_path / "page.py").write_text("\n".join([*snippets, asks]))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", MYPY, "page.py"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=400)
    assert process.returncode == 0, process.stdout
    assert re.search(r'"(builtins\.)?int \| None"', process.stdout), process.stdout


def test_no_public_name_of_the_library_is_of_any_type():
    named = [getattr(library, name) for name in library.__all__]
    public = [one for one in named if one.__module__ == library.__name__]
    methods = [each for one in public for each in vars(one).values() if inspect.isfunction(each)]
    annotations = {
        str(annotation)
        for each in (*public, *methods)
        for annotation in inspect.get_annotations(each).values()
    }
    assert {"pa.Table", "pd.DataFrame"} <= annotations and not [
        annotation for annotation in annotations if "Any" in annotation
    ]


def test_the_label_is_that_of_the_opened_target(tmp_path):
    with connect("twin:functional") as target:
        result = target.measure(load("t2", count=20), tmp_path / "run")
    assert isinstance(result, Measured)
    assert result.label == target.label == "twin, functional timing"
    assert json.loads((tmp_path / "run" / "run.json").read_text())["target"] == "twin:functional"


def test_the_notebook_runs(tmp_path):
    command = [sys.executable, ROOT / "examples" / "notebook.py"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=400)
    assert process.returncode == 0, process.stderr
    assert (
        "True True" in process.stdout and "no interval: in run 2 not independent" in process.stdout
    )
    assert len(list(tmp_path.glob("runs/*/tail.svg"))) == 1
