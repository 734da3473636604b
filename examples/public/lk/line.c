/* A thread of LK that waits for an event, which the handler of interrupt 61 signals: line 0 of the
 * PL, by rising edge. Not built here. It takes LK's sources. */
#include <app.h>
#include <kernel/event.h>
#include <lk/init.h>
#include <platform/interrupts.h>
#include <platform/zynq.h>

#define LINE_0 61

/* The Zybo's set-up calls it, though LK is built without the network's driver. */
void gem_init(uintptr_t base) {}

static event_t rose = EVENT_INITIAL_VALUE(rose, false, EVENT_FLAG_AUTOUNSIGNAL);
static volatile unsigned answered;

static enum handler_return on_line(void *arg) {
    event_signal(&rose, false);
    return INT_RESCHEDULE;
}

__attribute__((noinline)) static void woken(void) { answered++; }

__attribute__((noinline)) static void ready(void) { answered = 0; }

static void entry(const struct app_descriptor *app, void *args) {
    thread_set_priority(HIGH_PRIORITY);
    register_int_handler(LINE_0, on_line, NULL);
    *REG32(0xF8F01C00 + LINE_0 / 16 * 4) |= 2u << LINE_0 % 16 * 2;
    unmask_interrupt(LINE_0);
    ready();
    for (;;) {
        event_wait(&rose);
        woken();
    }
}

APP_START(line).entry = entry, APP_END
