/* Clock of the cores, and how it goes with that of the gateware. */
#ifndef MACHINE_CLOCK_H
#define MACHINE_CLOCK_H

#include "bound/clock.h"

#endif
