/* What vectors, dispatcher, handlers and the loop of this stack know of each other, on core 0
 * alone. variant.h, which the build makes and includes first (stack.mk), says which release's
 * vector it is. */
#ifndef STACKS_STANDALONE_H
#define STACKS_STANDALONE_H

/* The vector's frame, on the call stack of the interrupted code: eleven pairs, then CPTR_EL3 and
 * ELR_EL3, then SPSR_EL3. */
#define FRAME_ELR (-12 * 16 + 8)
#define FRAME_SPSR (-13 * 16)

#ifndef __ASSEMBLER__

#include "stacks/stack.h"

/* Interrupts that the vendor's table has room for, as it counts them on this chip. */
#define TABLE_IDS 195

typedef void (*callback_t)(void *argument);

struct table_entry {
    callback_t handler;
    void *argument;
};

/* The way from the vector to a handler: what kind of exception it is, then the driver's instance,
 * then its configuration. External, or a compiler would see that each is written but once. */
enum exception {
    EXCEPTION_SYNCHRONOUS,
    EXCEPTION_IRQ,
    EXCEPTION_FIQ,
    EXCEPTION_SERROR,
    EXCEPTIONS
};
extern struct table_entry standalone_exceptions[EXCEPTIONS];

struct controller_configuration {
    uint16_t device;
    uintptr_t cpu_interface, distributor;
    struct table_entry handlers[TABLE_IDS];
};
struct controller {
    struct controller_configuration *configuration;
    uint32_t ready;
};
extern struct controller_configuration standalone_configuration;
extern struct controller standalone_controller;
extern uint32_t standalone_assertion; /* 0: none has failed */

struct standalone_core {
    struct stack_core stack;
    bool stages;
    volatile bool task_ready;
    callback_t measured; /* of the active marker set */
};
extern struct standalone_core standalone_core;

/* FP registers of the interrupted code: 32 of 16 bytes, FPCR, FPSR. */
extern uint8_t standalone_fp_context[], standalone_fp_used;
extern uint8_t *standalone_fp_next;

/* wait.S: its call stack while it waits, else NULL, and where it goes on when the wait has ended.
 */
extern uint8_t *volatile standalone_waiting;
extern const char standalone_left[];
uint64_t standalone_wait(bool spin);

/* vectors.S */
extern const char standalone_vectors_paper[], standalone_vectors_stages[];

/* dispatch.c: called by the vector; registered as what handles an IRQ. */
void standalone_interrupt(void);
void standalone_acknowledge(void *controller);

/* handlers.c: the handlers of the measured interrupt, by marker set, and the one of any other
 * interrupt, whose ID is the argument. */
void standalone_handler_paper(void *argument);
void standalone_handler_stages(void *argument);
void standalone_handler_paper_stm(void *argument);
void standalone_handler_stm_paper(void *argument);
void standalone_unmeasured(void *argument);

#endif
#endif
