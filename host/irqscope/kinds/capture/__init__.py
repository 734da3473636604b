"""Runs that other instruments measured: captures of logic analysers, histograms of other tools."""

from __future__ import annotations

from irqscope.experiment.kinds import Kind

KIND = Kind("capture", lambda experiment: experiment.of_capture)
