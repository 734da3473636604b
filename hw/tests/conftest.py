"""Keeps outcomes of the tests that are marked `once`: they depend on nothing but their content."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROOT = TESTS.parents[1]
#: Packages that run the tests, in addition to those that every outcome depends on.
RUNNERS = ("hypothesis", "pytest")


@cache
def sources(path: Path) -> tuple[Path, ...]:
    """A module of tests, and those of this folder that it imports, directly or not."""
    found, left = {Path(__file__)}, [path]
    while left:
        one = left.pop()
        found.add(one)
        names = re.findall(r"(?m)^from \.(\w+) import", one.read_text(encoding="utf-8"))
        left += {TESTS / f"{name}.py" for name in names} - found
    return tuple(sorted(found))


class Watch:
    """Refuses files of the checkout and other programs to a test whose outcome is kept.

    Python's audit hooks cannot be removed, so there is one, which looks while ``test`` is named.
    """

    test = ""

    def __call__(self, event: str, arguments: tuple) -> None:
        if not self.test or event not in ("open", "subprocess.Popen"):
            return
        name = str(arguments[0])
        if event == "open" and not (name.startswith(f"{ROOT}/") and is_data(Path(name))):
            return
        test, self.test = self.test, ""
        pytest.fail(f"{test} is marked `once`, and its outcome may depend on {name}")


def is_data(path: Path) -> bool:
    """Whether it is neither of Python, which is known by imports, nor of hypothesis."""
    own = {".venv", ".hypothesis"} & set(path.relative_to(ROOT).parts)
    return not own and path.suffix not in (".py", ".pyc")


WATCH = Watch()
sys.addaudithook(WATCH)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Calls a test that is marked `once` unless it passed before with the same content."""
    if pyfuncitem.get_closest_marker("once"):
        from ..outcome import GATEWARE, once

        test, name = pyfuncitem.obj, pyfuncitem.nodeid

        def watched(**arguments: object) -> None:
            WATCH.test = name
            try:
                test(**arguments)
            finally:
                WATCH.test = ""

        def kept(**arguments: object) -> None:
            runners = (f"{runner} {version(runner)}" for runner in RUNNERS)
            once(lambda: watched(**arguments), name, *runners, GATEWARE, *sources(pyfuncitem.path))

        pyfuncitem.obj = kept
    return (yield)
