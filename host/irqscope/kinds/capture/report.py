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
        capture = self.run.capture
        if capture is None:
            return "files of another instrument"
        names = ", ".join(file.name for file in capture.files)
        return f"{capture.form}: {names}"

    def rows(self) -> list[Row]:
        return [*super().rows(), *self._provenance()]

    def _provenance(self) -> list[Row]:
        capture = self.run.capture
        if capture is None:
            return []
        if capture.what == "histogram":
            resolution = f"each latency to its bin, {capture.resolution} wide"
        elif capture.what == "latencies":
            resolution = f"each latency to {capture.resolution}, less or more"
        else:
            resolution = (
                f"each latency to {capture.resolution}, less or more: one sample at each end"
            )
            if not capture.sampled:
                resolution = (
                    f"each latency to {capture.resolution}, less or more, by the time stamps; the "
                    "sample rate is not known, and --sample-rate states it"
                )
        rows = [Row("resolution", (resolution,))]
        for file in capture.files:
            rows.append(Row("file", (f"{file.name}, {file.bytes} bytes, sha256 {file.sha256}",)))
        return rows
