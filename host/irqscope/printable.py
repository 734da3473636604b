"""Text from files and targets, as it may reach a terminal or a font."""

from __future__ import annotations

_CONTROLS = {
    code: f"\\x{code:02x}" for code in (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0))
}


def printable(text: str) -> str:
    """Control characters but tab and newline as Python writes them: ESC as ``\\x1b``.

    So what somebody else wrote moves no cursor and changes no colour.
    """
    return text.translate(_CONTROLS)
