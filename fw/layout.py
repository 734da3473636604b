"""Links a program in another layout: the same objects in other places.

    python fw/layout.py NUMBER SCRIPT.ld NEW.ld OBJECT ...

Writes the linker script with other gaps to NEW.ld, and prints the objects in another order.
Functions, data, translation tables and call stacks then are at other addresses, in other sets of
the caches, and cross other lines. Not one instruction differs but for the addresses in it. A number
always gives the same layout.
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

#: A gap is below this many bytes, and a multiple of the other number.
GAPS = {
    "path": (1024, 4),
    "text": (4096, 4),
    "rodata": (4096, 16),
    "data": (4096, 64),
    "bss": (8192, 64),
    "call_stacks": (8192, 64),
}


def script(text: str, chance: random.Random) -> str:
    """The linker script with gaps of other sizes. Raises ValueError if it has not each of them."""
    for name, (below, multiple) in GAPS.items():
        gap = chance.randrange(below // multiple) * multiple
        text, replaced = re.subn(
            rf"^gap_{name} = 0;", f"gap_{name} = {gap};", text, flags=re.MULTILINE
        )
        if replaced != 1:
            raise ValueError(f"the linker script has no gap_{name}")
    return text


def main() -> None:
    """Write the linker script next to the objects' order."""
    number, source, target, *objects = sys.argv[1:]
    chance = random.Random(int(number))
    Path(target).write_text(
        script(Path(source).read_text(encoding="utf-8"), chance), encoding="utf-8"
    )
    chance.shuffle(objects)
    print(*objects)


if __name__ == "__main__":
    main()
