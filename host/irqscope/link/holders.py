"""Who holds a port, as far as Linux lets one see."""

from __future__ import annotations

from pathlib import Path

_PROCESSES = Path("/proc")


def holders(port: str) -> list[str]:
    """Programs that have a device open, such as "minicom (process 4711)"; this one is left out.

    Empty where none is, on another system, and where they are another user's.
    """
    device, found = Path(port).resolve(), []
    for process in sorted(_PROCESSES.glob("[0-9]*"), key=lambda path: int(path.name)):
        if process == (_PROCESSES / "self").resolve():
            continue
        try:
            if any(opened.resolve() == device for opened in (process / "fd").iterdir()):
                name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
                found.append(f"{name} (process {process.name})")
        except OSError:  # ended meanwhile, or another user's
            continue
    return found
