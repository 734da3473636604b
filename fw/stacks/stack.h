/* The software stack: what core 0 runs, from the vector to the task that a handler wakes.
 *
 * stacks/NAME defines all that is declared here, stack.mk with its sources and stack.ld with its
 * writable data; `make -C fw STACK=NAME` links it. If a function is missing, the linker names it.
 * The other cores of a case run bare metal whatever the stack is
 * (stacks/baremetal/baremetal.h).
 *
 * Everything here is called on core 0 with interrupts masked, and returns with them masked. */
#ifndef STACKS_STACK_H
#define STACKS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "description.h"
#include "generated/irqscope_regs.h"
#include "generated/messages.h"
#include "machine/irq.h"

/* What the stack is, and what may be asked of it. The texts are in every run. */
struct stack {
    const char *name; /* its name in experiments, and its folder */
    const char *version;
    const char *configuration;   /* one line: whatever another build of it could have otherwise */
    uint32_t fields;             /* USES(...) of the case request (cases/case.h) that it can do */
    uint8_t wake_priority;       /* the most urgent interrupt that may wake a task */
    uint8_t timer_tick_priority; /* priority of the timer tick's interrupt */
    bool nests; /* the measured interrupt can interrupt the timer tick's handler: it counts so */
};
extern const struct stack stack_description;

/* What a case and the vector path tell each other about one core. */
struct stack_core {
    /* Set by the case after stack_prepare. NULL: none. */
    void (*before_wait)(void);  /* before each wait, nothing between but the way into it */
    void (*after_marker)(void); /* in the handler of the measured interrupt, after its marker */
    uint32_t background[IRQ_IDS / 32]; /* IDs whose handler is empty; any other is disabled by it */
    uint32_t finish;                   /* ID that ends a batch: its handler disables it */
    uint32_t
        timer_tick_period;    /* counts of the system counter; 0: no timer tick (machine/timer.h) */
    uint32_t timer_tick_work; /* loops of its handler */

    /* Set by the case after stack_begin: where the measured interrupt's pending bit is read if
     * its handler has to wait for the line to fall. */
    volatile const uint32_t *level_register;
    uint32_t level_mask; /* 0: it does not wait */

    /* Counted by the vector path since stack_begin. */
    volatile bool finished; /* the interrupt that ends a batch was taken */
    uint32_t handled;       /* the measured interrupt */
    uint32_t held; /* of these, those that ended with the line still high: the wait is bounded */
    uint32_t spurious;    /* IAR named none */
    uint32_t others;      /* further ones, and any that nobody asked for */
    uint32_t timer_ticks; /* interrupts of the timer tick */
    uint32_t nested;      /* the measured interrupt in the midst of another handler, if it nests */
};
struct stack_core *stack_core(void);

/* Runs `application`, for good, where the stack runs what is not a handler. After a fault in the
 * midst of it, it is called again, with the data that stack.ld names as the loader left it. */
_Noreturn void stack_start(void (*application)(void));

/* Sets the vector path for the measured interrupt `id` up; stack_core is then zeroes but
 * for `finish`. Arguments as enum irq_markers, irq_dispatcher, irq_placement. */
void stack_prepare(unsigned id, unsigned finish, unsigned markers, unsigned dispatcher,
                   unsigned placement);

/* Read back from the processor: VBAR_EL3 and its target. The addresses
 * are those of the vectors, of the measured interrupt's handler, and of the upper end of the
 * call stack on which that runs. */
struct stack_readback {
    uint8_t markers, dispatcher, placement;
    uint64_t vbar, handler, call_stack;
};
struct stack_readback stack_readback(void);

/* Called before each batch: zeroes what is counted and level_mask, and makes the next marker
 * word. */
void stack_begin(void);

/* How the core waits. A stack is asked only for what its `fields` name: sleep_clock belongs to
 * DIVISOR, raise_count to COUNT. */
struct stack_waiting {
    bool spin;            /* busy; else asleep in WFI */
    uint32_t sleep_clock; /* not 0: for CLOCK_REGISTER before each sleep; after_marker undoes it */
    uint32_t raise_id;    /* SGI that the core raises itself, after a marker `start` ... */
    uint32_t raise_count; /* ... so many times; the last one ends the wait */
};

/* Waits, with interrupts unmasked, until the batch has ended. Returns how often waiting was begun.
 * It is not bounded, for the interrupt that ends a batch was seen to arrive before the first one
 * (cases/parts/ending.h); a batch that the core ends itself raises an SGI. */
uint64_t stack_wait(const struct stack_waiting *how);

/* Does not wait but writes to random places of an array. Returns how often. `state` of the
 * random places is not 0, and goes on. */
uint64_t stack_write(uint32_t *array, uint64_t words, uint64_t *state);

/* Marker sets that the machine has, of enum irq_markers. */
#define MARKER_SETS (MACHINE_HAS_STM ? IRQ_MARKERS_STM_PAPER + 1 : IRQ_MARKERS_STAGES + 1)

/* The marker that a marker set begins with (machine/marker.h). */
static inline enum irqscope_marker stack_first_marker(unsigned markers) {
    return markers == IRQ_MARKERS_STAGES ? IRQSCOPE_MARKER_VECTOR : IRQSCOPE_MARKER_HANDLER;
}

/* How often a line that does not fall is looked at: each look is a load from the distributor, so
 * tenths of a second. */
#define STACK_LOOKS 1000000

/* A level interrupt that ends while its line is high fires again. */
static inline void stack_wait_until_line_is_low(struct stack_core *core) {
    if (core->level_mask == 0)
        return;
    for (unsigned looks = 0; looks < STACK_LOOKS; looks++)
        if ((*core->level_register & core->level_mask) == 0)
            return;
    core->held++;
}

#endif
