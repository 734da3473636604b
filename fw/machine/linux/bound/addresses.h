/* Linux maps the controller wherever it likes: accesses are functions, not addresses. */
#ifndef MACHINE_LINUX_BOUND_ADDRESSES_H
#define MACHINE_LINUX_BOUND_ADDRESSES_H

#include "machine/linux/gpio.h"

/* The thread. */
#define CORES 1
/* Markers and the port's controls; the bank after it is the port's data. */
#define GPIO_EMIO_BANK 3

#endif
