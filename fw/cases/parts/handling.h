/* Another core that handles the measured interrupt, with the same vector path as core 0, in DDR.
 * Work of a parked core. */
#ifndef CASES_PARTS_HANDLING_H
#define CASES_PARTS_HANDLING_H

#include <stdint.h>

void handling(uintptr_t request);

/* Enables and disables the interrupt on this core, as `handling` does at its beginning and end. */
void handling_begin(uintptr_t request);
void handling_end(uintptr_t request);

#endif
