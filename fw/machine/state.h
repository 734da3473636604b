/* State of a core beyond what every machine has: registers that a run stores unchanged. A machine
 * brings struct state, STATE_OF_PROGRAM (initialisers of irq_hello_reply_t) and these. */
#ifndef MACHINE_STATE_H
#define MACHINE_STATE_H

#include <stddef.h>

#include "bound/state.h"
#include "generated/messages.h"

/* Reads this core. */
void state_read(struct state *state);

/* What was read of a core: the caches that are on, as a mask of IRQ_CACHES; where its vectors
 * are; its registers, each with its name. The last function returns the bytes that they take. */
uint8_t state_caches(const struct state *state);
uint64_t state_vectors(const struct state *state);
size_t state_put(const struct state *state, irq_register_t *to);

/* Writes registers of the measured core and of the controller for an interrupt; returns the
 * bytes that they take. */
size_t state_put_case(unsigned id, irq_register_t *to);

#endif
