"""Templates of pages that open without network."""

from __future__ import annotations

import functools

import jinja2


@functools.cache
def template(name: str) -> jinja2.Template:
    """The template of that name; it is compiled once a process."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("irqscope", "report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
