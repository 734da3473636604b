"""``irqscope export``."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from irqscope.cli import options, show
from irqscope.errors import ExperimentError, StorageError
from irqscope.files import require_replaceable
from irqscope.results.crate import LICENCE, write_crate
from irqscope.results.drift import export_drift
from irqscope.results.export import KINDS, PICTURES, export_suite
from irqscope.results.export import export as write
from irqscope.results.histogram_export import export_histogram
from irqscope.results.reader import Run, read, read_unchanged
from irqscope.results.suite_record import FILE as SUITE
from irqscope.results.suite_record import read as read_suite
from irqscope.units import Duration


@click.command()
@options.DIR
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE", required=False)
@click.option(
    "--around",
    type=options.Whole(0),
    metavar="INDEX",
    help="Only this sample and its neighbours; the first sample of a run has index 0.",
)
@click.option(
    "--neighbours",
    type=options.Whole(0),
    default=16,
    show_default=True,
    metavar="N",
    help="How many on each side of --around.",
)
@click.option(
    "--plot",
    default="histogram",
    show_default=True,
    metavar="NAME",
    help="Which plot, for .png and .svg: its title in the report, or how that begins.",
)
@click.option(
    "--period",
    metavar="TIME",
    help='In place of --plot: latency over the phase of each edge in this period, as "7.8 us".',
)
@click.option(
    "--histogram",
    is_flag=True,
    help="Bins in place of samples: .hgrm, .txt, .csv or .parquet.",
)
@click.option(
    "--drift",
    is_flag=True,
    help="In place of samples, min, p50, p99, max and counters of each batch: .csv or .parquet.",
)
@click.option(
    "--channel",
    type=options.Whole(0),
    metavar="N",
    help="Of --histogram, --period and --plot phase: only this channel.",
)
@click.option(
    "--crate",
    is_flag=True,
    help="Write the whole run as an RO-Crate: FILE is a .zip, and if left out DIR.zip.",
)
@click.option(
    "--licence",
    metavar="SPDX",
    help=f"Licence of the data in a crate, by its SPDX identifier or address; if left out "
    f"{LICENCE}.",
)
@click.option("--salvage", is_flag=True, help="Leave out damaged files, and name them.")
@options.JSON
def export(
    folder: Path,
    file: Path | None,
    around: int | None,
    neighbours: int,
    plot: str,
    period: str | None,
    crate: bool,
    licence: str | None,
    salvage: bool,
    histogram: bool,
    drift: bool,
    channel: int | None,
    as_json: bool,
) -> None:
    """Write the samples of a run folder, or a plot of its report, into FILE.

    The ending of FILE says which: .csv, .parquet, .vcd and .perfetto-trace take samples, .png and
    .svg a plot. All valid runs of a suite's folder go into one .perfetto-trace.
    """
    if crate:
        _write_crate(folder, file, licence or LICENCE, as_json)
        return
    if licence is not None:
        raise ExperimentError("--licence is of a crate; write --crate, too")
    if file is None:
        raise ExperimentError("FILE is missing: name the file to write, or write --crate")
    if channel is not None and not histogram and file.suffix not in PICTURES:
        raise ExperimentError(
            "--channel belongs to --histogram, --period and --plot phase; add one of them, or "
            "leave it out"
        )
    asked = click.get_current_context().get_parameter_source("plot")
    if asked is not ParameterSource.DEFAULT and (histogram or file.suffix not in PICTURES):
        raise ExperimentError(f"--plot is for a picture; name a {' or '.join(PICTURES)} file")
    if histogram:
        counted = export_histogram(read_unchanged(folder), file, channel)
        if as_json:
            show.print_json({"file": str(file), "latencies": counted})
        else:
            show.out.print(f"{counted} latencies in {file}", soft_wrap=True, markup=False)
        return
    if drift:
        rows = export_drift(read_unchanged(folder), file)
        if as_json:
            show.print_json({"file": str(file), "rows": rows})
        else:
            show.out.print(f"{rows} rows in {file}", soft_wrap=True, markup=False)
        return
    if period is not None and file.suffix not in PICTURES:
        raise ExperimentError(f"--period is for a picture; name a {' or '.join(PICTURES)} file")
    if file.suffix in PICTURES:
        require_replaceable(file, KINDS[file.suffix])
        title = _save_picture(folder, file, plot, period, channel)
        if as_json:
            show.print_json({"file": str(file), "plot": title})
        else:
            show.out.print(f"{title} in {file}", soft_wrap=True, markup=False)
        return
    if (folder / SUITE).exists():
        runs = _runs(folder)
        rows = export_suite(runs, file)
        if as_json:
            show.print_json({"file": str(file), "rows": rows, "runs": [r.path.name for r in runs]})
        else:
            show.out.print(
                f"{rows} samples of {len(runs)} runs in {file}", soft_wrap=True, markup=False
            )
        return
    window = None if around is None else range(max(0, around - neighbours), around + neighbours + 1)
    damaged = list[StorageError]()
    run = read(folder)
    if run.run.experiment.samples.which == "none":
        drifts = ", and --drift their figures over time" if len(run.drift()) else ""
        raise ExperimentError(
            f'{folder} keeps no samples (samples = "none"); --histogram writes its bins{drifts}'
        )
    if salvage:
        run.require_record()
    else:
        run.require_unchanged()
    rows = write(run, file, window, damaged if salvage else None)
    if as_json:
        show.print_json({"file": str(file), "rows": rows, "left_out": list(map(str, damaged))})
    else:
        show.out.print(f"{rows} samples in {file}", soft_wrap=True, markup=False)
    for one in damaged:
        show.err.print(f"left out: {one}", soft_wrap=True, markup=False)


def _write_crate(folder: Path, file: Path | None, licence: str, as_json: bool) -> None:
    run = read_unchanged(folder)
    path = Path(f"{folder.resolve().name}.zip") if file is None else file
    files = write_crate(run, path, licence)
    if as_json:
        show.print_json({"file": str(path), "files": files, "licence": licence})
    else:
        text = f"{files} files in {path}, an RO-Crate; licence of the data: {licence}"
        show.out.print(text, soft_wrap=True, markup=False)


def _runs(folder: Path) -> list[Run]:
    """Valid runs of a suite, in its order."""
    record = read_suite(folder)
    names = [name for name in record.order if record.items[name].state == "valid"]
    if not names:
        raise ExperimentError(f"{folder} holds no valid run; run its suite again")
    return [read_unchanged(folder / name) for name in names]


def _save_picture(
    folder: Path, file: Path, plot: str, period: str | None, channel: int | None
) -> str:
    # Here: its plotting library takes a second.
    from irqscope.report.picture import save_phases, save_picture

    if period is not None:
        try:
            asked = Duration.parse(period)
        except ValueError as error:
            raise ExperimentError(f"--period: {error}") from error
        return save_phases(read_unchanged(folder), file, asked, channel)
    return save_picture(read_unchanged(folder), file, plot, channel)
