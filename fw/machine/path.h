/* How the path from interrupt to handler lies in memory, for loads that aim at it.
 *
 * PATH_VECTOR: offset of the interrupt's entry in the vectors. PATH_LINE, PATH_WAY: bytes of a
 * cache line, of a way of the last cache. PATH_CALL_STACK(): from a hook before a wait, the lowest
 * address of the PATH_CALL_STACK_LINES lines to which the path saves registers. PATH_RETURN: the
 * instruction by which a function returns. */
#ifndef MACHINE_PATH_H
#define MACHINE_PATH_H

#include "bound/path.h"

#endif
