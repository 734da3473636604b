#ifndef SOC_SMP_H
#define SOC_SMP_H

/* Lets core 1, 2 or 3 out of reset; it runs `function` with MMU and caches on, then sleeps. */
void smp_start(unsigned core, void (*function)(void));

#endif
