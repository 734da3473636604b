#include "stacks/baremetal/line_handlers.h"

#include "stacks/baremetal/baremetal.h"

static __attribute__((noinline)) void rest(uint32_t iar) {
    unsigned looks = 0;
    while (irq_is_pending(iar & IRQ_ID_MASK) && looks < STACK_LOOKS)
        looks++;
    if (looks == STACK_LOOKS)
        baremetal_here()->stack.held++;
    irq_end(iar);
}

/* One function a line, whose first instruction a channel can stop at; the number keeps a compiler
 * from making them one. */
#define HANDLER(line)                                                                              \
    void handler_line_##line(uint32_t iar);                                                        \
    void handler_line_##line(uint32_t iar) {                                                       \
        __asm__ volatile("" : : "i"(line));                                                        \
        rest(iar);                                                                                 \
    }
HANDLER(1)
HANDLER(2)
HANDLER(3)
HANDLER(4)
HANDLER(5)
HANDLER(6)

void line_handlers_set(unsigned line, unsigned id) {
    static const handler_t handlers[LINE_HANDLERS] = {
        [1] = handler_line_1, [2] = handler_line_2, [3] = handler_line_3,
        [4] = handler_line_4, [5] = handler_line_5, [6] = handler_line_6,
    };
    baremetal_of(0)->handlers[id] = handlers[line];
}
