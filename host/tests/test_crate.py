"""A run folder as an RO-Crate: licence, versions and checksums are in its metadata."""

from __future__ import annotations

import hashlib
import json
import zipfile

from conftest import T2
from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope.results.reader import read


def test_a_crate_names_licence_versions_and_the_sum_of_each_file(board, tmp_path, irqscope):
    result = measure(load(T2, count=20), board().port, tmp_path / "run")
    assert result.run.valid, result.run.reasons
    out = tmp_path / "run.zip"
    code, error, _ = irqscope("export", tmp_path / "run", out, "--crate", "--licence", "CC0-1.0")
    assert code == 0 and "licence of the data: CC0-1.0" in error
    with zipfile.ZipFile(out) as crate:
        graph = json.loads(crate.read("ro-crate-metadata.json"))["@graph"]
        by_key = {entity["@id"]: entity for entity in graph}
        root = by_key["./"]
        assert root["license"] == "https://spdx.org/licenses/CC0-1.0"
        assert result.run.label in root["name"]
        files = {
            p.relative_to(tmp_path / "run").as_posix() for p in (tmp_path / "run").rglob("*.*")
        }
        assert {"run.json", "histogram.parquet"} <= files
        for name in ("run.json", "samples/part-00000.parquet", "SHA256SUMS"):
            data = crate.read(name)
            assert data == (tmp_path / "run" / name).read_bytes()
            assert by_key[name]["sha256"] == hashlib.sha256(data).hexdigest()
    tool = by_key["#irqscope"]
    provenance = read(tmp_path / "run").run.provenance
    assert tool["version"] == result.run.program.version
    assert any(
        f"numpy {provenance.packages['numpy']}" == one for one in tool["softwareRequirements"]
    )
    assert any(f"commit {provenance.commit}" in one for one in tool["softwareRequirements"])
    (action,) = (e for e in graph if e["@type"] == "CreateAction")
    assert action["instrument"] == {"@id": "#irqscope"}


def test_what_is_no_crate_is_refused_in_a_line(board, tmp_path, irqscope):
    measure(load(T2, count=20), board().port, tmp_path / "run")
    code, _, error = irqscope("export", tmp_path / "run", tmp_path / "run.tar", "--crate")
    assert code != 0 and "end it in .zip" in error
    code, _, error = irqscope("export", tmp_path / "run")
    assert code != 0 and "FILE is missing" in error
    code, _, error = irqscope("export", tmp_path / "run", tmp_path / "a.csv", "--licence", "MIT")
    assert code != 0 and "--licence is of a crate" in error
