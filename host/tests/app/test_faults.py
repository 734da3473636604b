"""Every state that goes wrong: one sentence in one place, and nothing stale on the screen."""

from __future__ import annotations

import json
import resource
import sys
import tempfile

import pytest
from app.by_hand import click, connect, fill, next_frame, open_folder, run_or_stop, start_twin
from app.on_screen import moments, symbols
from irqscope_fake.firmware import FakeFirmware
from PyQt6.QtCore import QThread, QTimer
from PyQt6.QtWidgets import QApplication, QLabel

from irqscope.errors import ExitCode, IrqscopeError, LinkError, LinkErrorKind, Remedy, TargetError
from irqscope.link.frames import Frame, FrameDecoder
from irqscope.link.messages import BATCH
from irqscope.link.transport import SerialTransport
from irqscope.results.reader import read
from irqscope.results.suite_record import read as read_suite
from irqscope_app.control.state import Fault, Link
from irqscope_app.start import check_display
from irqscope_app.window import Window


def shown(window: Window) -> tuple[str, str]:
    """Contents of the place for faults."""
    assert window.fault.isVisible()
    return window.fault.cause.text(), window.fault.remedy.text()


def ask(window, until, target):
    """Who it is, and waits for the answer."""
    connect(window, target)
    until(lambda: window.station.state.link is not Link.ASKING)


@pytest.mark.parametrize(
    ("faults", "cause", "remedy"),
    [
        ({"version": 0x00010000}, "register map: target 0x1", "install the bitstream"),
        ({"frame_version": 9}, "the firmware speaks protocol version 9", "install the firmware"),
        ({"wrong_gateware": True}, "gateware: the firmware found magic", "load the bitstream"),
    ],
    ids=["register map", "protocol", "gateware"],
)
def test_a_wrong_version_is_one_sentence(window, until, board, faults, cause, remedy):
    ask(window, until, board(**faults).port)
    assert window.station.state.link is Link.NONE
    message = shown(window)
    assert message[0].startswith(cause) and message[1].startswith(f"What to do: {remedy}")


def test_no_port_at_all(window, until, monkeypatch):
    ask(window, until, "/dev/ttyNONE")
    assert shown(window) == (
        "there is no port /dev/ttyNONE",
        "What to do: press Look for boards (F5) on the Connect screen.",
    )
    monkeypatch.setattr("irqscope.acquire.ports.list_ports.comports", list)
    click(window.connect_screen.scan)
    until(lambda: window.station.state.ports is not None)
    labels = [one.text() for one in window.connect_screen.findChildren(QLabel)]
    assert any(text.startswith("No serial port. Plug in the board's USB") for text in labels)


def test_a_busy_port_names_who_holds_it(window, until, held):
    port, program = held
    ask(window, until, port)
    assert shown(window)[0].startswith(f"{port} is in use by ")
    assert f"(process {program.pid})" in shown(window)[0]
    assert shown(window)[1] == "What to do: close that one first."
    assert window.station.state.link is Link.NONE


def test_no_permission_says_how_to_get_it(window, until, board, monkeypatch):
    port = board().port

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("serial.serial_for_url", refuse)
    ask(window, until, port)
    assert shown(window)[0] == f"no permission to open {port}"
    assert shown(window)[1].startswith("What to do: ")
    assert window.station.state.link is Link.NONE


def test_another_programs_console(window, until, board, impatient):
    ask(window, until, board(lambda data: b"login: ").port)
    assert "no frame of irqscope" in shown(window)[0]


def test_a_cable_that_is_pulled_in_the_middle_and_put_back(window, until, board, tmp_path):
    port, first = tmp_path / "ttyUSB0", board()
    port.symlink_to(first.port)
    ask(window, until, str(port))
    fill(window, "count", "100000")
    run_or_stop(window)
    until(lambda: window.station.state.done > 0)
    port.unlink()
    first.close()
    until(lambda: window.station.state.link is Link.LOST)
    assert shown(window)[0].startswith(f"the port {port} was lost")
    assert shown(window)[1] == "What to do: check cable and power, then run again."
    until(lambda: window.station.state.attempts > 2)
    assert not window.scope.run_button.isEnabled()
    (folder,) = window.preferences.runs.iterdir()
    run = read(folder)
    assert run.run.ended.reason == "link" and not run.run.valid
    assert run.samples().num_rows == run.run.stimuli > 0
    port.symlink_to(board().port)
    until(lambda: window.station.state.link is Link.READY)
    assert window.station.state.fault is None and window.scope.run_button.isEnabled()


