"""Compiles the kernel module of fw/module by W=1 and sparse, each warning an error.

    python scripts/linux/module.py [KERNEL]

KERNEL: folder of a kernel's headers for arm64, configured; without it those of Debian's kernels,
with PREEMPT_RT and without, which apt-get fetches to build/linux/kernel once. A board compiles the
module itself, for its own kernel (docs/linux.md).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULE = ROOT / "fw" / "module"
BUILD = ROOT / "build" / "linux"
HEADERS = BUILD / "kernel"
#: Packages that depend on the headers of Debian's newest kernel.
NEWEST = ("linux-headers-arm64", "linux-headers-rt-arm64")
_NEEDED = {"aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu", "sparse": "sparse"}
_FLAGS = (
    *("ARCH=arm64", "CROSS_COMPILE=aarch64-linux-gnu-", "CC=aarch64-linux-gnu-gcc"),
    *("W=1", "C=2", "CHECK=sparse -Wsparse-error", "KCFLAGS=-Werror"),
    "CONFIG_DEBUG_INFO_BTF_MODULES=",  # needs the kernel itself, and says nothing of the module
)


class ModuleError(Exception):
    """The module or the headers cannot be made; the text names the part and says what to do."""


def _run(command: list[str], what: str) -> str:
    """Run a command; return its output. Raises ModuleError with the end of what it printed."""
    environment = os.environ | {"LC_ALL": "C"}
    process = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=HEADERS
    )
    if process.returncode:
        raise ModuleError(f"{what}: {(process.stderr or process.stdout).strip()[-2000:]}")
    return process.stdout


def _apt() -> list[str]:
    """Return options that give apt lists of its own, with packages of arm64."""
    (HEADERS / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (HEADERS / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    options = {
        "APT::Architectures::": "arm64",
        "Dir::State::lists": str(HEADERS / "lists"),
        "Dir::Cache": str(HEADERS / "cache"),
        "APT::Sandbox::User": "",
    }
    host = _run(["dpkg", "--print-architecture"], "dpkg").strip()
    words = ["-o", f"APT::Architectures::={host}"]
    return words + [word for item in options.items() for word in ("-o", "=".join(item))]


def _packages(options: list[str], newest: str) -> list[str]:
    """Return the packages that make the headers which ``newest`` depends on."""
    missing, names = [newest], list[str]()
    while missing:
        shown = _run(["apt-cache", *options, "show", missing[0]], missing[0])
        depends = re.search(r"^Depends: (.*)$", shown, re.MULTILINE)
        names.append(missing.pop(0))
        for name in re.findall(r"linux-(?:headers|kbuild)-[^ ,:]+", depends[1] if depends else ""):
            wanted = f"{name}:arm64" if name.endswith("-arm64") else name
            if wanted not in (*names, *missing):
                missing.append(wanted)
    return names[1:]


def fetch() -> list[Path]:
    """Fetch the headers of Debian's kernels if they are not there; return their folders.

    Raises:
        ModuleError: apt-get cannot fetch them.
    """
    done = HEADERS / "done"
    if not done.is_file():
        shutil.rmtree(HEADERS, ignore_errors=True)
        HEADERS.mkdir(parents=True)
        options = _apt()
        _run(["apt-get", *options, "-q", "update"], "apt-get update")
        for newest in NEWEST:
            names = _packages(options, f"{newest}:arm64")
            _run(["apt-get", *options, "-q", "download", *names], "apt-get download")
        root = HEADERS / "root"
        for package in HEADERS.glob("*.deb"):
            _run(["dpkg", "-x", str(package), str(root)], package.name)
        for makefile in root.glob("usr/src/linux-headers-*/Makefile"):
            text = makefile.read_text(encoding="utf-8")
            makefile.write_text(text.replace("include /usr", f"include {root}/usr"), "utf-8")
        done.touch()
    return sorted((HEADERS / "root" / "usr" / "src").glob("linux-headers-*-arm64"))


def compile_module(kernel: Path, source: Path = MODULE) -> Path:
    """Compile the module against a kernel's headers; return the .ko file.

    Raises:
        ModuleError: A tool is missing, or compiler or sparse have an error or a warning.
    """
    if not (kernel / "Module.symvers").is_file():
        raise ModuleError(f"{kernel} has no headers of a kernel: it lacks Module.symvers")
    for program, package in _NEEDED.items():
        if shutil.which(program) is None:
            raise ModuleError(f"{program} is missing; install {package}")
    folder = BUILD / "module" / kernel.name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    HEADERS.mkdir(parents=True, exist_ok=True)
    _run(["make", "-C", str(kernel), f"M={folder}", *_FLAGS, "modules"], f"{kernel.name}")
    return folder / "irqscope_line.ko"


def main() -> None:
    """Compiles the module against the kernel named on the command line, or against Debian's."""
    try:
        kernels = [Path(sys.argv[1]).resolve()] if sys.argv[1:] else fetch()
        for kernel in kernels:
            print(f"irqscope: {compile_module(kernel)}")
    except ModuleError as error:
        sys.exit(f"irqscope: {error}")


if __name__ == "__main__":
    main()
