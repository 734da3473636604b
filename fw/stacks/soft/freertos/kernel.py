"""The kernel's sources for RV32: as stacks/freertos/kernel.py, with the port for RISC-V.

python stacks/soft/freertos/kernel.py BUILD ARCHITECTURE [DIR]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "freertos"))

import kernel

kernel.PORTS["rv32"] = ("RISC-V",)
kernel.PORT_FILES = (*kernel.PORT_FILES, "portContext.h")

if __name__ == "__main__":
    sys.exit(kernel.main())
