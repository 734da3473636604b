#ifndef MACHINE_ZYNQMP_BOUND_PORT_H
#define MACHINE_ZYNQMP_BOUND_PORT_H

#include "machine/zynq/port.h"

#endif
