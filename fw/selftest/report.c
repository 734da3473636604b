#include "selftest/report.h"

#include <stdbool.h>
#include <stddef.h>

#include "bound/uart.h"
#include "lib/mmio.h"

#define UART_SR (UART_BASE + 0x2C)
#define UART_FIFO (UART_BASE + 0x30)
#define SR_TX_FULL 0x010

static const char *test;
static const char *wrong; /* NULL: nothing so far */
static uint64_t wrong_expected, wrong_got;
static bool failed;

/* Polls, unlike machine/zynq/uart.c: works whatever state the interrupt controller was left in.
 */
static void put(char character) {
    while (mmio_read32(UART_SR) & SR_TX_FULL) { /* it empties at its own rate */
    }
    mmio_write32(UART_FIFO, (uint8_t)character);
}

static void put_text(const char *text) {
    for (; *text != '\0'; text++)
        put(*text);
}

static void put_hex(uint64_t value) {
    put_text("0x");
    int shift = 60;
    while (shift > 0 && value >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        put("0123456789abcdef"[value >> shift & 15]);
}

void report_begin(const char *name) {
    test = name;
    wrong = NULL;
}

void report_check(const char *what, uint64_t expected, uint64_t got) {
    if (expected == got || wrong != NULL)
        return;
    wrong = what;
    wrong_expected = expected;
    wrong_got = got;
}

void report_end(void) {
    put_text(wrong == NULL ? "ok " : "not ok ");
    put_text(test);
    if (wrong != NULL) {
        failed = true;
        put_text(": ");
        put_text(wrong);
        put_text(": expected ");
        put_hex(wrong_expected);
        put_text(", got ");
        put_hex(wrong_got);
    }
    put('\n');
}

void report_skip(const char *name, const char *reason) {
    put_text("skip ");
    put_text(name);
    put_text(": ");
    put_text(reason);
    put('\n');
}

void report_verdict(void) { put_text(failed ? "SELFTEST FAIL\n" : "SELFTEST PASS\n"); }

void report_fault(uint64_t offset, uint64_t esr, uint64_t elr, uint64_t far) {
    put_text("exception: vector ");
    put_hex(offset);
    put_text(", ESR ");
    put_hex(esr);
    put_text(", ELR ");
    put_hex(elr);
    put_text(", FAR ");
    put_hex(far);
    put_text("\nSELFTEST FAIL\n");
}
