"""A published program that measures itself on a Zynq-7000 gives on the twin what it gave there.

MicroZedAMP (FreeRTOS on a Cortex-A9, after AMD's demo of two operating systems) samples the TTC
in the handler of its overflow. Its sources and those of AMD's standalone BSP are not part of this
project: IRQSCOPE_MICROZED_AMP names a checkout of the one, IRQSCOPE_EMBEDDEDSW one of the other at
the tag xilinx-v2014.2. It also needs newlib for ``arm-none-eabi-gcc``.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "programs_a9_amp"
#: What the page of the program shows: ticks of 9 ns from the overflow to the handler's read.
PUBLISHED, OF, ALL = 37, 14_814, 14_818
FLAGS = "-mcpu=cortex-a9 -marm -mfloat-abi=softfp -mfpu=vfpv3 -D__USE_AMP__ -DUSE_AMP=0 -fcommon"
FLAGS += " -w -std=gnu99 -ffunction-sections"
BSP = (
    "vectors", "xil_cache", "xil_exception", "xil_io", "xil_mmu", "print", "xil_printf", "xtime_l",
    "smc",
)  # fmt: skip
CALLS = (
    "_sbrk", "sbrk", "errno", "write", "read", "close", "fstat", "isatty", "lseek", "kill", "_exit",
    "getpid", "abort",
)  # fmt: skip
GIC = ("xscugic", "xscugic_g", "xscugic_hw", "xscugic_intr", "xscugic_sinit")
TIMER = ("xscutimer", "xscutimer_g", "xscutimer_sinit")


def folder(variable: str) -> Path:
    if (named := os.environ.get(variable)) is None:
        pytest.skip(f"{variable} names no checkout: these sources are others' and not here")
    return Path(named)


def build(amp: Path, software: Path, into: Path) -> Path:
    """Compile the program: BSP and kernel with -O2, the application without, as its tools do."""
    kernel = amp / "src/FreeRTOS/bsp/freertos_v1_00_a/src/Source"
    port = kernel / "portable/GCC/Zynq"
    timer = amp / "src/FreeRTOS/drivers/scutimer_v1_01_a/src"
    application = amp / "src/FreeRTOS/sw_apps/FreeRTOS-AMP/src"
    standalone = software / "lib/bsp/standalone/src"
    core = standalone / "cortexa9"
    gic = software / "XilinxProcessorIPLib/drivers/scugic/src"
    included = (
        HERE, kernel / "include", port, core, core / "gcc", standalone / "common", gic, timer,
        application,
    )  # fmt: skip
    assembly = [core / "gcc" / name for name in ("boot.S", "cpu_init.S", "xil-crt0.S")]
    assembly += [core / "gcc/translation_table.s", port / "port_asm_vectors.s"]
    usual = [core / f"{name}.c" for name in BSP] + [core / f"gcc/{name}.c" for name in CALLS]
    usual += [standalone / "common/xil_assert.c", HERE / "alone.c"]
    usual += [gic / f"{name}.c" for name in GIC] + [timer / f"{name}.c" for name in TIMER]
    usual += [kernel / f"{name}.c" for name in ("list", "queue", "tasks", "timers")]
    usual += [kernel / "portable/MemMang/heap_3.c", port / "port.c", port / "portISR.c"]
    compiler = ["arm-none-eabi-gcc", *FLAGS.split(), *(f"-I{path}" for path in included)]
    created = []
    for path in (*assembly, *usual, application / "latencydemo.c"):
        how = ["-x", "assembler-with-cpp"] if path in assembly else ["-O2"]
        how = ["-O0"] if path.parent == application else how
        created.append(into / f"{path.name}.o")
        subprocess.run([*compiler, *how, "-c", path, "-o", created[-1]], check=True)
    script = into / "lscript.ld"
    # On its own core it has DDR from 0 on; alone, on core 0, the on-chip memory is there.
    text = (application / "lscript.ld").read_text()
    script.write_text(text.replace("= 0x0000000, LENGTH = 0x0FF", "= 0x0100000, LENGTH = 0x0FE"))
    # The compiler's own choice of libraries is Thumb, which the demo's were not.
    arm = ["arm-none-eabi-gcc", "-marm", "-march=armv5te+fp", "-mfloat-abi=softfp"]
    libraries = []
    for name in ("libc.a", "libgcc.a"):
        process = subprocess.run(
            [*arm, f"-print-file-name={name}"], capture_output=True, check=True
        )
        libraries.append(process.stdout.decode().strip())
    symbols = "-Wl,--defsym=_HEAP_SIZE=0x40000,--defsym=__fiq_stack=__abort_stack"
    symbols += ",--defsym=__undef_stack=__abort_stack"
    program = into / "amp.elf"
    command = [*compiler, "-nostdlib", "-T", script, symbols, *created, "-Wl,--start-group"]
    command += [*libraries, "-Wl,--end-group", "-o", program]
    subprocess.run(command, check=True)
    return program


@pytest.mark.soak
def test_its_handler_reads_the_timer_after_as_many_ticks_as_on_silicon(tmp_path):
    program = build(folder("IRQSCOPE_MICROZED_AMP"), folder("IRQSCOPE_EMBEDDEDSW"), tmp_path)
    run = tmp_path / "run"
    command = ["irqscope", "run", HERE / "lines.toml", "--out", run]
    subprocess.run([*command, "--target", f"twin:a9:elf={program}"], check=True)
    rows = re.findall(r"program: (\d+) (\d+)$", (run / "log.txt").read_text(), re.MULTILINE)
    counts = {int(ticks): int(count) for ticks, count in rows}
    usual = max(counts, key=counts.__getitem__)
    print(counts)
    assert sum(counts.values()) > 50 and counts[usual] > 0.9 * sum(counts.values())
    assert abs(usual / PUBLISHED - 1) < 0.1 and OF > 0.9 * ALL
