"""Times that several components agree on, in ticks.

The register source states the ones that software sees as well; ``instrument`` refuses to build when
the two differ.
"""

#: A comparator looks this many ticks ahead, so that a register can change in the target's tick:
#: one tick for the slices, one for their conjunction, one for the register.
COMPARE_DELAY = 3

#: From the register that is a line to the registers in front of the pins: one tick to choose the
#: lines of each pin, one for the way there. The lines run ahead of the pins by as much.
OUTPUT_DELAY = 2

#: No target is nearer than this to the tick in which a skip lands.
LEAD = COMPARE_DELAY + OUTPUT_DELAY

#: Shortest phase of a line that ends at a target, which takes as long to compute and to compare:
#: each low phase and, in mode acknowledged, the pulse. Shortest timeout.
SHORTEST_PHASE = 10

#: ``start_tick`` has to be at least this many ticks after the arm command: the checks take 4, the
#: first target and its comparison 10, and the lines are OUTPUT_DELAY ahead.
ARM_AHEAD = 16

#: Shortest delay from the stamp of a marker to the rise of the line that is placed after it. That
#: line goes 4 ticks after the stamp, and has to go 10 ticks and OUTPUT_DELAY before its rise.
SHORTEST_PLACEMENT = 20

#: From the first flip-flop that holds a marker's new toggle to the marker's stamp.
MARKER_DELAY = 2

#: From an event's stamp to the tick in which ``events`` presents it.
EVENT_DELAY = 2

#: From a marker's stamp to the tick in which its front end gives it; after the choice of front
#: ends is one register.
FRONT_END_DELAY = EVENT_DELAY - 1

#: From an event's stamp to the tick in which the channels decide what it means.
DECISION_DELAY = 3

#: From the end of the lines' last low phase, as the lines know it, to the tick in which the
#: counters show what was stamped before it: the lines run ahead, a decision shows in the tick after
#: it.
COUNTERS_DELAY = OUTPUT_DELAY + DECISION_DELAY

#: Bits of a marker's code.
CODE_BITS = 3
