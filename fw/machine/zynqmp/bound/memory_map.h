/* Devices mapped by the translation in addition to memory, in the fourth GB, each with its 2 MB. */
#ifndef MACHINE_ZYNQMP_BOUND_MEMORY_MAP_H
#define MACHINE_ZYNQMP_BOUND_MEMORY_MAP_H

#include "bound/addresses.h"

/* An acknowledge or end of interrupt is complete when its instruction is: GICD is for GICC too, CSU
 * for PMU_GLOBAL, STM for TSGEN, funnel 2 and ETF 2. The others have early write response, so
 * that a marker does not hold the core up; UART0 is for UART1 and GPIO too. */
// clang-format off
#define MEMORY_MAP_DEVICES \
    {GICD_BASE, DEVICE_nGnRnE}, \
    {CRF_APB_BASE, DEVICE_nGnRnE}, \
    {APU_BASE, DEVICE_nGnRnE}, \
    {CSU_BASE, DEVICE_nGnRnE}, \
    {STM_BASE, DEVICE_nGnRnE}, \
    {UART0_BASE, DEVICE_nGnRE}, \
    {IOU_SCNTRS_BASE, DEVICE_nGnRE}, \
    {CRL_APB_BASE, DEVICE_nGnRE}, \
    {STM_PORTS_BASE, DEVICE_nGnRE},
// clang-format on

#endif
