"""Plain text of a given width: fields, and tables that wrap by columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

#: Between two columns.
_GAP = 2
#: A cell is wrapped to no fewer characters than this.
_NARROWEST = 16
_NUMBER = re.compile(r"((> )?[+-]?[0-9][0-9.]*( [a-zµ/%]{1,4})?( \[[^]]*\])?|-|)", re.IGNORECASE)
#: A blank that belongs to a number, and what stands for it while a text is wrapped.
_TIED = re.compile(r"(?<=N) (?== )|(?<=N =) (?=\d)|(?<=\d) (?=(?:ns|µs|ms|s|ticks?|%)(?!\w))")
_TIE = "\N{NO-BREAK SPACE}"


def wrap(text: str, width: int, indent: str = "  ") -> list[str]:
    """Return the lines of a text, broken between words alone; all but the first are indented."""
    begin = text[: len(text) - len(text.lstrip())]
    lines = textwrap.wrap(
        _TIED.sub(_TIE, text),
        width,
        subsequent_indent=begin + indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_TIE, " ") for line in lines] or [""]


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield the lines of a table.

    If one column of text alone makes a table wider than `width`, its cells are wrapped. Any other
    such table goes on below itself with further columns, each time after the first one, which
    names the rows.
    """
    if not heads:
        return
    cells = [list(column) for column in zip(heads, *rows, strict=True)]
    first, *others = cells
    begin = _width(first)
    room = max(_NARROWEST, width - begin - _GAP)
    widest = max(others, key=_width, default=first)
    rest = width - sum(_width(column) + _GAP for column in cells if column is not widest)
    if others and _NARROWEST <= rest < _width(widest) and not _is_numeric(widest[1:]):
        yield from _block(cells, rest)
        return
    block, used = [first], begin
    for column in others:
        wide = min(_width(column), room)
        if len(block) > 1 and used + _GAP + wide > width:
            yield from _block(block, room)
            yield ""
            block, used = [first], begin
        block.append(column)
        used += _GAP + wide
    yield from _block(block, room)


def _width(column: Sequence[str]) -> int:
    return max(map(len, column))


def _block(block: Sequence[Sequence[str]], room: int) -> Iterator[str]:
    """Yield the lines of columns that fit next to each other."""
    first, *others = block
    wrapped = [[[cell] for cell in first]]
    wrapped += [[wrap(cell, room, "") for cell in column] for column in others]
    widths = [max(len(line) for cell in column for line in cell) for column in wrapped]
    right = [_is_numeric(column[1:]) for column in block]
    for row in zip(*wrapped, strict=True):
        for place in range(max(map(len, row))):
            texts = [cell[place] if place < len(cell) else "" for cell in row]
            line = (
                text.rjust(wide) if to_right else text.ljust(wide)
                for text, wide, to_right in zip(texts, widths, right, strict=True)
            )
            yield (" " * _GAP).join(line).rstrip()


def _is_numeric(cells: Sequence[str]) -> bool:
    return any(cells) and all(_NUMBER.fullmatch(cell) for cell in cells)
