"""Selects the files of a wheel other than Python; a build hook of hatchling (pyproject.toml).

The layout of ``irqscope/carried`` is that of a checkout, and host/irqscope/resources.py finds the
files there. Firmware and gateware are included as built.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Files of a checkout, as patterns. Each has to match.
CARRIED = (
    "LICENSE",
    "docs/glossary.md",
    "experiments/*/*.toml",
    "fw/stacks/**/stack.mk",
    "ip/irqscope.v",
    "machines/*.toml",
    "rtl/cores/**/*.*",
    "rtl/system/*.*",
    "rtl/check/*.*",
    "twin/devices/*.toml",
    "twin/engine/**/*.*",
    "twin/profiles/**/*.*",
    # What `make wheel` builds first:
    "build/fw/irqscope*.elf",
    "build/fw/irqscope-freertos.elf",
    "build/fw-zynq7000/irqscope*.elf",
    "build/fw-zynq7000/irqscope-freertos.elf",
    "build/fw-soft/irqscope*.elf",
    "build/fw-soft-shared/irqscope*.elf",
    "build/fw-clic/irqscope*.elf",
    "build/fw-picorv32/irqscope*.elf",
    "build/fw/freertos/kernel/include/FreeRTOS.h",  # the licence of the kernel in some of them
    "build/hw/irqscope_soft.v",
    "build/rtl/gateware/*.v",
)


class Carried(BuildHookInterface):  # type: ignore[misc]
    """Adds the files to a wheel, and nothing to an editable installation: it has the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Hatchling calls this before it builds. Raises FileNotFoundError naming what lacks."""
        if version == "editable":
            return
        root = Path(self.root)
        for pattern in CARRIED:
            files = [path for path in root.glob(pattern) if path.is_file()]
            if not files:
                raise FileNotFoundError(f"{pattern} is missing: run `make wheel`")
            for path in files:
                inside = path.relative_to(root)
                build_data["force_include"][str(path)] = f"irqscope/carried/{inside}"
