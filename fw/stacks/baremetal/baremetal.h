/* Bare-metal stack: a vector path of its own for each marker set and dispatcher, an idle loop, and
 * one task that a handler can wake. */
#ifndef STACKS_BAREMETAL_H
#define STACKS_BAREMETAL_H

#include <stdbool.h>
#include <stdint.h>

#include "generated/irqscope_regs.h"

/* Vector tables by [markers][dispatcher], as enum irq_markers and enum irq_dispatcher. */
extern const char vectors_paper_direct[], vectors_paper_table[];
extern const char vectors_stages_direct[], vectors_stages_table[];

/* What the handlers counted since baremetal_begin. */
struct baremetal_counts {
    uint32_t handled;  /* the measured interrupt */
    uint32_t spurious; /* IAR named none */
    uint32_t others;   /* any other but the end of the batch */
};
extern struct baremetal_counts baremetal_counts;

/* Puts the vector path for `id` in force on this core. */
void baremetal_prepare(unsigned id, unsigned markers, unsigned dispatcher);

/* Which marker set and dispatcher VBAR_EL3 stands for. */
void baremetal_in_force(uint8_t *markers, uint8_t *dispatcher);

/* The marker that a marker set begins with (soc/marker.h). */
enum irqscope_marker baremetal_first_marker(unsigned markers);

/* Before each batch: counts zeroed, next marker word made. With `wait_low` the handler ends the
 * interrupt only when its line is low again: a line that its marker takes back does not re-fire. */
void baremetal_begin(bool wait_low);

/* The end-of-batch interrupt was taken. */
bool baremetal_finished(void);

/* Idles with interrupts unmasked until the end-of-batch interrupt, by WFI or by an instruction that
 * branches to itself. Returns how often idling was begun. */
uint32_t baremetal_idle(bool spin);

#endif
