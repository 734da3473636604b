/* Differences from the system of machine/soft. */
#ifndef MACHINE_ECP5_BOUND_ADDRESSES_H
#define MACHINE_ECP5_BOUND_ADDRESSES_H

#define CALL_STACK_SIZE 0x1000
#include "machine/soft/bound/addresses.h"

#define UART_STATE 0xFFFFF864   /* a store clears what is remembered */
#define UART_DIVISOR 0xFFFFF868 /* ticks of a bit */

#define UART_SENDING 1 /* until the stop bit has ended */
#define UART_LOST 2    /* a byte arrived without room for it */
#define UART_DAMAGED 4 /* a stop bit was low */

#endif
