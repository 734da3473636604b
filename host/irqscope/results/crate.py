"""A run folder as an RO-Crate: a zip file whose metadata archives of research data read.

The files stand in it as they are, so SHA256SUMS still holds. Metadata name the licence, who made
each file, the versions of what measured, and each file's SHA-256.

Reference: RO-Crate Metadata Specification 1.1, with the properties of schema.org.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import mimetypes
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from irqscope.errors import ExperimentError
from irqscope.files import replace, require_replaceable
from irqscope.results.reader import Run

ENDING = ".zip"
#: Permitted use of a crate's data, unless its owner changes it.
LICENCE = "CC-BY-4.0"
_LICENCES = "https://spdx.org/licenses/"
_PARQUET = "application/vnd.apache.parquet"


def write_crate(run: Run, path: Path, licence: str = LICENCE) -> int:
    """Write the files of a run folder into an RO-Crate; return how many.

    Args:
        run: A run that has ended.
        path: The zip file.
        licence: SPDX identifier or address of the data's licence.

    Raises:
        ExperimentError: If the ending is not .zip, or the run has not ended.
        StorageError: If a file cannot be read or written.
    """
    if path.suffix != ENDING:
        raise ExperimentError(f"{path}: a crate is a zip file; end it in {ENDING}")
    if run.cut_short:
        raise ExperimentError(f"{run.path} has not ended; a crate holds a closed run")
    require_replaceable(path, rb"PK\x03\x04")
    files = sorted(_files(run.path))
    data = _zipped(run, files, licence)
    replace(path, lambda file: file.write(data))
    return len(files)


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
            yield path


def _zipped(run: Run, files: list[Path], licence: str) -> bytes:
    # Here: the library takes half a second.
    from rocrate.model.softwareapplication import SoftwareApplication
    from rocrate.rocrate import ROCrate

    record = run.run
    crate = ROCrate(version="1.1")
    crate.name = f"{record.experiment.name}: {record.label}"
    crate.description = record.experiment.description or (
        f"Interrupt latencies, measured by {record.program.name} {record.program.version}"
    )
    crate.datePublished = record.ended.time if record.ended else record.started
    crate.license = licence if "://" in licence else f"{_LICENCES}{licence}"
    crate.keywords = "interrupt latency"
    tool = crate.add(
        SoftwareApplication(
            crate,
            "#irqscope",
            properties={
                "name": record.program.name,
                "version": record.program.version,
                "license": f"{_LICENCES}MIT",
                "softwareRequirements": _versions(run),
            },
        )
    )
    measured = [
        crate.add_file(
            path,
            path.relative_to(run.path).as_posix(),
            properties={
                "name": path.name,
                "encodingFormat": _format(path),
                "contentSize": str(path.stat().st_size),
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            },
        )
        for path in files
    ]
    crate.add_action(tool, "#measurement", None, measured, {
        "name": "measurement",
        "startTime": record.started,
        "endTime": record.ended.time if record.ended else record.started,
        "description": f"{record.label}; {'valid' if record.valid else 'not valid'}",
    })  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="irqscope-crate-") as folder:
        out = Path(folder, "crate.zip")
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")  # its own, of its dependencies
            crate.write_zip(out)
        return out.read_bytes()


def _versions(run: Run) -> list[str]:
    """Versions that a result depends on, and hashes of the measured programs."""
    record, provenance = run.run, run.run.provenance
    versions = [f"Python {record.host.python}", record.host.system]
    if provenance is not None:
        versions += [f"{name} {version}" for name, version in provenance.packages.items()]
        versions += [
            f"{role} {one.name}, sha256 {one.sha256}" for role, one in provenance.files.items()
        ]
        if provenance.commit is not None:
            changed = ", with changes" if provenance.modified else ""
            versions.append(f"irqscope commit {provenance.commit}{changed}")
    return versions


def _format(path: Path) -> str:
    if path.suffix == ".parquet":
        return _PARQUET
    return mimetypes.guess_type(path.name)[0] or "text/plain"
