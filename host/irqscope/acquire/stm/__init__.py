"""The second stamp: the decoded trace of the processor system's STM, next to the samples.

``frames`` takes the ETF's frames apart, ``stp`` reads the STM's packets, ``stamps`` pairs lines and
handlers, ``results`` gathers a run. The first two are pure functions of bytes and never raise.
"""
