"""irqscope: measures how fast software answers an interrupt.

The library::

    from irqscope.library import connect, load

    with connect("twin") as target:
        result = target.measure(load("t2", count=400), "runs/t2")

docs/library.md says more.
"""

from importlib.metadata import version

__version__ = version("irqscope")
