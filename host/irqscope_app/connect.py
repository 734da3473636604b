"""The first screen: boards that answered, the twin, the user's programs, and run folders."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from irqscope.errors import IrqscopeError
from irqscope.experiment.stack import Stack
from irqscope.link.identity import Identity
from irqscope.targets.programs import target_of
from irqscope.targets.twin import DEFAULT_PROFILE, EXTERNAL
from irqscope_app import files
from irqscope_app.control.state import Found, Link
from irqscope_app.control.station import Station
from irqscope_app.preferences import Preferences
from irqscope_app.widgets.common import button, label, show_as
from irqscope_app.widgets.paths import short

#: Timing profiles of the twin that can be chosen.
_PROFILES = (DEFAULT_PROFILE, "functional")
#: Identity fields of a target: name in the hello, name on the screen.
_SHOWN = (
    ("firmware_version", "firmware"),
    ("firmware_hash", "firmware hash"),
    ("version", "register map"),
    ("build_hash", "gateware hash"),
    ("tick_hz", "PL clock"),
    ("cpu_hz", "CPU clock"),
    ("cores", "cores"),
    ("stack", "stack"),
    ("max_baud", "highest rate"),
)


class Connect(QWidget):
    """Signals: ``started`` when a twin and a run were requested; ``folder_asked`` to choose a
    folder; ``open_asked`` with the folder to open.
    """

    started = pyqtSignal(str)
    folder_asked = pyqtSignal()
    open_asked = pyqtSignal(Path)

    def __init__(self, station: Station, preferences: Preferences) -> None:
        super().__init__()
        self._station, self._preferences = station, preferences
        self._ports = QVBoxLayout()
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setAlignment(Qt.AlignmentFlag.AlignTop)
        layout.addWidget(label("Connect", "title"))
        layout.addWidget(self._build_now())
        layout.addWidget(self._build_twin())
        layout.addWidget(self._build_program())
        layout.addWidget(self._build_boards())
        layout.addWidget(self._build_analyser())
        layout.addWidget(self._build_folder())
        layout.addWidget(self._build_recent())
        scroll = QScrollArea()
        scroll.setWidget(content)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)
        self._shown: tuple[Found, ...] | None = None
        self._identified: tuple[Identity | None, Stack | None] = (None, None)
        station.changed.connect(self._on_state)
        self._on_state()
        self.show_recent()

    def _build_now(self) -> QFrame:
        self._now = label("", "heading")
        self._now.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._identity = QGridLayout()
        self.release = button(
            "Release",
            self._station.targets.release,
            "Forget this target. Its port is held only while it is talked to, so other programs\n"
            "can use it whenever no run is under way.",
        )
        self._card, layout = _card()
        row = QHBoxLayout()
        row.addWidget(self._now, 1)
        row.addWidget(self.release)
        layout.addLayout(row)
        layout.addLayout(self._identity)
        return self._card

    def _build_twin(self) -> QFrame:
        self.start = button("Start a twin and measure", lambda: self.started.emit(self._twin()))
        self.start.setProperty("role", "primary")
        self.only = button("Connect only", lambda: self._station.targets.connect_to(self._twin()))
        self.profile = QComboBox()
        self.profile.addItems(_PROFILES)
        self.profile.setToolTip("Timing profile: a model, named on every result")
        card, layout = _card()
        layout.addWidget(label("No board? The twin", "heading"))
        text = "The same firmware and gateware, simulated. It shows how irqscope works; its "
        text += "numbers do not predict a board."
        layout.addWidget(label(text, "faint", wraps=True))
        row = QHBoxLayout()
        for widget in (self.start, self.only, QLabel("timing profile"), self.profile):
            row.addWidget(widget)
        row.addStretch()
        layout.addLayout(row)
        self.device = button(
            "Connect to a simulated device",
            lambda: self._station.targets.connect_to(f"twin:{EXTERNAL}"),
            "Its delays are in a table; experiments/tickless and experiments/loss measure it",
        )
        text = "A device of your own is wired to a board's pins, and measured by an experiment "
        text += 'with machine = "external". Without a board, a simulated one plays it.'
        layout.addWidget(label(text, "faint", wraps=True))
        row = QHBoxLayout()
        row.addWidget(self.device)
        row.addStretch()
        layout.addLayout(row)
        return card

    def _build_program(self) -> QFrame:
        self.choose = button("Choose a program …", self._ask_program)
        self.program, row = self._target_row(
            "Program",
            "rtl:ibex:elf=FILE, twin:elf=FILE, twin:a9:elf=FILE or twin:m4:elf=FILE, and "
            "options of docs/programs.md",
            self.choose,
        )
        card, layout = _card()
        layout.addWidget(label("A foreign program", "heading"))
        text = "An ELF file, unchanged: for RV32 on a soft core in RTL simulation, for AArch64, "
        text += 'ARMv7-A and ARMv7-M on a twin. An experiment with machine = "program" measures it.'
        layout.addWidget(label(text, "faint", wraps=True))
        layout.addLayout(row)
        return card

    def _build_analyser(self) -> QFrame:
        self.analyser, row = self._target_row(
            "Analyser",
            "sigrok:fx2lafw:samplerate=24MHz, or sigrok:demo:samplerate=1MHz without one",
        )
        card, layout = _card()
        layout.addWidget(label("A logic analyser", "heading"))
        text = "sigrok-cli drives it, and names its driver: sigrok-cli --scan. Latencies between "
        text += "its signals are measured as it samples; Run is on the Scope screen."
        layout.addWidget(label(text, "faint", wraps=True))
        layout.addLayout(row)
        return card

    def _target_row(self, name: str, hint: str, *before: QWidget) -> tuple[QLineEdit, QHBoxLayout]:
        """A field for the name of a target, with a button that connects to it."""
        field, row = QLineEdit(), QHBoxLayout()
        field.setPlaceholderText(hint)
        field.setAccessibleName(name)
        connect = partial(self._connect_typed, field)
        field.returnPressed.connect(connect)
        for widget in before:
            row.addWidget(widget)
        row.addWidget(field, 1)
        row.addWidget(button("Connect", connect))
        return field, row

    def _build_boards(self) -> QFrame:
        self.scan = button(
            "Look for boards",
            self._station.targets.rescan,
            "F5: says hello on each serial port; a ZCU102 has four",
        )
        self.port, below = self._target_row(
            "Port", "port or URL, such as /dev/ttyUSB0 or rfc2217://lab:4000"
        )
        card, layout = _card()
        row = QHBoxLayout()
        row.addWidget(label("Boards", "heading"), 1)
        row.addWidget(self.scan)
        layout.addLayout(row)
        layout.addLayout(self._ports)
        layout.addLayout(below)
        return card

    def _build_folder(self) -> QFrame:
        card, layout = _card()
        row = QHBoxLayout()
        row.addWidget(label("Results", "heading"), 1)
        row.addWidget(button("Open a folder …", self.folder_asked.emit))
        layout.addLayout(row)
        layout.addWidget(
            label(
                "Runs, suites and folders of runs open without any target.",
                "faint",
            )
        )
        return card

    def _build_recent(self) -> QFrame:
        self._recent_card, layout = _card()
        layout.addWidget(label("Recent", "heading"))
        self.recent = QVBoxLayout()
        layout.addLayout(self.recent)
        return self._recent_card

    def show_recent(self) -> None:
        """Targets that answered, folders and files that were opened, the latest first."""
        _empty(self.recent)
        names = self._preferences.recent
        self._recent_card.setVisible(bool(names))
        for name in names:
            path = Path(name)
            what = files.kind(path)
            if not what and path.is_absolute() and not path.exists():
                continue  # deleted, or a port that was unplugged
            line = QWidget()
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            if what:
                row.addWidget(QLabel(short(path)), 1)
                row.addWidget(button("Open", partial(self.open_asked.emit, path)))
            else:
                row.addWidget(QLabel(name), 1)
                connect = button("Connect", partial(self._station.targets.connect_to, name))
                row.addWidget(connect)
            self.recent.addWidget(line)

    def _twin(self) -> str:
        profile = self.profile.currentText()
        return "twin" if profile == DEFAULT_PROFILE else f"twin:{profile}"

    def _connect_typed(self, field: QLineEdit) -> None:
        if field.text().strip():
            self._station.targets.connect_to(field.text().strip())

    def _ask_program(self) -> None:
        """Asks for a program and fills in a simulation for its architecture, which the user can
        edit.
        """
        name, _ = QFileDialog.getOpenFileName(self, "Choose a program", "", "ELF files (*)")
        if not name:
            return
        try:
            self.program.setText(target_of(Path(name)))
        except IrqscopeError as error:
            self._station.report_fault(error)
            return
        self._connect_typed(self.program)

    def _on_state(self) -> None:
        state = self._station.state
        texts = {
            Link.NONE: "Not connected",
            Link.ASKING: f"Asking {state.target} who it is …",
            Link.READY: f"Connected: {state.target}",
            Link.MEASURING: f"Measuring on {state.target}",
            Link.LOST: f"Lost {state.target}; asking again (attempt {state.attempts})",
        }
        roles = {Link.LOST: "bad", Link.READY: "good", Link.MEASURING: "good"}
        show_as(self._now, roles.get(state.link, "heading"), texts[state.link])
        self.release.setVisible(state.link is not Link.NONE)
        free = state.link not in (Link.ASKING, Link.MEASURING)
        for start in (self.start, self.only):
            start.setEnabled(free)
        self.scan.setEnabled(not state.scanning)
        self.scan.setText("Looking …" if state.scanning else "Look for boards")
        self._show_identity()
        if state.ports is not self._shown or self._ports.count() == 0:
            self._shown = state.ports
            self._show_ports(state.ports)

    def _show_identity(self) -> None:
        """Rebuilds the identity only if it has changed, since each batch of a run calls this."""
        state = self._station.state
        identity, stack = state.identity, state.stack
        if (identity, stack) == self._identified:
            return
        self._identified = identity, stack
        if identity is None and state.link is Link.ASKING:
            self._card.setMinimumHeight(self._card.height())  # nothing below it moves meanwhile
        elif identity is not None:
            self._card.setMinimumHeight(0)
        _empty(self._identity)
        if identity is None:
            return
        words = identity.model_dump(mode="json")
        words["firmware_version"] = f"{identity.firmware_version >> 16}." + str(
            identity.firmware_version & 0xFFFF
        )
        words["version"] = f"{identity.version >> 16}.{identity.version & 0xFFFF}"
        words["tick_hz"] = f"{identity.tick_hz / 1e6:g} MHz"
        words["cpu_hz"] = f"{identity.cpu_hz / 1e6:g} MHz"
        words["max_baud"] = f"{identity.max_baud} baud"
        words["stack"] = f"{stack.name} {stack.version}" if stack else "that of the experiment"
        badge = "simulation" if identity.is_simulated else "board"
        left = Qt.AlignmentFlag.AlignLeft
        self._identity.addWidget(label(identity.label, badge), 0, 0, 1, -1, left)
        # Build options of the instrument's own firmware do not concern a foreign program.
        shown = [one for one in _SHOWN if one[0] != "stack" or not state.of_program]
        for place, (key, name) in enumerate(shown):
            row, column = 1 + place // 4, 2 * (place % 4)
            self._identity.addWidget(label(name, "faint"), row, column)
            value = QLabel(str(words[key]))
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._identity.addWidget(value, row, column + 1)

    def _show_ports(self, ports: tuple[Found, ...] | None) -> None:
        _empty(self._ports)
        if ports is None:
            self._ports.addWidget(label("Not looked for yet.", "faint"))
        elif not ports:
            text = "No serial port. Plug in the board's USB-UART cable and switch it on, or start "
            self._ports.addWidget(label(text + "the twin.", "faint", wraps=True))
        for found in ports or ():
            self._ports.addWidget(self._port(found))

    def _port(self, found: Found) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        port, answer = found.port, found.answer
        row.addWidget(QLabel(port.port))
        row.addWidget(label(f"{port.description} {port.serial_number}".strip(), "faint"))
        row.addWidget(label(answer.text, "good" if answer.ours else "faint", wraps=True), 1)
        connect = button("Connect", lambda: self._station.targets.connect_to(port.port))
        connect.setEnabled(answer.ours)
        row.addWidget(connect)
        return line


def _card() -> tuple[QFrame, QVBoxLayout]:
    card = QFrame()
    card.setProperty("role", "card")
    return card, QVBoxLayout(card)


def _empty(layout: QVBoxLayout | QGridLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
