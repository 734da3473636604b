"""Placements: the line after each delay from a marker, and where each interrupt was taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from irqscope.acquire import encoding
from irqscope.acquire.code_under_test import Code
from irqscope.acquire.kinds.latency import Latency
from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Outcome, Session
from irqscope.constants import RECORD_RISES
from irqscope.machines.firmware_file import firmware
from irqscope.results.placements import Instruction, Placements
from irqscope.results.stimuli import Batch, markers
from irqscope.results.tables import PLACES
from irqscope.targets import Target


class Placement(Latency):
    """Latencies by where the interrupt met the code under test, of all batches so far."""

    def __init__(self, plan: Plan, target: Target) -> None:
        super().__init__(plan, target)
        asked = plan.experiment.code_under_test
        assert asked is not None  # the case has it
        built = firmware(plan.machine.name, plan.experiment.stack)
        self._code = Code(target.firmware or built)
        self.code_under_test = self._code.code_under_test(asked.code)
        self._after = asked.after
        self._accepted = self._ignored = self._asked = self._missing = self._other = 0
        #: By address: how many were taken there, and their latencies, ticks.
        self._taken: dict[int, list[int]] = {}
        self._seen: dict[int, tuple[int | None, int]] = {}  #: of each delay, the first time
        self._alike = True

    def before(self, batch: Batch, session: Session) -> None:
        code_under_test = self.code_under_test
        of_code = {
            "address": code_under_test.address,
            "size": code_under_test.size,
            "crc": code_under_test.crc,
        }
        fields = encoding.code_under_test(self.plan, batch) | of_code
        session.code_under_test(fields, str(self._code.path))

    def after(self, batch: Batch, session: Session, outcome: Outcome, rows: Any) -> Any:
        places, records, delays = session.places(), outcome.records, self.plan.delays
        asked = [delays[n % len(delays)] for n in range(batch.count)]
        self._accepted += places.accepted
        self._ignored += places.ignored
        self._asked += batch.count
        self._other += sum(a != b for a, b in zip(self._measured(records), asked, strict=False))
        first = self.plan.experiment.channels[0].index
        latencies = rows.filter(pc.equal(rows["channel"], first))["latency_ticks"]
        known = min(len(latencies), batch.count, len(places.addresses))
        self._missing += batch.count - known
        addresses = places.addresses[:known]
        for delay, latency, address in zip(asked, latencies.to_pylist(), addresses, strict=False):
            self._alike &= self._seen.setdefault(delay, (latency, address)) == (latency, address)
            if address and latency is not None:
                self._taken.setdefault(address, []).append(latency)
        return pa.table(
            [
                pa.array([batch.number] * known, pa.uint32()),
                pa.array(range(batch.first, batch.first + known), pa.uint64()),
                pa.array(asked[:known], pa.uint32()),
                latencies.combine_chunks().slice(0, known),
                pa.array([address or None for address in addresses], pa.uint64()),
            ],
            schema=PLACES,
        )

    def record(self) -> dict[str, Any]:
        return {"placements": self._placements()}

    def _placements(self) -> Placements:
        address, size = self.code_under_test.address, self.code_under_test.size
        elsewhere = sorted(a for a in self._taken if not address <= a < address + size)
        delays = self.plan.delays
        return Placements(
            symbol=self.code_under_test.symbol,
            address=address,
            size=size,
            firmware=self._code.path.name,
            first_ticks=delays[0],
            step_ticks=delays.step,
            last_ticks=delays[-1],
            accepted=self._accepted,
            ignored=self._ignored,
            alike=self._alike,
            through=self._through(),
            instructions=tuple(map(self._counted, self._code.instructions(address, size))),
            elsewhere=tuple(self._counted(self._code.instruction(a)) for a in elsewhere),
        )

    def _through(self) -> bool:
        """Whether the placements reach from the code under test to what follows it."""
        first, end = (
            self.code_under_test.address,
            self.code_under_test.address + self.code_under_test.size,
        )
        _, last = self._seen.get(self.plan.delays[-1], (None, first))
        return not first <= last < end and any(first <= a < end for a in self._taken)

    def validity_errors(self) -> Iterator[str]:
        if self._accepted != self._asked:
            yield (
                f"{self._accepted} markers of {self._asked} started the line: does the code of "
                f'[code_under_test] reach its marker "{self._after}"?'
            )
        if self._other:
            yield f"{self._other} rises of {self._asked} were not where the placement has them"
        if self._missing:
            yield f"of {self._missing} placements of {self._asked} there is no sample"

    def notes(self) -> Iterator[str]:
        if self._ignored:
            yield f"{self._ignored} markers found the line not done, and started nothing"

    def _counted(self, instruction: Instruction) -> Instruction:
        latencies = self._taken.get(instruction.address, [])
        return instruction.model_copy(
            update={
                "taken": len(latencies),
                "min_ticks": min(latencies, default=None),
                "max_ticks": max(latencies, default=None),
            }
        )

    def _measured(self, records: npt.NDArray[np.void]) -> list[int]:
        """Ticks from the marker in front of each rise to the rise."""
        asked = encoding.placed(self.plan)
        found, marked = list[int](), None
        for stamp, events in zip(
            records["stamp"].tolist(), records["events"].tolist(), strict=True
        ):
            if RECORD_RISES.of(events) >> asked["line"] & 1:
                found.append(-1 if marked is None else stamp - marked)
                marked = None
            for core, code in markers(events):
                if asked["cores"] >> core & 1 and code == asked["code"]:
                    marked = stamp
        return found
