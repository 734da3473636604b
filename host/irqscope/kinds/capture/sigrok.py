"""Reads sigrok's session files (.sr, version 2): samples of logic channels in a ZIP."""

from __future__ import annotations

import configparser
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from irqscope.kinds.capture.clock import parse_rate
from irqscope.kinds.capture.levels import LevelRows
from irqscope.kinds.capture.model import Advance, CaptureError, Changes, Clock

_BLOCK = 1 << 22
#: What a damaged ZIP file makes of its reader.
DAMAGED = (
    zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError,
)  # fmt: skip
#: No metadata are longer, bytes.
_LONGEST = 1 << 20
#: The line of a device that names its samples.
_CAPTURE = r"^ *capturefile *= *(\S+) *$"


class SigrokSession:
    """An open .sr file. Raises CaptureError if it is damaged or has no logic channels."""

    form = "sigrok session"
    tool = "sigrok"

    def __init__(self, path: Path) -> None:
        self.paths = (path,)
        self.remarks: list[str] = []
        try:
            with zipfile.ZipFile(path) as whole:
                self._chunks, metadata = _parts(whole, path)
                self._bytes = sum(whole.getinfo(name).file_size for name in self._chunks)
        except DAMAGED as error:
            raise CaptureError(f"{path} is a damaged .sr file ({error}); save it again") from error
        self._unit, hz, self._bits = _device(metadata, path)
        self.signals = tuple(self._bits)
        self.clock = Clock(hz, sampled=True, basis="stated in the file")
        if more := len(re.findall(_CAPTURE, metadata, re.MULTILINE)) - 1:
            names = ", ".join(self.signals[:8])
            self.remarks.append(
                f"the session has {more} more logic device{'s' * (more > 1)}, which "
                f"{'are' if more > 1 else 'is'} left out; read is the first, with {names}"
            )
        if self._bytes % self._unit:
            self.remarks.append("the last sample is cut short")

    def changes(self, selected: Sequence[int], advance: Advance) -> Iterator[Changes]:
        """Yields the changes of the signals at these places."""
        bits = [list(self._bits.values())[place] for place in selected]
        rows, rest, bytes_read = SampleRows(self._unit, bits), b"", 0
        try:
            with zipfile.ZipFile(self.paths[0]) as whole:
                for name in self._chunks:
                    with whole.open(name) as file:
                        for block in _blocks(file):
                            data = rest + block
                            end = len(data) - len(data) % self._unit
                            rest = data[end:]
                            yield rows.changes(data[:end])
                            bytes_read += len(block)
                            advance(bytes_read, self._bytes)
        except DAMAGED as error:
            raise CaptureError(
                f"{self.paths[0]} is damaged ({error}) after {rows.samples} samples; save it again"
            ) from error


class SampleRows:
    """Samples as packed units, block by block. ``samples``: how many so far."""

    def __init__(self, unit: int, bits: Sequence[int]) -> None:
        """Args: unit: Bytes of a sample. bits: Bit of each signal in a sample."""
        self.samples = 0
        self._unit = unit
        self._bits = bits
        self._rows = LevelRows(len(bits))
        self._before: bytes = b""

    def changes(self, data: bytes, gap: str = "") -> Changes:
        """Returns the changes in whole samples."""
        units = np.frombuffer(data, np.uint8).reshape(-1, self._unit)
        first, self.samples = self.samples, self.samples + len(units)
        mask = np.zeros(self._unit, np.uint8)
        for bit in self._bits:
            mask[bit // 8] |= 1 << bit % 8
        # Most samples change nothing.
        masked = units & mask
        changed = np.ones(len(units), np.bool_)
        changed[1:] = (masked[1:] != masked[:-1]).any(axis=1)
        rows = np.flatnonzero(changed)
        levels = np.empty((len(rows), len(self._bits)), np.int8)
        for place, bit in enumerate(self._bits):
            levels[:, place] = units[rows, bit // 8] >> bit % 8 & 1
        return self._rows.changes(rows.astype(np.int64) + first, levels, self.samples - 1, gap)


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _parts(whole: zipfile.ZipFile, path: Path) -> tuple[list[str], str]:
    """Names of the chunks with logic samples, in order, and the metadata."""
    names = set(whole.namelist())
    if "metadata" not in names or "version" not in names:
        raise CaptureError(f"{path} is a ZIP file, but no sigrok session: it has no metadata")
    version = whole.read("version").strip()[:8].decode("latin-1")
    if version != "2":
        raise CaptureError(f"{path}: sigrok session of version {version}; version 2 is read")
    if whole.getinfo("metadata").file_size > _LONGEST:
        raise CaptureError(f"{path}: metadata: {_LONGEST} bytes or more are no sigrok session's")
    metadata = whole.read("metadata").decode("utf-8", "replace")
    match = re.search(_CAPTURE, metadata, re.MULTILINE)
    if match is None:
        raise CaptureError(f"{path} has no logic channels, only analog ones; capture logic levels")
    stem = match[1]
    numbered = {int(name[len(stem) + 1 :]): name for name in names if _is_chunk(name, stem)}
    chunks = [stem] if stem in names else [numbered[number] for number in sorted(numbered)]
    if not chunks:
        raise CaptureError(f"{path}: {stem} is missing: it holds no samples; save it again")
    if stem not in names and (lost := set(range(1, max(numbered) + 1)) - set(numbered)):
        raise CaptureError(f"{path}: {stem}-{min(lost)} is missing: samples are lost; save again")
    return chunks, metadata


def _is_chunk(name: str, stem: str) -> bool:
    return re.fullmatch(re.escape(stem) + "-[0-9]{1,9}", name) is not None


def _device(metadata: str, path: Path) -> tuple[int, int, dict[str, int]]:
    """Bytes of a sample, sample rate, and the bit of each channel by its name."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(metadata)
        section = next(parser[name] for name in parser if "capturefile" in parser[name])
        unit, hz = int(section["unitsize"]), parse_rate(section["samplerate"])
    except (configparser.Error, KeyError, StopIteration) as error:
        raise CaptureError(f"{path}: metadata: {error} is missing or damaged") from error
    except ValueError as error:
        raise CaptureError(f"{path}: metadata: {error}") from error
    if not 1 <= unit <= 8:
        raise CaptureError(f"{path}: metadata: unitsize is {unit}; 1 to 8 bytes are read")
    bits = {
        name: int(key.removeprefix("probe")) - 1
        for key, name in section.items()
        if re.fullmatch("probe[0-9]{1,3}", key)
    }
    if not bits or min(bits.values()) < 0 or max(bits.values()) >= 8 * unit:
        raise CaptureError(f"{path}: metadata: the logic channels do not fit the sample's size")
    return unit, hz, bits
