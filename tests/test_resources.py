"""One module knows where resources are; in a wheel they are elsewhere."""

from __future__ import annotations

import re

from instrument import ROOT
from irqscope import resources

#: Run only in a checkout, as it writes the checkout's generated files.
OF_CHECKOUT = {"host/irqscope/machines/export.py"}
#: The packages of a wheel.
PACKAGES = ("host/irqscope", "twin/irqscope_twin", "rtl/irqscope_rtl")
ABOVE = re.compile(r"__file__.*\.parents?\b.*parent|__file__.*\.parents\[")


def test_no_other_module_looks_above_its_own_folder():
    looking = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if ABOVE.search(path.read_text())
    }
    assert looking == OF_CHECKOUT


def test_resources_of_a_checkout_are_its_files():
    assert not resources.INSTALLED
    assert resources.resource("machines/zynqmp.toml") == ROOT / "machines" / "zynqmp.toml"
    assert resources.compiled("twin") == ROOT / "build" / "twin"


def test_a_message_names_the_file_of_the_wheel_and_no_package_of_an_index():
    packages = (*PACKAGES, "host/irqscope_app")
    sources = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    assert [path for path in sources if re.search(r"irqscope\[\w", path.read_text())] == []
    reported = resources.extra("dask")
    wheel = re.search(r"\./(irqscope-[\d.]+-py3-none-any\.whl)\[dask\]'$", reported)
    assert wheel and wheel[1] in (ROOT / "docs/install.md").read_text()
