"""Makes a release of what is committed, for `make release` (CONTRIBUTING.md).

    release.py check    refuses a release that is not described, or not committed
    release.py finish   checksums, software bill of materials, tag

The version is that of pyproject.toml. Nothing is pushed.
"""

from __future__ import annotations

import hashlib
import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "build" / "dist"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def obstacles(root: Path, status: str, tags: list[str]) -> list[str]:
    """Return what keeps a checkout from being released, one line each.

    Args:
        root: The checkout.
        status: What `git status --porcelain` prints.
        tags: The tags that exist.
    """
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    lines = []
    if status:
        lines.append(f"commit first: {status.splitlines()[0].strip()}")
    if f"v{version}" in tags:
        lines.append(f"pyproject.toml: version {version} has a tag already; give a newer version")
    if not re.search(
        rf"^version: {re.escape(version)}$", (root / "CITATION.cff").read_text(), re.M
    ):
        lines.append(f"CITATION.cff: version is not {version}, as in pyproject.toml")
    heading = rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$"
    if not re.search(heading, (root / "CHANGELOG.md").read_text(), re.M):
        lines.append(f'CHANGELOG.md: no heading "## {version} - YYYY-MM-DD" with the release notes')
    return lines


def bill_of_materials(lock: Path) -> str:
    """Return the CycloneDX document of a wheel: its packages, and the kernel in its firmware.

    Raises:
        CalledProcessError: The lock cannot be read.
        ValueError: The document does not keep to the schema.
    """
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output import make_outputter
    from cyclonedx.schema import OutputFormat, SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    from packageurl import PackageURL

    command = [str(Path(sys.executable).parent / "cyclonedx-py"), "requirements", str(lock)]
    command += ["--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible"]
    packages = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    bom = Bom.from_json(json.loads(packages))
    kernel = runpy.run_path(str(ROOT / "fw" / "stacks" / "freertos" / "kernel.py"))
    bom.components.add(
        Component(
            type=ComponentType.LIBRARY,
            name="FreeRTOS-Kernel",
            version=kernel["VERSION"],
            purl=PackageURL("cargo", None, kernel["PACKAGE"], kernel["RELEASE"]),
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=kernel["PACKAGE_HASH"])],
        )
    )
    # A lock does not say who needs which package, so all stand below the program itself.
    bom.register_dependency(bom.metadata.component, bom.components)
    text: str = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(
        indent=2
    )
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(f"bill of materials: {error}")
    return text + "\n"


def check() -> int:
    """Print what keeps this checkout from being released. Returns the exit code."""
    lines = obstacles(ROOT, _git("status", "--porcelain"), _git("tag").splitlines())
    for line in lines:
        print(f"release: {line}", file=sys.stderr)
    return 1 if lines else 0


def finish() -> int:
    """Write checksums and bill of materials next to the wheel, and tag the commit."""
    (wheel,) = DIST.glob("*.whl")
    _, version, *_ = wheel.name.split("-")
    bom = DIST / f"irqscope-{version}.cdx.json"
    bom.write_text(bill_of_materials(ROOT / "locks" / "run.txt"))
    sums = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in (wheel, bom)
    ]
    (DIST / "SHA256SUMS").write_text("".join(sums))
    _git("tag", "--annotate", f"v{version}", "--message", f"irqscope {version}")
    print(f"release: v{version} is tagged here, and build/dist has its files.")
    print(f"         To publish: git push origin v{version}, and add the files to the release.")
    return 0


if __name__ == "__main__":
    sys.exit({"check": check, "finish": finish}[sys.argv[1]]())
