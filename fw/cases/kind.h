/* A kind of case: the fields of a request that it uses, and the work of the cores. */
#ifndef CASES_KIND_H
#define CASES_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "description.h"
#include "generated/messages.h"
#include "machine/cores.h"
#include "machine/places.h"

/* Fields that a case makes use of; any other must have the value of a case without it. */
#define USES(name) (UINT32_C(1) << IRQ_CASE_FIELD_##name)
_Static_assert(IRQ_CASE_FIELDS <= 32, "USES has a bit for each field of a CASE request");
#define USES_STANDING (USES(PLACEMENT) | USES(PAGES) | USES(MEMORY))
#define USES_WAITING                                                                               \
    (USES_STANDING | USES(WARM_UP) | USES(DIVISOR) | USES(TIMER_TICK_PERIOD) |                     \
     USES(TIMER_TICK_WORK))
/* The interrupt may be an SGI, which the core raises itself. */
#define USES_SGI USES(COUNT)

/* Core cycles of the software-timed cases. */
struct cycle_statistics {
    uint32_t count, min, max;
    uint64_t sum;
};

struct case_result {
    uint32_t idles; /* times that idling was begun */
    struct cycle_statistics cycles;
    uint64_t loads[4]; /* accesses of a load, by core */
    irq_error_t error; /* code 0: none */
    bool unfinished;   /* what the lines wait for did not come, and will not */
};

struct case_kind {
    uint8_t id; /* enum irq_case_id */
    uint32_t uses;
    bool counted;           /* `count` repetitions are asked for: at least one */
    bool takes_interrupts;  /* the measured interrupt is enabled */
    bool ends_by_interrupt; /* the gateware's finished interrupt ends it */
    bool leads_in;          /* `run` itself leaves out as many rounds as `warm_up` says */
    bool loopback;
    bool pins; /* markers come from pins, not from cores */

    /* Called on core 0 with interrupts masked. All but `run` may be NULL. */
    bool (*is_valid)(const irq_case_request_t *request, enum irq_case_field *field);
    void (*prepare)(const irq_case_request_t *request);
    void (*read_back)(irq_case_reply_t *reply); /* fills in values that only the case knows */
    /* Called before the warm-up. */
    void (*begin)(const irq_case_request_t *request, const irq_batch_request_t *batch);
    void (*run)(const irq_case_request_t *request, struct case_result *result);
    void (*end)(const irq_case_request_t *request, struct case_result *result);

    /* Hooks of core 0's waiting (stacks/stack.h). */
    void (*before_wait)(void);
    void (*after_marker)(void);

    /* Work of another core during a batch until it is stopped; it is called with the request.
     * NULL: the core stays parked. */
    parking_work_t (*work)(const irq_case_request_t *request, unsigned core);

#if MACHINE_HAS_LOCKDOWN
    /* Which parts of the path are locked from `begin` to `end`, as IRQ_LOCKDOWN; none after
     * `prepare`. */
    void (*lock)(uint8_t which);
#endif
};

/* Puts a struct case_kind on the program's list of cases (irqscope.ld): linking its file is
 * enough. */
#define CASE(kind)                                                                                 \
    static const struct case_kind *const listed_##kind __attribute__((section(".cases"), used)) =  \
        &(kind)

#endif
