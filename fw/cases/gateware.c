#include "cases/gateware.h"

#include "cases/geometry.h"
#include "machine/clock.h"
#include "machine/counter.h"
#include "machine/cpu.h"
#include "machine/marker.h"
#include "machine/port.h"
#include "machine/timer.h"
#include "machine/uart.h"

/* Clearing takes a tick for each bin, a marker some 0.3 us; an open stimulus is over when its
 * timeout is, which has 32 bits of ticks. */
#define TIMEOUT_COUNTS (SYSTEM_COUNTER_HZ / 10)
#define TIMEOUT_FINISHED_COUNTS (20 * (uint64_t)SYSTEM_COUNTER_HZ)

static bool verified;

/* The wait that was in vain; code 0: none. */
static irq_error_t stuck;

/* Whether the link is another UART than the one of the board that the gateware names: one part
 * fits several boards. The host decides whether there is such a board. */
static bool of_another_board(uint32_t source) {
    static const uint32_t boards[] = {MACHINE_BOARDS_BY_UART};
    if (LINK_UART == NO_UART)
        return false;
    uint32_t board = (source & IRQSCOPE__SOURCE__BOARD_bm) >> IRQSCOPE__SOURCE__BOARD_bp;
    return board < 32 && boards[1 - uart_number()] >> board & 1;
}

static bool matches(irq_error_t *error) {
    if (verified)
        return true;
    uint32_t magic = port_read(PORT_WORD(magic));
    uint32_t version = port_read(PORT_WORD(version));
    uint32_t geometry = LINES << IRQSCOPE__GEOMETRY__LINES_bp |
                        CHANNELS << IRQSCOPE__GEOMETRY__CHANNELS_bp |
                        IRQSCOPE__GEOMETRY__CORES_reset << IRQSCOPE__GEOMETRY__CORES_bp |
                        IRQSCOPE__GEOMETRY__LEAD_reset << IRQSCOPE__GEOMETRY__LEAD_bp;
    verified = magic == IRQSCOPE__MAGIC__VALUE_reset &&
               version >> IRQSCOPE__VERSION__MAJOR_bp == IRQSCOPE__VERSION__MAJOR_reset &&
               port_read(PORT_WORD(geometry)) == geometry && LINES <= LINES_MOST &&
               CHANNELS <= CHANNELS_MOST &&
               (port_read(PORT_WORD(sizes)) & IRQSCOPE__SIZES__HIST_BINS_LOG2_bm) ==
                   MACHINE_HIST_BINS_LOG2;
    if (!verified) {
        *error = (irq_error_t){IRQ_ERROR_CODE_WRONG_GATEWARE, magic, version};
        return false;
    }
    uint32_t source = port_read(PORT_WORD(source));
    verified = !of_another_board(source);
    if (!verified)
        *error = (irq_error_t){IRQ_ERROR_CODE_WRONG_BOARD, source, uart_number()};
    return verified;
}

bool gateware_failed(irq_error_t *error) {
    unsigned word;
    if (!port_failed(&word))
        return false;
    *error = stuck.code != 0 ? stuck : (irq_error_t){IRQ_ERROR_CODE_NO_GATEWARE, word, 0};
    return true;
}

bool gateware_begin(irq_error_t *error) {
    stuck = (irq_error_t){0};
    port_recover();
    if (matches(error))
        return true;
    gateware_failed(error);
    return false;
}

/* Waits until the `bits` of the status register are as `wanted`. Returns those that still are not
 * when the time is over; 0: all are, or an access failed. */
static uint32_t wait(uint32_t bits, uint32_t wanted, uint64_t counts) {
    unsigned failed_word;
    uint64_t give_up = timer_now() + counts;
    uint32_t missing;
    do {
        missing = (port_read(PORT_WORD(status)) & bits) ^ wanted;
    } while (missing != 0 && !port_failed(&failed_word) && timer_now() < give_up);
    return port_failed(&failed_word) ? 0 : missing;
}

static void give_up(irq_error_t error) {
    stuck = error;
    port_give_up(PORT_WORD(status));
}

static void wait_for(uint32_t bits, uint32_t wanted, uint64_t counts) {
    uint32_t missing = wait(bits, wanted, counts);
    if (missing != 0)
        give_up((irq_error_t){IRQ_ERROR_CODE_GATEWARE_STUCK, PORT_WORD(status), missing});
}

void gateware_wait_until_finished(void) {
    uint32_t finished = IRQSCOPE__STATUS__FINISHED_bm;
    wait_for(finished, finished, TIMEOUT_FINISHED_COUNTS);
}

void gateware_clear(void) {
    port_write(PORT_WORD(command), IRQSCOPE__COMMAND__DISARM_bm);
    port_write(PORT_WORD(errors), UINT32_MAX);
    port_write(PORT_WORD(command), IRQSCOPE__COMMAND__CLEAR_bm);
    wait_for(IRQSCOPE__STATUS__CLEARING_bm, 0, TIMEOUT_COUNTS);
}

void gateware_show_toggle(void) {
    unsigned core = cpu_number();
    if (port_read(PORT_WORD(status)) >> (IRQSCOPE__STATUS__CORE_SEEN_bp + core) & 1)
        return;
    marker_set_first(IRQSCOPE_MARKER_DUMMY);
    marker_send_first();
    gateware_wait_for_toggles(1u << core);
}

void gateware_wait_for_toggles(unsigned cores) {
    uint32_t seen = cores << IRQSCOPE__STATUS__CORE_SEEN_bp;
    uint32_t missing = wait(seen, seen, TIMEOUT_COUNTS) >> IRQSCOPE__STATUS__CORE_SEEN_bp;
    if (missing != 0)
        give_up((irq_error_t){IRQ_ERROR_CODE_NO_MARKER, (uint32_t)__builtin_ctz(missing), 0});
}

bool gateware_arm(uint32_t margin_ticks, uint64_t since_ticks, uint64_t *start_tick) {
    uint64_t start = port_now() + margin_ticks;
    start += (since_ticks % CLOCK_PHASE_TICKS + CLOCK_PHASE_TICKS - start % CLOCK_PHASE_TICKS) %
             CLOCK_PHASE_TICKS;
    port_write64(PORT_WORD(start_tick), start);
    port_write(PORT_WORD(command), IRQSCOPE__COMMAND__ARM_bm);
    *start_tick = start;
    return (port_read(PORT_WORD(status)) & IRQSCOPE__STATUS__ARMED_bm) != 0;
}

void gateware_disarm(void) { port_write(PORT_WORD(command), IRQSCOPE__COMMAND__DISARM_bm); }
