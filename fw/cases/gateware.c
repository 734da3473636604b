#include "cases/gateware.h"

#include "soc/cpu.h"
#include "soc/emio.h"
#include "soc/marker.h"

/* What a stimulus meets by its moment: the PL clock (250 MHz) and the APB clock (100 MHz) repeat
 * their relation every 5 ticks; the DDR is refreshed every 7.8 us (JEDEC DDR4 below 85 C). Both
 * repeat after so many. */
#define PHASE_TICKS 1950

static bool verified;

bool gateware_matches(irq_error_t *error) {
    if (verified)
        return true;
    uint32_t magic = emio_read(EMIO_WORD(magic));
    uint32_t version = emio_read(EMIO_WORD(version));
    uint32_t geometry = IRQSCOPE__GEOMETRY__LINES_reset << IRQSCOPE__GEOMETRY__LINES_bp |
                        IRQSCOPE__GEOMETRY__CHANNELS_reset << IRQSCOPE__GEOMETRY__CHANNELS_bp |
                        IRQSCOPE__GEOMETRY__CORES_reset << IRQSCOPE__GEOMETRY__CORES_bp |
                        IRQSCOPE__GEOMETRY__LEAD_reset << IRQSCOPE__GEOMETRY__LEAD_bp;
    verified = magic == IRQSCOPE__MAGIC__VALUE_reset &&
               version >> IRQSCOPE__VERSION__MAJOR_bp == IRQSCOPE__VERSION__MAJOR_reset &&
               emio_read(EMIO_WORD(geometry)) == geometry &&
               (emio_read(EMIO_WORD(sizes)) & IRQSCOPE__SIZES__HIST_BINS_LOG2_bm) ==
                   IRQSCOPE__SIZES__HIST_BINS_LOG2_reset;
    if (!verified)
        *error = (irq_error_t){IRQ_ERROR_CODE_WRONG_GATEWARE, magic, version};
    return verified;
}

void gateware_wait(unsigned word, uint32_t bits, bool set) {
    unsigned failed_word;
    uint32_t wanted = set ? bits : 0;
    while ((emio_read(word) & bits) != wanted && !emio_failed(&failed_word)) {
    }
}

void gateware_clear(void) {
    emio_write(EMIO_WORD(command), IRQSCOPE__COMMAND__DISARM_bm);
    emio_write(EMIO_WORD(errors), UINT32_MAX);
    emio_write(EMIO_WORD(command), IRQSCOPE__COMMAND__CLEAR_bm);
    gateware_wait(EMIO_WORD(status), IRQSCOPE__STATUS__CLEARING_bm, false);
}

void gateware_show_toggle(void) {
    uint32_t seen = UINT32_C(1) << (IRQSCOPE__STATUS__CORE_SEEN_bp + cpu_number());
    if (emio_read(EMIO_WORD(status)) & seen)
        return;
    marker_set_first(IRQSCOPE_MARKER_DUMMY);
    marker_send_first();
    gateware_wait(EMIO_WORD(status), seen, true);
}

void gateware_wait_for_toggles(unsigned cores) {
    gateware_wait(EMIO_WORD(status), cores << IRQSCOPE__STATUS__CORE_SEEN_bp, true);
}

bool gateware_arm(uint32_t margin_ticks, uint64_t since_ticks, uint64_t *start_tick) {
    uint64_t start = emio_now() + margin_ticks;
    start += (since_ticks % PHASE_TICKS + PHASE_TICKS - start % PHASE_TICKS) % PHASE_TICKS;
    emio_write64(EMIO_WORD(start_tick), start);
    emio_write(EMIO_WORD(command), IRQSCOPE__COMMAND__ARM_bm);
    *start_tick = start;
    return (emio_read(EMIO_WORD(status)) & IRQSCOPE__STATUS__ARMED_bm) != 0;
}

void gateware_disarm(void) { emio_write(EMIO_WORD(command), IRQSCOPE__COMMAND__DISARM_bm); }
