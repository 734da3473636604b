/* Markers of marker source 1 in front of the measured thread's: that of the hard handler, and that
 * of the interrupt thread. The kernel's module makes them (fw/module), or nobody. With a simulation
 * two threads of the agent can play them. */
#ifndef MACHINE_LINUX_HOOK_H
#define MACHINE_LINUX_HOOK_H

/* Takes note of the version that the measured line's UIO driver gives itself. */
void hook_note(const char *version);

/* Puts the two threads between a simulated line and the measured thread. Returns the descriptor
 * that the latter uses in place of the line's; `at_end` is called when the simulation has gone, and
 * does not return. Ends the agent if it cannot. */
int hook_play(int line, void (*at_end)(void));

/* "no" without the module; otherwise what makes markers. */
const char *hook_facts(void);

#endif
