"""The lists of docs/architecture.md: whoever follows them finds every file of the example."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Who follows a list need not look there: what is generated, read or tested.
ELSEWHERE = re.compile(
    r"(^|/)(tests|docs|ip|irqscope_fake|generated)/|(^|/)(generated\.py|CHANGELOG\.md)$"
)
#: How a file that belongs to the example names it.
NAMED = {
    "A case: T5": r"\bt5\b|\bT5\b|_t5\b|\bB_?T5\b",
    "A plot: the loss map": r"\b[Ll]oss maps?\b|\bLoss(Map|Plot)\b",
    "A software stack: standalone": r"\bstandalone\b",
    "A machine: zynq7000": r"\bzynq7000\b",
    "A front for markers: PulseFront": r"\bPulseFront\b",
}


def lists() -> dict[str, list[str]]:
    """Heading of each example, and the paths of its list."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    found = {}
    for section in page.split("\n### ")[1:]:
        heading, _, text = section.partition("\n")
        items = re.findall(r"^- (.*?)(:.*)?$", text, re.MULTILINE)
        found[heading] = [
            path
            for head, rest in items
            for path in [*re.findall(r"`([^`]+)`", head), *re.findall(r"`([^`]+/[^`]*)`", rest)]
        ]
    return found


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30
    )
    return [path for path in listed.stdout.splitlines() if not ELSEWHERE.search(path)]


def test_every_example_is_looked_for():
    assert set(lists()) == set(NAMED)


@pytest.mark.parametrize("heading", NAMED)
def test_every_path_of_a_list_exists(heading):
    paths = lists()[heading]
    assert len(paths) >= 3
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("heading", NAMED)
def test_every_file_that_names_the_example_stands_in_its_list(heading):
    paths = tuple(lists()[heading])
    named = re.compile(NAMED[heading])
    missing = [
        path
        for path in tracked()
        if not path.startswith(paths)
        and (ROOT / path).is_file()
        and named.search((ROOT / path).read_text(errors="replace"))
    ]
    assert missing == []
