"""Captures for tests: one list of edges, written in the form of each tool."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import numpy as np

#: Times in samples of 24 MHz: 50 starts every 2400 samples, answered after 240 to 289.
HZ = 24_000_000
STARTS = [2400 * (n + 1) for n in range(50)]
LATENCIES = [240 + (7 * n) % 50 for n in range(50)]
STOPS = [start + latency for start, latency in zip(STARTS, LATENCIES, strict=True)]


def levels() -> list[tuple[int, int, int]]:
    """Rows of sample, level of A, level of B: pulses of A, 100 samples long, and of B, 60."""
    changes = [(t, 0, 1) for t in STARTS] + [(t + 100, 0, 0) for t in STARTS]
    changes += [(t, 1, 1) for t in STOPS] + [(t + 60, 1, 0) for t in STOPS]
    rows, now = [(0, 0, 0)], [0, 0]
    for time in sorted({t for t, _, _ in changes}):
        for _, signal, level in (c for c in changes if c[0] == time):
            now[signal] = level
        rows.append((time, *now))
    return rows


def saleae_csv(path: Path, header: str = "Time [s],Channel 0,Channel 1", digits: int = 9) -> Path:
    """Writes Logic 2's CSV of changes."""
    lines = [header, *(f"{t / HZ:.{digits}f},{a},{b}" for t, a, b in levels())]
    path.write_text("\n".join(lines) + "\n")
    return path


def saleae_binary(folder: Path, version: int = 0, cut: int | None = None) -> list[Path]:
    """Writes Logic 2's binary export, a file a channel.

    Args:
        folder: Where to write, made if missing.
        version: 1 for the form with chunks.
        cut: The chunks have a gap from 100 samples after this start to 1000 samples after it.
    """
    folder.mkdir(exist_ok=True)
    rows, chunks = levels(), []
    gap = (0, 0) if cut is None else (2400 * cut + 100, 2400 * cut + 1000)
    spans = [(0, rows[-1][0])] if cut is None else [(0, gap[0]), (gap[1], rows[-1][0])]
    for signal in (0, 1):
        pairs = list(zip(rows[1:], rows, strict=False))
        data = struct.pack("<8sii", b"<SALEAE>", version, 0)
        data += struct.pack("<Q", len(spans)) if version else b""
        for begin, end in spans:
            times = [
                now[0]
                for now, before in pairs
                if now[1 + signal] != before[1 + signal] and begin <= now[0] <= end
            ]
            rate = struct.pack("<d", HZ) if version else b""
            initial = next(row[1 + signal] for row in reversed(rows) if row[0] <= begin)
            initial ^= begin in times
            data += struct.pack("<I", initial) + rate
            data += struct.pack("<ddQ", begin / HZ, end / HZ, len(times))
            data += (np.array(times, "<f8") / HZ).tobytes()
        path = folder / f"digital_{signal}.bin"
        path.write_bytes(data)
        chunks.append(path)
    return chunks


def sigrok(
    path: Path, unit: int = 1, chunks: int = 1, analog: bool = False, shift: int = 0
) -> Path:
    """Writes a session of sigrok whose channels A and B are bits ``shift`` and one above."""
    last = levels()[-1][0] + 500
    samples = np.zeros(last, np.uint64)
    for (t, a, b), (end, _, _) in zip(levels(), [*levels()[1:], (last, 0, 0)], strict=True):
        samples[t:end] = (a << shift) | (b << shift + 1)
    data = samples.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :unit].tobytes()
    metadata = (
        "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\n"
        f"total probes={8 * unit}\nsamplerate=24 MHz\nprobe{shift + 1}=A\nprobe{shift + 2}=B\n"
        f"unitsize={unit}\n"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as whole:
        whole.writestr("version", "2")
        whole.writestr("metadata", metadata)
        size = -(-len(data) // chunks) | 1  # a sample of two bytes goes on in the next chunk
        for number in range(chunks):
            name = f"logic-1-{number + 1}" if chunks > 1 else "logic-1"
            whole.writestr(name, data[number * size : (number + 1) * size])
        if analog:
            whole.writestr("analog-1-9-1", b"\0" * 64)
    return path


def vcd(path: Path, unit: str = "1 ns", per_s: int = 10**9) -> Path:
    """Writes a VCD with stamps of 24 MHz, cut to its unit."""
    lines = [f"$timescale {unit} $end", "$scope module top $end", "$var wire 1 ! A $end"]
    lines += ['$var wire 1 "b B $end', "$upscope $end", "$enddefinitions $end"]
    for t, a, b in levels():
        lines += [f"#{t * per_s // HZ}", f"{a}!", f'{b}"b']
    path.write_text("\n".join(lines) + "\n")
    return path
