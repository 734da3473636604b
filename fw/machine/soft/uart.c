/* Bytes pass at any rate: nobody waits for bits in a simulation. */
#include "machine/uart.h"

#include "bound/addresses.h"
#include "lib/mmio.h"
#include "machine/cpu.h"

#define NOTHING (UINT32_C(1) << 31)

static uint32_t current_baud;

uint32_t uart_reference_hz(void) { return 0; }
void uart_init(void) {}
unsigned uart_number(void) { return 0; }

bool uart_can_make(uint32_t baud) { return baud != 0; }
void uart_set_baud(uint32_t baud) { current_baud = baud; }
uint32_t uart_baud(void) { return current_baud; }
struct uart_errors uart_errors(void) { return (struct uart_errors){0}; }

void uart_send(const uint8_t *bytes, size_t length) {
    for (; length > 0; length--)
        mmio_write32(UART_DATA, *bytes++);
}

void uart_drain(void) {}

uint8_t uart_receive(bool *damaged) {
    (void)damaged;
    for (;;) {
        uint32_t word = mmio_read32(UART_DATA);
        if ((word & NOTHING) == 0)
            return (uint8_t)word;
        wait_for_interrupt();
    }
}
