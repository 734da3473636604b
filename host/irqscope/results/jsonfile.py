"""JSON files of irqscope's own: written whole, read strictly. A refusal names file and field."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import pydantic
from pydantic import BaseModel
from pydantic_core import from_json

from irqscope.errors import StorageError
from irqscope.experiment.tomlfile import problems_of, said
from irqscope.files import replace

_Model = TypeVar("_Model", bound=BaseModel)


def dumps(record: BaseModel) -> bytes:
    """The bytes of the JSON file that holds a record."""
    return record.model_dump_json(indent=2).encode() + b"\n"


def write(path: Path, record: BaseModel) -> None:
    """Writes the whole file, by rename. Raises StorageError."""
    text = dumps(record)
    replace(path, lambda temporary: temporary.write_bytes(text))


def parse(text: bytes, path: Path, formats: Sequence[str]) -> tuple[dict[str, Any], str]:
    """Values in the file, which stands at ``path``, and which of the ``formats`` it has.

    Raises StorageError.
    """
    try:
        values = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise StorageError(
            f"{path} is damaged ({error}); it was not written by irqscope"
        ) from error
    found = values.get("format") if isinstance(values, dict) else None
    if not isinstance(found, str) or found not in formats:
        raise StorageError(
            f"{path}: format: {found}, this irqscope reads {' and '.join(formats)}; "
            "use its own version"
        )
    return values, found


def validated(text: bytes, path: Path, model: type[_Model]) -> _Model:
    """The record in JSON of the present format. Raises StorageError."""
    try:
        return model.model_validate_json(text)
    except pydantic.ValidationError as error:
        first, *more = problems_of(error, model)
        others = f" (and {len(more)} more)" if more else ""
        raise StorageError(
            f"{path}: {said(first)}{others}; the file is damaged or of another irqscope"
        ) from error
