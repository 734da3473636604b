/* Whether the PL can work: its configuration, power, clock and reset as the processor's registers
 * say, and which bits of the register port never changed. The gateware need not be there. */
#ifndef MACHINE_PL_STATE_H
#define MACHINE_PL_STATE_H

#include <stddef.h>

#include "generated/messages.h"

/* Returns the length of the reply. */
size_t pl_state_read(irq_pl_state_reply_t *reply);

#endif
