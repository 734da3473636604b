"""Functions that a foreign program executed to answer its stimuli."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from irqscope.errors import TargetError
from irqscope.files import read_bytes

#: How a simulation's file begins.
BEGIN = b"stimulus,function,instructions,ticks\n"


@dataclass(frozen=True)
class Spent:
    """In one function. ``ticks``: from each of its instructions to the next one."""

    instructions: int = 0
    ticks: float = 0.0


@dataclass(frozen=True)
class Answer:
    """From a rise of line 0 to the last place. ``stimulus``: which it was, from 1 on."""

    stimulus: int
    by_function: Mapping[str, Spent]

    def of(self, function: str) -> Spent:
        """Returns the function's part."""
        return self.by_function.get(function, Spent())

    @property
    def whole(self) -> Spent:
        """All of it."""
        each = self.by_function.values()
        return Spent(sum(one.instructions for one in each), sum(one.ticks for one in each))


def answers(path: Path) -> list[Answer]:
    """All in a simulation's file, the longest first. Raises TargetError."""
    by_stimulus: dict[int, dict[str, Spent]] = defaultdict(dict)
    try:
        with io.StringIO(read_bytes(path).decode(), newline="") as rows:
            for row in csv.DictReader(rows):
                spent = Spent(int(row["instructions"]), float(row["ticks"]))
                answer, function = by_stimulus[int(row["stimulus"])], row["function"]
                if function in answer:
                    raise ValueError(f"two rows of {function} in stimulus {row['stimulus']}")
                answer[function] = spent
    except OSError as error:
        raise TargetError(f"{path}: {error.strerror}; name another file") from error
    except (KeyError, ValueError, csv.Error) as error:
        raise TargetError(
            f"the simulation's functions have another version ({error}); "
            "rebuild it: make build cores"
        ) from error
    each = (Answer(number, by_function) for number, by_function in by_stimulus.items())
    return sorted(each, key=lambda one: (-one.whole.ticks, one.stimulus))


def found_in(one: Answer, other: Answer) -> list[str]:
    """Functions of two answers, that first in which the one took most longer."""
    names = {*one.by_function, *other.by_function}
    return sorted(names, key=lambda name: (other.of(name).ticks - one.of(name).ticks, name))
