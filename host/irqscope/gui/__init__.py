"""The window. It measures, judges and stores nothing itself: see measure, stats and results.

Modules here depend on each other in one direction only: ``trace`` and ``feed`` (no Qt), then
``station`` (all that is known and all that can be done), then what shows it.
"""
