/* User space reads no register of the core: what is known of the kernel, the stack tells. */
#ifndef MACHINE_LINUX_BOUND_STATE_H
#define MACHINE_LINUX_BOUND_STATE_H

#include <stdint.h>

#include "bound/counter.h"
#include "machine/linux/kernel.h"

struct state {
    uint32_t unused;
};

#define STATE_OF_PROGRAM .core_id = kernel_core_id(), .counter_hz = SYSTEM_COUNTER_HZ

#endif
