#ifndef MACHINE_START_H
#define MACHINE_START_H

#include <stdint.h>

/* Called by start-up on core 0, with MMU and caches on, and system errors masked. Each program has
 * its own. */
_Noreturn void main(void);

/* Called by start-up on any other core that leaves reset (machine/cores.h). */
void secondary_main(void);

/* The upper end of the calling core's call stack. */
uintptr_t call_stack_top(void);

#endif
