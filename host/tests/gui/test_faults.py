"""Every state that goes wrong: one sentence in one place, and nothing stale on the screen."""

from __future__ import annotations

import json

import pytest

from irqscope.cli.app import _missing
from irqscope.errors import LinkError, LinkErrorKind, TargetError
from irqscope.gui.start import check_display
from irqscope.gui.station import Fault, Link
from irqscope.gui.window import Window


def shown(window: Window) -> tuple[str, str]:
    """What stands in the one place."""
    assert window._fault.isVisible()
    return window._cause.text(), window._remedy.text()


def connect(window, until, target):
    window.station.connect_to(target)
    until(lambda: window.station.state.link is not Link.ASKING)


@pytest.mark.parametrize(
    ("faults", "cause", "remedy"),
    [
        ({"version": 0x00020000}, "register map: target 0x2", "install the bitstream"),
        ({"frame_version": 9}, "the firmware speaks protocol version 9", "install the firmware"),
        ({"wrong_gateware": True}, "gateware: the firmware found magic", "load the bitstream"),
    ],
    ids=["register map", "protocol", "gateware"],
)
def test_a_wrong_version_is_one_sentence(window, until, board, faults, cause, remedy):
    connect(window, until, board(**faults).port)
    assert window.station.state.link is Link.NONE
    said = shown(window)
    assert said[0].startswith(cause) and said[1].startswith(f"What to do: {remedy}")


def test_no_such_port_and_no_permission_and_a_busy_one(window, until, board, monkeypatch):
    connect(window, until, "/dev/ttyNONE")
    assert shown(window)[0] == "there is no port /dev/ttyNONE"
    port = board().port
    said = {
        "no permission to open": "[Errno 13] Permission denied",
        "is in use by another program": "Could not exclusively lock port",
    }
    for cause, reason in said.items():

        def refuse(*_, reason=reason, **__):
            raise OSError(reason)

        monkeypatch.setattr("serial.serial_for_url", refuse)
        connect(window, until, port)
        assert cause in shown(window)[0] and shown(window)[1]


def test_another_programs_console(window, until, board):
    connect(window, until, board(lambda data: b"login: ").port)
    assert "no frame of irqscope" in shown(window)[0]


def test_a_target_lost_in_the_middle_is_asked_again_until_it_is_back(
    window, until, board, monkeypatch
):
    port = board().port
    connect(window, until, port)
    window.stimulus.draft.set(("count",), 100_000)
    window.live.toggle_run()
    until(lambda: window.station.state.done > 0)
    pulled = LinkError(LinkErrorKind.LOST, f"the port {port} was lost; check cable and power")

    def gone(*_, **__):
        raise pulled

    with monkeypatch.context() as patch:
        patch.setattr("irqscope.link.transport.SerialTransport.write", gone)
        patch.setattr("irqscope.link.transport.SerialTransport.__init__", gone)
        until(lambda: window.station.state.link is Link.LOST)
        assert shown(window) == (f"the port {port} was lost", "What to do: check cable and power.")
        until(lambda: window.station.state.attempts > 2)
        assert not window.live.run_button.isEnabled()
        picture = window.station.feed.picture
        assert picture.run["ended"]["reason"] == "link" and not picture.run["valid"]
    until(lambda: window.station.state.link is Link.READY)
    assert window.station.state.fault is None


def test_a_lost_target_can_be_released(window, until, board):
    connect(window, until, board().port)
    window.station._on_lost(LinkError(LinkErrorKind.LOST, "gone; look"))
    assert window.station.state.link is Link.LOST
    window.station.release()
    assert window.station.state.link is Link.NONE and not window.station._retry.isActive()


def test_a_port_that_vanishes_while_idle(window, until, board, monkeypatch):
    port = board().port
    connect(window, until, port)
    monkeypatch.setattr("irqscope.gui.station.Path.exists", lambda path: False)
    window.station._look_at_port()
    assert window.station.state.link is Link.LOST
    assert shown(window)[0] == f"the port {port} has vanished"


