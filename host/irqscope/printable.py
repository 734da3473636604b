"""Text from files and targets, as it may reach a terminal or a font."""

from __future__ import annotations

_CONTROLS = {
    code: f"\\x{code:02x}" for code in (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0))
}

#: Characters of one line that are shown.
LONGEST = 2000
_LEFT_OUT = " [...] "


def printable(text: str) -> str:
    """Control characters but tab and newline as Python writes them: ESC as ``\\x1b``.

    So what somebody else wrote moves no cursor and changes no colour.
    """
    return text.translate(_CONTROLS)


def one_line(text: str, most: int = LONGEST) -> str:
    """The text on one line, without characters that do anything: as Python writes them in strings.

    The middle of one with more than ``most`` characters is left out.
    """
    line = "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
    if len(line) <= most:
        return line
    half = (most - len(_LEFT_OUT)) // 2
    return f"{line[:half]}{_LEFT_OUT}{line[-half:]}"
