"""Runs a suite in a worker thread and reports its progress to the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from irqscope.acquire.callbacks import Stop
from irqscope.campaign.suite import Loaded, run_suite
from irqscope.campaign.suite.run import SuiteResult
from irqscope.errors import IrqscopeError
from irqscope.report.folders import Entry
from irqscope_app.control.feed import Feed


@dataclass(frozen=True)
class SuiteNews:
    """A piece of progress of the current suite.

    Attributes:
        efforts: estimated seconds of each incomplete run, sent once.
        name: run that the other values concern.
        begun: whether the run has begun.
        over: whether the run has ended.
        entry: content of the run's folder.
    """

    efforts: dict[str, float] | None = None
    name: str = ""
    begun: bool = False
    over: bool = False
    entry: Entry | None = None


@dataclass(frozen=True)
class SuiteEnd:
    """End of a suite.

    ``result``: None if the target did not answer or the folder cannot be created.
    """

    result: SuiteResult | None


def run_told(
    loaded: Loaded,
    target: str,
    folder: Path,
    stop: Stop,
    tell: Callable[[SuiteNews], None],
    progress: Callable[[str, int, int], None],
    warn: Callable[[str], None],
    feed: Feed,
) -> SuiteResult:
    """Runs a suite as ``irqscope suite`` does, including its reports and card.

    ``feed``: receives each run in turn and replaces the previous one.
    """
    teller = _Teller(loaded, folder, tell, progress, warn, feed)
    result = run_suite(
        loaded, target, folder, teller, stop=stop, report=teller.report, watch=feed.watch
    )
    teller.card()
    return result


class _Teller:
    """Emits the progress of a suite as signals; reads folders outside of the window's thread."""

    def __init__(
        self,
        loaded: Loaded,
        folder: Path,
        tell: Callable[[SuiteNews], None],
        progress: Callable[[str, int, int], None],
        warn: Callable[[str], None],
        feed: Feed,
    ) -> None:
        self._loaded, self._folder, self._feed = loaded, folder, feed
        self._tell, self._progress, self._warn = tell, progress, warn

    def plan(self, efforts: dict[str, float]) -> None:
        self._tell(SuiteNews(efforts=efforts))
        for name in sorted(self._loaded.chosen - efforts.keys()):
            self._tell(self._news(name))

    def begin(self, name: str) -> _Teller:
        self._feed.clear()  # here, before its first batch
        self._progress("", 0, 0)
        self._tell(SuiteNews(name=name, begun=True))
        return self

    def finish(self, name: str) -> None:
        news = self._news(name, over=True)
        if news.entry is not None and news.entry.run is not None:
            self._feed.settle(news.entry.run)
        self._tell(news)

    def say(self, text: str) -> None:
        self._warn(text)

    def step(self, text: str) -> None:
        self._progress(text, 0, 0)

    def advance(self, done: int, of: int) -> None:
        self._progress("", done, of)

    def report(self, folder: Path) -> None:
        from irqscope.report.page import write_report  # imported late: its plots load slowly

        self._made(write_report, folder, "report")

    def card(self) -> None:
        from irqscope_papers.card import write_card  # imported late: its plots load slowly

        self._progress("card", 0, 0)
        self._made(write_card, self._folder, "card")

    def _made(self, write: Callable[[Path], Path], folder: Path, what: str) -> None:
        """Writes a page from its folder.

        A failure is reported and no more, since the folder is complete without the page.
        """
        try:
            write(folder)
        except IrqscopeError as error:
            self._warn(f"no {what} of {folder}: {error}")

    def _news(self, name: str, *, over: bool = False) -> SuiteNews:
        return SuiteNews(name=name, over=over, entry=Entry.of(self._folder / name))
