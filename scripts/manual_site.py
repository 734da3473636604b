"""Hooks of mkdocs (mkdocs.yml): adapts the manual's Markdown to a site.

The pages are written for a reader in the repository. On the site, a link to a file outside of
``docs`` becomes the file's path, and the page of registers is added, which is generated.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
#: Written by ``python -m irqscope_hw.export``.
REGISTERS = ROOT / "build" / "docs" / "registers.md"
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Adds the page of registers. Raises FileNotFoundError if it was not generated."""
    content = REGISTERS.read_text(encoding="utf-8")
    files.append(File.generated(config, "registers.md", content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replaces links that leave the manual by the paths of their files."""
    folder = PurePosixPath("docs", page.file.src_uri).parent

    def path_of(link: re.Match[str]) -> str:
        target = os.path.normpath(folder / link[2])
        if target.startswith("docs/"):
            return link[0]
        if not (ROOT / target).exists():
            raise FileNotFoundError(f"{page.file.src_uri}: no file {target}")
        text = link[1].strip("`")
        return f"`{target}`" if text in target else f"{link[1]} (`{target}`)"

    return LINK.sub(path_of, markdown)
