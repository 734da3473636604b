"""A run that another instrument measured, in words and drawn."""

from __future__ import annotations

from irqscope.kinds.latency.report import Latency
from irqscope.report.telling import Row
from irqscope.results.record import RunRecord


class Capture(Latency):
    """Its latencies, from one edge or stamp to another."""

    title = "Latency measured elsewhere"
    stimuli = "stimuli"

    def __init__(self, run: RunRecord) -> None:
        super().__init__(run)
        # The mean of bins is not known, and their stimuli have no times.
        self.averaged = run.capture is not None and run.capture.what != "histogram"

    def case(self) -> str:
        found = self.run.capture
        if found is None:
            return "files of another instrument"
        names = ", ".join(file.name for file in found.files)
        return f"{found.form}: {names}"

    def rows(self) -> list[Row]:
        return [*super().rows(), *self._provenance()]

    def _provenance(self) -> list[Row]:
        found = self.run.capture
        if found is None:
            return []
        if found.what == "histogram":
            known = f"each latency to its bin, {found.resolution} wide"
        elif found.what == "latencies":
            known = f"each latency to {found.resolution}, less or more"
        else:
            known = f"each latency to {found.resolution}, less or more: one sample at each end"
            if not found.sampled:
                known = (
                    f"each latency to {found.resolution}, less or more, by the time stamps; the "
                    "sample rate is not known, and --sample-rate states it"
                )
        rows = [Row("resolution", (known,))]
        for file in found.files:
            rows.append(Row("file", (f"{file.name}, {file.bytes} bytes, sha256 {file.sha256}",)))
        return rows
