"""Each fetched file is pinned by a hash, a commit or a lock."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = [
    path
    for path in ROOT.glob("**/.github/workflows/*.y*ml")
    if not {".venv", "build"} & {part.name for part in path.parents}
]
CRATES = sorted(path.parent for path in ROOT.glob("examples/*/Cargo.toml"))


def test_actions_are_named_by_their_commit():
    uses = [line for path in WORKFLOWS for line in re.findall(r"uses: *(.*)", path.read_text())]
    assert len(uses) >= 4
    for one in uses:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[0-9.]+", one), one


def test_images_of_containers_are_named_by_their_digest():
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    pipelines = [name for name in files.stdout.split() if re.search(r"gitlab-ci|Dockerfile", name)]
    lines = "".join((ROOT / name).read_text() for name in pipelines)
    images = re.findall(r"^ *(?:image:|FROM) *(.*)", lines, re.M)
    assert images
    for one in images:
        assert re.match(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}( |$)", one), one


@pytest.mark.parametrize("crate", CRATES, ids=lambda path: path.name)
def test_an_example_of_rust_has_its_lock_in_the_repository(crate):
    lock = crate / "Cargo.lock"
    assert 'checksum = "' in lock.read_text()
    ignored = subprocess.run(["git", "check-ignore", "-q", lock], cwd=ROOT, check=False)
    assert ignored.returncode != 0


def test_pip_installs_from_locks_with_hashes_alone():
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    installs = re.findall(r"^.*\bpip (?:install|sync)\b.*$", makefile, re.M)
    assert len(installs) >= 6
    for line in installs:
        assert "--require-hashes" in line or "--no-deps --editable ." in line, line
    for lock in (ROOT / "locks").glob("*.txt"):
        text = lock.read_text()
        assert len(re.findall(r"^[\w.\[\]-]+==", text, re.M)) <= text.count("--hash=sha256:")
    assert "uv==" in (ROOT / "locks" / "uv.txt").read_text()


DESCRIBED = ("pyproject.toml", "CITATION.cff", "CHANGELOG.md")
obstacles = runpy.run_path(str(ROOT / "scripts" / "release.py"))["obstacles"]


def test_this_version_can_be_released():
    assert obstacles(ROOT, status="", tags=["v0.0.1"]) == []


@pytest.mark.parametrize("name", DESCRIBED[1:])
def test_a_release_of_a_version_that_a_file_does_not_have_is_refused(tmp_path, name):
    for described in DESCRIBED:
        shutil.copy(ROOT / described, tmp_path)
    text = (tmp_path / name).read_text()
    version = re.search(r'^version = "(.*)"', (tmp_path / "pyproject.toml").read_text(), re.M)[1]
    (tmp_path / name).write_text(text.replace(version, "7.0.0"))
    (line,) = obstacles(tmp_path, status="", tags=[])
    assert line.startswith(f"{name}: ") and version in line


def test_what_is_not_committed_or_has_its_tag_is_not_released():
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    first, second = obstacles(ROOT, status=" M README.md\n?? notes", tags=[f"v{version}"])
    assert first == "commit first: M README.md"
    assert second.startswith(f"pyproject.toml: version {version} has a tag already")
