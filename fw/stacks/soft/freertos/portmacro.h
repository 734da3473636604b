/* The kernel's own file, but a task yields in a function of the stack: its instructions have
 * names, so that a switch can be measured from one to the other (docs/cores.md). */
#ifndef STACKS_SOFT_FREERTOS_PORTMACRO_H
#define STACKS_SOFT_FREERTOS_PORTMACRO_H

#include_next "portmacro.h"

/* Runs from `switch_first` in one task to `switch_last` in the other. */
void port_yield(void);
#undef portYIELD
#define portYIELD() port_yield()

/* Yields in a handler. */
void port_yield_from_isr(void);
#undef portYIELD_FROM_ISR
#define portYIELD_FROM_ISR(wanted)                                                                 \
    do {                                                                                           \
        if (wanted)                                                                                \
            port_yield_from_isr();                                                                 \
    } while (0)

void FreeRTOS_Tick_Handler(void);

/* The highest bit of the ready priorities, of which there are 8. RV32IM has no such instruction and
 * takes 33 for it; CV32E40P's own extension has one. A table stands in for that. */
#ifdef FREERTOS_LEAN
extern const unsigned char freertos_highest_bit[256];
#undef portGET_HIGHEST_PRIORITY
#define portGET_HIGHEST_PRIORITY(highest, ready) (highest) = freertos_highest_bit[ready]
#endif

#endif
