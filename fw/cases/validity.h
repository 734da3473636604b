/* Whether a case can be what a request asks for. */
#ifndef CASES_VALIDITY_H
#define CASES_VALIDITY_H

#include "cases/kind.h"

/* The kind of case that the request names. NULL, with *field the offending field, if it does not
 * exist or the request is invalid for it. */
const struct case_kind *validity_of(const irq_case_request_t *request, enum irq_case_field *field);

#endif
