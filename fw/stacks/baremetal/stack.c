/* Bare metal as the stack of core 0. */
#include "stacks/baremetal/baremetal.h"

/* A stack that differs only in its path includes this file. */
#ifndef STACK_NAME
#define STACK_NAME "baremetal"
#define STACK_CONFIGURATION "own vectors and handlers, no kernel"
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
    baremetal_prepare(id, finish, markers, dispatcher, placement);
}

struct stack_readback stack_readback(void) { return baremetal_readback(); }

void stack_begin(void) { baremetal_begin(); }

uint64_t stack_wait(const struct stack_waiting *how) { return baremetal_wait(how); }

uint64_t stack_write(uint32_t *array, uint64_t words, uint64_t *state) {
    return baremetal_write(array, words, state);
}
