"""irqscope: measures how fast software answers an interrupt.

The library::

    from irqscope.library import connect, load

    with connect("twin") as target:
        result = target.measure(load("t2", count=400), "runs/t2")

docs/library.md says more.
"""


def __getattr__(name: str) -> str:
    """Return the version, as ``__version__``: the twin starts without loading what reads it."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("irqscope")
