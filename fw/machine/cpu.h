/* The core that runs this: its number, barriers, interrupt mask, sleep, and the few words of its
 * own that a path from interrupt to handler needs. */
#ifndef MACHINE_CPU_H
#define MACHINE_CPU_H

#include "bound/cpu.h"

/* 1: no case may turn the caches off. */
#ifndef CACHES_STAY_ON
#define CACHES_STAY_ON 0
#endif

#endif
