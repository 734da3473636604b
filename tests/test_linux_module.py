"""The kernel's module of fw/module, compiled against headers of Debian's arm64 kernels.

`make module` fetches these once; without them the tests are skipped.
"""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

from instrument import ROOT

MODULE: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "linux" / "module.py"))
#: A mistake, and the tool that must find it.
MISTAKES = {
    "void __iomem *port;\n    unsigned": ("void *port;\n    unsigned", "address spaces"),
    "    int irq, error;\n\n    if (!line)": (
        "    int irq, error, left;\n\n    if (!line)",
        "left",
    ),
}


@pytest.fixture(scope="module")
def kernels() -> list[Path]:
    """Folders of the headers, one with PREEMPT_RT and one without."""
    if not (MODULE["HEADERS"] / "done").is_file():
        pytest.skip("no headers of a kernel; run `make module`, which fetches them")
    folders: list[Path] = MODULE["fetch"]()
    assert [("-rt-" in folder.name) for folder in folders] == [False, True]
    return folders


def test_the_module_compiles_without_a_warning(kernels):
    for kernel in kernels:
        made = MODULE["compile_module"](kernel)
        assert b"alias=of:N*T*Cirqscope,line" in made.read_bytes()


@pytest.mark.parametrize("right", MISTAKES)
def test_a_mistake_in_the_module_is_an_error(kernels, right, tmp_path):
    source = shutil.copytree(MODULE["MODULE"], tmp_path / "module")
    wrong, said = MISTAKES[right]
    file = source / "irqscope_line.c"
    text = file.read_text()
    assert text.count(right) == 1
    file.write_text(text.replace(right, wrong))
    with pytest.raises(MODULE["ModuleError"], match=said):
        MODULE["compile_module"](kernels[-1], source)


def test_a_folder_without_headers_is_refused(tmp_path):
    with pytest.raises(MODULE["ModuleError"], match="it lacks Module.symvers"):
        MODULE["compile_module"](tmp_path)
