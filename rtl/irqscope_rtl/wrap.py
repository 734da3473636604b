"""Wraps a packaged module in custom code, which replaces it in the core.

For a file of the package, a core's description names a file of its own. Its lines form a module of
the same name, with the same parameters and ports, around the package's module, which is compiled as
``NAME_of_package`` and instantiated as ``package_i``. A port ``p`` of the package's module is
connected to the port of that name, or to ``inner_p`` if the lines mention it or assign ``p``. Only
the module's name is changed in the package; its header is parsed, not repeated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SUFFIX = "_of_package"
PREFIX = "inner_"


class WrapError(Exception):
    """A module cannot be wrapped; the text is one line."""


@dataclass(frozen=True)
class Wrapped:
    """``package``: the package's file with its module renamed.

    ``around``: the wrapper in its place.
    """

    package: str
    around: str


def wrap(name: str, packaged: str, lines: str) -> Wrapped:
    """Returns both texts of module ``name``. Raises WrapError.

    ``packaged``: a file of SystemVerilog that holds this module, with ports in its header;
    ``lines``: the code around it.
    """
    module = re.search(rf"(?ms)^module\s+{name}\b(.*?)^\s*\)\s*;", packaged)
    if module is None:
        raise WrapError(f"there is no module {name} with its ports in its header")
    parameters, ports = _names(module[1])
    inner = {port for port in ports if _speaks_of(port, lines)}
    if unknown := set(re.findall(rf"\b{PREFIX}(\w+)", lines)) - set(ports):
        raise WrapError(f"module {name} has no port {min(unknown)}")
    declared = [f"  {_type(module[1], port)} {PREFIX}{port};" for port in sorted(inner)]
    bindings = ", ".join(f".{one}({one})" for one in parameters)
    connected = ", ".join(f".{p}({PREFIX if p in inner else ''}{p})" for p in ports)
    body = [*declared, lines, f"  {name}{SUFFIX} #({bindings}) package_i ({connected});"]
    start, end = module.span(0)
    renamed = re.sub(rf"^module\s+{name}\b", f"module {name}{SUFFIX}", module[0])
    return Wrapped(
        packaged[:start] + renamed + packaged[end:],
        f"{module[0]}\n" + "\n".join(body) + "\nendmodule\n",
    )


def _speaks_of(port: str, lines: str) -> bool:
    """Whether the lines replace a port of the package's module."""
    return (
        re.search(rf"\b{PREFIX}{port}\b|\b{port}\s*<?=[^=]", _without_comments(lines)) is not None
    )


def _names(header: str) -> tuple[list[str], list[str]]:
    """Names of the parameters and of the ports, in their order."""
    text = _without_comments(header)
    parameters = re.findall(r"\bparameter\b[^=,]*?(\w+)\s*=", text)
    ports = re.findall(r"\b(?:input|output)\b[^,)]*?(\w+)\s*(?=,|$)", text.strip())
    return parameters, ports


def _type(header: str, port: str) -> str:
    """The declaration of a signal of a port's type."""
    text = _without_comments(header)
    match = re.search(rf"\b(?:input|output)\b([^,()]*?)\b{port}\s*(?=,|$)", text.strip())
    if match is None:
        raise WrapError(f"the type of port {port} is not plain")
    return " ".join(match[1].split()) or "logic"


def _without_comments(text: str) -> str:
    return re.sub(r"(?s)//[^\n]*|/\*.*?\*/", "", text)
