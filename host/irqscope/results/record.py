"""What ``run.json`` says: one model, read and written nowhere else.

To add a field, add it here and give it where the value is made. Its default says what a folder
means that lacks it, and None that nothing is known; then folders of before stay readable as they
are. Where no default tells that, raise FORMAT and add a step to :mod:`.upgrade`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from irqscope.assumptions import Assumptions
from irqscope.constants import CORES
from irqscope.experiment.model import Experiment
from irqscope.identity import Identity
from irqscope.plan import LONGEST_BATCH_S
from irqscope.protocol.messages import Placement
from irqscope.results import jsonfile
from irqscope.results.jsonfile import dumps as dumps
from irqscope.results.upgrade import FORMAT as FORMAT
from irqscope.results.upgrade import FORMATS, upgrade
from irqscope.stack import Stack
from irqscope.strict import Moment, Natural, Strict, Sum, Word

#: Share of something.
Share = Annotated[float, Field(ge=0, le=1)]
_Channel = Annotated[int, Field(ge=0, lt=256)]
_Core = Annotated[int, Field(ge=0, lt=CORES)]


class Program(Strict):
    """What measured."""

    name: str
    version: str


class Host(Strict):
    """Where it ran."""

    python: str
    system: str


class Source(Strict):
    """Where the numbers come from. ``label`` stands on every plot."""

    target: str  #: name of a board, or ``twin``
    profile: str | None
    profile_hash: str | None
    label: str


class Spread(Strict):
    """Distribution of one calibration interval, in ticks."""

    n: Natural
    min_ticks: Natural
    max_ticks: Natural
    counts: tuple[tuple[Natural, Natural], ...]  #: (ticks, how often)


class Cycles(Strict):
    """One way of bounding the one-way path, in cycles of the core."""

    n: Natural
    min_cycles: Natural
    max_cycles: Natural
    sum_cycles: Natural


class OneWay(Strict):
    """The path from core to PL, both ways of bounding it, and the bound."""

    store: Cycles
    echo: Cycles
    bound_ticks: Natural
    bound_ns: Natural


class Uncertainty(Strict):
    """One term of the budget of a single value. ``ns`` None: it scales, or is not known here."""

    source: str
    ns: float | None
    text: str


class Calibrated(Strict):
    """The four calibrations, and what they mean for a raw value."""

    cores: Natural
    loopback: Spread
    probe: Spread
    pending: Spread
    one_way: OneWay
    plausible_min_ticks: Natural
    uncertainty: tuple[Uncertainty, ...]


#: As the machine calls them: shown, and interpreted by nobody.
Registers = dict[Annotated[str, Field(pattern=r"^[ -~]{1,16}$")], Word]


class CoreState(Strict):
    """What a running core read of itself; fields as in the message CORE."""

    core: _Core
    running: Word
    handles: Word
    priority: Word
    caches: Word  #: of Caches
    vector: Word
    registers: Registers


class FurtherState(Strict):
    """One further interrupt as read back; fields as in the message FURTHER."""

    id: Word
    priority: Word
    targets: Word
    trigger: Word
    enabled: Word
    raised: Word


class InForce(Strict):
    """What the firmware read back after set-up; fields as in the message CASE, and behind it."""

    case_id: Word
    markers: Word
    idle: Word
    trigger: Word
    dispatcher: Word
    priority: Word
    targets: Word
    enabled: Word
    pending: Word
    core: _Core
    caches: Word  #: of Caches
    interrupt: Word
    vector: Word
    handler: Word
    stack: Word
    placement: Annotated[Placement, Field(strict=False)]
    pages: Word
    memory: Word = 0  #: of Memory; a folder of an older firmware has no other
    aimed: Word = 0  #: of the random load; the same
    cores_running: Word
    raising_core: Word
    divisor: Word
    tick_period: Word
    registers: Registers
    cores: tuple[CoreState, ...]
    further: tuple[FurtherState, ...]


class ChannelBooks(Strict):
    """Counters of one channel."""

    channel: _Channel
    pending: Natural
    starts: Natural
    served: Natural
    coalesced: Natural
    timed_out: Natural
    stops: Natural
    unmatched: Natural
    implausible: Natural
    underflow: Natural
    overflow: Natural
    sum_ticks: Sum


class Records(Strict):
    """Books of the event records."""

    stamped: Natural = 0
    delivered: Natural = 0
    lost: Natural = 0


class Counted(Strict):
    """What the firmware counted over all batches; fields as in the message BATCH."""

    handled_0: Natural = 0
    handled_1: Natural = 0
    handled_2: Natural = 0
    handled_3: Natural = 0
    held: Natural = 0
    lead_in_0: Natural = 0
    lead_in_1: Natural = 0
    lead_in_2: Natural = 0
    lead_in_3: Natural = 0
    spurious: Natural = 0
    others: Natural = 0
    idles: Natural = 0
    loads_0: Natural = 0
    loads_1: Natural = 0
    loads_2: Natural = 0
    loads_3: Natural = 0
    raised: Natural = 0
    ticks: Natural = 0

    @property
    def handled(self) -> tuple[int, ...]:
        """Measured interrupts, by core."""
        return self.handled_0, self.handled_1, self.handled_2, self.handled_3

    @property
    def loads(self) -> tuple[int, ...]:
        """Accesses of a load, by core."""
        return self.loads_0, self.loads_1, self.loads_2, self.loads_3


class LinkCounts(Strict):
    """What the link went through."""

    baud: Natural = 0
    requests: Natural = 0
    retries: Natural = 0
    timeouts: Natural = 0
    stale: Natural = 0
    bytes_out: Natural = 0
    bytes_in: Natural = 0
    rejected: dict[str, Natural] = {}  #: by kind of damage


class Throughput(Strict):
    """Handlers of one channel while the line was high. ``core`` None: of any core."""

    channel: _Channel
    core: _Core | None
    high_ticks: Annotated[int, Field(gt=0, lt=1 << 63)]
    stops: Annotated[tuple[Natural, ...], Field(min_length=1)]
    median_hz: float
    min_hz: float
    max_hz: float


class QuantileStats(Strict):
    """One quantile with its interval. ``value_ticks`` None: N too small, or a bin too wide."""

    p: Share
    value_ticks: Natural | None
    lower_ticks: Natural | None
    upper_ticks: Natural | None
    sample_ticks: tuple[Natural, Natural | None]
    note: str | None


class StageStats(Strict):
    """A stage of the samples, ticks since the edge."""

    stage: Literal["vector", "handler", "done", "task"]
    n: Natural
    min_ticks: int
    p50_ticks: int
    max_ticks: int


class Longer(Strict):
    """Share of stimuli that take longer than ``ticks``: each bound holds with the confidence."""

    ticks: Natural
    at_least: Share
    at_most: Share


class Answer(Strict):
    """Of one test of independence. ``p`` None: there was nothing to test."""

    test: Literal["trend", "lag 1", "first of batch"]
    effect: Annotated[float, Field(ge=-1, le=1)]
    p: Share | None
    fails: bool


class Independence(Strict):
    """Whether latencies look alike and independent, by ``n`` samples.

    ``level``: of a false alarm in any of the answers; ``detectable``: correlation that would show;
    ``untested``: why there are no answers, None if there are.
    """

    n: Natural
    level: Share
    detectable: Share
    answers: tuple[Answer, ...]
    untested: str | None


class Stats(Strict):
    """Statistics of one channel. ``n``: all stimuli; least, greatest and sum are of the served.

    ``independence`` None: not looked at, because the run did not end or is of an older version.
    """

    channel: _Channel
    n: Natural
    served: Natural
    timed_out: Natural
    coalesced: Natural
    timeout_ticks: Natural
    min_ticks: Natural | None
    max_ticks: Natural | None
    sum_ticks: Sum
    confidence: Share
    quantiles: tuple[QuantileStats, ...]
    longer: Longer | None
    independence: Independence | None = None
    phases: Annotated[tuple[Natural, ...], Field(min_length=1)]  #: by ticks modulo their number
    stages: tuple[StageStats, ...]


class StmBooks(Strict):
    """What the STM should have stamped, and what its trace held; counts over all batches."""

    edges_made: Natural = 0
    edges_stamped: Natural = 0
    stores_made: Natural = 0
    stores_stamped: Natural = 0
    answered: Natural = 0  #: edges with a store before the next edge
    unstamped: Natural = 0  #: packets without a timestamp
    others: Natural = 0  #: packets of other ports
    errors: Natural = 0  #: packets that tell of dropped ones
    unread: Natural = 0  #: nibbles that could not be read
    wrapped: Natural = 0  #: batches in which the ETF overflowed
    stuck: Natural = 0  #: batches behind which it did not stop


class StmSpread(Strict):
    """Latencies in counts of a clock, and in ns."""

    n: Natural
    min: Natural
    median: Natural
    max: Natural
    min_ns: Natural
    median_ns: Natural
    max_ns: Natural


class StmDifference(Strict):
    """Latency by the STM less that by the markers, of the same stimuli, in ns."""

    n: Natural
    min: int
    median: int
    max: int


class StmStamps(Strict):
    """The second stamp. ``set_up``: fields and registers of the message STM."""

    set_up: dict[str, Natural]
    stamp_hz: Natural | None
    books: StmBooks
    latency: StmSpread | None
    same_by_markers: StmSpread | None
    difference_ns: StmDifference | None


class Model(Strict):
    """How far the result of a twin moves over what its profile assumes; None: ``unknown``."""

    assumptions: Assumptions | None
    unknown: str | None


class Ended(Strict):
    """How a run ended. ``reason``: ``complete``, ``interrupted``, or the kind of error."""

    reason: str
    message: str
    time: Moment


class RunRecord(Strict):
    """All of ``run.json``. While a run is measured, its record is changed by assignment."""

    model_config = ConfigDict(frozen=False, validate_assignment=True)

    format: Literal["irqscope-run/3"] = FORMAT
    program: Program
    host: Host
    started: Moment
    target: str
    source: Source | None = None
    identity: Identity | None = None
    stack: Stack | None = None
    experiment: Experiment
    calibration: Calibrated | None = None
    model: Model | None = None
    in_force: InForce | None = None
    drained: str = "between batches"
    batch_s: Annotated[float, Field(gt=0, le=LONGEST_BATCH_S)]
    books: tuple[ChannelBooks, ...] = ()
    records: Records = Records()
    firmware: Counted = Counted()
    link: LinkCounts = LinkCounts()
    stimuli: Natural = 0
    throughput: tuple[Throughput, ...] = ()
    stats: tuple[Stats, ...] = ()
    stm: StmStamps | None = None  #: None: the markers were not the STM's
    valid: bool = False
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    log_lost: str | None = None  #: why the log could not be written
    flushes: Natural = 0
    ended: Ended | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Parts that name each other. Raises ValueError."""
        known = {channel.index for channel in self.experiment.channels}
        booked = {books.channel for books in self.books}
        for entry in self.stats:
            if entry.channel not in booked:
                raise ValueError(f"stats of channel {entry.channel}, of which are no books")
        if len(booked) != len(self.books) or not booked <= known:
            raise ValueError("the books are not those of the experiment's channels")
        if self.identity is None and (self.books or self.calibration):
            raise ValueError("it holds results, and nobody was identified")
        if self.identity is not None:
            try:
                _ = self.identity.label
            except LookupError as unknown:
                raise ValueError(f"identity.source: nothing here has number {unknown}") from None
        if self.books and (self.source is None or self.in_force is None):
            raise ValueError("it holds results, and neither source nor what was in force")
        return self

    @property
    def identified(self) -> Identity:
        """Who was identified; a record with results has one."""
        assert self.identity is not None
        return self.identity

    @property
    def tick_hz(self) -> int:
        """The PL clock; likewise."""
        return self.identified.tick_hz


def loads(text: bytes, path: Path) -> tuple[RunRecord, str]:
    """The record in ``run.json``, which stands at ``path``, and the format that it was in.

    Raises StorageError, which names the file and the field.
    """
    values, found = jsonfile.parse(text, path, FORMATS)
    if found != FORMAT:
        text = upgrade(values)
    return jsonfile.validated(text, path, RunRecord), found
