"""Copies the sources of the FreeRTOS kernel into the build folder.

    python stacks/freertos/kernel.py BUILD ARCHITECTURE [DIR]

Without DIR they come from the package freertos-next, which contains the released kernel; cargo
fetches it, and the hash of the whole package is checked. DIR is the user's own copy of the kernel,
of V10.6 or newer. ARCHITECTURE, one of fw/arch, chooses the port. Nothing is patched: the files
that the build needs are copied to BUILD/freertos/kernel, and BUILD/freertos/kernel.h contains the
hash of all of them, with lines ended by LF. Skips files that are up to date.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

PACKAGE, RELEASE, VERSION = "freertos-next", "0.12.0", "V11.2.0"
#: The first version that knows all of FreeRTOSConfig.h.
OLDEST = 10, 6
#: sha256 of the package.
PACKAGE_HASH = "b7824fb42660c16e1b3b573eef99c2fe5c5cba6294a631c309084635f6bfcbb0"
#: Where a package keeps the kernel.
INSIDE = f"{PACKAGE}-{RELEASE}/FreeRTOS-Kernel/"
#: By architecture, the names that its port has had: for the Cortex-A53 with GICv2, the Cortex-A9.
PORTS = {
    "aarch64": ("ARM_AARCH64", "Arm_AARCH64", "ARM_CA53_64_BIT"),
    "arm32": ("ARM_CA9",),
}
KERNEL_FILES = ("tasks.c", "list.c")
PORT_FILES = ("port.c", "portASM.S", "portmacro.h")
#: The oldest version that can read the manifests of the package and its dependencies.
CARGO = "1.85"
#: Seconds that cargo gets to fetch it.
FETCH_S = 120

Files = dict[str, bytes]


class Refusal(Exception):
    """The kernel is not available; the text is one line."""


def from_package(build: Path) -> Files:
    """The files of the package, by their path in the kernel."""
    crate = _cached()
    if crate is None:
        why = _fetch(build / "freertos" / "fetch")
        crate = _cached()
        if crate is None:
            raise Refusal(
                f"cargo did not fetch {PACKAGE} {RELEASE} ({why}); it takes a network and cargo "
                f"{CARGO} or newer; or name a copy of the kernel of your own: FREERTOS=DIR"
            )
    packed = crate.read_bytes()
    actual = hashlib.sha256(packed).hexdigest()
    if actual != PACKAGE_HASH:
        raise Refusal(f"{crate}: sha256 {actual} is not {PACKAGE_HASH}; remove it and build again")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        files = {
            member.name.removeprefix(INSIDE): opened.read()
            for member in archive
            if member.name.startswith(INSIDE) and (opened := archive.extractfile(member))
        }
    if (actual := version(files)) != VERSION:
        raise Refusal(f"{PACKAGE} {RELEASE} holds kernel {actual}, wanted is {VERSION}")
    return files


def from_folder(folder: Path) -> Files:
    """The kernel's files in a folder. Raises Refusal if it holds no kernel."""
    if not (folder / "tasks.c").is_file():
        raise Refusal(f"FREERTOS={folder}: no kernel; name the folder that holds its tasks.c")
    files = [*folder.glob("*.c"), *folder.glob("include/*.h")]
    ports = [folder / _path(port) for ports in PORTS.values() for port in ports]
    files += [port / name for port in ports for name in PORT_FILES]
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files if p.is_file()}


def _path(port: str) -> str:
    return f"portable/GCC/{port}"


def version(files: Files) -> str:
    """The version that the kernel says it has. Raises Refusal if it says none."""
    match = re.search(rb'tskKERNEL_VERSION_NUMBER\s+"([^"]+)"', files.get("include/task.h", b""))
    if match is None:
        raise Refusal("include/task.h of the kernel does not tell its version")
    return match[1].decode()


def chosen(files: Files, architecture: str) -> Files:
    """Files that the build needs, by their names in the build."""
    kernel = f"kernel {version(files)}"
    numbers = re.match(r"kernel V(\d+)\.(\d+)", kernel)
    if numbers is None or tuple(map(int, numbers.groups())) < OLDEST:
        raise Refusal(
            f"{kernel} is older than V{OLDEST[0]}.{OLDEST[1]}, the oldest for these settings"
        )
    ports = [_path(port) for port in PORTS[architecture]]
    port = next((port for port in ports if f"{port}/port.c" in files), None)
    if port is None:
        raise Refusal(f"{kernel} has no {ports[0]}: no port for this processor")
    paths = {name: name for name in KERNEL_FILES} | {name: f"{port}/{name}" for name in PORT_FILES}
    paths |= {path: path for path in files if re.fullmatch(r"include/\w+\.h", path)}
    for path in paths.values():
        if path not in files:
            raise Refusal(f"{kernel} has no {path}")
    return {name: files[path] for name, path in sorted(paths.items())}


def _home() -> Path:
    return Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))


def _cached() -> Path | None:
    """The package in cargo's own store."""
    return next(iter(_home().glob(f"registry/cache/*/{PACKAGE}-{RELEASE}.crate")), None)


def _fetch(folder: Path) -> str:
    """Has cargo fetch the package into its store; returns its first word about what went wrong."""
    # rustup's own, which is newer than that of most systems, first.
    cargo = shutil.which("cargo", path=f"{_home() / 'bin'}{os.pathsep}{os.environ['PATH']}")
    if cargo is None:
        raise Refusal(
            f"no cargo, which fetches the kernel; install {CARGO} or newer, by rustup, by apt-get "
            "install cargo-web on Debian 12, or by apt-get install cargo on newer systems; or name "
            "a copy of the kernel of your own: FREERTOS=DIR"
        )
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "src" / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n'
        f'[dependencies]\n{PACKAGE} = "={RELEASE}"\n[workspace]\n',
        encoding="utf-8",
    )
    try:
        process = subprocess.run(
            [cargo, "fetch"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=FETCH_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {FETCH_S} s"
    errors = [line.strip() for line in process.stderr.splitlines() if line.startswith("error: ")]
    return errors[0] if errors else f"exit code {process.returncode}"


def write(path: Path, content: bytes) -> None:
    """Writes a file unless it is there already: make goes by the time of a file."""
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def main() -> int:
    """Prepares the kernel for the build; says in one line why it cannot."""
    build, architecture = Path(sys.argv[1]), sys.argv[2]
    try:
        files = from_folder(Path(sys.argv[3])) if sys.argv[3:] else from_package(build)
        files = chosen(files, architecture)
    except Refusal as error:
        print(f"freertos: {error}", file=sys.stderr)
        return 2
    digest = hashlib.sha256()
    for name, content in files.items():
        write(build / "freertos" / "kernel" / name, content)
        digest.update(name.encode() + b"\0" + content.replace(b"\r\n", b"\n"))
    header = f'#define KERNEL_SHA256 "{digest.hexdigest()[:16]}"\n'
    write(build / "freertos" / "kernel.h", header.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
