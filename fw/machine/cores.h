/* Cores other than 0: started once, on first need, then asleep until they are given work.
 *
 * Core 0 gives work by memory and an interrupt of its own, the other core answers by memory. Either
 * side cleans and invalidates the lines around each exchange, so that it also works while one of
 * them has its caches off and the other has not. */
#ifndef MACHINE_CORES_H
#define MACHINE_CORES_H

#include <stdbool.h>
#include <stdint.h>

/* The SGI that ends work which lasts until then. Its priority is the lowest that is signalled. */
#define PARKING_STOP 1

typedef void (*parking_work_t)(uintptr_t argument);

/* Starts the cores of a mask that do not run yet. Returns when they are parked, or after 100 ms:
 * parking_cores tells which are. They start with their caches on. */
void parking_start(unsigned cores);

/* Mask of the cores that run, core 0 included. A core that did not end its work in time is removed
 * from it. */
unsigned parking_cores(void);

/* Wakes a parked core; it calls work(argument) with interrupts masked. No work: nothing happens if
 * the core does not run. */
void parking_give(unsigned core, parking_work_t work, uintptr_t argument);

/* Called by the core that works: all that core 0 waits for is there. */
void parking_ready(void);

/* Core 0 waits until a core has said so or its work is done. Does not return if that core met with
 * a fault, or has done neither after 2 s: core 0 reports it. */
void parking_wait_ready(unsigned core);

/* Waits in the same way until the work is done. */
void parking_wait(unsigned core);

/* Ends the work of all cores and waits for them; reports a fault like parking_wait. */
void parking_stop(void);

/* Does the same while a fault is being reported: any other fault is passed over. */
void parking_abandon(void);

/* The core that did not end its work in time, if nobody has been told yet; 0: none. */
unsigned parking_take_stuck(void);

/* Handles an unexpected exception on a core other than 0: reports it to core 0 and parks. */
_Noreturn void parking_fault(uint64_t esr, uint64_t elr);

#endif
