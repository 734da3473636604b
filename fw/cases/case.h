/* The configured case: the work of the cores during a batch. */
#ifndef CASES_CASE_H
#define CASES_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "description.h"
#include "generated/messages.h"

/* Sets a case up. False, with *field the offending field's index, if it cannot be. */
bool case_prepare(const irq_case_request_t *request, uint32_t *field);

bool case_is_set(void);

/* Undoes the set-up of a case: no core but this one works. */
void case_forget(void);

#if MACHINE_HAS_LOCKDOWN
/* Locks the path during each batch of the case that is set up. Writes the registers as they read
 * while it is locked, *length bytes of them. False if the case has no such thing. */
bool case_lock(uint8_t which, irq_register_t *to, size_t *length);
#endif

/* Sets up a line: a level interrupt whose line is taken back by its marker ends only
 * when that line is low. False if the line would drive a background interrupt of the case. */
bool case_note_line(const irq_line_request_t *line);

/* Sets the core of a pin's markers, or none if no edge of it is a marker. */
void case_note_pin(unsigned pin, unsigned core, bool used);

/* Fills in the values read back from the hardware, on the measured core; returns the length of the
 * reply. */
size_t case_read_back(irq_case_reply_t *reply);

/* Runs one batch. Returns what was wrong with it; code 0: nothing. */
irq_error_t case_run_batch(const irq_batch_request_t *request, irq_batch_reply_t *reply);

#endif
