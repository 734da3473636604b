"""Custom software stacks: the linker names the parts that a port lacks."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from objects import seed

#: What stacks/stack.h declares. Each is a definition in the template, from its first line on to the
#: first one that begins with a brace or ends the statement.
DECLARED = (
    "stack_description",
    "stack_core",
    "stack_start",
    "stack_prepare",
    "stack_readback",
    "stack_begin",
    "stack_wait",
    "stack_write",
)


@pytest.fixture(scope="module")
def port(build, firmware, tmp_path_factory):
    """``port(edit)``: builds the template with its C file edited; returns the build's output.

    ``layout``: another linker fragment. Warnings are allowed, as a missing function leaves others
    unused. Objects of other files are those of the firmware.
    """
    folder = tmp_path_factory.mktemp("port")
    shutil.copytree(firmware, folder / "fw", ignore=shutil.ignore_patterns("tests", "__pycache__"))
    makefile = folder / "fw/Makefile"
    before = makefile.stat()
    makefile.write_text(makefile.read_text().replace(" -Werror", ""))
    os.utime(makefile, ns=(before.st_atime_ns, before.st_mtime_ns))
    objects = seed(build, folder / "build")
    source = folder / "fw/stacks/template/template.c"
    sound = source.read_text()
    compiler = ["CC=aarch64-linux-gnu-gcc"] if build.name == "fw-gcc" else []

    fragment = folder / "fw/stacks/template/stack.ld"
    sound_fragment = fragment.read_text()

    def edited(edit, layout=sound_fragment):
        source.write_text(edit(sound))
        fragment.write_text(layout)
        return subprocess.run(
            ["make", "-C", folder / "fw", "STACK=template", f"BUILD={objects}", *compiler],
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return edited


def test_template_is_a_complete_port(port):
    process = port(lambda text: text)
    assert process.returncode == 0, process.stderr


def test_linker_names_each_thing_that_a_port_leaves_out(port):
    def without(text):
        for name in DECLARED:
            on_one_line = rf"^\S[^\n]*\b{name}\b[^\n]*\}}\n"
            on_several = rf"^\S[^\n]*\b{name}\b[^;]*?[{{=].*?^\S*}};?\n"
            shorter = re.sub(f"{on_one_line}|{on_several}", "", text, flags=re.M | re.S)
            assert len(shorter) < len(text), name
            text = shorter
        return text

    process = port(without)
    assert process.returncode != 0
    named = re.findall(r"undefined (?:symbol: |reference to `)(\w+)", process.stderr)
    assert set(named) == set(DECLARED), process.stderr


def test_linker_names_what_the_linker_fragment_leaves_out(port, firmware):
    sound = (firmware / "stacks/template/stack.ld").read_text()
    process = port(lambda text: text, sound.replace("    stack_bss_end = .;\n", ""))
    assert process.returncode != 0
    assert re.search(r"undefined (symbol: |reference to `)stack_bss_end\b", process.stderr), (
        process.stderr
    )


def test_declarations_are_all_tried(firmware):
    header = (firmware / "stacks/stack.h").read_text()
    declared = re.findall(
        r"^(?:extern |_Noreturn |struct |uint64_t |void )[^(;{]*?\b(stack_\w+)[(;]", header, re.M
    )
    assert sorted(set(declared)) == sorted(DECLARED)
