"""Opens files of other instruments, by what they hold and not by their endings."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from irqscope.files import require_regular
from irqscope.kinds.capture import saleae
from irqscope.kinds.capture.columns import LatencyColumn, open_columns
from irqscope.kinds.capture.histograms import Histograms, read_histograms
from irqscope.kinds.capture.model import Capture, CaptureError
from irqscope.kinds.capture.sigrok import DAMAGED, SigrokSession
from irqscope.kinds.capture.vcd import ValueChangeDump

_POWER = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12}

Opened = Capture | LatencyColumn | Histograms


def open_files(
    paths: Sequence[Path], *, hz: int | None, unit: str | None, column: str | None
) -> Opened:
    """Opens one file, or the files of one capture.

    Args:
        paths: Files; several only of Saleae's binary export, or a folder that holds them.
        hz: Sample rate, where the files do not state it.
        unit: Unit of times or latencies, where the files do not state it.
        column: Column with the latencies.

    Raises:
        CaptureError: A file cannot be read, or is of no known form.
    """
    paths = _listed(paths)
    kinds = [_begin(path) for path in paths]
    if all(kind.startswith(saleae.MAGIC) for kind in kinds):
        return saleae.SaleaeBinary(paths, hz)
    if len(paths) > 1:
        raise CaptureError(
            f"{len(paths)} files: only Saleae's binary export has one file for each channel; "
            "import others one by one"
        )
    path, begin = paths[0], kinds[0]
    if begin.startswith(b"PK\x03\x04"):
        return _zipped(path, hz)
    if begin.startswith(b"PAR1"):
        return open_columns(path, _POWER[unit] if unit else None, hz, column)
    text = begin.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"$"):
        return ValueChangeDump(path, hz)
    if (histograms := read_histograms(path, unit)) is not None:
        return histograms
    return open_columns(path, _POWER[unit] if unit else None, hz, column)


def _listed(paths: Sequence[Path]) -> list[Path]:
    """Files, and in place of a folder its binary exports."""
    files = list[Path]()
    for path in paths:
        if path.is_dir():
            inside = sorted(path.glob("digital_*.bin"), key=lambda p: (len(p.name), p.name))
            if not inside:
                raise CaptureError(
                    f"{path} is a folder without digital_*.bin, Saleae's binary export; name a file"
                )
            files += inside
        else:
            files.append(path)
    return files


def _begin(path: Path) -> bytes:
    """First bytes of a file. Raises CaptureError for an empty one."""
    try:
        if not require_regular(path):
            raise CaptureError(f"{path} is empty")
        with path.open("rb") as file:
            return file.read(64)
    except OSError as error:
        raise CaptureError(f"cannot read {path}: {error.strerror}; name a file") from error


def _zipped(path: Path, hz: int | None) -> Opened:
    try:
        with zipfile.ZipFile(path) as whole:
            names = whole.namelist()
    except DAMAGED as error:
        raise CaptureError(f"{path} is a damaged ZIP file ({error}); save it again") from error
    if "metadata" not in names and any(name.endswith(("meta.json", ".bin")) for name in names):
        raise CaptureError(
            f"{path} is a Saleae project, whose form is not documented; in Logic 2, export raw "
            "data as CSV or binary"
        )
    if hz is not None:
        raise CaptureError(f"{path} states its own sample rate; leave --sample-rate out")
    return SigrokSession(path)
