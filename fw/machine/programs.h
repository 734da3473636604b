/* Programs that load the computer beside the measured thread, on machines with an operating system.
 * Whoever starts the agent allows them by its command line; a host only chooses one. */
#ifndef MACHINE_PROGRAMS_H
#define MACHINE_PROGRAMS_H

#include <stdbool.h>

unsigned programs_count(void);

/* Starts the program of that number, from 1 on; it is started again whenever it ends well. */
void programs_start(unsigned number);
void programs_stop(void);

/* Whether the program that was started still runs; *status: with which it ended otherwise. */
bool programs_run(int *status);

#endif
