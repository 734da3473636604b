"""The main window.

It does not measure, judge or store anything itself: see measure, stats and results.

Modules here depend on each other in one direction only: ``trace`` and ``feed`` (no Qt), then
``station`` (state and actions), then the widgets that show them.
"""

#: System libraries that Qt needs.
PACKAGES = (
    "apt-get install libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libxcb-cursor0 libxcb-icccm4 "
    "libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xkb1"
)
