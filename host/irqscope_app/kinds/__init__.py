"""Views of the kinds of measurement, shown in place of the trace. VIEWS lists their folders."""

from __future__ import annotations

from collections.abc import Callable

from irqscope_app.control.station import Station
from irqscope_app.kinds.loss.plot import LossPlot
from irqscope_app.kinds.placement.plot import Placement
from irqscope_app.kinds.throughput.plot import ThroughputPlot
from irqscope_app.kinds.view import View

#: Factory of the view of each kind. Its second argument is called with a selected stimulus.
VIEWS: dict[str, Callable[[Station, Callable[[int], None]], View]] = {
    "throughput": lambda station, chosen: ThroughputPlot(),
    "loss": lambda station, chosen: LossPlot(),
    "placement": Placement,
}