def test_a_board_that_is_reset_in_the_middle(window, until, board):
    firmware = [FakeFirmware()]

    def answer(data):
        batch = any(
            isinstance(frame, Frame) and frame.kind == BATCH.kind
            for frame in FrameDecoder().receive(data)
        )
        if batch and firmware[0].batches == 3:
            firmware[0] = FakeFirmware()
        return firmware[0].receive(data)

    ask(window, until, board(answer).port)
    fill(window, "count", "400")
    run_or_stop(window)
    until(lambda: window.station.state.link is not Link.MEASURING)
    next_frame(window.scope.painter)
    picture = window.station.feed.picture
    assert picture.run.ended.message.startswith("the firmware was reset in the middle")
    assert "the firmware was reset in the middle" in window.scope.step.text()
    assert "look at power and reset" in window.log.text.toPlainText()
    assert not picture.run.valid and 0 < picture.run.stimuli < 400
    until(lambda: window.station.state.link is Link.READY)  # it is there again


def test_a_lost_target_can_be_released(window, until, board):
    ask(window, until, board().port)
    station = window.station
    station.targets.back_off_s = (0.0,)  # asked again as soon as the window is alive
    until(lambda: not threads(station))
    station.targets.lost(LinkError(LinkErrorKind.LOST, "gone; look"))
    assert station.state.link is Link.LOST
    station.targets.release()
    for _ in range(20):
        QApplication.processEvents()
    assert station.state.link is Link.NONE and not threads(station)


def threads(station):
    """Threads other than the window's."""
    return station.findChildren(QThread)


def test_a_port_that_vanishes_while_idle(window, until, board, tmp_path):
    port = tmp_path / "ttyUSB0"
    port.symlink_to(board().port)
    ask(window, until, str(port))
    window.station.targets.back_off_s = (60.0,)  # the first visible one is examined
    port.unlink()
    until(lambda: window.station.state.link is Link.LOST)
    assert shown(window)[0] == f"the port {port} has vanished"


def test_a_twin_that_dies_says_its_last_words(window, until, fake_twin):
    fake_twin(die_at_batch=2, complain="unknown address 0xdead")
    start_twin(window)
    until(lambda: window.station.state.fault is not None)
    assert "unknown address 0xdead" in shown(window)[0]
    # The next run starts another one.
    assert window.station.state.link is Link.READY and window.scope.run_button.isEnabled()


def test_a_full_disk_ends_the_run_and_says_so(window, until, board, limit_files):
    ask(window, until, board().port)
    fill(window, "count", "4000")
    run_or_stop(window)
    until(lambda: window.station.state.done > 0)
    limit_files(1024)
    until(lambda: window.station.state.fault is not None)
    assert "the disk is full" in shown(window)[0]
    assert shown(window)[1] == "What to do: make room or choose another place."
    limit_files(None)
    (folder,) = window.preferences.runs.iterdir()
    assert read(folder).cut_short and read(folder).samples().num_rows > 0
    assert window.station.state.link is Link.READY


