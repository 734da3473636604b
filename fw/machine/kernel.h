/* The operating system below, on machines that have one. */
#ifndef MACHINE_KERNEL_H
#define MACHINE_KERNEL_H

#include <stddef.h>

#define KERNEL_FACTS_SIZE 900 /* a reply holds them, beside the stack's name */

/* Writes its release, and one line of all that bears on latency: build, PREEMPT_RT or not,
 * governor, isolated CPUs, policy and CPU of this thread, affinity of the measured interrupt, what
 * makes markers in its handlers, programs for the background, command line. What does not fit ends
 * in "...". */
void kernel_release(char *text, size_t size);
void kernel_facts(char *text, size_t size);

#endif
