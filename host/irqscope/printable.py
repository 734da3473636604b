"""Text from files and targets, as it may reach a terminal or a font."""

from __future__ import annotations

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}


def printable(text: str) -> str:
    """Control characters but tab and newline as Python writes them: ESC as ``\\x1b``.

    So what somebody else wrote moves no cursor and changes no colour.
    """
    return text.translate(_CONTROLS)
