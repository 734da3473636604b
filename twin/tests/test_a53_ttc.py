"""A program that read its timer on a ZynqMP gives on the twin what it gave there.

An engineer at Xilinx measured with a changed example of the TTC's driver (xttcps_intr_example.c)
how late an interrupt is handled on bare metal: http://xsypw.cn/d/1309446.html. The page shows what
was printed, not the source. The program here does the same with the same driver and BSP, which are
not part of this project: IRQSCOPE_EMBEDDEDSW names a checkout at the tag xilinx-v2018.3.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
import ziglang

HERE = Path(__file__).parent / "programs_a53_ttc"
#: What the page shows, in steps of 160 ns from the interrupt to the read: at the first tick, later.
FIRST, LATER = 6, 2
FLAGS = "-DARMA53_64 -w -ffreestanding -ffunction-sections -fno-stack-protector -fno-pie -fcommon"
FLAGS += " -mgeneral-regs-only"
#: C's headers, of the compiler that builds the firmware.
HEADERS = Path(ziglang.__file__).parent / "lib/libc/include"
ASSEMBLY = ("boot.S", "asm_vectors.S", "xil-crt0.S", "translation_table.S")


def build(software: Path, into: Path, *own: str) -> Path:
    """Compile BSP and drivers with -O2, the program with flags of its ``own``."""
    standalone = software / "lib/bsp/standalone/src"
    core, common = standalone / "arm/cortexa53/64bit", standalone / "arm/common"
    drivers = software / "XilinxProcessorIPLib/drivers"
    gic, timer = drivers / "scugic/src", drivers / "ttcps/src"
    places = (
        HERE, core, core / "gcc", core.parent / "includes_ps", common, common / "gcc",
        standalone / "common", gic, timer, HEADERS / "aarch64-linux-musl", HEADERS / "generic-musl",
    )  # fmt: skip
    assembly = [core / "gcc" / name for name in ASSEMBLY]
    sources = [core / f"{name}.c" for name in ("xil_cache", "xil_mmu")]
    sources += [common / f"{name}.c" for name in ("vectors", "xil_exception")]
    sources += [standalone / "common/xil_assert.c"]
    sources += [*sorted(gic.glob("*.c")), *sorted(timer.glob("*.c"))]
    sources = [path for path in sources if "selftest" not in path.name]
    compiler = ["aarch64-linux-gnu-gcc", *FLAGS.split(), *(f"-I{path}" for path in places)]
    objects = []
    for path in (*assembly, *sources, HERE / "main.c"):
        how = [*own] if path.parent == HERE else ["-O2"]
        if path in assembly:  # these save the vector registers, too
            how += ["-march=armv8-a+fp+simd", "-x", "assembler-with-cpp"]
        objects.append(into / f"{path.name}.o")
        subprocess.run([*compiler, *how, "-c", path, "-o", objects[-1]], check=True)
    program = into / "ttc.elf"
    link = [
        "-nostdlib",
        "-static",
        "-no-pie",
        "-T",
        HERE / "program.ld",
        "-Wl,--gc-sections,--build-id=none",
    ]
    subprocess.run([*compiler, *link, *objects, "-o", program], check=True)
    return program


@pytest.mark.soak
@pytest.mark.parametrize(
    ("flags", "first"),
    [
        # Within a step of what the page shows, where the first tick is the first interrupt.
        (("-O0",), range(FIRST - 1, FIRST + 2)),
        (("-O2",), range(FIRST - 1, FIRST + 2)),
        # The example's other timer interrupts before it, so that the caches hold all but a handler.
        (("-O0", "-DWITH_PWM"), range(LATER, FIRST)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_its_handler_reads_as_many_steps_as_on_silicon(tmp_path, flags, first):
    if (software := os.environ.get("IRQSCOPE_EMBEDDEDSW")) is None:
        pytest.skip("IRQSCOPE_EMBEDDEDSW names no checkout: these sources are others' and not here")
    program = build(Path(software), tmp_path, *flags)
    run = tmp_path / "run"
    command = ["irqscope", "run", HERE / "lines.toml", "--out", run]
    subprocess.run([*command, "--target", f"twin:a53:elf={program}"], check=True)
    rows = re.findall(r"program: (\d+) (\d+)$", (run / "log.txt").read_text(), re.MULTILINE)
    counts = [int(count) for _, count in rows]
    print(counts)
    assert len(counts) == 6
    assert counts[0] in first
    assert set(counts[1:]) == {LATER}
