#include "machine/uart.h"

unsigned uart_number(void) { return LINK_UART; }
