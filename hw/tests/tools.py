"""Programs that tests want and pip does not bring."""

import importlib.util
import os
import shutil

import pytest


def needs(program, package):
    """Skips a test where ``program`` is not installed; in CI, which installs it, the test fails."""
    missing = shutil.which(program) is None and "CI" not in os.environ
    return pytest.mark.skipif(missing, reason=f"needs {program} (Debian package {package})")


needs_tclsh = needs("tclsh", "tcl")
needs_icarus = needs("iverilog", "iverilog")

_no_tkinter = importlib.util.find_spec("_tkinter") is None and "CI" not in os.environ
needs_tkinter = pytest.mark.skipif(_no_tkinter, reason="needs tkinter (Debian package python3-tk)")
