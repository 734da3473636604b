"""A run under way: set-up, calibration, what its kind measures, and the verdict at its end."""

from __future__ import annotations

import time

from irqscope.acquire import encoding
from irqscope.acquire.callbacks import Progress, Stop, Watch
from irqscope.acquire.collect import Collection
from irqscope.acquire.continuity import Continuity
from irqscope.acquire.counters import nesting_that_never_was
from irqscope.acquire.effort import effort_s
from irqscope.acquire.figures import independence, so_far
from irqscope.acquire.kinds import of_plan
from irqscope.acquire.measurement import AnyCalibration, Measurement
from irqscope.acquire.plan import Plan
from irqscope.acquire.readback import compare, prepare, set_up
from irqscope.acquire.session import Session
from irqscope.acquire.stm.results import StmResults
from irqscope.acquire.until import Until
from irqscope.acquire.validity import errors_of_the_gateware, notes, validity_errors
from irqscope.errors import Interrupted, IrqscopeError, StorageError, TargetError
from irqscope.experiment import Experiment
from irqscope.experiment.kinds import kind_of
from irqscope.experiment.load import check
from irqscope.experiment.machine import placed
from irqscope.experiment.model import MOST_STIMULI
from irqscope.experiment.stack import Stack
from irqscope.link.identity import Identity
from irqscope.machines import under_linux
from irqscope.machines.firmware_file import firmware
from irqscope.machines.model import Machine
from irqscope.resources import resource
from irqscope.results import assumptions, provenance
from irqscope.results.folder import RunFolder
from irqscope.results.reader import Run
from irqscope.results.record import Model, Source
from irqscope.results.statistics import Independence
from irqscope.results.tables import batch_row
from irqscope.targets import Target
from irqscope.targets.twin import stored

#: A flush is at least this far from the one before, unless it is the first or the last.
FLUSH_S = 2.0


