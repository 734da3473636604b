/* The case PLACEMENT, as requests set it up and read it, and as EXTERNAL has it. */
#ifndef CASES_PLACEMENT_H
#define CASES_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "cases/kind.h"

extern const struct case_kind case_placement;

/* Sets what the next batches run. False if there are more stimuli than can be noted. */
bool placement_set(const irq_code_under_test_request_t *request);

/* Whether the interrupt that follows the last marker is still to come. */
bool placement_is_open(void);

/* Writes where interrupts were taken, from the stimulus `first` on; returns the reply's length. */
size_t placement_read(uint32_t first, irq_places_reply_t *reply);

#endif
