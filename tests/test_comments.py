"""Comments and docstrings of all sources keep the manual's rule: no sentence dangles from "Of"."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

from instrument import ROOT

GENERATED = re.compile(r"(^|/)generated(/|\.)")
#: What begins a comment, by the name's end; Python has a tokenizer.
SLASHES = (".c", ".cpp", ".h", ".inc", ".ld", ".S", ".sv", ".svh", ".v", ".rdl", ".js", ".css")
HASHES = (".mk", ".sh", ".tcl", ".toml", ".yml", "Makefile", ".gitignore")
_SLASHED = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_HASHED = re.compile(r"(?<!\S)#[^\n]*")
_MARKS = re.compile(r"^[ \t]*(?:///?|#+:?|\*|/\*+)[!<]*[ \t]*|[ \t]*\*/$", re.MULTILINE)
_DANGLES = re.compile(r"(?:^|[.:!?;] |\n\s*\n\s*(?:- )?)Of ")


def remarks(name: str, source: str) -> Iterator[str]:
    """Comments and docstrings; comments in lines of their own that follow each other are one."""
    if name.endswith(".py"):
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, kinds) and (text := ast.get_docstring(node)):
                yield text
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        yield from joined(
            (token.start, token.string) for token in tokens if token.type == tokenize.COMMENT
        )
    else:
        comment = _SLASHED if name.endswith(SLASHES) else _HASHED
        found = comment.finditer(source)
        yield from joined((place(source, hit.start()), hit[0]) for hit in found)


def place(source: str, offset: int) -> tuple[int, int]:
    """Line and column, from 0."""
    return source.count("\n", 0, offset), offset - source.rfind("\n", 0, offset) - 1


def joined(comments: Iterator[tuple[tuple[int, int], str]]) -> Iterator[str]:
    """Texts without marks; what stands below another in the same column goes on with it."""
    text, behind = "", (-1, -1)
    for (line, column), comment in comments:
        plain = _MARKS.sub("", comment)
        if (line, column) == behind:
            text += f"\n{plain}"
        else:
            yield text
            text = plain
        behind = (line + 1, column)
    yield text


def dangling(name: str, source: str) -> list[str]:
    """The beginnings of sentences that begin with "Of"."""
    return [
        text[hit.start() :].strip(" .:\n")[:60]
        for text in remarks(name, source)
        for hit in _DANGLES.finditer(re.sub(r"(?<!\n)\n(?!\s*(?:\n|- ))\s*", " ", text))
    ]


def sources() -> Iterator[Path]:
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split("\0"):
        read = name.endswith((".py", *SLASHES, *HASHES)) and not GENERATED.search(name)
        if read and (path := ROOT / name).is_file():  # else it was removed and not committed
            yield path


def test_no_sentence_of_a_comment_begins_with_of() -> None:
    paths = list(sources())
    assert {path.suffix for path in paths} > {".py", ".c", ".h", ".S", ".cpp", ".toml", ".tcl"}
    found = {
        str(path.relative_to(ROOT)): hits
        for path in paths
        if (hits := dangling(path.name, path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_what_dangles_is_found_and_nothing_else() -> None:
    for name, source in (
        ("a.h", "    // Of the distributor.\n    bool f();"),
        ("a.h", "int a; // one. Of two."),
        ("a.c", "/* Of each line the first. */"),
        ("a.c", "/* It is.\n * Of each line the first. */"),
        ("a.c", "// It is one.\n// Of two."),
        ("a.mk", "a := b\n# Of c."),
        ("a.py", "a = 1  # Of b."),
        ("a.py", "#: Of b.\na = 1"),
        ("a.py", 'def f():\n    """F.\n\n    Of g.\n    """'),
        ("a.py", 'def f():\n    """F. Of g."""'),
    ):
        assert dangling(name, source), (name, source)
    for name, source in (
        ("a.h", "// The times\n// Of Horst"),
        ("a.h", 'const char *s = "Of one";'),
        ("a.mk", "a := b#Of"),
        ("a.py", "a = 'It is. Of b.'"),
        ("a.py", 'def f():\n    """Parts\n    Of g, of h: of i."""'),
    ):
        assert not dangling(name, source), (name, source)