class Running:
    """A run under way: results go into ``folder``, and its run.json describes them."""

    def __init__(
        self,
        experiment: Experiment,
        folder: RunFolder,
        progress: Progress,
        stop: Stop,
        watch: Watch | None,
        machine: Machine | None,
        until: Until | None = None,
    ) -> None:
        self._until = until or Until()
        self._experiment = experiment
        self._machine = machine
        self._folder = folder
        self._progress = progress
        self._stop = stop
        self._watch = watch
        self._session: Session | None = None
        self._collection: Collection | None = None
        self._stm: StmResults | None = None
        self._kind: Measurement | None = None
        self._calibration: AnyCalibration | None = None
        self._plan: Plan | None = None
        self._flushed_at: float | None = None
        self._unflushed = False
        #: First and last tick of each batch so far.
        self.spans: list[tuple[int, int]] = []

    def on(self, target: Target) -> None:
        """Carries the whole run out. Raises IrqscopeError when it ends early."""
        self._step("hello")
        session = self._session = Session(target.link, target.deviation)
        identity = session.identity
        run = self._folder.run
        run.identity = identity
        run.stack = session.stack
        run.provenance = provenance.of_files(self._files(target, identity))
        if self._machine is not None and self._machine != identity.machine:
            raise TargetError(
                f"the run folder is of {self._machine.name}, this target is "
                f"{identity.machine.name}; give a target of that machine, or an experiment file"
            )
        run.source = Source.of(identity)
        of_model = not self._experiment.of_others or self._experiment.of_program
        if identity.profile is not None and of_model:
            run.model = self._model(identity)
        self._experiment = run.experiment = placed(self._experiment, identity.machine)
        check(self._experiment, identity.machine, identity.tick_hz)
        if not self._experiment.of_others:
            session.stack.require(self._experiment.stack)
        last = max((line.index for line in self._experiment.lines), default=-1)
        session.require(
            last + 1 + kind_of(self._experiment).further_lines,
            1 + max(channel.index for channel in self._experiment.channels),
        )
        self._folder.log(f"{identity.label}, link at {session.raise_baud()} baud")
        program = _program_number(self._experiment, session.stack)
        settings = identity.tick_hz, run.batch_s, identity.counter_hz, program
        plan = Plan(self._experiment, identity.machine, *settings)
        if (count := self._until.count(plan)) is not None:
            self._experiment = run.experiment = self._experiment.model_copy(
                update={"count": min(count, MOST_STIMULI)}
            )
            plan = Plan(self._experiment, identity.machine, *settings)
        self._until.require(plan)
        self._plan = plan
        if self._experiment.second_stamp:
            self._step("set the STM up")
            found = session.set_up_stm()
            self._stm = StmResults({**found.values, **found.registers}, identity.tick_hz)
        kind = self._kind = of_plan(plan, target)
        if calibration := self._calibrated(session, kind):
            setattr(run, calibration.key, calibration.record())
        self._calibration = calibration
        self._step("set-up")
        case = encoding.case(plan, next(plan.batches()))
        run.readback = readback = set_up(session, plan, case)
        compare(plan, case, readback)
        kind.set_up(session)
        minutes = effort_s(self._experiment, identity) / 60
        self._step("measure" if minutes < 2 else f"measure, about {minutes:.0f} minutes")
        kind.measure(session, self)

    def _files(self, target: Target, identity: Identity) -> dict[str, tuple[str, bytes]]:
        """Name and bytes of the files that a simulation executes, by role; empty for a board, which
        holds its own.
        """
        if not identity.is_simulated:
            return {}
        soft = bool(identity.machine.simulated)
        read = {
            "firmware": target.firmware or firmware(identity.machine.name, self._experiment.stack),
            "gateware": resource("build/hw/irqscope_soft.v" if soft else "ip/irqscope.v"),
        }
        found = {
            role: (path.name, path.read_bytes()) for role, path in read.items() if path.is_file()
        }
        if target.program is not None:
            role = "program" if self._experiment.of_program else "firmware"
            found[role] = target.program.path.name, target.program.data
        return found

    def _calibrated(self, session: Session, kind: Measurement) -> AnyCalibration | None:
        """Returns the kind's calibration, or None if the experiment has none."""
        return kind.calibrate(session, self._calibrating)

    def end(self, error: IrqscopeError | None) -> IrqscopeError | None:
        """Judges what is there and closes the folder; returns what ended the run in the end."""
        looks: dict[int, Independence] = {}
        try:
            self._flush()
        except StorageError as storage:
            error = error or storage
        try:
            if self._collection is not None and self._folder.run.stats:
                looks = self._looks(self._collection)
        except StorageError as storage:
            error = error or storage
        self._note_errors()
        run, reasons = self._folder.run, list[str]()
        if error is not None:
            reasons.append(str(error))
        reasons.extend(errors_of_the_gateware(run.gateware_errors or {}))
        if self._calibration is not None:
            reasons.extend(self._calibration.validity_errors())
        if self._collection is not None:
            run.stats = tuple(
                found.model_copy(update={"independence": looks.get(found.channel)})
                for found in run.stats
            )
            configuration = run.stack.configuration if run.stack is not None else ""
            reasons.extend(validity_errors(self._collection, configuration))
            if run.stack is not None and self._collection.stimuli:
                reasons.extend(nesting_that_never_was(run.stack, self._collection.totals))
            run.notes = tuple(notes(self._collection, configuration))
        if self._kind is not None:
            reasons.extend(self._kind.validity_errors())
            run.notes = (*run.notes, *self._kind.notes())
        run.reasons, run.valid = tuple(reasons), not reasons
        reason = "complete" if error is None else error.reason
        try:
            self._folder.end(reason, "" if error is None else str(error))
        except StorageError as storage:
            error = error or storage
        return error

    def _model(self, identity: Identity) -> Model | None:
        """Returns the stored effects of a profile's assumptions, from the profile or from next to
        the run's folder.
        """
        beside = self._folder.path.resolve().parents[:2]
        files = {} if self._folder.run.provenance is None else self._folder.run.provenance.files
        elf = files["program"].sha256 if "program" in files else None
        try:
            found = assumptions.find(
                self._experiment, identity, [*stored(), *assumptions.below(beside)], elf
            )
        except (StorageError, TargetError) as error:
            return Model(assumptions=None, unknown=str(error))
        return Model(assumptions=found.assumptions, unknown=found.unknown)

    def _looks(self, collection: Collection) -> dict[int, Independence]:
        """Whether the latencies look alike and independent, by channel. Raises StorageError."""
        return independence(collection, Run(self._folder.path, self._folder.run))

    def batches(self, session: Session) -> None:
        """Measures all batches of the plan."""
        plan, kind, calibrated = self._plan, self._kind, self._calibration
        assert plan is not None and kind is not None  # set by on()
        case = encoding.case(plan, next(plan.batches()))
        floor = 0 if calibrated is None else calibrated.plausible_min_ticks
        channels = encoding.channels(plan, floor)
        collection = self._collection = Collection(plan, channels, self._stm)
        self._progress.advance(0, self._experiment.count)
        continuity = Continuity(plan)
        for batch in plan.batches():
            self.ask(f"after {collection.stimuli} of {self._experiment.count} stimuli")
            if encoding.case(plan, batch) != case:
                case = encoding.case(plan, batch)
                prepare(session, plan, case)
            lines = continuity.lines(batch)
            recorder = encoding.recorder(plan, batch, collection.threshold)
            sent = {"case": case, "lines": lines, "channels": channels, "recorder": recorder}
            kind.before(batch, session)
            outcome = session.batch(
                continuity.batch(batch), lines, channels, recorder, batch.lasting_s
            )
            self.spans.append((outcome.reply.start_tick, outcome.reply.end_tick))
            rows = collection.add(batch, outcome, continuity.since_ticks, lines)
            self._folder.add_batch(
                batch_row(batch, continuity.since_ticks, outcome.reply.values, sent)
            )
            if collection.drifts:
                self._folder.add_drift(collection.drift)
            continuity.advance(batch, outcome.reply.start_tick, outcome.records)
            if plan.experiment.samples.which == "tail":
                self._folder.set_samples(rows)
            else:
                self._folder.add_samples(rows)
            if self._stm is not None:
                stamps = collection.add_trace(batch, outcome, rows, session.trace())
                self._folder.add_stm(stamps)
            if (places := kind.after(batch, session, outcome, rows)) is not None:
                self._folder.add_places(places)
            text = f"batch {batch.number}: {batch.count} stimuli"
            self.advance(text, collection.stimuli, self._experiment.count)
            if self._watch is not None:
                self._watch(so_far(self._folder.run, collection), collection, rows)
            self._until.check(collection)

    def counted(self, stimuli: int) -> None:
        """Counts stimuli of which the folder keeps no rows."""
        self._folder.run.stimuli += stimuli

    def advance(self, text: str, done: int, of: int) -> None:
        """Takes in that ``done`` parts are measured; writes the folder if that was long ago."""
        if self._kind is not None:
            for key, value in self._kind.record().items():
                setattr(self._folder.run, key, value)
        self._unflushed = True
        self._folder.log(text)
        last = self._flushed_at
        if last is None or time.monotonic() - last >= FLUSH_S:
            self._flush()
        self._progress.advance(done, of)

    def _flush(self) -> None:
        if not self._unflushed:
            return
        self._note_errors()
        if self._collection is None:
            self._folder.keep()
        else:
            run = so_far(self._folder.run, self._collection)
            self._folder.flush(self._collection.histogram_table(), run)
        self._flushed_at = time.monotonic()
        self._unflushed = False

    def _note_errors(self) -> None:
        if self._session is not None:
            self._folder.run.gateware_errors = dict(self._session.errors)

    def _step(self, text: str) -> None:
        self._folder.log(text)
        self._progress.step(text)

    def _calibrating(self, name: str) -> None:
        self.ask("during calibration")
        self._step(f"calibrate: {name}")

    def ask(self, when: str) -> None:
        """Asks whether the run is to end. Raises Interrupted after such a request."""
        if asked := self._stop():
            who = asked if isinstance(asked, str) else "interrupted by Ctrl-C"
            raise Interrupted(f"{who} {when}; run again")


def _program_number(experiment: Experiment, stack: Stack) -> int:
    """Return the place of the program in the background in the agent's list, from 1 on, or 0.

    Raises:
        TargetError: The agent may not start that program.
    """
    background = experiment.background
    if background is None or background.program is None:
        return 0
    names = list(under_linux.programs(stack.configuration))
    if background.program not in names:
        raise TargetError(
            f"background.program: the agent may not start {background.program}; it may start "
            f"{', '.join(names) or 'nothing'}; start it with "
            f"--background {background.program}=COMMAND (docs/linux.md)"
        )
    return names.index(background.program) + 1
