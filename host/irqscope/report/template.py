"""Templates of pages that open without network."""

from __future__ import annotations

import functools
from typing import Any

import jinja2

from irqscope.errors import printable


def _shown(value: Any) -> Any:
    """Prepares a value for a page: only a text's own content is shown, its markup is escaped."""
    return printable(value) if type(value) is str else value


@functools.cache
def template(name: str, package: str = "irqscope", folder: str = "report") -> jinja2.Template:
    """The template of that name; it is compiled once a process.

    Args:
        name: of the file.
        package: that has it.
        folder: where it is in the package; a template that it extends may be next to it, or in the
            report.
    """
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader(package, folder), jinja2.PackageLoader("irqscope", "report")]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
