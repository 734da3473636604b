/* The kernel, for this machine alone; what any stack may ask of it is in machine/kernel.h. */
#ifndef MACHINE_LINUX_KERNEL_H
#define MACHINE_LINUX_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* MIDR_EL1 of the core that runs this, 0 where the kernel does not tell. */
uint64_t kernel_core_id(void);

/* Pins this thread to a CPU (below 0: to none), locks all memory, and makes the thread SCHED_FIFO
 * with a priority (0: leaves the policy alone). Ends the agent where the kernel refuses. */
void kernel_set_up_thread(int cpu, int priority);

/* The line of /proc/interrupts that kernel_facts tells the affinity of. */
void kernel_measure(const char *device);

#endif
