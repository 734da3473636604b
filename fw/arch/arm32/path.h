#ifndef ARCH_ARM32_PATH_H
#define ARCH_ARM32_PATH_H

#include "arch/arm32/cpu.h"

#define PATH_VECTOR 0x18
#define PATH_LINE 32
#define PATH_RETURN 0xE12FFF1E

/* The vector's frame, 24 bytes on the call stack of interrupts, and the handler's frame. */
#define PATH_CALL_STACK_LINES 2
#define PATH_CALL_STACK() (interrupt_call_stack(0) - PATH_CALL_STACK_LINES * PATH_LINE)

#endif
