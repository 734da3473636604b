#include "machine/uart.h"

#include "bound/uart.h"
#include "lib/mmio.h"
#include "machine/cpu.h"
#include "machine/irq.h"

#define UART_CR (UART_BASE + 0x00)
#define UART_MR (UART_BASE + 0x04)
#define UART_IER (UART_BASE + 0x08)
#define UART_IDR (UART_BASE + 0x0C)
#define UART_ISR (UART_BASE + 0x14)
#define UART_BAUDGEN (UART_BASE + 0x18)
#define UART_RXTOUT (UART_BASE + 0x1C)
#define UART_RXWM (UART_BASE + 0x20)
#define UART_SR (UART_BASE + 0x2C)
#define UART_FIFO (UART_BASE + 0x30)
#define UART_BAUDDIV (UART_BASE + 0x34)

#define CR_RESET_BOTH 0x003
#define RESET_READS 10000 /* about 1 ms: the bits clear themselves within a few bits' time */
#define CR_ENABLE_BOTH 0x014
#define CR_DISABLE_BOTH 0x028
#define MR_8N1 0x020
#define SR_RX_EMPTY 0x002
#define SR_TX_EMPTY 0x008
#define SR_TX_FULL 0x010
#define SR_TX_ACTIVE 0x800
/* Interrupt bits are sticky and cleared by writing 1. */
#define INTERRUPT_RX_TRIGGER 0x001
#define INTERRUPT_TX_EMPTY 0x008
#define INTERRUPT_RX_OVERRUN 0x020
#define INTERRUPT_FRAMING 0x040
#define INTERRUPT_PARITY 0x080
#define INTERRUPT_DAMAGE (INTERRUPT_RX_OVERRUN | INTERRUPT_FRAMING | INTERRUPT_PARITY)

static uint32_t current_baud;
static struct uart_errors errors;

uint32_t uart_reference_hz(void) {
    uint32_t divisor = uart_reference_divisor();
    return divisor == 0 ? 0 : IO_PLL_HZ / divisor;
}

/* The wait is bounded, although nobody could be told: a fault handler must get on. */
static void wait_for_reset(void) {
    for (unsigned reads = 0; reads < RESET_READS; reads++)
        if ((mmio_read32(UART_CR) & CR_RESET_BOTH) == 0)
            return;
}

void uart_init(void) {
    mmio_write32(UART_IDR, UINT32_MAX);
    mmio_write32(UART_CR, CR_RESET_BOTH | CR_DISABLE_BOTH);
    wait_for_reset();
    mmio_write32(UART_MR, MR_8N1);
    mmio_write32(UART_RXTOUT, 0);
    mmio_write32(UART_RXWM, 1);
    mmio_write32(UART_ISR, UINT32_MAX);
    mmio_write32(UART_CR, CR_ENABLE_BOTH);
    mmio_write32(UART_IER, INTERRUPT_RX_TRIGGER);
}

/* The divisors of the rate nearest to `baud`; false if that is off by over 0.5 %. */
static bool find_divisors(uint32_t baud, uint32_t *cd, uint32_t *bdiv) {
    uint32_t reference = uart_reference_hz();
    uint32_t least_error = UINT32_MAX;
    for (uint32_t candidate = 4; candidate <= 255; candidate++) {
        uint32_t step = baud * (candidate + 1);
        uint32_t count = (reference + step / 2) / step;
        if (count < 1 || count > 65535)
            continue;
        uint32_t made = reference / (count * (candidate + 1));
        uint32_t error = made > baud ? made - baud : baud - made;
        if (error < least_error) {
            least_error = error;
            *cd = count;
            *bdiv = candidate;
        }
    }
    return least_error <= baud / 200;
}

bool uart_can_make(uint32_t baud) {
    uint32_t cd, bdiv;
    return find_divisors(baud, &cd, &bdiv);
}

void uart_set_baud(uint32_t baud) {
    uint32_t cd, bdiv;
    if (!find_divisors(baud, &cd, &bdiv))
        return;
    mmio_write32(UART_CR, CR_DISABLE_BOTH);
    mmio_write32(UART_BAUDGEN, cd);
    mmio_write32(UART_BAUDDIV, bdiv);
    mmio_write32(UART_CR, CR_RESET_BOTH | CR_DISABLE_BOTH);
    wait_for_reset();
    mmio_write32(UART_ISR, UINT32_MAX);
    mmio_write32(UART_CR, CR_ENABLE_BOTH);
    current_baud = baud;
}

uint32_t uart_baud(void) { return current_baud; }

/* There is no flow control: the transmitter sends at its own rate, with or without a listener.
 */
static void sleep_until_fifo_empty(void) {
    /* The bit is sticky: clear what is left from earlier, then let the condition set it. */
    mmio_write32(UART_ISR, INTERRUPT_TX_EMPTY);
    mmio_write32(UART_IER, INTERRUPT_TX_EMPTY);
    while (!(mmio_read32(UART_SR) & SR_TX_EMPTY))
        wait_for_interrupt();
    mmio_write32(UART_IDR, INTERRUPT_TX_EMPTY);
}

void uart_send(const uint8_t *bytes, size_t length) {
    mmio_write32(UART_IDR, INTERRUPT_RX_TRIGGER); /* half-duplex: nothing comes meanwhile */
    while (length > 0) {
        while (length > 0 && !(mmio_read32(UART_SR) & SR_TX_FULL)) {
            mmio_write32(UART_FIFO, *bytes++);
            length--;
        }
        if (length > 0)
            sleep_until_fifo_empty();
    }
    mmio_write32(UART_IER, INTERRUPT_RX_TRIGGER);
}

void uart_drain(void) {
    mmio_write32(UART_IDR, INTERRUPT_RX_TRIGGER);
    sleep_until_fifo_empty();
    while (mmio_read32(UART_SR) & SR_TX_ACTIVE) { /* the last byte's bits, at the same rate */
    }
    mmio_write32(UART_IER, INTERRUPT_RX_TRIGGER);
}

struct uart_errors uart_errors(void) { return errors; }

static void count_errors(uint32_t events) {
    errors.overruns += (events & INTERRUPT_RX_OVERRUN) != 0;
    errors.framing += (events & INTERRUPT_FRAMING) != 0;
    errors.parity += (events & INTERRUPT_PARITY) != 0;
}

uint8_t uart_receive(bool *damaged) {
    for (;;) {
        uint32_t events = mmio_read32(UART_ISR);
        /* The bit is cleared before the FIFO is looked at: a byte that comes in between sets it
         * again. */
        mmio_write32(UART_ISR, events & (INTERRUPT_RX_TRIGGER | INTERRUPT_DAMAGE));
        count_errors(events);
        *damaged = *damaged || (events & INTERRUPT_DAMAGE) != 0;
        if (!(mmio_read32(UART_SR) & SR_RX_EMPTY))
            return (uint8_t)mmio_read32(UART_FIFO);
        wait_for_interrupt();
    }
}
