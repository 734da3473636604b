/* Another core that handles the measured interrupt, by the vector path of bare metal in DDR.
 * Work of a parked core. */
#ifndef CASES_PARTS_HANDLING_H
#define CASES_PARTS_HANDLING_H

#include <stdint.h>

#include "stacks/stack.h"

void handling(uintptr_t request);

/* What that core, 1 to 3, knows; of all of them the counts are zeroed. They are parked. */
const struct stack_core *handling_core(unsigned core);
void handling_zero_counts(void);

/* Enables and disables the interrupt on this core, as `handling` does at its beginning and end. */
void handling_begin(uintptr_t request);
void handling_end(uintptr_t request);

#endif
