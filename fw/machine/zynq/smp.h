#ifndef MACHINE_ZYNQ_SMP_H
#define MACHINE_ZYNQ_SMP_H

/* Starts a core other than 0; it runs `function` with MMU and caches on, and system errors masked,
 * then sleeps. */
void smp_start(unsigned core, void (*function)(void));

#endif
