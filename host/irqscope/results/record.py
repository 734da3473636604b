"""Model of ``run.json``, read and written nowhere else.

Its parts are in :mod:`.calibrated`, :mod:`.readback`, :mod:`.counters`, :mod:`.statistics` and
:mod:`.stamps`. To add a field, add it to its model, give it where the value is made, and raise
FORMAT: a folder of another format is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from irqscope.errors import Interrupted, LongerLatency
from irqscope.experiment.kinds import KINDS
from irqscope.experiment.model import Experiment
from irqscope.experiment.stack import Stack
from irqscope.link.identity import Identity
from irqscope.results import jsonfile
from irqscope.results.assumptions import Assumptions
from irqscope.results.calibrated import (
    AnyCalibrated,
    Calibrated,
    CalibratedLoopback,
    CalibratedPins,
)
from irqscope.results.capture import Captured
from irqscope.results.counters import ChannelCounters, Counted, LinkCounts, Records
from irqscope.results.encounters import Encounters
from irqscope.results.jsonfile import dumps as dumps
from irqscope.results.masked import MaskedInterval
from irqscope.results.provenance import Provenance
from irqscope.results.readback import Readback
from irqscope.results.stamps import StmStamps
from irqscope.results.statistics import Stats, Throughput
from irqscope.results.stimuli import LONGEST_BATCH_S
from irqscope.units import Extensible, Moment, Natural, NominalHz, Strict

FORMAT: Final = "irqscope-run/7"


class Program(Strict):
    """The program that measured, and its version."""

    name: str
    version: str


class Host(Strict):
    """The computer on which the program ran."""

    python: str
    system: str


class Source(Strict):
    """Where the numbers come from. ``label`` is on every plot."""

    target: str  #: name of a board, or ``twin``
    profile: str | None
    profile_hash: str | None
    label: str

    @classmethod
    def of(cls, identity: Identity) -> Source:
        """Source of the numbers of a target with this identity."""
        return cls(
            target=identity.target,
            profile=identity.profile,
            profile_hash=f"{identity.source_hash:#010x}" if identity.profile else None,
            label=identity.label,
        )


class Model(Strict):
    """How far the result of a twin moves over its profile's assumptions.

    If None, ``unknown`` gives the reason.
    """

    assumptions: Assumptions | None
    unknown: str | None


class Part(Strict):
    """A run that was merged with others. ``name``: of its folder."""

    name: str
    seed: Natural
    stimuli: Natural


class Ended(Strict):
    """How a run ended. ``reason``: ``complete``, ``interrupted``, or the kind of error."""

    reason: str
    message: str
    time: Moment


class RunRecord(Extensible):
    """All of ``run.json``. While a run is measured, its record is changed by assignment."""

    model_config = ConfigDict(frozen=False, validate_assignment=True)

    format: Literal["irqscope-run/7"] = FORMAT
    program: Program
    host: Host
    provenance: Provenance | None = None  #: None: the target was never identified
    started: Moment
    target: str
    source: Source | None = None
    identity: Identity | None = None
    capture: Captured | None = None  #: None: measured by irqscope
    stack: Stack | None = None
    experiment: Experiment
    calibration: Calibrated | None = None
    pins: CalibratedPins | None = None  #: None: no external device was measured
    loopback: CalibratedLoopback | None = None  #: None: no foreign program was measured
    model: Model | None = None
    readback: Readback | None = None
    drained: str = "between batches"
    batch_s: Annotated[float, Field(gt=0, le=LONGEST_BATCH_S)]
    counters: tuple[ChannelCounters, ...] = ()
    #: The gateware's counts, of channels paired by a queue.
    gateware_counters: tuple[ChannelCounters, ...] = ()
    records: Records = Records()
    firmware: Counted = Counted()
    #: Sticky errors of the gateware by name: after how many batches, of calibrations too, it was
    #: set. None: a folder of before these were kept.
    gateware_errors: dict[str, Natural] | None = None
    link: LinkCounts = LinkCounts()
    stimuli: Natural = 0
    parts: tuple[Part, ...] = ()  #: of a merged run, in their order
    throughput: tuple[Throughput, ...] = ()
    stats: tuple[Stats, ...] = ()
    stm: StmStamps | None = None  #: None: the markers were not the STM's
    masked: tuple[MaskedInterval, ...] | None = None  #: None: no masked map was asked for
    #: Encounters of each line's rises, or None if the target does not observe them.
    encounters: tuple[Encounters, ...] | None = None
    valid: bool = False
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    log_lost: str | None = None  #: why the log could not be written
    flushes: Natural = 0
    ended: Ended | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Checks that parts that name each other exist. Raises ValueError."""
        indices = {channel.index for channel in self.experiment.channels}
        counted = {counters.channel for counters in self.counters}
        for entry in self.stats:
            if entry.channel not in counted:
                raise ValueError(f"stats of channel {entry.channel}, which has no counters")
        if len(counted) != len(self.counters) or not counted <= indices:
            raise ValueError("the counters are not those of the experiment's channels")
        if not self.has_clock and (self.counters or self.calibration):
            raise ValueError("it holds results, and nobody was identified")
        if self.identity is not None:
            try:
                source = Source.of(self.identity)
            except LookupError as unknown:
                raise ValueError(f"identity.source: nothing here has number {unknown}") from None
            if self.source not in (None, source):
                raise ValueError(f"source is not that of the identity, which says {source.label}")
        if self.throughput and not self.experiment.lines:
            raise ValueError("a throughput, and no line whose high phases it counts")
        read_back = self.readback is not None or self.capture is not None
        if self.counters and (self.source is None or not read_back):
            raise ValueError("it holds results, and neither source nor what was read back")
        return self

    @property
    def any_calibration(self) -> AnyCalibrated | None:
        """The calibration, of whatever kind of measurement it is; None before it is done."""
        return self.calibration or self.pins or self.loopback

    @property
    def interrupted(self) -> bool:
        """Somebody ended it early, and nothing else is wrong with it."""
        ended = self.ended
        if ended is None or ended.reason not in (Interrupted.reason, LongerLatency.reason):
            return False
        return self.reasons == (ended.message,)

    @property
    def replay(self) -> str:
        """Name of the recording that answered in place of a target, or an empty string."""
        return self.identity.replay if self.identity else ""

    @property
    def label(self) -> str:
        """Where the numbers come from; is on every plot."""
        source, device = self.source, self.experiment.device
        text = source.label if source else f"target {self.target} (never identified)"
        return f"{device.name}, at the pins of {text}" if device else text

    @property
    def identified(self) -> Identity:
        """The identity of the measured target; every record with results has one."""
        assert self.identity is not None
        return self.identity

    @property
    def has_clock(self) -> bool:
        """Whether the length of a tick is known: without it, a run has no results."""
        return self.identity is not None or self.capture is not None

    @property
    def origin(self) -> Literal["simulation", "board", "capture"]:
        """Kind of the source, by which label and badge are coloured."""
        if self.capture is not None:
            return "capture"
        return "simulation" if self.is_simulated else "board"

    @property
    def is_rtl(self) -> bool:
        """Whether a core in RTL simulation was measured, exact to the cycle."""
        return self.identity is not None and self.identity.is_rtl

    @property
    def is_simulated(self) -> bool:
        """Whether no hardware was measured."""
        return self.identity is not None and self.identity.is_simulated

    @property
    def resolution_ticks(self) -> int:
        """Ticks by which a single latency may be less or more; 0 where it is known to the tick."""
        return 0 if self.capture is None else self.capture.resolution_ticks

    @property
    def tick_hz(self) -> int:
        """Rate of the PL clock; nominal in RTL simulation. Every record with results has one."""
        if self.capture is not None:
            return self.capture.tick_hz
        hz = self.identified.tick_hz
        return NominalHz(hz) if self.identified.is_rtl else hz


for _kind in KINDS:
    RunRecord.add(_kind.parts)


def loads(text: bytes, path: Path) -> RunRecord:
    """The record in ``run.json``, which is at ``path``.

    Raises StorageError, which names the file and the field.
    """
    return jsonfile.loads(text, path, RunRecord)
