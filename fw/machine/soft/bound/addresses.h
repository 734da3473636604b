/* The system around a soft core (rtl/system/devices.h): devices are at the top of the address
 * space, where a store with a 12-bit offset from x0 gets. Plain numbers: C and assembly. */
#ifndef MACHINE_SOFT_BOUND_ADDRESSES_H
#define MACHINE_SOFT_BOUND_ADDRESSES_H

#include "description.h"

#define PORT_BASE 0x80000000   /* the register space, a word each */
#define MARKER_BASE 0xFFFFF800 /* a store at 4 * code sends a marker; a load shows the last one */
#define MARKER_GATE 0xFFFFF840 /* 0: markers go nowhere */
#define IRQ_RAISE 0xFFFFF844   /* store: sets pending bits; load: all inputs */
#define IRQ_LOWER 0xFFFFF848   /* takes back what was set */
#define IRQ_SHARED 0xFFFFF84C  /* store: inputs of a shared cause; load: those that are high */
#define TIME_LOW 0xFFFFF850    /* cycles; a load keeps the upper half for the next one */
#define TIME_HIGH 0xFFFFF854
#define COMPARE_LOW 0xFFFFF858
#define COMPARE_HIGH 0xFFFFF85C /* stored last */
#define UART_DATA 0xFFFFF860    /* load: a byte, or bit 31 if the buffer is empty */
#define SAVING 0xFFFFF870       /* whether the core saves registers itself: SAVING_... */

#define SAVING_ON 1    /* it saves them at every interrupt that it takes */
#define SAVING_SWAPS 2 /* and mret takes the other bank, as if it had loaded the registers */

/* Offsets from x0, for assembly; those of markers are held to their codes in bound/marker.h. */
#define MARKER_VECTOR_OFFSET (-0x800 + 4)
#define MARKER_HANDLER_OFFSET (-0x800 + 8)
#define IRQ_RAISE_OFFSET (-0x800 + 0x44)
#define IRQ_LOWER_OFFSET (-0x800 + 0x48)
#define IRQ_SHARED_OFFSET (-0x800 + 0x4C)

#define ARRAYS_BASE MACHINE_ARRAYS_BASE
#define CORES 1
#ifndef CALL_STACK_SIZE
#define CALL_STACK_SIZE 0x4000
#endif

#endif
