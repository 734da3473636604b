/* The UART of the system on an ECP5: it sends a byte at a time, and keeps a whole request. */
#include "machine/uart.h"

#include "bound/addresses.h"
#include "bound/counter.h"
#include "lib/mmio.h"
#include "machine/cpu.h"

#define NOTHING (UINT32_C(1) << 31)

static uint32_t current_baud;
static struct uart_errors errors;

uint32_t uart_reference_hz(void) { return SYSTEM_COUNTER_HZ; }
void uart_init(void) { mmio_write32(UART_STATE, 0); }
unsigned uart_number(void) { return 0; }

static uint32_t divisor_of(uint32_t baud) { return (SYSTEM_COUNTER_HZ + baud / 2) / baud; }

/* Off by 0.5 % at most. */
bool uart_can_make(uint32_t baud) {
    uint32_t made = baud == 0 ? 0 : SYSTEM_COUNTER_HZ / divisor_of(baud);
    uint32_t error = made > baud ? made - baud : baud - made;
    return baud != 0 && error <= baud / 200;
}

void uart_set_baud(uint32_t baud) {
    if (!uart_can_make(baud))
        return;
    uart_drain();
    mmio_write32(UART_DIVISOR, divisor_of(baud));
    current_baud = baud;
}

uint32_t uart_baud(void) { return current_baud; }
struct uart_errors uart_errors(void) { return errors; }

void uart_drain(void) {
    while (mmio_read32(UART_STATE) & UART_SENDING) {
    }
}

/* USB adapters of cheap boards swallow control characters: 0x10 and 0x12 on the extension board of
 * a Colorlight i5, XON and XOFF where the host's driver takes them as flow control. So none of 0x10
 * to 0x13 is sent: ESCAPE comes before the byte with bit 6 turned round, and before ESCAPE itself.
 * The host undoes it (frames.py). */
#define ESCAPE UINT8_C(0x1B)

static void send_byte(uint8_t byte) {
    uart_drain();
    mmio_write32(UART_DATA, byte);
}

void uart_send(const uint8_t *bytes, size_t length) {
    for (; length > 0; length--, bytes++) {
        if ((*bytes >= 0x10 && *bytes <= 0x13) || *bytes == ESCAPE) {
            send_byte(ESCAPE);
            send_byte(*bytes ^ 0x40);
        } else {
            send_byte(*bytes);
        }
    }
}

static bool is_damaged(void) {
    uint32_t state = mmio_read32(UART_STATE);
    if ((state & (UART_LOST | UART_DAMAGED)) == 0)
        return false;
    errors.overruns += (state & UART_LOST) != 0;
    errors.framing += (state & UART_DAMAGED) != 0;
    mmio_write32(UART_STATE, 0);
    return true;
}

uint8_t uart_receive(bool *damaged) {
    for (;;) {
        *damaged = is_damaged() || *damaged;
        uint32_t word = mmio_read32(UART_DATA);
        if ((word & NOTHING) == 0)
            return (uint8_t)word;
        wait_for_interrupt();
    }
}
