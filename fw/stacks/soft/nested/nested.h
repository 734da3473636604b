/* What nesting.inc and C know of each other. */
#ifndef STACKS_SOFT_NESTED_NESTED_H
#define STACKS_SOFT_NESTED_NESTED_H

#define CORE_NESTED (CORE_BEFORE_WAIT + 56) /* of stack.nested */

#ifndef __ASSEMBLER__
#include "stacks/baremetal/core.h"

_Static_assert(offsetof(struct baremetal_core, stack.nested) == CORE_NESTED, "nesting.inc");

#ifdef HAS_CLIC
#define BY_WHOM "an interrupt of a higher level"
#else
#define BY_WHOM "the measured interrupt, by mie"
#endif
#endif

#endif
