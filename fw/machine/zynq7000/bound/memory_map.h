/* Devices mapped by the translation in addition to memory, each with its section of 1 MB. */
#ifndef MACHINE_ZYNQ7000_BOUND_MEMORY_MAP_H
#define MACHINE_ZYNQ7000_BOUND_MEMORY_MAP_H

#include "bound/addresses.h"

/* UART0, which is for GPIO too, and SLCR, which is for DEVCFG too, have early write response, so
 * that a marker does not hold the core up. An acknowledge or end of interrupt is complete when its
 * instruction is: SCU is for the interrupt controller, the timers and L2 too. */
// clang-format off
#define MEMORY_MAP_DEVICES \
    {UART0_BASE, DEVICE}, \
    {SLCR_BASE, DEVICE}, \
    {SCU_BASE, STRONGLY_ORDERED},
// clang-format on

#endif
