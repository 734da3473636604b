"""Opening, showing and closing runs, each in a tab."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from irqscope.errors import IrqscopeError, StorageError
from irqscope.results.reader import read
from irqscope.results.suite_record import FILE as SUITE_RECORD
from irqscope_app.control.desk import Desk
from irqscope_app.control.feed import Feed
from irqscope_app.control.state import Fault, Link, Tab
from irqscope_app.widgets.paths import short

#: Number of tabs; each may hold millions of latencies.
MOST = 9


class Folders:
    """Reads run folders in a thread; ``desk.opened`` is emitted once one is shown."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def open(self, folder: Path) -> None:
        """Shows a run folder: in the tab that has it or another run of its suite, or in a new
        one.
        """
        desk, state = self._desk, self._desk.state
        if state.opening is not None:
            desk.set(fault=Fault("a folder is being opened", "open another one when it is shown"))
            return
        place = self._place(folder)
        if place == 0 and state.link is Link.MEASURING:
            self.show(0)
            desk.opened.emit()
            return
        desk.say_command("info", folder)
        tab = replace(state.tabs[place], folder=folder) if place >= 0 else Tab(Feed(), folder)
        tabs = [one for one in state.tabs if one.feed is not tab.feed]
        tabs.insert(place if place >= 0 else len(tabs), tab)
        tab.feed.clear(opened=True)
        # A lost target stays lost until it answers, whatever is opened.
        fault = state.fault if state.link is Link.LOST else None
        desk.set(
            fault=fault, tabs=tuple(tabs), at=tabs.index(tab), opening=tab.feed, step="open"
        )  # fmt: skip
        desk.begin(
            lambda: tab.feed.open(read(folder)),
            self._on_opened,
            lambda error: self._on_failed(tab, state.tab, error),
        )

    def show(self, place: int) -> None:
        """Shows the run of a tab."""
        self._desk.set(at=place)

    def close(self, place: int) -> None:
        """Closes a tab other than that of the measured run, and shows the one before it."""
        tabs, at = self._desk.state.tabs, self._desk.state.at
        if place and tabs[place].feed is not self._desk.state.opening:
            tabs = (*tabs[:place], *tabs[place + 1 :])
            self._desk.set(tabs=tabs, at=at - (at >= place))

    def moved(self, folder: Path) -> None:
        """Records that the measured run was moved to ``folder``."""
        self._desk.told.emit("info", f"kept in {short(folder)}")
        self._desk.set(tabs=self._desk.state.measured_in(folder))

    def _place(self, folder: Path) -> int:
        """Place of the tab that shows a folder, or another run of its suite; -1 without any."""
        own, suite = folder.resolve(), folder.resolve().parent
        folders = [tab.folder and tab.folder.resolve() for tab in self._desk.state.tabs]
        if own in folders:
            return folders.index(own)
        of_suite = (n for n, one in enumerate(folders) if n and one and one.parent == suite)
        return next(of_suite, -1) if (suite / SUITE_RECORD).exists() else -1

    def _on_opened(self, damaged: list[StorageError]) -> None:
        desk = self._desk
        desk.set(step="", opening=None)
        if len(tabs := desk.state.tabs) > MOST:
            left = next(n for n in range(1, MOST + 1) if n != desk.state.at)
            folder = tabs[left].folder
            assert folder is not None  # each but the first was opened from one
            desk.told.emit("info", f"closed the tab of {short(folder)}: {MOST} are open")
            self.close(left)
        if damaged:
            files = f"{len(damaged)} file{'s' if len(damaged) > 1 else ''} of samples"
            text = f"the trace leaves out {files}; histogram and statistics hold every stimulus"
            desk.told.emit("warning", text)
            desk.report_fault(damaged[0])
        desk.opened.emit()

    def _on_failed(self, tab: Tab, before: Tab, error: IrqscopeError) -> None:
        """Closes the tab of a folder that cannot be read and shows the one before."""
        desk, state = self._desk, self._desk.state
        tab.feed.clear()
        tabs = state.measured_in(None) if state.tabs[0].feed is tab.feed else state.tabs
        tabs = tuple(one for n, one in enumerate(tabs) if n == 0 or one.feed is not tab.feed)
        feeds = [one.feed for one in tabs]
        shown = state.tab.feed if state.tab.feed in feeds else before.feed
        desk.set(step="", opening=None, tabs=tabs, at=feeds.index(shown) if shown in feeds else 0)
        desk.report_fault(error)
