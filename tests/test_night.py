"""The manual's first gate file passes unchanged."""

from __future__ import annotations

import re

from instrument import ROOT, irqscope


def test_the_gate_file_of_the_manual_passes(tmp_path):
    page = (ROOT / "docs" / "ci.md").read_text()
    (block,) = re.findall(r'^(    name = "night"\n(?:(?:    .*)?\n)+?)\n?(?=\S)', page, re.M)
    file = tmp_path / "night.toml"
    file.write_text(re.sub(r"^    ", "", block, flags=re.M))
    first = irqscope("gate", file, "--accept", "--out", tmp_path / "first")
    assert first.returncode == 0, first.stderr
    second = irqscope("gate", file, "--out", tmp_path / "second")
    assert second.returncode == 0 and "PASS" in second.stdout, second.stdout
