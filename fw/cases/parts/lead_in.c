#include "cases/parts/lead_in.h"

#include "cases/parts/phase.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/marker.h"
#include "machine/trace.h"
#include "stacks/baremetal/baremetal.h"
#include "stacks/stack.h"

/* An entry for each core, in a cache line of its own. */
static struct {
    const struct stack_core *core;
    void (*before_wait)(void); /* the case's */
    uint32_t rounds, raised;
    uint64_t marker; /* the next one in the last round, whose markers do not reach the pins */
    volatile uint32_t *raise_register, *finish_register;
    uint32_t raise, finish;
    uint32_t handled;
    uint16_t id;
    uint8_t targets; /* cores that a shared interrupt goes to in the batch */
} __attribute__((aligned(64))) lead_ins[CORES];

static uint32_t handled(const struct stack_core *core) {
    return *(const volatile uint32_t *)&core->handled;
}

/* Cores have their lead-in one after the other: a shared interrupt would go to any of them. */
static void target(unsigned id, uint8_t cores) {
    if (id >= IRQ_FIRST_SHARED)
        irq_set_targets(id, cores);
}

/* Leads into the batch itself: nothing but this lies between the round and the first wait. */
static void end_last(void) {
    struct stack_core *core = stack_core();
    core->before_wait = lead_ins[0].before_wait;
    core->handled = 0;
    target(lead_ins[0].id, lead_ins[0].targets);
    marker_set_word(lead_ins[0].marker);
    lead_ins[0].handled++;
    if (core->before_wait != NULL)
        core->before_wait();
}

/* No DSB follows the last store: the interrupt takes longer to the core than the core takes to
 * its wait. A stack may call this more than once before the interrupt comes. */
static void raise(void) {
    typeof(lead_ins[0]) *here = &lead_ins[cpu_number()];
    if (handled(here->core) != here->raised)
        return;
    if (here->raised == here->rounds) {
        if (here->finish_register == NULL)
            end_last();
        else
            *here->finish_register = here->finish;
        return;
    }
    if (here->before_wait != NULL)
        here->before_wait();
    here->raised++;
    *here->raise_register = here->raise;
}

static void prepare(const irq_case_request_t *request, struct stack_core *core, uint32_t rounds) {
    unsigned id = request->interrupt;
    typeof(lead_ins[0]) *here = &lead_ins[cpu_number()];
    here->core = core;
    here->id = request->interrupt;
    here->targets = irq_targets(id);
    target(id, (uint8_t)(1u << cpu_number()));
    here->before_wait = core->before_wait;
    here->rounds = rounds;
    here->raised = 0;
    here->raise_register = irq_pending_register(id);
    here->raise = irq_bit(id);
    core->before_wait = raise;
}

static void end(struct stack_core *core) {
    typeof(lead_ins[0]) *here = &lead_ins[cpu_number()];
    core->before_wait = here->before_wait;
    target(here->id, here->targets);
    here->handled = core->handled;
}

/* Repetitions behind which branches are foreseen, whatever was learned before. */
#define REPETITIONS 32

/* A core that raises the interrupt itself does so as often as there are rounds. One that takes
 * none begins as often, with some repetitions each time. */
static void run_by_software(const irq_case_request_t *request, const struct case_kind *kind) {
    irq_case_request_t shorter = *request;
    uint32_t rounds = kind->takes_interrupts ? 1 : request->lead_in;
    shorter.count = kind->takes_interrupts ? request->lead_in : REPETITIONS;
    for (uint32_t round = 0; round < rounds; round++) {
        struct case_result unused = {0};
        phase_run(kind, &shorter, &unused);
    }
    lead_ins[0].handled = stack_core()->handled;
}

/* Rounds after arming. */
static uint32_t last_rounds(const irq_case_request_t *request) {
    return request->lead_in != 0 && request->count == 0 && !trace_is_of(request->markers);
}

static void run_by_controller(const irq_case_request_t *request, const struct case_kind *kind) {
    struct case_result unused = {0};
    struct stack_core *core = stack_core();
    prepare(request, core, request->lead_in - last_rounds(request));
    lead_ins[0].finish_register = irq_pending_register(IRQ_FINISHED);
    lead_ins[0].finish = irq_bit(IRQ_FINISHED);
    irq_enable(IRQ_FINISHED);
    kind->run(request, &unused);
    irq_clear_pending(IRQ_FINISHED);
    end(core);
}

void lead_in_run(const irq_case_request_t *request, const struct case_kind *kind) {
    if (request->lead_in == 0 || kind->leads_in)
        return;
    if (request->count != 0)
        run_by_software(request, kind);
    else if (request->lead_in > last_rounds(request))
        run_by_controller(request, kind);
}

void lead_in_last(const irq_case_request_t *request) {
    if (last_rounds(request) == 0)
        return;
    prepare(request, stack_core(), 1);
    lead_ins[0].finish_register = NULL;
    lead_ins[0].marker = marker_word();
    marker_set_word(lead_ins[0].marker | MARKER_PROTECTED);
}

void lead_in_run_handling(const irq_case_request_t *request) {
    if (request->lead_in == 0)
        return;
    struct stack_core *core = &baremetal_here()->stack;
    unsigned n = cpu_number();
    prepare(request, core, request->lead_in);
    lead_ins[n].finish_register = irq_send_register();
    lead_ins[n].finish = IRQ_SEND_WORD(uint32_t, PARKING_STOP, n);
    (void)baremetal_wait(&(struct stack_waiting){.spin = request->idle == IRQ_IDLE_SPIN});
    irq_enable(PARKING_STOP); /* its handler has disabled it, where SGIs can be */
    end(core);
}

uint32_t lead_in_handled(unsigned core) { return core < CORES ? lead_ins[core].handled : 0; }

void lead_in_forget(void) {
    for (unsigned core = 0; core < CORES; core++)
        lead_ins[core].handled = 0;
}
