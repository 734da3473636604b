#ifndef MACHINE_ZYNQMP_SMP_H
#define MACHINE_ZYNQMP_SMP_H

/* Gives core 1, 2 or 3 power if it has none, and lets it out of reset; it runs `function` with MMU
 * and caches on, and system errors masked, then sleeps. */
void smp_start(unsigned core, void (*function)(void));

#endif
