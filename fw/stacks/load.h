#ifndef STACKS_LOAD_H
#define STACKS_LOAD_H

/* Puts the writable data that stack.ld names as the loader left it, so that a stack can start again
 * after a fault in the midst of it. Before each stack_start. */
void stack_load(void);

#endif
