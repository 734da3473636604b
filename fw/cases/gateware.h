/* Operations on the gateware as a whole. Any access may fail: see machine/port.h.
 * The port also fails where a wait is in vain: every wait has an end. */
#ifndef CASES_GATEWARE_H
#define CASES_GATEWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "generated/messages.h"
#include "machine/port.h"

/* Begins a request that needs the gateware. False, with *error set, if it is not there, or is not
 * the one that this firmware was built for: magic, major version, geometry, sizes and board. */
bool gateware_begin(irq_error_t *error);

/* Whether an access or a wait has failed since gateware_begin; *error says which. */
bool gateware_failed(irq_error_t *error);

/* Clears errors, counters, histograms and the FIFO; returns when that is done. */
void gateware_clear(void);

/* Sends this core's dummy marker unless the gateware has seen one since its reset. */
void gateware_show_toggle(void);

/* Waits until it has seen a marker of each of a mask of cores. */
void gateware_wait_for_toggles(unsigned cores);

/* Arms, with the common start of all lines at *start_tick. That is at least margin_ticks ahead,
 * and in the phase of a run that began since_ticks before, in phase 0, for whatever has a phase.
 * False if the gateware refused: its errors register says why. */
bool gateware_arm(uint32_t margin_ticks, uint64_t since_ticks, uint64_t *start_tick);

/* The margin where nothing else is done between arming and the common start: 100 us,
 * more where accesses take longer. */
#define GATEWARE_MARGIN_TICKS (25000 * PORT_TIME_FACTOR)

/* Disarms: lines fall, channels and recorder stop. */
void gateware_disarm(void);

/* Waits until no line goes on and no channel has an open stimulus. */
void gateware_wait_until_finished(void);

#endif
