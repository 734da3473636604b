"""Completions for a shell: targets, shipped experiments and suites, files."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from irqscope.acquire import ports
from irqscope.experiment import shipped
from irqscope.machines.known import MACHINES
from irqscope.resources import resource


def targets(
    context: click.Context, parameter: click.Parameter, prefix: str
) -> list[CompletionItem]:
    """Twins, soft cores and serial ports."""
    twins = [f"twin:{twin.profile}" for machine in MACHINES for twin in machine.twins]
    cores = [f"rtl:{path.parent.name}" for path in resource("rtl/cores").glob("*/core.toml")]
    serial = [port.port for port in ports.ports()]
    return _items(["twin", *twins, "twin:external", *sorted(cores), *serial], prefix)


def experiments(
    context: click.Context, parameter: click.Parameter, prefix: str
) -> list[CompletionItem]:
    """Names of experiments, and files."""
    return [*_items(shipped.experiments(), prefix), CompletionItem(prefix, type="file")]


def suites(context: click.Context, parameter: click.Parameter, prefix: str) -> list[CompletionItem]:
    """Names of suites, and files."""
    return [*_items(shipped.suites(), prefix), CompletionItem(prefix, type="file")]


def _items(names: Iterable[str], prefix: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(prefix)]
