#include "cases/parts/origin.h"

#include <stdbool.h>

#include "machine/clock.h"
#include "machine/counter.h"
#include "machine/port.h"
#include "machine/timer.h"

/* The shortest of so many windows between two readings of the counter is taken. */
#define READINGS 8

static bool known;
static int64_t ratio_counts; /* in CLOCK_RATIO_TICKS */
static uint64_t reference_tick, reference_count;
static uint64_t begun_tick;
static int64_t origin_count;

static int64_t divided(int64_t value, int64_t by) { /* rounded down */
    return value / by - (value % by < 0);
}

int64_t origin_counts(int64_t ticks) { return divided(ticks * ratio_counts, CLOCK_RATIO_TICKS); }

int64_t origin_ticks(int64_t counts) { return divided(counts * CLOCK_RATIO_TICKS, ratio_counts); }

void origin_forget(void) { known = false; }

void origin_prepare(void) {
    if (known)
        return;
    known = true;
    uint64_t tick_hz = port_read(PORT_WORD(tick_hz)), window = UINT64_MAX;
    ratio_counts = 1;
    if (tick_hz != 0)
        ratio_counts =
            (int64_t)((CLOCK_RATIO_TICKS * (uint64_t)SYSTEM_COUNTER_HZ + tick_hz / 2) / tick_hz);
    for (unsigned reading = 0; reading < READINGS; reading++) {
        uint64_t before = timer_now();
        uint64_t tick = port_now();
        uint64_t after = timer_now();
        if (after - before >= window)
            continue;
        window = after - before;
        reference_tick = tick;
        reference_count = before + window / 2;
    }
}

void origin_set(uint64_t start_tick, uint64_t since_ticks) {
    begun_tick = start_tick;
    origin_count = (int64_t)reference_count +
                   origin_counts((int64_t)(start_tick - since_ticks - reference_tick));
}

uint64_t origin_next(uint32_t period) {
    int64_t since = (int64_t)timer_now() - origin_count;
    return (uint64_t)(origin_count + (divided(since, period) + 1) * period);
}

uint64_t origin_tick_at(uint64_t count) {
    int64_t start =
        (int64_t)reference_count + origin_counts((int64_t)(begun_tick - reference_tick));
    return begun_tick + (uint64_t)origin_ticks((int64_t)count - start);
}
