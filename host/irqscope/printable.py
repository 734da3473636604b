"""Text from files and targets, as it may reach a terminal, a page, a file or a font."""

from __future__ import annotations

import unicodedata

#: General categories of Unicode: controls, formats (what turns the direction of text, too), parts
#: of characters, private ones, separators of lines and paragraphs.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
#: Characters of one line that are shown.
LONGEST = 2000


def printable(text: str) -> str:
    """Characters that show nothing, but tab and newline, as Python writes them: ESC as ``\\x1b``.

    So what somebody else wrote moves no cursor, changes no colour, and stands where it was written.
    """
    if text.isprintable():
        return text
    return "".join(c if c in "\t\n" or _shows(c) else _escaped(c) for c in text)


def one_line(text: str, most: int = LONGEST) -> str:
    """The same in one line: tab and newline are written out, too, and the middle of a text with
    more than ``most`` characters is left out.
    """
    return shortened("".join(_escaped(c) if c in "\t\n" else c for c in printable(text)), most)


def shortened(text: str, most: int = LONGEST) -> str:
    """The text without its middle, if it has more than ``most`` characters."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end]}...[{len(text)} characters]...{text[-end:]}"


def _shows(character: str) -> bool:
    return unicodedata.category(character) not in _HIDDEN


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
