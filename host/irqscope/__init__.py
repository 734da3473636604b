"""irqscope: measures how fast software answers an interrupt.

The library in one call::

    from pathlib import Path
    from irqscope import experiment, measure

    wanted = experiment.load(Path("experiments/horst2020/t2.toml"), count=400)
    result = measure.measure(wanted, "twin", Path("runs/t2"))
"""

from importlib.metadata import version

__version__ = version("irqscope")
