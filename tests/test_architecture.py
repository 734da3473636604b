"""The lists of docs/architecture.md: whoever follows them finds every file of the example."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
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
    "A capture front end for markers: PulseFrontEnd": r"\bPulseFrontEnd\b",
}


@dataclass(frozen=True)
class Entry:
    """A line of a list: the paths that it stands for, and those that its words mention."""

    stands_for: list[str]
    mentions: list[str]

    def __contains__(self, path: str) -> bool:
        """A folder holds what is below it."""
        return any(
            path == listed or (listed.endswith("/") and path.startswith(listed))
            for listed in [*self.stands_for, *self.mentions]
        )


def lists() -> dict[str, list[Entry]]:
    """Heading of each example, and its list."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    found = {}
    for section in page.split("\n### ")[1:]:
        heading, _, text = section.partition("\n")
        items = re.findall(r"^- (.*?)(:.*)?$", text, re.MULTILINE)
        found[heading] = [
            Entry(re.findall(r"`([^`]+)`", head), re.findall(r"`([^`]+/[^`]*)`", rest))
            for head, rest in items
        ]
    return found


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30
    )
    return [path for path in listed.stdout.splitlines() if not ELSEWHERE.search(path)]


def naming(heading: str) -> list[str]:
    """The files that name the example."""
    named = re.compile(NAMED[heading])
    return [
        path
        for path in tracked()
        if (ROOT / path).is_file() and named.search((ROOT / path).read_text(errors="replace"))
    ]


def test_every_example_is_looked_for():
    assert set(lists()) == set(NAMED)


@pytest.mark.parametrize("heading", NAMED)
def test_every_path_that_a_list_mentions_exists(heading):
    entries = lists()[heading]
    assert len(entries) >= 3
    mentioned = [path for entry in entries for path in entry.mentions]
    assert [path for path in mentioned if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("heading", NAMED)
def test_every_path_that_a_list_stands_for_names_the_example(heading):
    named = naming(heading)
    listed = [path for entry in lists()[heading] for path in entry.stands_for]
    assert [path for path in listed if not any(one in Entry([path], []) for one in named)] == []


@pytest.mark.parametrize("heading", NAMED)
def test_every_file_that_names_the_example_stands_in_its_list(heading):
    entries = lists()[heading]
    assert [path for path in naming(heading) if not any(path in one for one in entries)] == []
