/* The timer of this core that ticks (interrupt IRQ_TICK), in counts of the system counter: its
 * level is high from the count on at which it is due until that is set anew or the timer stopped.
 */
#ifndef MACHINE_TIMER_H
#define MACHINE_TIMER_H

#include "bound/timer.h"

#endif
