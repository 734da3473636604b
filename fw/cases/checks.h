/* What `irqscope doctor` asks of a board: registers, pins and clocks, looked at one by one. Nothing
 * here takes an interrupt or waits without an end. */
#ifndef CASES_CHECKS_H
#define CASES_CHECKS_H

#include "generated/messages.h"

/* Compares the gateware's clock with the system counter over `counts` of the latter. */
void checks_clocks(uint32_t counts, irq_clocks_reply_t *reply);

/* Looks at the interrupt controller's inputs while the gateware runs what is set up. The cores
 * in the mask that run look at their private input. */
void checks_watch(const irq_watch_request_t *request, irq_watch_reply_t *reply);

/* Sends markers of one core while the gateware records; tells how many, 0 if the core does not
 * run. */
uint16_t checks_send(unsigned core);

#endif