def test_a_twin_that_dies_says_its_last_words(window, until, fake_twin):
    fake_twin(die_at_batch=2, complain="unknown address 0xdead")
    window.start_twin("twin")
    until(lambda: window.station.state.fault is not None)
    assert "unknown address 0xdead" in shown(window)[0]
    assert window.station.state.link is Link.NONE


def test_a_full_disk_ends_the_run_and_says_so(window, until, board, monkeypatch):
    connect(window, until, board().port)
    monkeypatch.setattr("irqscope.results.folder._write_parquet", _no_space)
    window.live.toggle_run()
    until(lambda: window.station.state.fault is not None)
    assert "the disk is full" in shown(window)[0]
    assert shown(window)[1] == "What to do: make room or choose another place."


def _no_space(*_):
    raise OSError(28, "No space left on device")


def test_stimuli_without_an_answer_are_told_while_the_run_goes_on(window, board, measure):
    measure(board(silent_every=4).port, 40)
    unanswered = window.station.feed.picture.run["books"][0]["timed_out"]
    assert f"{unanswered} timed out: quantiles are censored" in window.live.books.text()
    assert window.live.books.property("role") == "warning"
    assert len(window.station.feed._traces.unanswered) == unanswered > 5
    assert window.live.figures.cell("whole run", "no answer") == str(unanswered)


def test_books_that_do_not_close_are_red(window, board, measure):
    measure(board(bad_books=True).port, 40)
    assert "books do not close" in window.live.books.text()
    assert window.live.books.property("role") == "bad"
    assert window._books.text() == "✗ books"


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda run: {**run, "format": "irqscope-run/9"}, "format irqscope-run/9"),
        (lambda run: "not a run", "format None"),
    ],
    ids=["newer", "another file"],
)
def test_a_folder_that_cannot_be_read_leaves_the_panels_blank(
    window, board, measure, until, change, cause
):
    measure(board().port, 40)
    (path,) = window.preferences.runs.rglob("run.json")
    run = json.loads(path.read_text())
    path.write_text(json.dumps(change(run)))
    window.open_folder(path.parent)
    until(lambda: window.station.state.fault is not None)
    assert cause in shown(window)[0]
    window.live.paint_data()
    assert window.live.figures.cell("whole run", "N") == ""
    assert window.live.books.text() == ""
    assert not window.live.histogram._items
    window.station.dismiss()
    assert not window._fault.isVisible()


def test_a_damaged_part_leaves_the_panels_blank_and_names_the_file(window, board, measure, until):
    measure(board().port, 40)
    part, *_ = window.preferences.runs.rglob("part-*.parquet")
    part.write_bytes(part.read_bytes()[:100])
    window.open_folder(part.parents[1])
    until(lambda: window.station.state.fault is not None)
    assert f"{part} is damaged" in shown(window)[0]
    assert window.station.feed.picture is None


def test_a_run_without_a_sample_yet_says_so(window, monkeypatch):
    station = window.station
    station._set(link=Link.MEASURING, of=100)
    station._on_progress("", 0, 100)
    monkeypatch.setattr("irqscope.gui.live._SILENT_S", -1.0)
    window.live.paint_data()
    assert "no sample yet" in window.live.step.text()
    station._set(link=Link.NONE)


def test_the_remedy_stands_behind_the_last_semicolon():
    assert Fault.of("a; b; c") == Fault("a; b", "c")
    assert Fault.of("only a cause") == Fault("only a cause", "")


def test_missing_system_libraries_and_no_display_are_one_line():
    with pytest.raises(TargetError, match="there is no display"):
        check_display({})
    check_display({"QT_QPA_PLATFORM": "offscreen"})
    lacking = ImportError("libEGL.so.1: cannot open shared object file", name="PyQt6.QtGui")
    assert "apt-get install libegl1" in _missing(lacking)
    assert "make app" in _missing(ModuleNotFoundError("No module named", name="pyqtgraph"))
    with pytest.raises(ImportError):
        _missing(ModuleNotFoundError("No module named", name="irqscope.gone"))
