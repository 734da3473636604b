/* The register space is part of the address space, and every access is answered. */
#ifndef MACHINE_SOFT_BOUND_PORT_H
#define MACHINE_SOFT_BOUND_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "bound/addresses.h"
#include "lib/mmio.h"

static inline bool port_has_error(void) { return port_read(PORT_WORD(errors)) != 0; }

static inline bool port_has_finished(void) {
    return (port_read(PORT_WORD(status)) & IRQSCOPE__STATUS__FINISHED_bm) != 0;
}

static inline uint32_t port_echo(unsigned core) {
    (void)core;
    return mmio_read32(MARKER_BASE) & 8;
}

#endif
