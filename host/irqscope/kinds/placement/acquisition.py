"""Placements: the line after each delay from a marker, and where each interrupt was taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from irqscope.acquire import encoding
from irqscope.acquire.grid import Grid
from irqscope.acquire.measurement import Measurement
from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Outcome, Session
from irqscope.constants import RECORD_RISES
from irqscope.errors import TargetError
from irqscope.kinds.placement.code import Code, CodeUnderTest
from irqscope.kinds.placement.interruptions import Interruptions
from irqscope.kinds.placement.record import Instruction, Placements
from irqscope.machines.elf import Elf, ProgramError, read_elf
from irqscope.machines.firmware_file import firmware
from irqscope.results.stimuli import Batch, markers
from irqscope.results.tables import PLACES
from irqscope.targets import Target

#: The firmware next to a foreign program runs no code under test.
_NO_CODE = CodeUnderTest("", 0, 0)


def _built(plan: Plan, target: Target) -> Elf:
    """Return the firmware that `make` builds for a target. Raises TargetError."""
    try:
        return read_elf(target.firmware or firmware(plan.machine.name, plan.experiment.stack))
    except ProgramError as error:
        raise TargetError(f"[code_under_test] wants the firmware: {error}; `make build`") from error


class Placement(Grid):
    """Latencies by where the interrupt met the code under test, of all batches so far."""

    def __init__(self, plan: Plan, target: Target, answering: Measurement) -> None:
        super().__init__(plan, target, answering)
        code = plan.experiment.code_under_test
        assert code is not None  # the case has it
        self._code = Code(target.program or _built(plan, target))
        self._told = target.interruptions
        #: Of a foreign program, or None if the firmware reports where it was interrupted.
        self._interruptions: Interruptions | None = None
        if plan.experiment.of_program:
            self._interruptions = Interruptions(plan.experiment.lines[0].index)
            self.code_under_test = self._code.code_of_program(code.code)
        else:
            self.code_under_test = self._code.code_under_test(code.code)
        self._after = code.after
        self._accepted = self._ignored = self._asked = self._missing = self._other = 0
        self._untaken = 0
        #: By address: how many were taken there, and their latencies, ticks.
        self._taken: dict[int, list[int]] = {}
        self._seen: dict[int, tuple[int | None, int]] = {}  #: of each delay, the first time
        self._alike = True

    def before(self, batch: Batch, session: Session) -> None:
        code_under_test = self.code_under_test
        if self._interruptions is not None:
            code_under_test = _NO_CODE
        of_code = {
            "address": code_under_test.address,
            "size": code_under_test.size,
            "crc": code_under_test.crc,
        }
        fields = encoding.code_under_test(self.plan, batch) | of_code
        session.code_under_test(fields, str(self._code.elf.path))

    def after(self, batch: Batch, session: Session, outcome: Outcome, rows: Any) -> Any:
        places, records, delays = session.places(), outcome.records, self.plan.delays
        expected = [delays[n % len(delays)] for n in range(batch.count)]
        self._accepted += places.accepted
        self._ignored += places.ignored
        self._asked += batch.count
        measured, rises = self._measured(records)
        self._other += sum(a != b for a, b in zip(measured, expected, strict=False))
        addresses = places.addresses
        if self._interruptions is not None:
            addresses = self._interruptions.places(self._told(), rises)
        first = self.plan.experiment.channels[0].index
        latencies = rows.filter(pc.equal(rows["channel"], first))["latency_ticks"]
        number = min(len(latencies), batch.count, len(addresses))
        self._missing += batch.count - number
        addresses = addresses[:number]
        self._untaken += addresses.count(0)
        for delay, latency, address in zip(
            expected, latencies.to_pylist(), addresses, strict=False
        ):
            self._alike &= self._seen.setdefault(delay, (latency, address)) == (latency, address)
            if address and latency is not None:
                self._taken.setdefault(address, []).append(latency)
        return pa.table(
            [
                pa.array([batch.number] * number, pa.uint32()),
                pa.array(range(batch.first, batch.first + number), pa.uint64()),
                pa.array(expected[:number], pa.uint32()),
                latencies.combine_chunks().slice(0, number),
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
            firmware=self._code.elf.path.name,
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
        """Whether the placements reach from the code under test into the code after it."""
        _, last = self._seen.get(self.plan.delays[-1], (None, self.code_under_test.address))
        return self._within(self._taken) and not self._within([last])

    def _within(self, addresses: Iterable[int]) -> bool:
        """Whether any of them is in the code under test."""
        first = self.code_under_test.address
        return any(first <= a < first + self.code_under_test.size for a in addresses)

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
        if self._interruptions is not None:
            yield from self._of_program()

    def _of_program(self) -> Iterator[str]:
        """Reports a limit of our own code in the firmware: it waits for its interrupts."""
        code = self.code_under_test
        if self._untaken:
            yield f"after {self._untaken} rises of {self._asked} no interrupt was taken"
        _, first = self._seen.get(self.plan.delays[0], (None, code.address))
        if code.address < first < code.address + code.size:
            yield (
                f"the first interrupt was taken in {code.symbol} already, in front of "
                f"{self._code.instruction(first).where or hex(first)}; choose an earlier place "
                "for code_under_test.after"
            )
        elif not self._within(self._taken):
            yield f"no interrupt was taken in {code.symbol}; choose other places or delays"
        elif not self._through():
            yield (
                f"the last interrupt was taken in {code.symbol} still, so its end was not met; "
                "give a longer code_under_test.last"
            )

    def notes(self) -> Iterator[str]:
        if self._ignored:
            yield f"{self._ignored} markers found the line not done, and started nothing"
        if self._interruptions is not None and self._interruptions.further:
            further = self._interruptions.further
            yield f"{further} further interrupts of the line were taken, after the first of a rise"

    def _counted(self, instruction: Instruction) -> Instruction:
        latencies = self._taken.get(instruction.address, [])
        return instruction.model_copy(
            update={
                "taken": len(latencies),
                "min_ticks": min(latencies, default=None),
                "max_ticks": max(latencies, default=None),
            }
        )

    def _measured(self, records: npt.NDArray[np.void]) -> tuple[list[int], list[int]]:
        """Ticks from the marker before each rise to the rise, and the rises' stamps."""
        expected = encoding.placed(self.plan)
        addresses, rises, marked = list[int](), list[int](), None
        for stamp, events in zip(
            records["stamp"].tolist(), records["events"].tolist(), strict=True
        ):
            if RECORD_RISES.of(events) >> expected["line"] & 1:
                addresses.append(-1 if marked is None else stamp - marked)
                rises.append(stamp)
                marked = None
            for core, code in markers(events):
                if expected["cores"] >> core & 1 and code == expected["code"]:
                    marked = stamp
        return addresses, rises
