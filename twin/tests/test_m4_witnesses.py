"""Claims of docs/m4.md about programs that their authors measured on silicon."""

from __future__ import annotations

from pathlib import Path

import m4_witnesses
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "m4.md"
#: The greatest difference that the page admits.
LARGEST = 0.10


def rows() -> list[list[str]]:
    """Cells of the page's table, without the title of each row."""
    lines = PAGE.read_text().splitlines()
    titles = (*m4_witnesses.ROWS, "flash, bytes")
    return [
        [cell.strip() for cell in line.strip("|").split("|")][1:]
        for title in titles
        for line in lines
        if line.startswith(f"| {title} |")
    ]


def test_the_page_has_what_was_published() -> None:
    for row, ns in enumerate(m4_witnesses.FREERTOS.published):
        assert rows()[row][0] == m4_witnesses.text(ns)
    for row, ns in enumerate(m4_witnesses.RTIC.published):
        assert rows()[row][3] == m4_witnesses.text(ns)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("witness", "build", "column"),
    [
        (m4_witnesses.FREERTOS, m4_witnesses.freertos, 0),
        (m4_witnesses.RTIC, m4_witnesses.rtic, 3),
    ],
    ids=["freertos", "rtic"],
)
def test_a_published_program_takes_what_the_page_says(
    witness: m4_witnesses.Witness,
    build: m4_witnesses.Build,
    column: int,
    tmp_path: Path,
) -> None:
    if why := m4_witnesses.missing():
        pytest.skip(why)
    elf = build(tmp_path)
    here = m4_witnesses.means(elf, tmp_path / "run")
    for published, ns in zip(witness.published, here, strict=True):
        assert abs(ns / published - 1) < LARGEST
    cells = m4_witnesses.cells(witness, elf, here)
    page = [row[column : column + 3] for row in rows()]
    if cells[-1] == page[-1]:  # else the compiler is another one
        assert cells == page
