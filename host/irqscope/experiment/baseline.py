"""The case that everything is compared with."""

from __future__ import annotations

from irqscope.experiment.model import Experiment

#: T2 of Horst et al. 2020, as in experiments/horst2020/t2.toml; with another ``count``.
T2 = Experiment.model_validate(
    {
        "name": "t2",
        "case": "t2",
        "caches": "on",
        "trigger": "rising edge",
        "count": 1,
        "lines": [{"high": "1 ms", "low": "4 ms"}],
        "channels": [{"timeout": "4 ms"}],
    }
)
