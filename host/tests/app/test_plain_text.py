"""Text from files and targets is shown unchanged, never taken for HTML."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QApplication, QInputDialog, QLabel, QMessageBox, QToolBar, QToolTip

from irqscope_app.control.state import Fault
from irqscope_app.widgets.common import label

FOREIGN = "<img src='/etc/hostname'><b>twin</b>"


def rich(widgets):
    """Labels among them that would show HTML."""
    labels = [widget for widget in widgets if isinstance(widget, QLabel)]
    assert labels
    return [each.text() for each in labels if each.textFormat() != Qt.TextFormat.PlainText]


def test_no_label_of_the_window_takes_text_for_html(window):
    window.station.set(fault=Fault.of(f"cannot read {FOREIGN}; name another"))
    late = label(FOREIGN, "faint")
    late.setParent(window)
    for screen in window.findChild(QToolBar, "rail").actions():
        screen.trigger()
        late.show()
        assert not rich(each for each in window.findChildren(QLabel) if each.isVisible())


def test_no_tip_and_no_dialog_takes_text_for_html(window):
    QToolTip.showText(QPoint(5, 5), FOREIGN, window)
    box = QMessageBox(QMessageBox.Icon.Question, FOREIGN, FOREIGN, parent=window)
    box.setInformativeText(FOREIGN)
    asking = QInputDialog(window)
    asking.setLabelText(FOREIGN)
    for dialog in (box, asking):
        dialog.show()
    tips = [each for each in QApplication.allWidgets() if each.inherits("QTipLabel")]
    labels = [*tips, *box.findChildren(QLabel), *asking.findChildren(QLabel)]
    assert tips and not rich(labels)
    QToolTip.hideText()
    for dialog in (box, asking):
        dialog.close()
