"""The manual says what the program does: every key, command, exit code and link is there."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from instrument import ROOT
from irqscope.cli.main import cli
from irqscope.errors import ExitCode
from irqscope.experiment.model import Experiment
from irqscope.experiment.tables import Channel, Line
from irqscope.results.record import RunRecord
from irqscope.results.tables import BATCHES, HISTOGRAM, PLACES, SAMPLES, STM

pytestmark = pytest.mark.quick

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("model", [Experiment, Line, Channel])
def test_every_key_of_an_experiment_is_described(model: type) -> None:
    text = (ROOT / "docs/experiments.md").read_text()
    keys = set(model.model_fields) - {"lines", "channels"}
    assert {key for key in keys if f"`{key}`" not in text} == set()


def test_every_command_and_option_is_described() -> None:
    text = (ROOT / "docs/cli.md").read_text()
    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    assert {name for name in commands if f"`irqscope {name}" not in text} == set()
    options = {
        option
        for command in commands.values()
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }
    assert {option for option in options if f"`{option}" not in text} == set()


def test_every_exit_code_is_described() -> None:
    text = (ROOT / "docs/cli.md").read_text()
    assert {code for code in ExitCode if f"| {code:d} |" not in text} == set()


def rows_of(heading: str) -> list[str]:
    """Plain names in the first cells of the tables below a heading of the page of run folders."""
    text = (ROOT / "docs/run-folder.md").read_text()
    section = re.split(r"\n##+ ", text.split(f"\n## {heading}\n")[1])[0]
    cells = re.findall(r"^\|([^|]*)\|", section, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


@pytest.mark.parametrize(
    ("heading", "columns"),
    [
        ("Samples", SAMPLES),
        ("STM", STM),
        ("Batches", BATCHES),
        ("Places", PLACES),
        ("Histogram", HISTOGRAM),
    ],
)
def test_every_column_of_a_table_is_described(heading: str, columns) -> None:
    assert sorted(rows_of(heading)) == sorted(columns.names)


def test_every_field_of_a_record_is_described() -> None:
    assert sorted(rows_of("`run.json`, format `irqscope-run/7`")) == sorted(RunRecord.model_fields)


def test_every_stack_that_comes_with_irqscope_is_described() -> None:
    text = "".join((ROOT / "docs" / page).read_text() for page in ("stacks.md", "cores.md"))
    stacks = {path.parent for path in (ROOT / "fw/stacks").rglob("stack.mk")}
    assert {
        at.name for at in stacks if not re.search(rf"^\| `{at.name}` \||/{at.name}\)", text, re.M)
    } == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_heading_has_an_anchor_of_its_own(page: Path) -> None:
    """Below one heading no two are equal: a reader and a link find the one that is meant."""
    above: list[str] = []
    collected = []
    for level, title in re.findall(r"^(#+) (.+)$", page.read_text(), re.MULTILINE):
        above = [*above[: len(level) - 1], title]
        collected.append(tuple(above))
    assert [heading for heading in collected if collected.count(heading) > 1] == []


def test_the_glossary_has_a_line_for_each_word_in_order() -> None:
    sections = (ROOT / "docs/glossary.md").read_text().split("\n## ")[1:]
    for lines in (section.strip().splitlines()[2:] for section in sections):
        words = [re.fullmatch(r"- \*\*([^*]+)\*\*: [^.]+\.", line) for line in lines]
        assert None not in words
        collected = [word[1].lower() for word in words if word]
        assert len(collected) > 5 and collected == sorted(set(collected))


def anchors(page: Path) -> set[str]:
    """The anchors of headings, as GitHub makes them; the second of a name has no link here."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    nowhere = []
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text()):
        at = page.parent / target if target else page
        if not at.exists() or (anchor and anchor not in anchors(at)):
            nowhere.append(f"{target}#{anchor}")
    assert nowhere == []
