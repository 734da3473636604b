/* What one core knows on its way from vector to handler and while it waits. TPIDR_EL0 points to it,
 * so that the code finds it wherever code and data are. */
#ifndef STACKS_BAREMETAL_CORE_H
#define STACKS_BAREMETAL_CORE_H

/* Offset of stack.before_wait, for idle.S. */
#define CORE_BEFORE_WAIT (1024 * __SIZEOF_POINTER__)

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/cpu.h"
#include "stacks/stack.h"

typedef void (*handler_t)(uint32_t iar);

struct baremetal_core {
    handler_t handlers[IRQ_ID_MASK + 1]; /* table of `table`: vectors.S expects it first */
    struct stack_core stack;

    bool stages; /* the marker set */
    bool wakes;  /* the measured handler ends the wait even without a hook before the next one */
    volatile bool task_ready;
    uint32_t remaining; /* times that the core will still raise its own interrupt; 0: it does not */
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct baremetal_core, stack.before_wait) == CORE_BEFORE_WAIT, "idle.S");

static inline struct baremetal_core *baremetal_here(void) { return core_pointer(); }

#endif
#endif
