"""Finds out how a text file with columns is written: encoding, comments, separators, header."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from irqscope.kinds.capture.model import CaptureError

#: Bytes that are looked at.
_SAMPLE = 1 << 18
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9.,]+)?.*")


@dataclass(frozen=True)
class Layout:
    """How a file with columns is written.

    Attributes:
        encoding: Encoding of the text.
        comments: Lines at its begin that are no rows, with the comment sign.
        skip: Lines before the first row with values.
        delimiter: Between two columns.
        decimal: Decimal sign.
        header: Text of each column's header; empty where the file has none.
        rows: Some rows with values.
    """

    encoding: str
    comments: tuple[str, ...]
    skip: int
    delimiter: str
    decimal: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.header) or len(self.rows[0])


def sniff(path: Path) -> Layout:
    """Returns the layout of a text file. Raises CaptureError if it is no such file."""
    with path.open("rb") as file:
        data = file.read(_SAMPLE)
    whole = len(data) < _SAMPLE
    encoding = _encoding(data, path)
    csv.field_size_limit(_SAMPLE)
    text = data.decode(encoding, "replace").lstrip("\N{ZERO WIDTH NO-BREAK SPACE}")
    if "\x00" in text or text.count("\N{REPLACEMENT CHARACTER}") > len(text) // 20:
        raise CaptureError(f"{path} is no text and no capture that is known")
    lines = text.splitlines()
    if not whole:
        lines = lines[:-1]
    skip, comments = 0, list[str]()
    for line in lines:
        bare = line.strip()
        if bare and not (bare[0] in ";#" or bare.startswith("//")):
            break
        skip += 1
        comments += [bare] if bare else []
    lines = lines[skip:]
    if not lines:
        raise CaptureError(f"{path} holds no rows")
    delimiter, decimal = _separators(lines[:200])
    rows = [
        tuple(cell.strip() for cell in row)
        for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    ]
    header: tuple[str, ...] = ()
    if not all(is_value(cell) for cell in rows[0] if cell) or not any(rows[0]):
        header, rows, skip = rows[0], rows[1:], skip + 1
    rows = [row for row in rows if any(row)]
    if header and rows and all(len(row) == len(header) + 1 and not row[-1] for row in rows):
        header = (*header, "")  # a separator at the end of each row
    if not rows:
        raise CaptureError(f"{path} holds no rows with values")
    return Layout(encoding, tuple(comments), skip, delimiter, decimal, header, tuple(rows))


def is_value(cell: str) -> bool:
    """Whether a cell is a number or a time of day, and no text of a header."""
    return _NUMBER.fullmatch(cell) is not None or is_iso(cell)


def is_iso(cell: str) -> bool:
    """Whether a cell is a date with a time, as ISO 8601 has it."""
    return _ISO.fullmatch(cell) is not None


def digits(cells: list[str], *, least: bool = False) -> int:
    """Returns the most digits after the decimal sign in some numbers.

    Args:
        cells: The numbers.
        least: Of numbers with exponents, the fewest: to these digits all of them are known.
    """
    places, exponents = list[int](), False
    for cell in cells:
        match = re.fullmatch(r"[+-]?([0-9]*)(?:[.,]([0-9]*))?(?:[eE]([+-]?[0-9]+))?", cell)
        if match and (not match[3] or (match[1] + (match[2] or "")).strip("0")):
            places.append(len(match[2] or "") - int(match[3] or 0))
            exponents = exponents or match[3] is not None
    return max(0, (min if least and exponents else max)(places, default=0))


def _encoding(data: bytes, path: Path) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    try:
        data[:-4].decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _separators(lines: list[str]) -> tuple[str, str]:
    """Delimiter and decimal sign: those that divide all lines into equally many columns."""
    values = lines[1:] or lines
    for delimiter in ("\t", ";", ",", " "):
        # Quotes hide separators. The last line may be cut short.
        whole = [line for line in values[:-1] or values if line.strip()]
        rows = csv.reader(whole, delimiter=delimiter, skipinitialspace=delimiter == " ")
        counts = {_columns(row) for row in rows}
        counts |= {_columns(row) for row in csv.reader(lines[:1], delimiter=delimiter)}
        if delimiter == "," and counts == {2} and _are_decimals(values, lines[0]):
            continue
        if len(counts) == 1 and counts != {1}:
            comma = delimiter != "," and any(re.search(r"[0-9],[0-9]", line) for line in values)
            return delimiter, "," if comma else "."
    # One column.
    comma = any(re.fullmatch(r"\s*[+-]?[0-9]+,[0-9]+\s*", line) for line in values)
    if comma:
        return ";", ","
    return (";", ".") if all("," not in line for line in lines) else (",", ".")


def _columns(row: list[str]) -> int:
    """Number of columns, without an empty one that a separator at the end makes."""
    return len(row) - (len(row) > 1 and not row[-1].strip())


def _are_decimals(values: list[str], header: str) -> bool:
    """Whether commas in a single column are decimal signs."""
    if "," in header and not is_value(header.strip()):
        return False
    return all(re.fullmatch(r"\s*[+-]?[0-9]+,[0-9]+\s*", line) for line in values if line.strip())
