/* Keeping the path warm: vector, dispatcher and handler of the measured interrupt run once more,
 * by an SGI in its place, and leave no mark. */
#ifndef BAREMETAL_CASES_WARMING_H
#define BAREMETAL_CASES_WARMING_H

#include <stdint.h>

/* Chooses and sets up the SGI. Called after baremetal_prepare. */
void warming_prepare(unsigned measured_id);

/* Runs the path. Called on core 0 with interrupts masked. */
void warming_run(void);

#endif
