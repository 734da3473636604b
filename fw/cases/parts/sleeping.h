/* Sleep until a moment, from which core 0's own timer wakes it. */
#ifndef CASES_PARTS_SLEEPING_H
#define CASES_PARTS_SLEEPING_H

#include <stdbool.h>
#include <stdint.h>

/* Returns when the system counter has reached `count`. By core 0, masked, with the link's interrupt
 * disabled. Only where sleeping_can_end: nothing else bounds it. */
void sleeping_until(uint64_t count);

/* Whether the timer's interrupt reaches the core; looks for 1 s at most, and does not sleep. By
 * core 0, masked, at start-up: no interrupt is enabled but the link's. The system counter runs. */
bool sleeping_can_end(void);

#endif
