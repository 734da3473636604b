#include "cases/parts/ending.h"

#include "cases/gateware.h"
#include "cases/geometry.h"
#include "machine/counter.h"
#include "machine/irq.h"
#include "machine/port.h"
#include "machine/timer.h"

#define TIMEOUT_COUNTS (PORT_TIME_FACTOR * (SYSTEM_COUNTER_HZ / 1000))

static bool seen;

static bool arrives(void) {
    uint64_t give_up = timer_now() + TIMEOUT_COUNTS;
    while (!irq_is_pending(IRQ_FINISHED) && timer_now() < give_up) {
    }
    return irq_is_pending(IRQ_FINISHED);
}

bool ending_arrives(uint32_t route) {
    uint32_t configs[LINES_MOST];
    uint64_t start_tick;
    if (seen)
        return true;
    unsigned lines = LINES;
    for (unsigned line = 0; line < lines; line++) {
        configs[line] = port_read(PORT_ELEMENT_WORD(lines, line, config));
        port_write(PORT_ELEMENT_WORD(lines, line, config),
                   configs[line] & ~(uint32_t)LINE_T__CONFIG__ENABLE_bm);
    }
    port_write(PORT_WORD(finished_route), route);
    bool armed = gateware_arm(GATEWARE_MARGIN_TICKS, 0, &start_tick);
    if (armed)
        seen = arrives();
    gateware_disarm();
    for (unsigned line = 0; line < lines; line++)
        port_write(PORT_ELEMENT_WORD(lines, line, config), configs[line]);
    return seen || !armed;
}
