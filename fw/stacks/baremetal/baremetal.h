/* Bare-metal stack: a vector path of its own for each marker set and dispatcher, loops to wait in,
 * and one task that a handler can wake. Everything is for the calling core, from DDR or from
 * on-chip memory. */
#ifndef STACKS_BAREMETAL_H
#define STACKS_BAREMETAL_H

#include <stdbool.h>
#include <stdint.h>

#include "generated/irqscope_regs.h"
#include "stacks/baremetal/core.h"

/* Puts the vector path for the measured interrupt `id` in force, without hooks, with no further
 * interrupt and no tick; `finish` is the ID that ends a batch. As enum irq_markers, irq_dispatcher,
 * irq_placement. On-chip memory is for core 0. */
void baremetal_prepare(unsigned id, unsigned finish, unsigned markers, unsigned dispatcher,
                       unsigned placement);

/* What VBAR_EL3 stands for. */
struct baremetal_in_force {
    uint8_t markers, dispatcher, placement;
    uint64_t vbar, handler,
        stack; /* addresses: vectors, measured handler, upper end of the stack */
};
struct baremetal_in_force baremetal_in_force(void);

/* The core's record, from any core. */
struct baremetal_core *baremetal_of(unsigned core);

/* The marker that a marker set begins with (soc/marker.h). */
enum irqscope_marker baremetal_first_marker(unsigned markers);

/* Before each batch: counts zeroed, next marker word made. With `wait_low` the handler ends the
 * interrupt only when its line is low again: a line that its marker takes back does not re-fire. */
void baremetal_begin(bool wait_low);

/* The counts alone, of any core that is parked. */
void baremetal_zero_counts(struct baremetal_core *core);

/* The end-of-batch interrupt was taken. */
bool baremetal_finished(void);

/* Ways to wait, with interrupts unmasked, until the end-of-batch interrupt: each returns how often
 * waiting was begun. */
uint64_t baremetal_idle(bool spin);
/* Sleeps; before, `value` is written to a device register, which the handler has to undo. */
uint64_t baremetal_idle_divided(uint32_t value, uintptr_t address);
/* Raises SGI `id` itself `count` times, behind a marker `start`; ends behind the last. */
uint64_t baremetal_idle_raising(unsigned id, uint32_t count, bool spin);

/* Does not wait but writes to random places of an array. Returns how often. `state`: of the random
 * places, not 0; goes on. */
uint64_t baremetal_write(uint32_t *array, uint64_t words, uint64_t *state);

#endif
