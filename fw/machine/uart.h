/* The UART of the link (Cadence), 8N1. Receiving and sending sleep between interrupts. */
#ifndef MACHINE_UART_H
#define MACHINE_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UART_MAX_BAUD 2000000 /* the highest of the board's CP2108 USB bridge */

/* LINK_UART of a program whose link is no UART, but a socket. */
#define NO_UART 2

/* Which of the chip's UARTs is the link; 0 if it has only one. */
unsigned uart_number(void);

/* The UART's reference clock in Hz, by its divisors and the board preset's IO PLL; 0 without a
 * clock controller. */
uint32_t uart_reference_hz(void);

/* Resets it, turns both directions on, and asks for an interrupt at the first received byte. The
 * rate does not change. */
void uart_init(void);

/* Whether the reference clock gives this rate within 0.5 %. */
bool uart_can_make(uint32_t baud);

/* Sets a rate that uart_can_make; any other has no effect. */
void uart_set_baud(uint32_t baud);

/* Present rate; 0 while none was set. */
uint32_t uart_baud(void);

/* Receive errors since the UART was set up. */
struct uart_errors {
    uint32_t overruns, framing, parity;
};
struct uart_errors uart_errors(void);

/* Sends all bytes: returns when the last ones are in the transmitter's FIFO. */
void uart_send(const uint8_t *bytes, size_t length);

/* Returns when the last bit has left. */
void uart_drain(void);

/* The next received byte; sleeps until there is one. *damaged: the line was bad (framing, parity
 * or overrun) at or before this byte. */
uint8_t uart_receive(bool *damaged);

#endif
