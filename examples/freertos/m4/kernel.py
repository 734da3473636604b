"""The kernel's sources for a Cortex-M4F, as fw/stacks/freertos/kernel.py gets them.

python m4/kernel.py BUILD ARCHITECTURE [DIR]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "fw" / "stacks" / "freertos"))

import kernel

kernel.PORTS["m4"] = ("ARM_CM4F",)
kernel.PORT_FILES = ("port.c", "portmacro.h")

if __name__ == "__main__":
    sys.exit(kernel.main())
