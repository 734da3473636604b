"""JSON files of irqscope's own: written whole, read strictly. A refusal names file and field."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pydantic
from pydantic import BaseModel
from pydantic_core import from_json

from irqscope.errors import StorageError
from irqscope.experiment.tomlfile import problems_of, said, shown
from irqscope.files import replace

_Model = TypeVar("_Model", bound=BaseModel)


def dumps(record: BaseModel) -> bytes:
    """The bytes of the JSON file that holds a record."""
    return record.model_dump_json(indent=2).encode() + b"\n"


def write(path: Path, record: BaseModel) -> None:
    """Writes the whole file, by rename. Raises StorageError."""
    text = dumps(record)
    replace(path, lambda file: file.write(text))


def loads(text: bytes, path: Path, model: type[_Model]) -> _Model:
    """The record in a file, which is at ``path``. Raises StorageError.

    ``model``: its field ``format`` has the one format that is read as its default.
    """
    try:
        values = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise StorageError(
            f"{path} is damaged ({error}); it was not written by irqscope"
        ) from error
    expected = model.model_fields["format"].default
    actual = values.get("format") if isinstance(values, dict) else None
    if actual != expected:
        raise StorageError(
            f"{path}: format: {shown(actual)}, this irqscope reads {expected}; use its own version"
        )
    try:
        return model.model_validate_json(text)
    except pydantic.ValidationError as error:
        first, *more = problems_of(error, model)
        others = f" (and {len(more)} more)" if more else ""
        raise StorageError(
            f"{path}: {said(first)}{others}; the file is damaged or of another irqscope"
        ) from error
