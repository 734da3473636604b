"""What kinds of measurement show in place of the trace: a folder each, which VIEWS names."""

from __future__ import annotations

from collections.abc import Callable

from irqscope_app.control.station import Station
from irqscope_app.kinds.loss.plot import LossPlot
from irqscope_app.kinds.placement.plot import Placement
from irqscope_app.kinds.throughput.plot import ThroughputPlot
from irqscope_app.kinds.view import View

#: By kind: makes its view. The second argument is told the number of a stimulus that was chosen.
VIEWS: dict[str, Callable[[Station, Callable[[int], None]], View]] = {
    "throughput": lambda station, chosen: ThroughputPlot(),
    "loss": lambda station, chosen: LossPlot(),
    "placement": Placement,
}
