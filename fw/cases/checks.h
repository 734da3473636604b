/* What `irqscope doctor` asks of a board: registers, pins and clocks, looked at one by one. Nothing
 * here takes an interrupt or waits without an end. */
#ifndef CASES_CHECKS_H
#define CASES_CHECKS_H

#include "generated/messages.h"

/* The gateware's clock against the system counter, over `counts` of it. */
void checks_clocks(uint32_t counts, irq_clocks_reply_t *reply);

/* The interrupt controller's inputs while the gateware runs what is set up. The cores in the mask
 * that run look at their private one. */
void checks_watch(const irq_watch_request_t *request, irq_watch_reply_t *reply);

/* Markers of one core while the gateware records; how many it sent, 0 if it does not run. */
uint16_t checks_send(unsigned core);

#endif
