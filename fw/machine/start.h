#ifndef MACHINE_START_H
#define MACHINE_START_H

#include <stdint.h>

/* What start-up calls on core 0, with MMU and caches on, and system errors masked. Each program has
 * its own. */
_Noreturn void main(void);

/* What start-up calls on any other core that is let out of reset (machine/cores.h). */
void secondary_main(void);

/* The upper end of the calling core's call stack. */
uintptr_t call_stack_top(void);

#endif
