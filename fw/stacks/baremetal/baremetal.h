/* Bare metal: a vector path of its own for each marker set and dispatcher, loops to wait in, and
 * one task that a handler can wake. Everything is for the calling core, from DDR or from on-chip
 * memory. One of the stacks (stacks/stack.h), and the stack of cores 1 to 3 with any of them. */
#ifndef STACKS_BAREMETAL_H
#define STACKS_BAREMETAL_H

#include <stdbool.h>
#include <stdint.h>

#include "stacks/baremetal/core.h"
#include "stacks/stack.h"

/* Sets the vector path for the measured interrupt `id` up, without hooks, with no background
 * interrupt and no timer tick; `finish` is the ID that ends a batch. The others are of enum
 * irq_markers, irq_dispatcher and irq_placement. On-chip memory is for core 0. */
void baremetal_prepare(unsigned id, unsigned finish, unsigned markers, unsigned dispatcher,
                       unsigned placement);

/* The readback of the calling core (stack_readback in stacks/stack.h). */
struct stack_readback baremetal_readback(void);

/* The record of a core; any core may ask. */
struct baremetal_core *baremetal_of(unsigned core);

/* Called before each batch: zeroes the counts and makes the next marker word. */
void baremetal_begin(void);

/* Zeroes the counts alone, of any core that is parked. */
void baremetal_zero_counts(struct baremetal_core *core);

/* Wait and write to memory on the calling core (stack_wait, stack_write in stacks/stack.h). */
uint64_t baremetal_wait(const struct stack_waiting *how);
uint64_t baremetal_write(uint32_t *array, uint64_t words, uint64_t *state);

#endif
