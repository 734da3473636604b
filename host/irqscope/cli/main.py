"""``irqscope``: the commands together, and the one path of an error to the eye."""

from __future__ import annotations

import ast
import io
import logging
import os
import sys
import tempfile
import traceback
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

import irqscope
from irqscope.errors import ExitCode, IrqscopeError, one_line

_EPILOG = """\b
Exit codes:
    0  done; of run: and the run is valid
    1  a defect of irqscope itself
    2  wrong command line or experiment file
    3  link or target: no answer, another version, died
    4  the run is complete but not valid
    5  the run folder cannot be written or read
    6  of doctor: a step did not pass
    7  of gate: it fails
    8  of gate: too few samples, or too coarse ones, to tell
    9  of run --break-above: a latency was longer
  130  interrupted
"""


#: Commands, and where their modules are: loading all of them takes longer than most of them.
_MODULES = {
    name: f"irqscope.cli.{name}"
    for name in (
        "calibrate",
        "compare",
        "doctor",
        "experiments",
        "export",
        "gate",
        "info",
        "machines",
        "masked",
        "merge",
        "note",
        "ports",
        "report",
        "run",
        "sensitivity",
        "suite",
        "table",
        "tag",
        "tail",
        "twin",
        "worst",
    )
} | {
    "app": "irqscope_app.cli",
    "import": "irqscope.cli.importing",
    "list": "irqscope.cli.runs",
}


class _Commands(click.Group):
    """Loads a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        module = import_module(_MODULES[cmd_name])
        commands = (each for each in vars(module).values() if isinstance(each, click.Command))
        return next(command for command in commands if command.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        limit = formatter.width - 6 - max(map(len, _MODULES))
        rows = [
            (name, click.Command(name, help=_docstring(name)).get_short_help_str(limit))
            for name in self.list_commands(ctx)
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _docstring(name: str) -> str | None:
    """Return the docstring of a command from its source: importing all of them takes seconds."""
    spec = find_spec(_MODULES[name])
    assert spec is not None and spec.origin is not None
    for node in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(each, ast.Call) and ast.unparse(each.func) == "click.command"
            for each in node.decorator_list
        ):
            return ast.get_docstring(node)
    return None


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(irqscope.__version__)
@click.pass_context
def cli(context: click.Context) -> None:
    """Measures how fast software answers an interrupt, on a board or on its twin."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        return
    from irqscope.cli.defaults import find  # here: --help takes half the time without it

    values = find().values
    overrides = {name: values[name] for name in ("target", "jobs") if name in values}
    # `irqscope twin` and the like have no such option, and take none.
    context.default_map = dict.fromkeys(_MODULES, overrides)


def main() -> None:
    """Entry point. Whatever goes wrong is one line on stderr and an exit code."""
    # That it builds a cache of fonts is nothing that a user can do something about.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    for stream in (sys.stdout, sys.stderr):
        # A folder may hold names that no terminal can show.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        _refuse_bytes(sys.argv[1:])
        code = cli.main(prog_name="irqscope", standalone_mode=False)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        usage = f"; see `{context.command_path} --help`" if context else ""
        code = _fail(error.format_message().rstrip(".") + usage, ExitCode.USAGE)
    except IrqscopeError as error:
        code = _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        code = _fail("interrupted", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away: nothing is left to say, nor anybody to say it to.
        sys.stderr.close()
        code = ExitCode.VALID
    except OSError as error:
        if error.filename is None:
            code = _defect(error)
        else:
            text = f"cannot use {error.filename}: {error.strerror}; choose another place"
            code = _fail(text, ExitCode.STORAGE)
    except Exception as error:  # noqa: BLE001 - the last resort: no traceback reaches a user
        code = _defect(error)
    sys.exit(code or 0)


def _refuse_bytes(arguments: list[str]) -> None:
    """Raises UsageError if one is not valid text, which could be neither shown nor stored."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            text = os.fsencode(argument).decode("utf-8", "backslashreplace")
            raise click.UsageError(f"{text!r} is not UTF-8; write it, or rename it, so") from error


def _fail(text: str, code: ExitCode) -> ExitCode:
    print(f"irqscope: {one_line(text)}", file=sys.stderr)
    return code


def _defect(error: Exception) -> ExitCode:
    with tempfile.NamedTemporaryFile(
        "w", prefix="irqscope-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        traceback.print_exception(error, file=file)
    cause = f"{type(error).__name__}: {error}".splitlines()[0]
    return _fail(
        f"a defect of irqscope itself ({cause}); please report it with {Path(file.name)}",
        ExitCode.DEFECT,
    )
