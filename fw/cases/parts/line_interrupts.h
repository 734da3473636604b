/* Lines with an interrupt of their own, on machines whose controller has priorities for them: line
 * n raises output n, not the measured one. They are less urgent than the measured interrupt, and of
 * two the line with the lower number is more urgent. */
#ifndef CASES_PARTS_LINE_INTERRUPTS_H
#define CASES_PARTS_LINE_INTERRUPTS_H

#include "generated/messages.h"

/* Sets the line's own interrupt, or takes it back if the line has none any more. */
void line_interrupts_note(const irq_case_request_t *request, const irq_line_request_t *line);

/* Takes all of them back. */
void line_interrupts_forget(void);

#endif
