/* The timer of this core that makes the timer tick (interrupt IRQ_TIMER_TICK), in counts of the
 * system counter. Its level is high from the count at which it is due until a new count is set or
 * the timer stopped. */
#ifndef MACHINE_TIMER_H
#define MACHINE_TIMER_H

#include "bound/timer.h"

#endif
