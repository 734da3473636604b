/* Line 0 of the PL, interrupt 61 by rising edge, for ThreadX's own sample: its handler sets the
 * event that thread 5 of the sample waits for. Not built here. It takes ThreadX's sources. */
#include "tx_api.h"

#define DISTRIBUTOR 0xF8F01000
#define LINE_0 61
#define SETTINGS ((volatile ULONG *)(DISTRIBUTOR + 0xC00))
#define TARGETS ((volatile UCHAR *)(DISTRIBUTOR + 0x800))

extern TX_EVENT_FLAGS_GROUP event_flags_0;
void enableIntID(unsigned id);
void setIntPriority(unsigned id, unsigned priority);
void __real_start_private_timer(void);
void __real_writeEOI(unsigned id);

/* The sample's set-up calls it last. */
void __wrap_start_private_timer(void) {
    TARGETS[LINE_0] = 1;
    SETTINGS[LINE_0 / 16] |= 2u << LINE_0 % 16 * 2;
    setIntPriority(LINE_0, 0);
    enableIntID(LINE_0);
    __real_start_private_timer();
}

__attribute__((noinline)) void on_line(void) { tx_event_flags_set(&event_flags_0, 1, TX_OR); }

/* The sample's handler calls it for each interrupt. */
void __wrap_writeEOI(unsigned id) {
    if (id == LINE_0)
        on_line();
    __real_writeEOI(id);
}
