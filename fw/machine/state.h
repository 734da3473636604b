/* Registers that a run stores as they were read. */
#ifndef MACHINE_STATE_H
#define MACHINE_STATE_H

#include "bound/state.h"

#endif
