#ifndef MACHINE_LINUX_BOUND_PORT_H
#define MACHINE_LINUX_BOUND_PORT_H

#include "machine/zynq/port.h"

/* The kernel may take the CPU away at any time, and a simulation answers after some 10 us. */
#define PORT_TIME_FACTOR 400

#endif
