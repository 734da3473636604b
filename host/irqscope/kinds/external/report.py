"""A device at the pins, in words."""

from __future__ import annotations

from irqscope.kinds.latency.report import Latency


class External(Latency):
    """Its latencies, from output to pin."""

    title = "Latency of a device"
    stimuli = "stimuli"

    def case(self) -> str:
        e = self.run.experiment
        edges = ", ".join(f"{pin.name} by {pin.edge} of pin {pin.pin}" for pin in e.pins)
        outputs = ", ".join(str(pin) for pin in e.lines[0].pmod)
        return f"external device, interrupted by {e.trigger} of output {outputs}; {edges}"
