#include "cases/parts/warm_up.h"

#include "cases/parts/phase.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/marker.h"
#include "machine/trace.h"
#include "stacks/baremetal/baremetal.h"
#include "stacks/stack.h"

/* Work of one call of the hook. */
struct step {
    void (*hook)(void); /* of the next wait */
    uint64_t marker;
    volatile uint32_t *raise_register;
    uint32_t raise;
    uint32_t raised;  /* how many more that count then is */
    uint32_t handled; /* what this one then is: a call more than once adds nothing */
    uint8_t targets;  /* cores that a shared interrupt goes to */
};

/* An entry for each core, in cache lines of its own. */
static struct {
    const struct step *steps[2]; /* of a round; of the call after the last one */
    struct stack_core *core;
    void (*before_wait)(void); /* the case's */
    uint32_t raised;           /* 0 is the last */
    uint32_t handled;
    uint32_t nothing; /* written in place of a register */
    uint16_t id;
    uint8_t targets; /* in the batch */
    struct step round, end;
} __attribute__((aligned(64))) warm_ups[CORES];

static uint32_t handled(const struct stack_core *core) {
    return *(const volatile uint32_t *)&core->handled;
}

/* Cores have their warm-up one after the other: a shared interrupt would go to any of them. */
static void target(unsigned id, uint8_t cores) {
    if (id >= IRQ_FIRST_SHARED)
        irq_set_targets(id, cores);
}

/* The hook of all rounds. The call after the last one runs the same instructions on the same data:
 * what it brought into the caches in addition could push a line of the path out, and the first
 * answer of a batch would be late. The case's own hook comes last, for it may be meant to leave a
 * cache cold, and no DSB follows the last store: the interrupt takes longer to the core than the
 * core takes to its wait. A stack may call this more than once before the interrupt comes. */
static void raise(void) {
    typeof(warm_ups[0]) *here = &warm_ups[cpu_number()];
    struct stack_core *core = here->core;
    if (handled(core) != here->raised)
        return;
    const struct step *step = here->steps[here->raised == 0];
    volatile uint32_t *raise_register = step->raise_register;
    uint32_t value = step->raise;
    here->raised += step->raised;
    here->handled = step->handled;
    core->before_wait = step->hook;
    target(here->id, step->targets);
    marker_set_word(step->marker);
    if (here->before_wait != NULL)
        here->before_wait();
    *raise_register = value;
}

/* `rounds` of them; then `end`. Nothing of them reaches the pins. */
static void prepare(const irq_case_request_t *request, struct stack_core *core, uint32_t rounds,
                    struct step end) {
    unsigned id = request->interrupt;
    typeof(warm_ups[0]) *here = &warm_ups[cpu_number()];
    uint8_t own = (uint8_t)(1u << cpu_number());
    here->core = core;
    here->before_wait = core->before_wait;
    here->id = request->interrupt;
    here->targets = irq_targets(id);
    here->round = (struct step){.hook = raise,
                                .marker = marker_word() | MARKER_PROTECTED,
                                .raise_register = irq_pending_register(id),
                                .raise = irq_bit(id),
                                .raised = 1,
                                .targets = own};
    here->end = end;
    here->round.handled = here->handled;
    here->end.handled = here->handled + rounds;
    here->steps[0] = &here->round;
    here->steps[1] = &here->end;
    here->raised = core->handled = 0 - rounds;
    target(id, own);
    core->before_wait = raise;
}

/* The call after the last round, where an interrupt ends the wait. */
static struct step finishing(volatile uint32_t *raise_register, uint32_t value) {
    return (struct step){.hook = raise,
                         .marker = marker_word(),
                         .raise_register = raise_register,
                         .raise = value,
                         .targets = (uint8_t)(1u << cpu_number())};
}

static void end(struct stack_core *core) {
    typeof(warm_ups[0]) *here = &warm_ups[cpu_number()];
    core->before_wait = here->before_wait;
    target(here->id, here->targets);
}

/* Repetitions after which branches are foreseen, whatever was learned before. */
#define REPETITIONS 32

/* A core that raises the interrupt itself does so as often as there are rounds. One that takes
 * none begins as often, with some repetitions each time. */
static void run_by_software(const irq_case_request_t *request, const struct case_kind *kind) {
    irq_case_request_t shorter = *request;
    uint32_t rounds = kind->takes_interrupts ? 1 : request->warm_up;
    shorter.count = kind->takes_interrupts ? request->warm_up : REPETITIONS;
    for (uint32_t round = 0; round < rounds; round++) {
        struct case_result unused = {0};
        phase_run(kind, &shorter, &unused);
    }
    warm_ups[0].handled = stack_core()->handled;
}

/* Rounds after arming, which cools the path. If lines of the path and of other code share a set of
 * a cache, each round halves the chance that one of them evicts the other. */
#define LAST_ROUNDS 4

static uint32_t last_rounds(const irq_case_request_t *request) {
    if (request->count != 0)
        return 0;
    return request->warm_up < LAST_ROUNDS ? request->warm_up : LAST_ROUNDS;
}

static void run_by_controller(const irq_case_request_t *request, const struct case_kind *kind) {
    struct case_result unused = {0};
    struct stack_core *core = stack_core();
    prepare(request, core, request->warm_up - last_rounds(request),
            finishing(irq_pending_register(IRQ_FINISHED), irq_bit(IRQ_FINISHED)));
    irq_enable(IRQ_FINISHED);
    kind->run(request, &unused);
    irq_clear_pending(IRQ_FINISHED);
    end(core);
}

void warm_up_run(const irq_case_request_t *request, const struct case_kind *kind) {
    if (request->warm_up == 0 || kind->leads_in)
        return;
    if (request->count != 0)
        run_by_software(request, kind);
    else if (request->warm_up > last_rounds(request))
        run_by_controller(request, kind);
}

void warm_up_last(const irq_case_request_t *request) {
    uint32_t rounds = last_rounds(request);
    struct trace_opening last = {&warm_ups[0].nothing, 0};
    if (trace_is_of(request->markers))
        last = trace_opening();
    if (rounds == 0) {
        *last.place = last.value;
        return;
    }
    struct stack_core *core = stack_core();
    prepare(request, core, rounds,
            (struct step){.hook = core->before_wait,
                          .marker = marker_word(),
                          .raise_register = last.place,
                          .raise = last.value,
                          .targets = irq_targets(request->interrupt)});
}

void warm_up_run_handling(const irq_case_request_t *request) {
    if (request->warm_up == 0)
        return;
    struct stack_core *core = &baremetal_here()->stack;
    prepare(request, core, request->warm_up,
            finishing(irq_send_register(), IRQ_SEND_WORD(uint32_t, PARKING_STOP, cpu_number())));
    (void)baremetal_wait(&(struct stack_waiting){.spin = request->idle == IRQ_IDLE_SPIN});
    irq_enable(PARKING_STOP); /* its handler has disabled it, where SGIs can be */
    end(core);
}

uint32_t warm_up_handled(unsigned core) { return core < CORES ? warm_ups[core].handled : 0; }

void warm_up_forget(void) {
    for (unsigned core = 0; core < CORES; core++)
        warm_ups[core].handled = 0;
}
