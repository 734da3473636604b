"""Values printed in an article on tickless sleep of a Cortex-M4."""

from __future__ import annotations

TICKLESS_SOURCE = "the article on tickless sleep (STM32F411)"
#: (quantity, time in us, remark)
TICKLESS = (
    ("tick on, to the task", 8.0, "about; SysTick handler below 5, PendSV 3.5"),
    ("tickless, to the task", 807.0, "about; 80 wake-up, 720 oscillator, 6.6 switch"),
)
TICKLESS_NOTE = (
    "The article's 807 µs are an oscillator that starts. Here the core sleeps in WFI, at most with "
    "its clock divided; powering it down needs the PMU's firmware and is not measured."
)
