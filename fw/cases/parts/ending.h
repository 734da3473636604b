/* The interrupt that ends a batch: core 0 has nothing else to wake it. */
#ifndef CASES_PARTS_ENDING_H
#define CASES_PARTS_ENDING_H

#include <stdbool.h>
#include <stdint.h>

/* Whether it arrives, by `route` of the gateware's finished_route; it is looked for until it has
 * been seen once. Arms with no line enabled. True as well where the gateware refuses that: the
 * batch will then be told why. */
bool ending_arrives(uint32_t route);

#endif
