/* Handling of the measured interrupt by another core, on the vector path of bare metal in DDR.
 * Work of a parked core. */
#ifndef CASES_PARTS_HANDLING_H
#define CASES_PARTS_HANDLING_H

#include <stdint.h>

#include "stacks/stack.h"

void handling(uintptr_t request);

/* State of such a core, 1 to 3, while it is parked. */
const struct stack_core *handling_core(unsigned core);

/* Zeroes the counts of all such cores, while they are parked. */
void handling_zero_counts(void);

/* Enables and disables the interrupt on this core, as `handling` does at its beginning and end. */
void handling_begin(uintptr_t request);
void handling_end(uintptr_t request);

#endif
