#ifndef MACHINE_ZYNQ7000_BOUND_PORT_H
#define MACHINE_ZYNQ7000_BOUND_PORT_H

#include "machine/zynq/port.h"

#endif
