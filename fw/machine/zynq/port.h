/* The EMIO port: input pins of the lower bank, whose fields have the names that the gateware gives
 * them on the first machine. */
#ifndef MACHINE_ZYNQ_PORT_H
#define MACHINE_ZYNQ_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "generated/irqscope_regs.h"

/* Fields EMIO__BANK3_IN__*. */
uint32_t emio_pins(void);

static inline bool port_has_error(void) { return (emio_pins() & EMIO__BANK3_IN__ERROR_bm) != 0; }

static inline bool port_has_finished(void) {
    return (emio_pins() & EMIO__BANK3_IN__FINISHED_bm) != 0;
}

static inline uint32_t port_echo(unsigned core) {
    return emio_pins() & UINT32_C(1) << (EMIO__BANK3_IN__ECHO_bp + core);
}

#endif
