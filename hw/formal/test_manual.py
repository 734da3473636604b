"""The theorems and mutations that the manual names are here."""

import re
from pathlib import Path

HERE = Path(__file__).parent
MANUAL = HERE.parents[1] / "docs" / "formal.md"


def test_each_name_of_the_three_statements_exists() -> None:
    section = MANUAL.read_text().split("## Three statements")[1].split("\n## ")[0]
    rows = [row for row in section.splitlines() if row.startswith("| ")][1:]
    assert len(rows) == 3
    for row in rows:
        _, _, theorems, mutations, _ = row.split("|")
        files = re.findall(r"`(test_\w+\.py)`", theorems)
        sources = "".join((HERE / file).read_text() for file in files)
        for name in re.findall(r"`(test_\w+)`", theorems):
            assert f"def {name}(" in sources
        for name in re.findall(r"`(\w+)`", mutations):
            assert f'"{name}"' in sources
