"""The window. It measures, judges and stores nothing itself: see measure, stats and results.

Modules here depend on each other in one direction only: ``trace`` and ``feed`` (no Qt), then
``station`` (all that is known and all that can be done), then what shows it.
"""

#: What Qt needs of the system.
PACKAGES = (
    "apt-get install libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libxcb-cursor0 libxcb-icccm4 "
    "libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xkb1"
)
