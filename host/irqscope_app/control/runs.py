"""Runs of one experiment: its repeats, and segments with another pattern in the same view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from irqscope.acquire.measure import Result, measure, repeats
from irqscope.acquire.plan import Plan
from irqscope.errors import Interrupted, IrqscopeError, LinkError
from irqscope.experiment import Experiment
from irqscope.kinds.capture.importing import measure_live
from irqscope.kinds.capture.recipe import Recipe
from irqscope_app.control.changes import changed
from irqscope_app.control.desk import Desk
from irqscope_app.control.progress import Progress
from irqscope_app.control.state import Link, is_simulation
from irqscope_app.control.targets import Targets
from irqscope_app.widgets.paths import short

#: Target time of a batch, s. A board runs in real time; a twin simulates some times faster, but a
#: foreign program, all of whose instructions it may have to execute, slower by two orders.
BATCH_S = {"board": 0.1, "twin": 0.25, "program": 0.0025}


class Runs:
    """``experiment``: experiment of the current or the last run."""

    def __init__(self, desk: Desk, targets: Targets, progress: Progress) -> None:
        self._desk, self._targets, self._progress = desk, targets, progress
        self.experiment: Experiment | None = None
        self._waiting: list[tuple[Experiment, Path]] = []  # runs to come
        self._segment: tuple[Experiment, Callable[[], Path]] | None = None  # what goes on

    def run(self, experiment: Experiment, source: Path | None, folder: Path) -> bool:
        """Measures into ``folder``, once for each repeat. Returns False if a run cannot begin now.

        ``source``: file that holds the same experiment, if any; otherwise the run folder is the
        source.
        """
        runs, target = repeats(experiment, folder), self._desk.target
        words: list[object] = ["run", runs[0][1], "--target", target]
        if source is not None:
            words = run_words(experiment, source, target, folder)
        return self.run_all(runs, words)

    def capture(self, recipe: Recipe, folder: Path) -> bool:
        """Measures edges with a logic analyser. Returns False if a run cannot begin now."""
        desk, target = self._desk, self._desk.state.target
        if not desk.state.free:
            return False
        self.experiment, self._progress.stimulus_s, self._waiting = None, None, []
        desk.live.clear()
        desk.start(folder, recipe.count)
        desk.begin(
            lambda: measure_live(
                recipe, target, recipe.count, folder, self._progress, self._stop, desk.live.look
            ),
            self._on_result,
            self._on_failed,
        )
        return True

    def run_all(self, runs: list[tuple[Experiment, Path]], words: list[object]) -> bool:
        """Measures each experiment into its folder. ``words``: words of the command line.

        Returns False if a run cannot begin now.

        Stops after the first run that fails.
        """
        desk = self._desk
        if not desk.state.free or not desk.fits(experiment for experiment, _ in runs):
            return False
        self._waiting = list(runs)
        desk.say_command(*words)
        self._next_run()
        return True

    def go_on_with(self, experiment: Experiment, place: Callable[[], Path]) -> bool:
        """Ends the current run after its batch and measures another pattern in the same view.

        ``place`` returns the folder once the run has ended. Returns False if that is not possible
        now.
        """
        desk, state = self._desk, self._desk.state
        if state.link is not Link.MEASURING or state.suite or state.stopping or desk.releasing:
            return False
        if self.experiment is None:  # a capture has no pattern
            return False
        self._segment = experiment, place
        desk.asked_to_stop = "the pattern was changed"
        desk.set(amended=True)
        return True

    def _next_segment(self) -> bool:
        """Begins the next segment. Returns False if there is no segment, it was cancelled, or it
        has no folder.
        """
        desk = self._desk
        segment, self._segment = self._segment, None
        if segment is None or desk.closed or desk.state.stopping:
            return False
        experiment, place = segment
        # The tail that is kept changes with each batch: next to another run it would mean nothing.
        kept = {one.samples.which for one in (experiment, self.experiment) if one is not None}
        try:
            self._waiting = repeats(experiment, place())
        except IrqscopeError as error:
            desk.report_fault(error)
            return False
        desk.say_command("run", self._waiting[0][1], "--target", desk.target)
        words = changed(self.experiment, experiment)
        self._next_run(same_view="tail" not in kept, changed=words)
        return True

    def _next_run(self, *, same_view: bool = False, changed: str = "") -> None:
        desk = self._desk
        experiment, folder = self._waiting.pop(0)
        self.experiment = experiment
        target, identity = desk.state.target, desk.state.identity
        assert identity is not None  # a target that is ready has identified itself
        plan = Plan(experiment, identity.machine, identity.tick_hz)
        # A board runs in real time; the speed of a twin is worth showing.
        self._progress.stimulus_s = plan.stimulus_s if identity.profile is not None else None
        if same_view:
            desk.live.go_on(changed)
        else:
            desk.live.clear()
        desk.start(folder, experiment.count)
        desk.begin(
            lambda: measure(
                experiment,
                target,
                folder,
                progress=self._progress,
                stop=self._stop,
                batch_s=_batch_s(experiment, target),
                watch=desk.live.watch,
            ),
            self._on_result,
            self._on_failed,
        )

    def _on_result(self, result: Result) -> None:
        desk, run, error = self._desk, result.run, result.error
        if error is not None and not result.opened:  # there is no folder
            self._on_failed(error)
            return
        desk.live.settle(run)
        desk.told.emit("info", f"run folder: {short(result.folder)}")
        if isinstance(error, Interrupted):
            desk.told.emit("warning", str(error))
        elif error is None and not run.valid:
            reasons = "; ".join(run.reasons)
            desk.told.emit("error", f"the run is INVALID: {reasons}")
        if error is None and self._waiting and not desk.asked_to_stop and not desk.closed:
            self._next_run()
            desk.ended.emit(result)
            return
        if (error is None or isinstance(error, Interrupted)) and self._next_segment():
            desk.ended.emit(result)
            return
        self._waiting, self._segment = [], None
        desk.rest(desk.state.tabs[0].folder)
        self._blame(error)
        desk.ended.emit(result)

    def _on_failed(self, error: IrqscopeError) -> None:
        desk = self._desk
        desk.live.clear()
        self._waiting, self._segment = [], None
        desk.rest(None)
        self._blame(error)
        desk.run_failed.emit(error)

    def _blame(self, error: IrqscopeError | None) -> None:
        """Shows why the last run ended."""
        desk = self._desk
        # A simulation is started for each run, so the next run gets a new one.
        if isinstance(error, LinkError) and not is_simulation(desk.state.target):
            self._targets.lost(error)
        elif error is not None and not isinstance(error, Interrupted):
            desk.report_fault(error)
        if desk.releasing:
            self._targets.release()

    def _stop(self) -> bool | str:
        """Whether to stop; called by the measuring thread between batches."""
        desk = self._desk
        if desk.asked_to_stop:
            return desk.asked_to_stop
        if desk.live.beyond:
            return f"stopped by a latency beyond {desk.live.longest_ticks} ticks"
        return False


def run_words(experiment: Experiment, source: Path, target: str, folder: Path) -> list[object]:
    """Words of the command line of a run that the window carries out."""
    words: list[object] = ["run", source, "--target", target, "--count", experiment.count]
    return [*words, "--batch", _batch_s(experiment, target), "--out", folder]


def _batch_s(experiment: Experiment, target: str) -> float:
    if experiment.of_program:
        return BATCH_S["program"]
    return BATCH_S["twin" if target.partition(":")[0] == "twin" else "board"]
