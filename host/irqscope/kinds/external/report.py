"""A device at the pins, in words."""

from __future__ import annotations

from irqscope.kinds.latency.report import Latency


class External(Latency):
    """Its latencies, from output to pin."""

    title = "Latency of a device"
    stimuli = "stimuli"

    def span(self) -> str:
        return "each channel's start to the stamp of its stop, an edge of a pin after its filter"

    def model(self) -> str:
        if self.run.source is None or self.run.source.profile is None:
            return ""
        return "simulated device: its delays are in a table and predict no real one"

    def warning(self) -> str:
        if self.run.source is None or self.run.source.profile is None:
            return ""
        return (
            "These numbers come from a simulated device: they are the delays of its table. "
            "They do not predict a real one."
        )

    def case(self) -> str:
        e = self.run.experiment
        edges = ", ".join(f"{pin.name} by {pin.edge} of pin {pin.pin}" for pin in e.pins)
        outputs = ", ".join(str(pin) for pin in e.lines[0].pmod)
        return f"external device, interrupted by {e.trigger} of output {outputs}; {edges}"
