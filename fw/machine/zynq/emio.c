#include "machine/port.h"

#include "machine/zynq/gpio.h"

/* An access takes about 1 us; a poll of the pins at least 0.1 us. */
#define POLLS_BEFORE_FAILURE 10000

#define MSW(field) ((field) >> 16)

static bool request; /* level of the request bit */
static bool failed;
static unsigned failed_word;

void port_init(void) {
    gpio_init();
    request = (gpio_read(GPIO_DATA(GPIO_LOW)) & EMIO__BANK3_OUT__REQUEST_bm) != 0;
    port_recover();
}

uint32_t emio_pins(void) { return gpio_read(GPIO_DATA_RO(GPIO_LOW)); }

static bool acknowledged(void) {
    for (unsigned polls = 0; polls < POLLS_BEFORE_FAILURE; polls++)
        if (((emio_pins() & EMIO__BANK3_IN__ACKNOWLEDGE_bm) != 0) == request)
            return true;
    return false;
}

static void access(unsigned word, uint32_t write) {
    if (failed)
        return;
    /* An earlier access that was given up may still be under way. */
    if (acknowledged()) {
        uint32_t upper = (word & MSW(EMIO__BANK3_OUT__ADDRESS_bm)) | MSW(write);
        uint32_t old = request ? MSW(EMIO__BANK3_OUT__REQUEST_bm) : 0;
        /* Address and direction first; the request's change is a store of its own, so that the
         * gateware never sees it ahead of them. */
        gpio_write(GPIO_MASK_DATA_MSW(GPIO_LOW), upper | old);
        gpio_write(GPIO_MASK_DATA_MSW(GPIO_LOW), upper | (old ^ MSW(EMIO__BANK3_OUT__REQUEST_bm)));
        request = !request;
        if (acknowledged())
            return;
    }
    port_give_up(word);
}

uint32_t port_read(unsigned word) {
    access(word, 0);
    return failed ? 0 : gpio_read(GPIO_DATA_RO(GPIO_HIGH));
}

void port_write(unsigned word, uint32_t value) {
    gpio_write(GPIO_DATA(GPIO_HIGH), value);
    access(word, EMIO__BANK3_OUT__WRITE_bm);
}

uint32_t port_exchange(unsigned word, uint32_t value) {
    port_write(word, value);
    return failed ? 0 : gpio_read(GPIO_DATA_RO(GPIO_HIGH));
}

uint64_t port_read64(unsigned word) {
    uint64_t low = port_read(word);
    return (uint64_t)port_read(word + 1) << 32 | low;
}

void port_write64(unsigned word, uint64_t value) {
    port_write(word, (uint32_t)value);
    port_write(word + 1, (uint32_t)(value >> 32));
}

/* The loop ends: the upper word changes every 17 s, and reads 0 once the port has failed. */
uint64_t port_now(void) {
    uint32_t high, low, again = port_read(PORT_WORD(now) + 1);
    do {
        high = again;
        low = port_read(PORT_WORD(now));
        again = port_read(PORT_WORD(now) + 1);
    } while (again != high);
    return (uint64_t)high << 32 | low;
}

bool port_failed(unsigned *word) {
    *word = failed_word;
    return failed;
}

void port_give_up(unsigned word) {
    failed = true;
    failed_word = word;
}

void port_recover(void) { failed = false; }
