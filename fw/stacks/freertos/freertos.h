/* What vectors, handlers and tasks of this stack know of each other, on core 0 alone. */
#ifndef STACKS_FREERTOS_H
#define STACKS_FREERTOS_H

#include <stdint.h>

#include "FreeRTOS.h"
#include "stacks/stack.h"
#include "task.h"

/* The most urgent interrupt whose handler may call the kernel, as the GIC counts. */
#define API_PRIORITY (configMAX_API_CALL_INTERRUPT_PRIORITY << portPRIORITY_SHIFT)

/* Priorities of the instrument's task, and of a task that is more urgent. */
#define PRIORITY_APPLICATION 2
#define PRIORITY_WOKEN 3

typedef void (*handler_t)(uint32_t iar);

struct freertos_core {
    struct stack_core stack;

    unsigned id;                         /* ID of the measured interrupt */
    handler_t measured, unmeasured;      /* of the active marker set */
    void (*dispatch)(uint32_t iar);      /* the active dispatcher */
    handler_t handlers[IRQ_ID_MASK + 1]; /* table of the dispatcher `table` */

    TaskHandle_t application; /* ends its wait when the batch has ended */
    TaskHandle_t woken;       /* marks that it runs */
};
extern struct freertos_core freertos_core;

/* What the instrument does in a batch, again and again until core->finished, with interrupts
 * unmasked. */
void freertos_run_batch(void (*work)(void));

/* vectors.S */
extern const char freertos_vectors_paper[], freertos_vectors_stages[];

/* Defined in handlers.c, for each marker set and dispatcher. */
void freertos_handler_paper(uint32_t iar);
void freertos_handler_stages(uint32_t iar);
void freertos_handler_paper_stm(uint32_t iar);
void freertos_handler_stm_paper(uint32_t iar);
void freertos_unmeasured_paper(uint32_t iar);
void freertos_unmeasured_stages(uint32_t iar);
void freertos_dispatch_direct(uint32_t iar);
void freertos_dispatch_table(uint32_t iar);

#endif
