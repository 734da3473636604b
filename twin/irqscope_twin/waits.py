"""Says which lock of a file a command waits for, and who holds it (/proc/locks of Linux).

``python -m irqscope_twin.waits PID`` prints that of a process and its children, once.
"""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

#: How long a command may wait in silence.
SILENT_S = 10.0
PROC = Path("/proc")


def processes(pid: int) -> list[int]:
    """A process and all its descendants."""
    pids = [pid]
    for each in pids:
        for children in (PROC / str(each) / "task").glob("*/children"):
            with contextlib.suppress(OSError):
                pids += map(int, children.read_text().split())
    return pids


def holders(text: str, waiting: list[int]) -> list[tuple[int, int]]:
    """Process and inode of each lock in ``text``, as /proc/locks has it, that others wait for.

    Args:
        text: The content of /proc/locks. A lock and those that wait for it have the same number.
        waiting: The processes whose waits are examined.
    """
    held: dict[str, tuple[int, int]] = {}
    pids = []
    for line in text.splitlines():
        match = re.match(r"(\d+): (-> )?\S+ +\S+ +\S+ +(-?\d+) +\w+:\w+:(\d+) ", line)
        if match is None:
            continue
        number, waits, pid, inode = match.groups()
        if not waits:
            held[number] = (int(pid), int(inode))
        elif int(pid) in waiting and number in held:
            pids.append(held[number])
    return pids


def said(pid: int) -> str:
    """Describes the lock that a process or a child of it waits for, or returns nothing."""
    try:
        pids = holders((PROC / "locks").read_text(), processes(pid))
    except OSError:
        return ""
    return f"waits for {_described(*pids[0])}" if pids else ""


def _described(pid: int, inode: int) -> str:
    """A holder and the file that it has locked, as far as this user may see them."""
    path = about = ""
    with contextlib.suppress(OSError):
        words = (PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
        about = f" ({Path(words[0]).name} in {(PROC / str(pid) / 'cwd').readlink()})"
        for opened in (PROC / str(pid) / "fd").iterdir():
            with contextlib.suppress(OSError):
                if opened.stat().st_ino == inode:
                    path = str(opened.readlink())
    return f"process {pid}{about} to release {path or f'the file with inode {inode}'}"


@contextlib.contextmanager
def reported(pid: int, report: Callable[[str], None]) -> Iterator[None]:
    """Reports, every SILENT_S, the lock that a process waits for, until the block ends."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(SILENT_S):
            if line := said(pid):
                report(line)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


if __name__ == "__main__":
    print(said(int(sys.argv[1])))