@pytest.fixture
def limit_files():
    """Limits the size of files that this process writes, bytes; None lifts the limit."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size):
        soft = before[0] if size is None else size
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, before[1]))

    yield limit
    limit(None)


def settled(until, widget):
    """Return the height of a widget, pixels, once it stays the same for five rounds."""
    heights = []

    def same():
        heights.append(widget.height())
        return len(heights) >= 5 and len(set(heights[-5:])) == 1

    until(same)
    return heights[-1]


def test_a_port_that_is_refused_leaves_the_connected_target_alone(window, board, until, tmp_path):
    port = board().port
    ask(window, until, port)
    identity, card = window.station.state.identity, window.connect_screen.release.parentWidget()
    until(lambda: card.height() > 2 * window.connect_screen.release.height())  # with the identity
    height = settled(until, card)
    connect(window, str(tmp_path / "nothing"))
    assert card.height() == height
    until(lambda: window.station.state.link is Link.READY)
    state = window.station.state
    assert (state.target, state.identity) == (port, identity) and state.fault is not None
    assert settled(until, card) == height


def test_stimuli_without_an_answer_are_told_while_the_run_goes_on(window, board, measure):
    measure(board(silent_every=4).port, 40)
    unanswered = window.station.feed.picture.run.counters[0].timed_out
    assert f"{unanswered} timed out: quantiles are censored" in window.scope.counters.text()
    assert window.scope.counters.property("role") == "warning"
    assert len(moments(window.scope.trace.widget, "unanswered")) == unanswered > 5
    assert window.scope.figures.cell("whole run", "no answer") == str(unanswered)


def test_counters_that_do_not_close_are_red(window, board, measure):
    measure(board(of_counters=(("starts", 1),)).port, 40)
    assert "counters disagree" in window.scope.counters.text()
    assert window.scope.counters.property("role") == "bad"


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda run: {**run, "format": "irqscope-run/9"}, "format: 'irqscope-run/9'"),
        (lambda run: "not a run", "format:"),
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
    open_folder(window, path.parent)
    until(lambda: window.station.state.fault is not None)
    assert cause in shown(window)[0]
    next_frame(window.scope.painter)
    assert window.scope.figures.cell("whole run", "N") == ""
    assert window.scope.counters.text() == ""
    assert not window.scope.histogram.drawn.shown
    window.station.dismiss()
    assert not window.fault.isVisible()


def test_of_a_damaged_folder_is_shown_what_is_whole(window, until, fake_twin, measure):
    fake_twin(batch_s=0.7)  # so that there are several flushes
    measure("twin", 400)
    (folder,) = window.preferences.runs.iterdir()
    first, *rest = sorted((folder / "samples").iterdir())
    assert rest
    whole = read(folder).samples().num_rows
    first.write_bytes(first.read_bytes()[:100])
    open_folder(window, folder)
    until(lambda: "the trace leaves out" in window.log.text.toPlainText())
    assert shown(window)[0].startswith(f"{first} was changed since")
    assert "`irqscope export --salvage` writes what is" in shown(window)[1]
    assert "leaves out 1 file of samples; histogram and" in window.log.text.toPlainText()
    next_frame(window.scope.painter)
    assert window.scope.figures.cell("whole run", "N") == "400"
    (cloud,) = symbols(window.scope.trace.widget)
    assert 0 < len(cloud.getData()[0]) < whole

    (folder / "histogram.parquet").write_bytes(b"PAR1")
    window.station.dismiss()
    open_folder(window, folder)
    until(lambda: window.station.state.fault is not None)
    assert "histogram.parquet was changed since" in shown(window)[0]
    next_frame(window.scope.painter)
    assert window.station.feed.picture is None
    assert window.scope.figures.cell("whole run", "N") == ""


def test_stimuli_that_nobody_answers_at_all(window, until, board):
    ask(window, until, board(silent_every=1).port)
    fill(window, "count", "100000")
    run_or_stop(window)
    until(lambda: window.station.state.hint is not None)
    assert "and not one was answered" in shown(window)[0]
    assert "priority high enough" in shown(window)[1] and not window.fault.dismiss.isVisible()
    assert window.fault.property("role") == "warning"
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)
    assert not window.fault.isVisible()


def test_before_the_first_stimulus_is_asked_for_nobody_waits_for_a_sample(window, monkeypatch):
    station = window.station
    monkeypatch.setattr("irqscope_app.control.progress.SILENT_S", -1.0)
    station.set(link=Link.MEASURING)
    station.progress.on_progress("", 0, 0)  # a run of a suite begins, with its calibration
    assert station.state.hint is None
    station.progress.on_progress("", 0, 100)
    assert station.state.hint.cause.startswith("no sample")
    station.set(link=Link.NONE)


def test_a_suite_behind_a_run_does_not_wait_since_that_run(window, tmp_path, qtbot):
    station = window.station
    station.set(began=1.0)  # a run was begun long ago
    station.start(tmp_path, 0, "suite")
    with qtbot.waitSignal(station.progress.findChild(QTimer).timeout):
        pass
    assert station.state.hint is None
    station.rest(None)


def test_the_remedy_stands_behind_the_last_semicolon():
    assert Fault.of("a; b; c") == Fault("a; b", "c")
    assert Fault.of("only a cause") == Fault("only a cause", "")


@pytest.mark.parametrize("remedy", Remedy)
def test_no_remedy_that_is_a_command_is_shown_in_the_window(remedy):
    remedy_text = Fault.of(f"why; {remedy}").remedy
    assert "irqscope" in remedy and remedy_text and "irqscope" not in remedy_text


@pytest.mark.parametrize(
    ("fails", "remedy"),
    [
        (lambda folder: SerialTransport(str(folder / "port")), "press Look for boards (F5)"),
        (read, "choose one on the Library screen"),
        (read_suite, "run a suite on the Experiments screen"),
    ],
    ids=["port", "run", "suite"],
)
def test_what_is_not_there_is_looked_for_in_the_window(tmp_path, fails, remedy):
    with pytest.raises(IrqscopeError) as failed:
        fails(tmp_path)
    assert Fault.of(str(failed.value)).remedy.startswith(remedy)


def test_no_display_is_one_line():
    with pytest.raises(TargetError, match="there is no display"):
        check_display({})
    check_display({"QT_QPA_PLATFORM": "offscreen"})


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        # In the words of the loader, which names no module.
        (ImportError("libEGL.so.1: cannot open"), ExitCode.TARGET, "apt-get install libegl1"),
        (ModuleNotFoundError("none", name="pyqtgraph"), ExitCode.TARGET, "run `make app`"),
        (
            ModuleNotFoundError("none", name="irqscope.gone"),
            ExitCode.DEFECT,
            "a defect of irqscope",
        ),
    ],
    ids=["system library", "package", "our own"],
)
def test_what_the_window_lacks_is_one_line(irqscope, monkeypatch, tmp_path, error, code, said):
    class Lacking:
        """Is before all others that find modules."""

        def find_spec(self, name, path=None, target=None):
            if name == "irqscope_app.start":
                raise error

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # for the traceback of a defect
    monkeypatch.delitem(sys.modules, "irqscope_app.start")
    monkeypatch.setattr(sys, "meta_path", [Lacking(), *sys.meta_path])
    found, _, err = irqscope("app", "--check")
    assert found == code and said in err and err.count("\n") == 1
