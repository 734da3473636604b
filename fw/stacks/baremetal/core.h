/* What one core knows on its way from vector to handler and while it waits. TPIDR_EL0 points to it,
 * so that the code finds it wherever code and data stand. */
#ifndef STACKS_BAREMETAL_CORE_H
#define STACKS_BAREMETAL_CORE_H

/* Offset of before_wait, for idle.S. */
#define CORE_BEFORE_WAIT 0x2000

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "soc/cpu.h"
#include "soc/gic.h"

typedef void (*handler_t)(uint32_t iar);

struct baremetal_core {
    handler_t handlers[GIC_ID_MASK + 1]; /* of the dispatcher `table`: vectors.S begins here */

    /* Set up by the case. Hooks run with interrupts masked; NULL: none. */
    void (*before_wait)(void);  /* before each wait; implies wakes */
    void (*after_marker)(void); /* in the handler of the measured interrupt, behind its marker */
    bool wakes;                 /* that handler ends the wait: the core waits afresh */
    bool stages;                /* the marker set */
    uint32_t further[GIC_IDS / 32]; /* IDs whose handler is empty */
    uint32_t finish;                /* ID that ends the batch */
    uint32_t tick_period;           /* of the timer interrupt, in counts of the system counter */
    uint32_t tick_work;             /* loops of its handler */

    /* Where the measured line's level is read, if the handler has to wait for it to fall. */
    volatile const uint32_t *level_register;
    uint32_t level_mask;

    /* Since the batch began. */
    uint32_t remaining; /* times that the core will still raise its own interrupt; 0: it does not */
    volatile bool task_ready, finished;
    uint32_t handled;  /* the measured interrupt */
    uint32_t spurious; /* IAR named none */
    uint32_t others;   /* further ones, and any that nobody asked for */
    uint32_t ticks;
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct baremetal_core, before_wait) == CORE_BEFORE_WAIT, "idle.S");

static inline struct baremetal_core *baremetal_here(void) {
    return (struct baremetal_core *)READ_SYSREG(tpidr_el0);
}

#endif
#endif
