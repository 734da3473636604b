/* Where registers and interrupts come from: UIO devices of the device-tree overlay, or a simulation
 * that plays both (twin/engine/boards/zynqmp/served.cpp). Whatever fails here ends the agent with
 * a line that says what is missing. */
#ifndef MACHINE_LINUX_LINES_H
#define MACHINE_LINUX_LINES_H

#include <stdbool.h>

/* Takes the UIO devices by their names, which are those of the overlay's nodes: irqscope-port,
 * whose map 0 is the GPIO controller, irqscope-line-0 and on, and irqscope-finished. */
void lines_open(void);

/* Connects to the Unix socket of a simulation. `hooked`: with played handlers (hook.h). */
void lines_simulate(const char *path, bool hooked);

/* Lines that have a device. */
unsigned lines_count(void);

/* A descriptor that can be read once the simulation has ended, and what to do then; -1: none. */
int lines_end(void);
_Noreturn void lines_ended(void);

#endif
