"""Times that several components agree on, in ticks.

The register source states the ones that software sees as well; ``top`` refuses to build when the
two differ.
"""

#: A target is compared this many ticks ahead, so that the output changes in the target's tick:
#: one tick for the slices, one for their conjunction, one for the output register.
LEAD = 3

#: Shortest phase of a line and shortest timeout. 40 ns at 250 MHz: what the interrupt path of the
#: PS needs to catch an edge (UG1085, four clocks at 100 MHz).
SHORTEST_PHASE = 10

#: ``start_tick`` has to be at least this many ticks after the arm command: the checks and the
#: arithmetic of the first target take 12.
ARM_AHEAD = 16

#: From the first flip-flop that holds a marker's new toggle to the marker's stamp.
MARKER_DELAY = 2

#: From an event's stamp to the tick in which ``events`` presents it.
EVENT_DELAY = 2

#: From an event's stamp to the tick in which the channels decide what it means.
DECISION_DELAY = 3

#: Bits of a marker's code.
CODE_BITS = 3
