/* RV32 with a CLINT. */
#ifndef ARCH_H
#define ARCH_H

#define configMTIME_BASE_ADDRESS 0x0200BFF8
#define configMTIMECMP_BASE_ADDRESS 0x02004000
#define configCPU_CLOCK_HZ 100000000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configISR_STACK_SIZE_WORDS 256

#define END(line) (*(volatile unsigned *)0x100000 = (line)) /* ends the simulation */

#endif
