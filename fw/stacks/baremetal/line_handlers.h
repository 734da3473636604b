/* Handlers of lines that have an interrupt of their own (cases/parts/line_interrupts.h). */
#ifndef STACKS_BAREMETAL_LINE_HANDLERS_H
#define STACKS_BAREMETAL_LINE_HANDLERS_H

/* Lines from 1 to this, without it: the measured line is not among them, and the last output of the
 * instrument belongs to the gateware. */
#define LINE_HANDLERS 7

#ifndef __ASSEMBLER__
/* Sets the handler of a line for the interrupt `id`, on core 0. It ends when its line is
 * low again, so a level makes it as long as the pulse. */
void line_handlers_set(unsigned line, unsigned id);
#endif

#endif
