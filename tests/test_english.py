"""The manual is written as CONTRIBUTING.md asks: what a reader would stumble over is found here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from instrument import ROOT

FOLDERS = (ROOT / "docs", ROOT / "examples")
PAGES = sorted([*ROOT.glob("*.md"), *(page for at in FOLDERS for page in at.rglob("*.md"))])
MOST_WORDS = 25  # of a table's cell

#: What is no sentence: code, where a link leads to, and the number, dash or bold label in front.
_CODE, _LINK = re.compile(r"`[^`]*`"), re.compile(r"\]\([^)]*\)")
_FRONT = re.compile(r"^(?:- |\d+\. )?(?:\*\*[^*]+\*\* ?)?")
#: A sentence may begin with a number, with code or with a name in small letters. What follows on
#: an abbreviation or on an ellipsis begins none.
_NEXT_BEGINS = re.compile(r"""(?<!et al)(?<!e\.g)(?<!\.\.)[.!?]["')\]]* +["'(\[*]*\w""")
_DANGLES = re.compile(r"(?:^|[.:!?] )Of ")


def text(line: str) -> str:
    """What is read aloud of a line."""
    return _FRONT.sub("", _LINK.sub("]", _CODE.sub("Code", line.strip())))


def lines_of(page: str) -> Iterator[tuple[int, str]]:
    """Number and text of each line of prose and tables; headings and code are neither."""
    fenced = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("    ", "#")):
            yield number, line


def joined(page: str) -> Iterator[str]:
    """Lines that hold the end of a sentence and the beginning of the next."""
    for number, line in lines_of(page):
        if not line.startswith("|") and _NEXT_BEGINS.search(text(line)):
            yield f"{number}: {line}"


def broken(page: str) -> Iterator[str]:
    """Lines that break where a reader does not pause. Lists of files have no sentences."""
    for number, line in lines_of(page):
        ends = line.rstrip(")\"'`*") or "."
        if not line.startswith(("|", "- `", "<!--", "![")) and ends[-1] not in ".,;:!?":
            yield f"{number}: {line}"


def crowded(page: str) -> Iterator[str]:
    """Cells of tables that have more words than a reader keeps."""
    for number, line in lines_of(page):
        for cell in re.split(r"(?<!\\)\|", line) if line.startswith("|") else ():
            if len(cell.split()) > MOST_WORDS:
                yield f"{number}:{cell}"


def dangling(page: str) -> Iterator[str]:
    """Sentences that begin with "Of"."""
    for number, line in lines_of(page):
        if _DANGLES.search(text(line)):
            yield f"{number}: {line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
@pytest.mark.parametrize(
    "rule", [joined, broken, crowded, dangling], ids=lambda rule: rule.__name__
)
def test_a_page_keeps_the_rule(rule, page: Path) -> None:
    assert list(rule(page.read_text(encoding="utf-8"))) == []


def test_each_rule_finds_what_breaks_it_and_nothing_else() -> None:
    good = "\n".join(
        (
            "# Of headings. They are free",
            "1. **Why so.** A line ends with its sentence, such as `a. B` or [c](d. E).",
            "- One of them may be of use: v0.5 of Amaranth, 4.2 ns,",
            "  e.g. those (`or others`), of Horst et al. 2020.",
            "    code. Of its own. Free",
            f"| {'word ' * MOST_WORDS}| a\\|b |",
        )
    )
    for rule in (joined, broken, crowded, dangling):
        assert list(rule(good)) == []
    assert list(joined("It is so. And this is next."))
    assert list(joined('- He said "so." *Next* is this.'))
    assert list(joined("It is so. `next` is this."))
    assert list(joined("It is so. 60 came."))
    assert list(joined("It is so. nIRQ is high."))
    assert list(broken("A line that breaks"))
    assert list(crowded(f"| a | {'word ' * (MOST_WORDS + 1)}|"))
    assert list(dangling("- Of its colour and its symbol."))
    assert list(dangling("**Follows.** Of 60 two came."))
