/* Bare metal of a core that saves registers itself: it is told to before the first interrupt. */
#include "stacks/baremetal/baremetal.h"
#include "stacks/soft/fastirq/rv32/saving.h"

#ifndef STACK_NAME
#define STACK_NAME "fastirq"
#define STACK_CONFIGURATION                                                                        \
    "the core saves 16 registers, mcause and mepc; the handler loads them; no kernel"
#define STACK_SAVING SAVING_ON
#endif
#ifndef STACK_NESTS
#define STACK_NESTS false
#endif

const struct stack stack_description = {
    .name = STACK_NAME,
    .version = "of this firmware",
    .configuration = STACK_CONFIGURATION,
    .fields = UINT32_MAX,
    .wake_priority = 0,
    .timer_tick_priority = IRQ_PRIORITY_LOW,
    .nests = STACK_NESTS,
};

struct stack_core *stack_core(void) { return &baremetal_here()->stack; }

_Noreturn void stack_start(void (*application)(void)) {
    application();
    __builtin_unreachable();
}

void stack_prepare(unsigned id, unsigned finish, unsigned markers, unsigned dispatcher,
                   unsigned placement) {
    saving_begin(STACK_SAVING);
    baremetal_prepare(id, finish, markers, dispatcher, placement);
}

struct stack_readback stack_readback(void) { return baremetal_readback(); }

void stack_begin(void) { baremetal_begin(); }

uint64_t stack_wait(const struct stack_waiting *how) { return baremetal_wait(how); }

uint64_t stack_write(uint32_t *array, uint64_t words, uint64_t *state) {
    return baremetal_write(array, words, state);
}
