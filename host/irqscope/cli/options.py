"""Options that mean the same in every command."""

from __future__ import annotations

from pathlib import Path

import click

TARGET = click.option(
    "--target",
    default="twin",
    show_default=True,
    metavar="twin|PORT|URL",
    help=(
        "twin[:PROFILE][:no-skip][:fault=NAME][:variant=NAME][:KEY=VALUE ...], replay:FILE, or "
        "anything that pyserial opens."
    ),
)
COUNT = click.option("--count", type=click.IntRange(min=1), help="Stimuli, in place of the file's.")
SEED = click.option("--seed", type=click.IntRange(min=0), help="Seed, in place of the file's.")
OUT = click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Run folder to write, new or empty.  [default: runs/NAME-TIME]",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
EXPERIMENT = click.argument(
    "experiment", type=click.Path(path_type=Path), metavar="EXPERIMENT.toml"
)
DIR = click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
