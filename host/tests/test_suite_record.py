"""suite.json of older versions: these files were written by them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from irqscope.errors import StorageError
from irqscope.suite import record

FOLDERS = Path(__file__).parent / "folders"


@pytest.mark.parametrize(
    ("name", "stacks", "cores"), [("suite-1-first", {}, 1), ("suite-1", {"baremetal"}, 4)]
)
def test_a_suite_of_format_1_is_read_and_written_in_the_present_one(name, stacks, cores, tmp_path):
    found = record.read(FOLDERS / name)
    told = json.loads((FOLDERS / name / "suite.json").read_text())["identity"]
    identity = found.identity
    assert (identity.machine.name, identity.cores, identity.label) == ("zynqmp", cores, found.label)
    assert (f"{identity.core_id:#010x}", identity.counter_hz, identity.privilege) == (
        told["midr"],
        told["cntfrq_hz"],
        told["exception_level"],
    )
    assert set(found.stacks) == set(stacks)
    assert {name: item.state for name, item in found.items.items()} == {
        "t2": "valid",
        "other": "valid",
    }
    record.write(found, tmp_path)
    assert json.loads((tmp_path / "suite.json").read_text())["format"] == "irqscope-suite/2"
    assert record.read(tmp_path) == found


def test_what_an_older_file_lacks_is_named(tmp_path):
    shutil.copy(FOLDERS / "suite-1" / "suite.json", tmp_path)
    path = tmp_path / "suite.json"
    values = json.loads(path.read_text())
    del values["identity"]["midr"]
    path.write_text(json.dumps(values))
    with pytest.raises(StorageError, match=r"suite.json: identity.core_id: this key is missing"):
        record.read(tmp_path)
