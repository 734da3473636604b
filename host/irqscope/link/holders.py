"""Names the processes that hold a port, as far as Linux shows them."""

from __future__ import annotations

from pathlib import Path

_PROCESSES = Path("/proc")


def holders(port: str) -> list[str]:
    """Returns the programs that have a device open, such as "minicom (process 4711)".

    Left out are this one, and a twin or another program at the other end of a pseudo-terminal.

    Empty without any, on another system, and if they belong to another user.
    """
    device, processes = Path(port).resolve(), []
    for process in sorted(_PROCESSES.glob("[0-9]*"), key=lambda path: int(path.name)):
        if process == (_PROCESSES / "self").resolve():
            continue
        try:
            opened = list((process / "fd").iterdir())
            holds = any(each.resolve() == device for each in opened)
            if holds and not any(_is_master(each, device) for each in opened):
                name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
                processes.append(f"{name} (process {process.name})")
        except OSError:  # ended meanwhile, or another user's
            continue
    return processes


def _is_master(opened: Path, device: Path) -> bool:
    """Whether an entry of /proc/N/fd is the other end of a pseudo-terminal (proc(5), fdinfo)."""
    if device.parent != Path("/dev/pts") or opened.resolve().name != "ptmx":
        return False
    text = (opened.parents[1] / "fdinfo" / opened.name).read_text(encoding="ascii")
    return f"tty-index:\t{device.name}\n" in text
