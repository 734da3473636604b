"""Programs that their authors measured on an STM32F446, built from the published sources.

    git clone https://github.com/tweedegolf/async-rtos-showdown
    git clone https://github.com/stm32-rs/stm32f4xx-hal
    SHOWDOWN=async-rtos-showdown HAL=stm32f4xx-hal python twin/tests/m4_witnesses.py

Prints the table of docs/m4.md. Needs arm-none-eabi-gcc, newlib for it below NEWLIB (/usr unless
given), and Rust's target thumbv7em-none-eabihf. Nothing of the sources is part of irqscope.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from m_programs import SOURCES

from irqscope.acquire.measure import measure
from irqscope.experiment.load import load

#: Environment variables that name the sources' folders.
SHOWDOWN, HAL, NEWLIB = "SHOWDOWN", "HAL", "NEWLIB"
EXPERIMENT = SOURCES / "showdown.toml"
#: The HAL that the lock file of the program in Rust names.
HAL_COMMIT = "661331652c21dfa1b4e6367e1ce9f7478274dcc7"
#: Rows, in the order of the experiment's channels.
ROWS = ("PG0 up to PG0 down", "PG0 up to PG1 up", "PG1 up to PG1 down")
TARGET = "thumbv7em-none-eabihf"
_CPU = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
_FLAGS = [
    *_CPU, "-DUSE_HAL_DRIVER", "-DSTM32F446xx", "-O3", "-g", "-ffunction-sections",
    "-fdata-sections", "-std=gnu11", "-w",
]  # fmt: skip
#: What the program uses of the HAL; the other drivers there are not configured.
_DRIVERS = ("hal.c", "cortex", "rcc", "gpio", "exti", "pwr", "flash", "tim", "uart", "dma")
_HEADERS = ("Inc", "Include", "include", "CMSIS_RTOS_V2", "ARM_CM4F", "Legacy")


@dataclass(frozen=True)
class Witness:
    """A program, and what its authors published: means in ns, by row, and bytes of flash."""

    name: str
    published: tuple[float, float, float]
    flash: int


FREERTOS = Witness("C, HAL, FreeRTOS", (2962, 4973, 16190), 20_676)
RTIC = Witness("RTIC 1.0", (650.8, 1184, 7807), 8_888)


#: Makes the program's file in a folder.
Build = Callable[[Path], Path]


def missing() -> str | None:
    """Why the programs cannot be built here, or None."""
    for name, subject in ((SHOWDOWN, "async-rtos-showdown"), (HAL, "stm32f4xx-hal")):
        folder = os.environ.get(name)
        if folder is None:
            return f"{name} does not name a clone of {subject}"
        if not (Path(folder) / ".git").exists() and not (Path(folder) / "HEAD").exists():
            return f"{name}: {folder} is not a clone of {subject}"
    if shutil.which("arm-none-eabi-gcc") is None:
        return "arm-none-eabi-gcc is missing"
    if not (_newlib() / "include" / "newlib").is_dir():
        return f"{NEWLIB}: no include/newlib below {_newlib()}"
    return None


def _newlib() -> Path:
    return Path(os.environ.get(NEWLIB, "/usr"))


def _run(command: list[str | Path], cwd: Path) -> str:
    process = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if process.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{process.stderr[-4000:]}")
    return process.stdout.strip()


def _extract(clone: str, commit: str, folder: Path, *paths: str) -> None:
    archive = folder.with_suffix(".tar")
    _run(["git", "archive", "-o", archive, commit, *paths], Path(os.environ[clone]))
    folder.mkdir()
    shutil.unpack_archive(archive, folder, filter="data")


def freertos(work: Path) -> Path:
    """The program in C, as its Release configuration compiles it (-O3, newlib-nano)."""
    _extract(SHOWDOWN, "HEAD", work / "showdown", "c")
    source = work / "showdown" / "c"
    drivers = source / "Drivers" / "STM32F4xx_HAL_Driver" / "Src"
    files = [path for part in ("Core", "Middlewares") for path in (source / part).rglob("*.c")]
    files += [path for path in drivers.glob("*.c") if any(each in path.name for each in _DRIVERS)]
    headers = [path for path in source.rglob("*") if path.is_dir() and path.name in _HEADERS]
    own = _run(["arm-none-eabi-gcc", "-print-file-name=include"], work)
    flags = [*_FLAGS, "-isystem", own, "-isystem", str(_newlib() / "include" / "newlib")]
    objects = []
    for path in [*sorted(files), *source.rglob("startup_*.s")]:
        objects.append(path.with_suffix(".o"))
        includes = [f"-I{each}" for each in headers]
        _run(["arm-none-eabi-gcc", *flags, *includes, "-c", path, "-o", objects[-1]], source)
    elf = work / "freertos.elf"
    multilib = _run(["arm-none-eabi-gcc", *_CPU, "-print-multi-directory"], work)
    libraries = _newlib() / "lib" / "arm-none-eabi" / "newlib" / multilib
    start, end = (
        _run(["arm-none-eabi-gcc", *_CPU, f"-print-file-name={name}"], work)
        for name in ("crti.o", "crtn.o")
    )
    command = [
        "arm-none-eabi-gcc", *_CPU, "-T", source / "STM32F446ZETX_FLASH.ld", "-Wl,--gc-sections",
        "-static", "-nostdlib", start, *objects, "-L", libraries,
        "-Wl,--start-group", "-lc_nano", "-lgcc", "-lm", "-Wl,--end-group", end, "-o", elf,
    ]  # fmt: skip
    _run(command, source)
    return elf


def rtic(work: Path) -> Path:
    """The program in Rust, with the versions of its lock file."""
    _extract(HAL, HAL_COMMIT, work / "hal")
    _extract(SHOWDOWN, "HEAD", work / "rust", "rtic")
    source = work / "rust" / "rtic"
    address = 'git = "https://github.com/stm32-rs/stm32f4xx-hal"'
    manifest, lock = source / "Cargo.toml", source / "Cargo.lock"
    manifest.write_text(manifest.read_text().replace(address, f'path = "{work / "hal"}"'))
    stored = [line for line in lock.read_text().splitlines() if HAL_COMMIT not in line]
    lock.write_text("\n".join(stored) + "\n")
    # The HAL does what the compilers of today refuse.
    config = source / ".cargo" / "config.toml"
    allowed = '"-A", "invalid_reference_casting",'
    config.write_text(config.read_text().replace("rustflags = [", f"rustflags = [{allowed}"))
    _run(["cargo", "build", "--release", "--quiet", "--locked"], source)
    return source / "target" / TARGET / "release" / "f446-rtic-bench"


def flash_of(elf: Path) -> int:
    """Bytes that the file puts into flash."""
    with elf.open("rb") as file:
        segments = ELFFile(file).iter_segments("PT_LOAD")
        return sum(each["p_filesz"] for each in segments)


def means(elf: Path, folder: Path) -> tuple[float, ...]:
    """Mean of each channel, ns."""
    result = measure(load(EXPERIMENT), f"twin:m4:elf={elf}", folder)
    if not result.run.valid:
        raise RuntimeError(f"{elf.name}: {result.run.reasons}")
    ns = 1e9 / result.run.tick_hz
    return tuple(ns * stats.sum_ticks / stats.served for stats in result.run.stats)


def text(ns: float) -> str:
    """A time as docs/m4.md writes it."""
    return f"{ns / 1000:.3f} us" if ns < 10_000 else f"{ns / 1000:.2f} us"


def cells(witness: Witness, elf: Path, here: tuple[float, ...]) -> list[list[str]]:
    """Columns of the table: published, here, difference."""
    collected = [
        [text(published), text(ns), f"{ns / published - 1:+.1%}".replace("%", " %")]
        for published, ns in zip(witness.published, here, strict=True)
    ]
    size = flash_of(elf)
    share = f"{size / witness.flash - 1:+.0%}".replace("%", " %")
    return [*collected, [f"{witness.flash:,}", f"{size:,}", share]]


def table(columns: list[list[list[str]]]) -> str:
    """The rows of docs/m4.md."""
    titles = (*ROWS, "flash, bytes")
    return "\n".join(
        "| " + " | ".join([title, *(cell for column in columns for cell in column[row])]) + " |"
        for row, title in enumerate(titles)
    )


def main() -> None:
    if why := missing():
        sys.exit(why)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        columns = []
        for witness, build in ((FREERTOS, freertos), (RTIC, rtic)):
            elf = build(work)
            columns.append(cells(witness, elf, means(elf, work / f"run-{elf.name}")))
        print(table(columns))


if __name__ == "__main__":
    main()
