"""A gate's result in the forms that other programs collect.

JUnit XML is what CI services show as tests. The CSV has the form of Zephyr's test runner's
``recording.csv``: a header of sorted names, and quotes around all values except numbers. The JSON
is Bencher's metric format: by benchmark and measure, a value with its bounds.
"""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import IO

from pydantic_core import to_json

from irqscope.campaign.gate.record import GateRecord
from irqscope.campaign.gate.statement import FAIL, PASS, TOO_FEW
from irqscope.errors import printable
from irqscope.files import as_text, replace

#: How each form begins: no file that begins otherwise is replaced.
KINDS = {
    "junit": rb"\s*(<\?xml[^>]*>\s*)?<testsuite",
    "recording": rb'"?case"?,"?lower_nanoseconds"?,',
    "bencher": rb'\{(\}|\s*"[^"]*":\s*\{(\}|\s*"[^"]*":\s*\{\s*"value":))',
}


def junit(record: GateRecord, path: Path) -> None:
    """A suite for the gate, a class for each run, a test for each statement.

    An undecided statement is an error: no service may show it as passed. Raises StorageError.
    """
    suite = ET.Element("testsuite", name=record.gate, timestamp=record.started.rstrip("Z"))
    properties = ET.SubElement(suite, "properties")
    for name, value in (("source", record.label), ("irqscope", record.program)):
        ET.SubElement(properties, "property", name=name, value=value)
    for one in record.statements:
        # The time of a run is at its first statement.
        first = all(case.get("classname") != _class(record, one.item) for case in suite)
        seconds = record.items[one.item].seconds if first else 0.0
        case = ET.SubElement(
            suite,
            "testcase",
            classname=_class(record, one.item),
            name=one.name,
            time=f"{seconds:.3f}",
        )
        if one.state != PASS:
            kind = "failure" if one.state == FAIL else "error"
            element = ET.SubElement(case, kind, type=one.state, message=one.text)
            element.text = "\n".join((one.text, *one.details))
    _close(suite, path)


def junit_of_error(gate: str, message: str, path: Path) -> None:
    """Writes a JUnit file that says why a gate could not be carried out. Raises StorageError."""
    suite = ET.Element("testsuite", name=gate)
    case = ET.SubElement(suite, "testcase", classname=gate, name="measure", time="0.000")
    ET.SubElement(case, "error", type="not measured", message=message)
    _close(suite, path)


def recording(record: GateRecord, path: Path) -> None:
    """Writes a row for each quantile of each run. Raises StorageError."""
    rows = [
        {
            "suite": record.gate,
            "case": name,
            "metric": figure.name,
            "nanoseconds": _to_ps(figure.value_ns),
            "lower_nanoseconds": _to_ps(figure.lower_ns),
            "upper_nanoseconds": _to_ps(figure.upper_ns),
            "n": item.n,
            "verdict": _verdict(record, name, figure.value_ns is not None),
            "source": record.label,
        }
        for name, item in record.items.items()
        for figure in item.figures
    ]
    names = (
        "suite", "case", "metric", "nanoseconds", "lower_nanoseconds", "upper_nanoseconds", "n",
        "verdict", "source",
    )  # fmt: skip

    def write(file: IO[bytes]) -> None:
        with as_text(file) as text:
            writer = csv.DictWriter(
                text, sorted(names), lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC
            )
            writer.writeheader()
            # An unknown value is an empty field, without quotes.
            writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in rows)

    replace(path, write, kind=KINDS["recording"])


def bencher(record: GateRecord, path: Path) -> None:
    """Quantiles in ns. One that N samples cannot carry is left out. Raises StorageError."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, item in record.items.items():
        measures = found.setdefault(f"{record.gate}/{name}", {})
        for figure in item.figures:
            if figure.value_ns is None:
                continue
            ends = {"lower_value": figure.lower_ns, "upper_value": figure.upper_ns}
            finite = {key: value for key, value in ends.items() if value is not None}
            measures[figure.name] = {"value": figure.value_ns, **finite}
    text = to_json(found, indent=2) + b"\n"
    replace(path, lambda file: file.write(text), kind=KINDS["bencher"])


Writer = Callable[[GateRecord, Path], None]
#: Writers by the option that asks for them.
WRITERS: dict[str, Writer] = {"junit": junit, "recording": recording, "bencher": bencher}


def _class(record: GateRecord, item: str) -> str:
    return f"{record.gate}.{item}"


def _to_ps(ns: float | None) -> float | None:
    """A time in ns, to a ps: no clock here has ticks so short."""
    return None if ns is None else round(ns, 3)


def _verdict(record: GateRecord, item: str, bounded: bool) -> str:
    """The worst verdict on one run; a quantile that N cannot carry does not pass."""
    states = {one.state for one in record.statements if one.item == item}
    if FAIL in states:
        return FAIL
    return next(iter(states - {PASS}), PASS if bounded else TOO_FEW)


def _close(suite: ET.Element, path: Path) -> None:
    counts = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
    for name, tally in counts.items():
        suite.set(name, str(len(suite.findall(tally))))
    suite.set("skipped", "0")
    root = ET.Element("testsuites")
    root.append(suite)
    for element in root.iter():  # XML has no way to write most controls
        element.text = element.text and printable(element.text)
        element.attrib.update({k: printable(v) for k, v in element.attrib.items()})
    ET.indent(root)
    text = ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
    replace(path, lambda file: file.write(text), kind=KINDS["junit"])
