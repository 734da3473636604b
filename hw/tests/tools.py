"""Programs that tests want and pip does not bring."""

import os
import shutil

import pytest


def needs(program, package):
    """Skips a test where ``program`` is not installed; in CI, which installs it, the test fails."""
    missing = shutil.which(program) is None and "CI" not in os.environ
    return pytest.mark.skipif(missing, reason=f"needs {program} (Debian package {package})")


needs_tclsh = needs("tclsh", "tcl")
needs_icarus = needs("iverilog", "iverilog")
